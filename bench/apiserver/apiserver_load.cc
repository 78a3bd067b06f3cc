// Sends requests to an API server at a rate, with watches open, and checks that every watch tells every write in order.
//   apiserver_load --server HOST:PORT --ca FILE (--token-file FILE | --cert FILE --key FILE)
//                  [--connections N] [--rate N] [--watches FILE] < requests
// A request is a line "METHOD PATH CONTENT-TYPE BODY"; a connection takes the next one when its last is answered.
// FILE has a line "PATH" for each watch, which are all open before the first request is sent. `--rate 0`: as fast as
// the server answers. Prints one line of JSON; exits with 1 when a request was refused or a watch did not tell the
// truth, with 2 when it could not be tried.
#include <fmt/format.h>
#include <poll.h>
#include <sys/resource.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tls_connection.h"
#include "watch_record.h"

namespace kumiko::bench {
namespace {

using Clock = std::chrono::steady_clock;

// How long watches may take for what is left when all requests are answered.
constexpr auto kPatience = std::chrono::seconds(20);

struct Options {
  Access access;
  int connections = 8;
  double rate = 0;
  std::string watches_file;
};

struct Request {
  std::string method;
  std::string path;
  std::string content_type;
  std::string body;
};

// "/api/v1/namespaces/ml/pods/x/status" → "ml"; "" for a path without a namespace.
std::string NamespaceOf(std::string_view path) {
  constexpr std::string_view kMember = "/namespaces/";
  const std::size_t at = path.find(kMember);
  if (at == std::string_view::npos) return {};
  path.remove_prefix(at + kMember.size());
  return std::string(path.substr(0, path.find_first_of("/?")));
}

std::vector<Request> ReadRequests(std::istream& in) {
  std::vector<Request> requests;
  for (std::string line; std::getline(in, line);) {
    Request request;
    std::size_t begin = 0;
    for (std::string* part : {&request.method, &request.path, &request.content_type}) {
      const std::size_t end = std::min(line.find(' ', begin), line.size());
      *part = line.substr(begin, end - begin);
      begin = std::min(end + 1, line.size());
    }
    request.body = line.substr(begin);
    requests.push_back(std::move(request));
  }
  return requests;
}

double Quantile(std::vector<double>& values, double share) {
  if (values.empty()) return 0;
  const auto at = static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), values.begin() + at, values.end());
  return values[static_cast<std::size_t>(at)];
}

double OwnCpuSeconds() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

// The answers to the requests of one connection.
class Requester final : public Answers {
 public:
  Requester(std::unique_ptr<Dialer::Connection> connection, Writes& writes)
      : connection_(std::move(connection)), writes_(writes) {}

  bool busy() const { return busy_; }
  Dialer::Connection& connection() { return *connection_; }

  Status Send(const Request& request) {
    namespace_ = NamespaceOf(request.path);
    sent_ = Clock::now();
    busy_ = true;
    body_.clear();
    return connection_->Send(request.method, request.path, request.content_type, request.body);
  }

  void OnStatus(int status) override { status_ = status; }
  void OnBody(std::string_view part) override { body_ += part; }
  void OnEnd() override {
    busy_ = false;
    times_ms.push_back(std::chrono::duration<double, std::milli>(Clock::now() - sent_).count());
    const auto version = VersionIn(body_);
    if (status_ >= 300 || !version) {
      if (refused++ == 0) fmt::print(stderr, "{}: {}\n", status_, body_.substr(0, 600));
      return;
    }
    writes_.emplace(*version, Write{namespace_, sent_});
  }

  std::vector<double> times_ms;
  std::uint64_t refused = 0;

 private:
  std::unique_ptr<Dialer::Connection> connection_;
  Writes& writes_;
  std::string namespace_;
  Moment sent_;
  std::string body_;
  int status_ = 0;
  bool busy_ = false;
};

