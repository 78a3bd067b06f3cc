// Keeps many informers on a real API server and answers questions about them, for tests/kube/run.
//   kube_informers --kubeconfig FILE --namespaces a,b --kinds ConfigMap,Pod --count 50 [--seed N] [--watch-seconds 1:9]
// Commands on stdin, one a line, each answered by one line of JSON: "state" (what was seen so far), "compare" (does
// every cache equal a list made now), "quit".
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <iostream>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "base/clock.h"
#include "base/text.h"
#include "kube/http_client.h"
#include "kube/typed.h"

namespace kumiko::kube {
namespace {

struct Arguments {
  std::string kubeconfig;
  std::vector<std::string> namespaces;
  std::vector<std::string> kinds;
  int count = 50;
  std::uint64_t seed = 1;
  int shortest_watch = 300;
  int longest_watch = 600;
};

std::vector<std::string> SplitNames(std::string_view text) {
  std::vector<std::string> names;
  for (const std::string_view name : Split(text, ',')) names.emplace_back(name);
  return names;
}

Arguments Read(int count, char** words) {
  Arguments arguments;
  for (int i = 1; i + 1 < count; i += 2) {
    const std::string_view flag = words[i];
    const std::string_view value = words[i + 1];
    const auto number = [](std::string_view text) { return static_cast<int>(ParseInt64(text).value_or(0)); };
    if (flag == "--kubeconfig") arguments.kubeconfig = value;
    if (flag == "--namespaces") arguments.namespaces = SplitNames(value);
    if (flag == "--kinds") arguments.kinds = SplitNames(value);
    if (flag == "--count") arguments.count = number(value);
    if (flag == "--seed") arguments.seed = static_cast<std::uint64_t>(number(value));
    if (flag == "--watch-seconds") {
      const auto parts = Split(value, ':');
      arguments.shortest_watch = number(parts.front());
      arguments.longest_watch = number(parts.back());
    }
  }
  return arguments;
}

// One informer with what it told.
struct Follower {
  ObjectKey all;
  std::unique_ptr<TreeInformer> informer;
  std::map<ObjectKey, std::shared_ptr<const Json>> cache;
  std::map<ObjectKey, std::int64_t> newest;  // kept when an object goes
  std::int64_t changes = 0;
  std::int64_t backwards = 0;
  std::set<std::string> troubles;

  void Sync() {
    const auto told = informer->Sync();
    const std::optional<Error> trouble = told ? informer->trouble() : std::optional(told.error());
    if (trouble) troubles.insert(trouble->message.substr(0, 160));
    if (!told) return;
    for (const TreeInformer::Change& change : *told) {
      ++changes;
      if (change.object == nullptr) {
        cache.erase(change.key);
        continue;
      }
      const std::int64_t version =
          ParseInt64(StringAt(change.object.outline(), {"metadata", "resourceVersion"})).value_or(-1);
      std::int64_t& newest_version = newest[change.key];
      if (version <= newest_version) ++backwards;
      newest_version = std::max(newest_version, version);
      cache[change.key] = change.object.tree();
    }
  }
};

class Program {
 public:
  Program(HttpClient& client, const Arguments& arguments) : client_(client), arguments_(arguments) {
    for (int i = 0; i < arguments.count; ++i) {
      const auto at = static_cast<std::size_t>(i);
      Follower follower;
      follower.all.kind = arguments.kinds[at % arguments.kinds.size()];
      const Result<Resource> resource = client.FindResource(follower.all.kind);
      // Every third follows all namespaces, the others one each.
      if (i % 3 != 0 && resource && resource->namespaced) {
        follower.all.namespace_ = arguments.namespaces[at / 3 % arguments.namespaces.size()];
      }
      InformerOptions options;
      options.namespace_ = follower.all.namespace_;
      options.wake = [descriptor = wake_] {
        const std::uint64_t one = 1;
        static_cast<void>(!::write(descriptor, &one, sizeof one));
      };
      options.seed = arguments.seed + at + 1;
      follower.informer = std::make_unique<TreeInformer>(client, follower.all.kind, std::move(options));
      followers_.push_back(std::move(follower));
    }
  }

  void Run() {
    while (!quit_) {
      for (Follower& follower : followers_) follower.Sync();
      std::array<pollfd, 2> ready = {pollfd{STDIN_FILENO, POLLIN, 0}, pollfd{wake_, POLLIN, 0}};
      ::poll(ready.data(), ready.size(), MillisecondsToNext());
      std::uint64_t count = 0;
      if (ready[1].revents != 0) static_cast<void>(!::read(wake_, &count, sizeof count));
      if (ready[0].revents != 0) ReadCommand();
    }
  }

