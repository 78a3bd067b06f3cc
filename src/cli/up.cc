#include "cli/up.h"

#include <fmt/format.h>
#include <unistd.h>

#include <memory>
#include <optional>
#include <ostream>
#include <string_view>
#include <thread>

#include "base/clock.h"
#include "base/term.h"
#include "cli/api_access.h"
#include "cli/demo.h"
#include "cli/end_signals.h"
#include "cli/manifests.h"
#include "cli/screen.h"
#include "localcluster/cluster.h"

namespace kumiko::cli {
namespace {

// One line on a terminal, overwritten by the next and gone at the end; nothing elsewhere.
class Progress {
 public:
  explicit Progress(std::ostream& err) : err_(err), shown_(IsTerminal(STDERR_FILENO)) {}
  ~Progress() { Clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void Say(std::string_view text) {
    if (shown_) err_ << "\r\x1b[K" << text << std::flush;
  }
  void Clear() { Say(""); }

 private:
  std::ostream& err_;
  bool shown_;
};

// How often the page may change.
constexpr Duration kBetweenPages = std::chrono::milliseconds(250);

ExitCode Refuse(const Error& error, std::ostream& err) {
  err << error.message << '\n';
  return ExitCodeFor(error);
}

struct Session {
  std::unique_ptr<localcluster::StateFile> state;  // outlives the cluster
  localcluster::ClusterFile file;
  localcluster::ClusterOptions options;
  std::unique_ptr<Clock> clock;
  std::unique_ptr<localcluster::Cluster> cluster;
};

// The page is made of all slices, which of larger clusters are gigabytes.
constexpr std::size_t kMostGpusOnThePage = 1024;

// The page and, for a demo, the comparison.
Result<std::string> Show(const UpOptions& options, Session& session, const report::Style& style) {
  std::size_t gpus = 0;
  for (const localcluster::SimulatedNode& node : session.file.nodes) gpus += node.boards.size();
  if (!options.demo && gpus > kMostGpusOnThePage) {
    return fmt::format("{} nodes with {} GPUs; kumiko top shows who holds and uses them\n", session.file.nodes.size(),
                       gpus);
  }
  KU_TRY(report::PlacementPage page, PageOf(*session.cluster));
  if (options.demo) {
    KU_TRY(page.whole_gpus, RunOnWholeGpus(*session.cluster, session.file, session.options));
  }
  return report::Draw(page, style);
}

// What to type next.
void Invite(const ApiAccess& access, std::ostream& out) {
  out << fmt::format(
      "\nThe cluster is up at {}; Ctrl-C stops it. In another terminal:\n\n"
      "  export KUBECONFIG={}\n"
      "  kubectl get pods -A -o wide\n"
      "  kubectl get resourceclaims -A\n"
      "  kubectl describe nodes\n",
      access.url(), access.kubeconfig());
  out << std::flush;
}

Status Serve(const UpOptions& options, Session& session, const report::Style& style, const EndSignals& signals,
             std::ostream& out) {
  Status ended;
  std::uint64_t shown = session.cluster->store().Revision();
  std::string printed;
  std::jthread loop([&](const std::stop_token& stop) { ended = session.cluster->Run(stop); });
  while (out && !signals.Arrived(kBetweenPages)) {
    const std::uint64_t now = session.cluster->store().Revision();
    if (now == shown || !IsTerminal(STDOUT_FILENO)) continue;
    shown = now;
    KU_TRY(std::string page, Show(options, session, style));
    // Much of what is written, such as the Leases of nodes, is not on the page.
    if (page == printed) continue;
    out << '\n' << page << std::flush;
    printed = std::move(page);
  }
  loop.request_stop();
  loop.join();
  return ended;
}

Result<std::vector<Document>> ReadWork(const UpOptions& options) {
  std::vector<std::string> paths = options.apply;
  if (options.demo && paths.empty()) paths.push_back(options.examples + "/demo");
  return ReadManifests(paths);
}

Result<Session> Start(const UpOptions& options) {
  Session session;
  const std::string file =
      options.cluster_file.empty() ? options.examples + "/clusters/demo.yaml" : options.cluster_file;
  KU_TRY(session.file, localcluster::ReadClusterFile(file));
  session.options.policy = options.packed ? allocator::Policy::kPacked : allocator::Policy::kFirstFit;
  session.options.seed = options.seed;
  if (!options.state.empty()) {
    KU_TRY(session.state, localcluster::StateFile::Open(options.state));
    session.options.state = session.state.get();
  }
  // A demo that ends does not depend on how fast the machine is: its clock stands still.
  if (options.demo && !options.keep) {
    session.clock = std::make_unique<ManualClock>(RealClock().Now());
  } else {
    session.clock = std::make_unique<RealClock>();
  }
  KU_TRY(session.cluster, localcluster::Cluster::Create(session.file, session.options, *session.clock));
  return session;
}

}  // namespace

ExitCode RunUp(const UpOptions& options, std::ostream& out, std::ostream& err) {
  const report::Style style = StyleOfStdout(options.color, options.ascii);
  const EndSignals signals;
  Progress progress(err);
  progress.Say("reading manifests");
  const auto documents = ReadWork(options);
  if (!documents) return Refuse(documents.error(), err);
  const std::vector<std::string> problems = CheckManifests(*documents);
  for (const std::string& problem : problems) err << EscapeControls(problem) << '\n';
  if (!problems.empty()) return ExitCode::kBadInput;

  progress.Say("starting the cluster");
  auto session = Start(options);
  if (!session) return Refuse(session.error(), err);
  std::optional<ApiAccess> access;
  if (!options.demo || options.keep) {
    auto opened = ApiAccess::Open(*session->cluster, static_cast<std::uint16_t>(options.api_port), options.kubeconfig);
    if (!opened) return Refuse(opened.error(), err);
    access.emplace(std::move(*opened));
  }
  progress.Say("placing pods");
  if (const Status applied = session->cluster->Apply(*documents); !applied) return Refuse(applied.error(), err);
  if (const Status idle = session->cluster->RunUntilIdle(); !idle) return Refuse(idle.error(), err);
  progress.Say("comparing with whole GPUs");
  const auto page = Show(options, *session, style);
  progress.Clear();
  if (!page) return Refuse(page.error(), err);
  out << *page << std::flush;
  if (!out) return ExitCode::kInternalFailure;  // nobody would see what changes
  if (!access) return ExitCode::kDone;

  Invite(*access, out);
  const Status served = Serve(options, *session, style, signals, out);
  return served ? ExitCode::kDone : Refuse(served.error(), err);
}

}  // namespace kumiko::cli