class Watcher final : public Answers {
 public:
  Watcher(std::unique_ptr<Dialer::Connection> connection, const std::string& path)
      : record(NamespaceOf(path)), connection_(std::move(connection)) {}

  Dialer::Connection& connection() { return *connection_; }
  bool open() const { return status_ == 200; }
  int status() const { return status_; }

  void OnStatus(int status) override { status_ = status; }
  void OnBody(std::string_view part) override {
    bytes += part.size();
    record.Take(part, Clock::now());
  }
  void OnEnd() override { ended = true; }

  WatchRecord record;
  std::uint64_t bytes = 0;
  bool ended = false;

 private:
  std::unique_ptr<Dialer::Connection> connection_;
  int status_ = 0;
};

class Load {
 public:
  static Result<int> Run(const Options& options) {
    Load load;
    KU_TRY(const Dialer dialer, Dialer::Create(options.access));
    KU_TRY_OK(load.Open(dialer, options));
    const double cpu = OwnCpuSeconds();
    const Moment began = Clock::now();
    KU_TRY_OK(load.SendAll(ReadRequests(std::cin), options.rate));
    const double seconds = std::chrono::duration<double>(Clock::now() - began).count();
    KU_TRY_OK(load.AwaitWatches());
    return load.Report(seconds, OwnCpuSeconds() - cpu);
  }

 private:
  Status Open(const Dialer& dialer, const Options& options) {
    std::ifstream file(options.watches_file);
    for (std::string path; !options.watches_file.empty() && std::getline(file, path);) {
      KU_TRY(auto connection, dialer.Open());
      KU_TRY_OK(connection->Send("GET", path, "", ""));
      watchers_.push_back(std::make_unique<Watcher>(std::move(connection), path));
    }
    for (int i = 0; i < options.connections; ++i) {
      KU_TRY(auto connection, dialer.Open());
      requesters_.push_back(std::make_unique<Requester>(std::move(connection), writes_));
    }
    for (auto& watcher : watchers_) polled_.push_back({watcher->connection().descriptor(), POLLIN, 0});
    for (auto& requester : requesters_) polled_.push_back({requester->connection().descriptor(), POLLIN, 0});
    const Moment limit = Clock::now() + kPatience;
    while (!std::ranges::all_of(watchers_, [](const auto& watcher) { return watcher->open(); })) {
      KU_TRY_OK(Receive(100));
      for (const auto& watcher : watchers_) {
        if (watcher->status() > 200) return Fail(Code::kUnavailable, "a watch is refused: {}", watcher->status());
      }
      if (Clock::now() > limit) return Fail(Code::kUnavailable, "the watches do not begin");
    }
    return {};
  }

  Status Receive(int wait_ms) {
    poll(polled_.data(), polled_.size(), wait_ms);
    for (std::size_t i = 0; i < polled_.size(); ++i) {
      if (polled_[i].revents == 0) continue;
      if (i < watchers_.size()) {
        KU_TRY_OK(watchers_[i]->connection().Receive(*watchers_[i]), "a watch");
        if (watchers_[i]->ended) return Fail(Code::kUnavailable, "a watch has ended");
      } else {
        Requester& requester = *requesters_[i - watchers_.size()];
        KU_TRY_OK(requester.connection().Receive(requester), "a request");
      }
    }
    return {};
  }

  Status SendAll(const std::vector<Request>& requests, double rate) {
    const Moment began = Clock::now();
    std::size_t next = 0;
    for (;;) {
      const double passed = std::chrono::duration<double>(Clock::now() - began).count();
      const std::size_t due =
          rate == 0 ? requests.size() : std::min(requests.size(), static_cast<std::size_t>(passed * rate) + 1);
      bool busy = false;
      for (const auto& requester : requesters_) {
        if (!requester->busy() && next < due) KU_TRY_OK(requester->Send(requests[next++]));
        busy |= requester->busy();
      }
      if (next == requests.size() && !busy) return {};
      KU_TRY_OK(Receive(1));
    }
  }