 private:
  int MillisecondsToNext() const {
    std::optional<Time> next;
    for (const Follower& follower : followers_) {
      const std::optional<Time> at = follower.informer->NextSyncAt();
      if (at && (!next || *at < *next)) next = at;
    }
    if (!next) return -1;
    const auto micros = (*next - clock_.Now()).count();
    return static_cast<int>(std::clamp<std::int64_t>(micros / 1000 + 1, 0, 60'000));
  }

  void ReadCommand() {
    std::string command;
    if (!std::getline(std::cin, command) || command == "quit") quit_ = true;
    if (command == "state") Answer(State());
    if (command == "compare") Answer(Compare());
  }

  static void Answer(const JsonObject& answer) { std::cout << WriteJson(answer) << '\n' << std::flush; }

  JsonObject State() const {
    std::int64_t objects = 0;
    std::int64_t changes = 0;
    std::int64_t backwards = 0;
    std::int64_t synced = 0;
    std::int64_t troubled = 0;
    std::set<std::string> troubles;
    for (const Follower& follower : followers_) {
      objects += static_cast<std::int64_t>(follower.cache.size());
      changes += follower.changes;
      backwards += follower.backwards;
      synced += follower.informer->synced() ? 1 : 0;
      troubled += follower.informer->trouble() ? 1 : 0;
      troubles.insert(follower.troubles.begin(), follower.troubles.end());
    }
    JsonArray told;
    for (const std::string& trouble : troubles) {
      if (told.size() < 12) told.emplace_back(trouble);
    }
    return {{"informers", static_cast<std::int64_t>(followers_.size())},
            {"synced", synced},
            {"troubled", troubled},
            {"objects", objects},
            {"changes", changes},
            {"backwards", backwards},
            {"troubles", std::move(told)}};
  }

  JsonObject Compare() {
    JsonArray different;
    std::int64_t objects = 0;
    for (Follower& follower : followers_) {
      const Result<ObjectList> fresh = client_.List(follower.all);
      const std::string name = fmt::format("{} in {}", follower.all.kind, follower.all.namespace_);
      if (!fresh) {
        different.emplace_back(fmt::format("{}: {}", name, fresh.error().message));
        continue;
      }
      std::map<ObjectKey, std::shared_ptr<const Json>> wanted;
      for (const auto& item : fresh->items) wanted[KeyOf(item.outline())] = item.tree();
      objects += static_cast<std::int64_t>(wanted.size());
      for (const auto& [key, object] : wanted) {
        const auto found = follower.cache.find(key);
        if (found != follower.cache.end() && *found->second == *object) continue;
        const bool missing = found == follower.cache.end();
        if (different.size() < 10) {
          different.emplace_back(fmt::format("{}: {} {}", name, key.name, missing ? "missing" : "old"));
        }
      }
      for (const auto& [key, object] : follower.cache) {
        if (wanted.contains(key)) continue;
        if (different.size() < 10) different.emplace_back(fmt::format("{}: {} is gone", name, key.name));
      }
    }
    return {{"equal", different.empty()}, {"objects", objects}, {"different", std::move(different)}};
  }

  HttpClient& client_;
  const Arguments& arguments_;
  RealClock clock_;
  int wake_ = ::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
  std::vector<Follower> followers_;
  bool quit_ = false;
};

int Main(int count, char** words) {
  const Arguments arguments = Read(count, words);
  AccessOptions options = AccessOptions::FromEnvironment();
  options.kubeconfig = arguments.kubeconfig;
  const Result<ClusterAccess> access = FindCluster(options);
  if (!access) {
    std::cerr << access.error().message << '\n';
    return 1;
  }
  HttpClientOptions client_options;
  client_options.watches.shortest = std::chrono::seconds(arguments.shortest_watch);
  client_options.watches.longest = std::chrono::seconds(arguments.longest_watch);
  client_options.seed = arguments.seed;
  const auto client = HttpClient::Create(*access, client_options);
  if (!client) {
    std::cerr << client.error().message << '\n';
    return 1;
  }
  Program program(**client, arguments);
  program.Run();
  return 0;
}

}  // namespace
}  // namespace kumiko::kube

int main(int count, char** words) {
  return kumiko::kube::Main(count, words);
}
