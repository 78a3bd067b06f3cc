#include "node/command_line.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <exception>
#include <filesystem>
#include <system_error>

#include "base/suggest.h"
#include "base/text.h"

namespace kumiko::node {
namespace {

// The gates of the peer (spec node-driver §4.2). None of them has anything behind it here yet.
constexpr std::array kGates = std::to_array<std::string_view>(
    {"TimeSlicingSettings", "MPSSupport", "PassthroughSupport", "NVMLDeviceHealthCheck", "DynamicMIG", "DeviceMetadata",
     "FabricManagerPartitioning", "ConsumableShares", "DRAListTypeAttributes"});

struct Texts {
  std::string driver_root = "/";
  std::string own_driver_root = "/driver-root";
  std::string feature_gates;
  std::string log_format = "text";
  int verbosity = 0;
  int health_port = -1;
};

void AddFlags(CLI::App& app, CommandLine& line, Texts& texts) {
  NodeDriverOptions& driver = line.driver;
  app.add_option("--node-name", driver.node_name, "Name of this node's Node object")->envname("NODE_NAME");
  app.add_option("--cdi-root", driver.cdi_root, "Folder of CDI files that the container runtime reads")
      ->envname("CDI_ROOT")
      ->capture_default_str();
  app.add_option("--nvidia-driver-root,--host_driver-root", texts.driver_root,
                 "Root of the NVIDIA driver's files on the host")
      ->envname("NVIDIA_DRIVER_ROOT")
      ->capture_default_str();
  app.add_option("--container-driver-root", texts.own_driver_root,
                 "The same root as this process sees it; where it is not there, that of the host")
      ->envname("DRIVER_ROOT_CTR_PATH")
      ->capture_default_str();
  app.add_option("--kubelet-registrar-directory-path", driver.registrar_folder,
                 "Folder where the kubelet looks for plugins")
      ->envname("KUBELET_REGISTRAR_DIRECTORY_PATH")
      ->capture_default_str();
  app.add_option("--kubelet-plugins-directory-path", driver.plugins_folder, "Folder with a folder for each plugin")
      ->envname("KUBELET_PLUGINS_DIRECTORY_PATH")
      ->capture_default_str();
  app.add_option("--healthcheck-port", texts.health_port, "Port of gRPC health checks; 0 takes a free one, -1 none")
      ->envname("HEALTHCHECK_PORT")
      ->check(CLI::Range(-1, 65535))
      ->capture_default_str();
  app.add_option("--system-root", driver.places.system_root, "What stands before /proc and /sys")
      ->envname("SYSTEM_ROOT")
      ->capture_default_str();
  app.add_option("--kubeconfig", line.kubeconfig, "How to reach the cluster; default: as kubectl, or as a pod")
      ->envname("KUMIKO_KUBECONFIG");
  app.add_option("--feature-gates", texts.feature_gates, "Name=true,...")->envname("FEATURE_GATES");
  app.add_flag("--dry-run", line.dry_run, "Print the slices that would be published, and end");
  app.add_option("-v", texts.verbosity, "Verbosity of the log")->envname("V")->capture_default_str();
  app.add_option("--logging-format", texts.log_format, "text or json")
      ->envname("LOGGING_FORMAT")
      ->check(CLI::IsMember({"text", "json"}))
      ->capture_default_str();
}

// What no single flag's check can see.
Status Complete(CommandLine& line, const Texts& texts) {
  KU_TRY_OK(CheckFeatureGates(texts.feature_gates));
  if (line.driver.node_name.empty() && !line.dry_run) {
    return Fail(Code::kInvalidArgument,
                "--node-name (or NODE_NAME) is missing: write the name of this node's Node object");
  }
  if (line.driver.node_name.empty()) line.driver.node_name = "this-node";
  std::error_code error;
  const bool own = std::filesystem::is_directory(texts.own_driver_root, error);
  line.driver.places.host_driver_root = texts.driver_root;
  line.driver.places.driver_root = own ? texts.own_driver_root : texts.driver_root;
  if (texts.health_port >= 0) line.driver.health_port = texts.health_port;
  line.log_level = texts.verbosity > 0 ? LogLevel::kDebug : LogLevel::kInfo;
  line.log_format = texts.log_format == "json" ? LogFormat::kJson : LogFormat::kText;
  return {};
}

}  // namespace

Status CheckFeatureGates(std::string_view gates) {
  for (const std::string_view part : Split(gates, ',')) {
    const std::string_view gate = Trim(part);
    if (gate.empty()) continue;
    const std::size_t equals = gate.find('=');
    const std::string name(gate.substr(0, equals));
    const std::string_view value = equals == std::string_view::npos ? std::string_view() : gate.substr(equals + 1);
    if (value != "true" && value != "false") {
      return Fail(Code::kInvalidArgument, "--feature-gates: write {}=true or {}=false", name, name);
    }
    if (std::ranges::find(kGates, name) == kGates.end()) {
      const auto near = Suggest(name, kGates);
      return Fail(Code::kInvalidArgument, "--feature-gates: no gate \"{}\"{}", name,
                  near ? fmt::format("; did you mean {}?", *near) : "");
    }
    if (value == "true") {
      return Fail(Code::kInvalidArgument,
                  "--feature-gates: {} is not built into this kumiko-node, which serves whole GPUs: remove it", name);
    }
  }
  return {};
}

tl::expected<CommandLine, NothingToRun> ParseCommandLine(int argc, const char* const* argv) {
  CLI::App app("Publishes this node's NVIDIA GPUs and gives them to pods (Kubernetes dynamic resource allocation)",
               "kumiko-node");
  CommandLine line;
  Texts texts;
  try {
    AddFlags(app, line, texts);
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    return tl::unexpected<NothingToRun>({app.help(), false});
  } catch (const CLI::ParseError& error) {
    return tl::unexpected<NothingToRun>({fmt::format("kumiko-node: {}\n", error.what()), true});
  } catch (const std::exception& error) {
    return tl::unexpected<NothingToRun>({fmt::format("kumiko-node: {}\n", error.what()), true});
  }
  if (const Status complete = Complete(line, texts); !complete) {
    return tl::unexpected<NothingToRun>({fmt::format("kumiko-node: {}\n", complete.error().message), true});
  }
  return line;
}

}  // namespace kumiko::node