  Status AwaitWatches() {
    const Moment limit = Clock::now() + kPatience;
    const auto has_all = [this](const auto& watcher) {
      for (auto write = writes_.rbegin(); write != writes_.rend(); ++write) {
        if (watcher->record.Covers(write->second)) return watcher->record.last() >= write->first;
      }
      return true;
    };
    while (!std::ranges::all_of(watchers_, has_all) && Clock::now() < limit) KU_TRY_OK(Receive(10));
    return {};
  }

  int Report(double seconds, double cpu) {
    std::vector<double> times_ms;
    std::uint64_t refused = 0;
    for (const auto& requester : requesters_) {
      times_ms.insert(times_ms.end(), requester->times_ms.begin(), requester->times_ms.end());
      refused += requester->refused;
    }
    WatchRecord::Verdict all;
    std::uint64_t events = 0;
    std::uint64_t bytes = 0;
    for (const auto& watcher : watchers_) {
      const WatchRecord::Verdict one = watcher->record.Judge(writes_);
      all.missing += one.missing;
      all.disordered += one.disordered;
      all.unreadable += one.unreadable;
      all.others += one.others;
      all.lags_ms.insert(all.lags_ms.end(), one.lags_ms.begin(), one.lags_ms.end());
      events += watcher->record.events();
      bytes += watcher->bytes;
    }
    fmt::print(
        R"({{"requests":{},"refused":{},"seconds":{:.3f},"p50_ms":{:.2f},"p99_ms":{:.2f},"watches":{},"events":{},)"
        R"("bytes":{},"missing":{},"disordered":{},"unreadable":{},"others":{},"lag_p50_ms":{:.2f},)"
        R"("lag_p99_ms":{:.2f},"client_cpu_seconds":{:.2f}}})"
        "\n",
        times_ms.size(), refused, seconds, Quantile(times_ms, 0.5), Quantile(times_ms, 0.99), watchers_.size(), events,
        bytes, all.missing, all.disordered, all.unreadable, all.others, Quantile(all.lags_ms, 0.5),
        Quantile(all.lags_ms, 0.99), cpu);
    return refused + all.missing + all.disordered + all.unreadable == 0 ? 0 : 1;
  }

  Writes writes_;
  std::vector<std::unique_ptr<Watcher>> watchers_;
  std::vector<std::unique_ptr<Requester>> requesters_;
  std::vector<pollfd> polled_;  // of the watchers, then of the requesters
};

Result<Options> ReadOptions(int argc, char** argv) {
  Options options;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string_view name = argv[i];
    const std::string value = argv[i + 1];
    const auto number = [&] { return std::atoi(value.c_str()); };
    if (name == "--server") {
      options.access.host = value.substr(0, value.find(':'));
      options.access.port = std::atoi(value.c_str() + value.find(':') + 1);
    } else if (name == "--ca") {
      options.access.authority_file = value;
    } else if (name == "--cert") {
      options.access.certificate_file = value;
    } else if (name == "--key") {
      options.access.key_file = value;
    } else if (name == "--token-file") {
      std::getline(std::ifstream(value), options.access.token);
    } else if (name == "--connections") {
      options.connections = number();
    } else if (name == "--rate") {
      options.rate = number();
    } else if (name == "--watches") {
      options.watches_file = value;
    } else {
      return Fail(Code::kInvalidArgument, "{} is no option; they stand at the top of apiserver_load.cc", name);
    }
  }
  if (options.access.port == 0) return Fail(Code::kInvalidArgument, "--server HOST:PORT is missing");
  return options;
}

}  // namespace
}  // namespace kumiko::bench

int main(int argc, char** argv) {
  const auto options = kumiko::bench::ReadOptions(argc, argv);
  const auto ended = options ? kumiko::bench::Load::Run(*options)
                             : kumiko::Result<int>(tl::unexpected<kumiko::Error>(options.error()));
  if (ended) return *ended;
  fmt::print(stderr, "{}\n", ended.error().message);
  return 2;
}
