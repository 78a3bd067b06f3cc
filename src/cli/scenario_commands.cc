#include "cli/scenario_commands.h"

#include <chrono>
#include <sstream>
#include <variant>

#include "base/child_process.h"
#include "base/files.h"
#include "base/text.h"
#include "cli/command_line.h"
#include "cli/explain_command.h"
#include "cli/top_command.h"
#include "localcluster/apiserver/api_server.h"

namespace kumiko::cli {
namespace {

constexpr unsigned kOnlyMine = 0600;
constexpr Duration kTimeout = std::chrono::seconds(60);
constexpr std::size_t kMaxOutputBytes = 16 << 20;

Result<std::optional<std::string>> RunKubectl(const std::vector<std::string>& command, localcluster::Cluster& cluster,
                                              const Clock& clock) {
  KU_TRY(const auto server, localcluster::ApiServer::Start(cluster.store(), clock, {}));
  KU_TRY(const TemporaryDirectory home, TemporaryDirectory::Create());
  const std::string kubeconfig = home.path() + "/kubeconfig";
  KU_TRY_OK(WriteFileAtomically(kubeconfig, server->Kubeconfig(), kOnlyMine));
  const Result<ChildResult> ended =
      RunChild({.program = command[0],
                .arguments = {command.begin() + 1, command.end()},
                .environment = {{"KUBECONFIG", kubeconfig}, {"HOME", home.path()}, {"TZ", "UTC"}, {"LC_ALL", "C"}},
                .takes_stderr = true,
                .timeout = kTimeout,
                .max_output_bytes = kMaxOutputBytes});
  if (ended) return ended->output;
  if (ended.error().code == Code::kNotFound) return std::nullopt;
  return Fail(ended.error().code, "{}: {}", Join(command, " "), ended.error().message);
}

struct Kumiko {
  localcluster::Cluster& cluster;
  const Clock& clock;

  Result<std::string> operator()(const ExplainOptions& options) const {
    std::ostringstream out;
    RunExplain(options, cluster.api(), NamespaceOf(options.cluster), clock, {}, out, out);
    return out.str();
  }
  Result<std::string> operator()(const TopOptions& options) const {
    if (options.watch) return Fail(Code::kInvalidArgument, "kumiko top -w does not end; leave -w out");
    std::ostringstream out;
    RunTop(options, cluster.api(), NamespaceOf(options.cluster), clock, [] { return report::Style(); }, out, out);
    return out.str();
  }
  Result<std::string> operator()(const NothingToRun& nothing) const { return nothing.text; }
  template <class Other>
  Result<std::string> operator()(const Other& /*other*/) const {
    return Fail(Code::kInvalidArgument, "kumiko runs explain and top in a scenario");
  }

  static std::string NamespaceOf(const ClusterChoice& choice) {
    return choice.namespace_.empty() ? "default" : choice.namespace_;
  }
};

}  // namespace

Result<std::optional<std::string>> RunCommand(const std::vector<std::string>& command, localcluster::Cluster& cluster,
                                              const Clock& clock) {
  if (command.front() == "kubectl") return RunKubectl(command, cluster, clock);
  std::vector<std::string> words = command;
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  const Command parsed = ParseCommandLine(static_cast<int>(words.size()), arguments.data());
  KU_TRY(std::string printed, std::visit(Kumiko{cluster, clock}, parsed));
  return std::optional<std::string>(std::move(printed));
}

}  // namespace kumiko::cli
