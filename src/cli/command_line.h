// The command line as a value. CLI11 stays behind command_line.cc; commands see these structs only.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "allocator/features.h"
#include "cli/completed_words.h"

namespace kumiko::cli {

enum class When { kAuto, kAlways, kNever };

// Every flag is also an environment variable: --policy is KUMIKO_POLICY. The flag wins.
struct UpOptions {
  std::string cluster_file;           // empty: clusters/demo.yaml of `examples`
  std::vector<std::string> apply;     // files and folders, in order
  bool demo = false;                  // print the result of examples/ and end
  bool keep = false;                  // with demo: stay until Ctrl-C
  std::string examples = "examples";  // where the demo finds clusters/demo.yaml and demo/
  std::int64_t api_port = 0;          // 0: a free one
  std::string state;                  // directory where the objects outlive the process; empty: memory only
  std::string kubeconfig;             // where to write it; empty: a file of its own for each cluster
  std::uint64_t seed = 1;
  bool packed = true;  // false: the first device that fits, as the reference allocator does
  When color = When::kAuto;
  bool ascii = false;
};

struct ValidateOptions {
  std::vector<std::string> files;  // files and folders; "-" is stdin
};

struct ScenarioOptions {
  std::vector<std::string> files;
  std::string root = ".";  // of the file names inside the scenarios
  std::string only;        // one variant; empty: all
};

struct CelOptions {
  std::string expression;       // empty: questions are answered
  std::string questions = "-";  // file with one JSON question a line; "-" is stdin
  std::string device;           // file with devices; empty: the expression is compiled only
  std::string driver;           // of devices that do not name one
  bool check_as_new = false;
  bool derived = false;
  bool consumable_capacity = false;
  bool list_attributes = false;
};

struct AllocateOptions {
  bool packed = false;  // false: the first devices that fit, as the reference allocator takes them
  std::int64_t repeat = 1;
  bool warm = false;             // the inventory is built once and outside the measured time
  allocator::Features features;  // on unless a case says otherwise
  bool validate = false;
  bool explain = false;
  bool keep_share_ids = false;
};

// Which cluster, and which objects of it; the flags are kubectl's.
struct ClusterChoice {
  std::string kubeconfig;       // empty: as kubectl finds it
  std::string context;          // empty: the current one
  std::string namespace_;       // empty: the context's
  std::string request_timeout;  // Go's duration text or seconds; empty: none
};

// What schedulers of the newest release have on; of an older server, what that has.
inline constexpr allocator::Features kNewestFeatures = allocator::DefaultFeatures(allocator::kNewestRelease);

enum class Output { kTable, kWide, kJson, kYaml, kName };

struct ExplainOptions {
  ClusterChoice cluster;
  std::string kind;  // pod or claim; also "pod/NAME"
  std::string name;
  Output output = Output::kTable;
  bool all_names = false;
  bool check = false;  // exit 3 unless it runs
  allocator::Features features = kNewestFeatures;
  When color = When::kAuto;
  bool ascii = false;
};

struct TopOptions {
  ClusterChoice cluster;
  std::string what;  // nodes, gpus, pods, pending
  std::string node;  // of gpus: this one only
  bool all_namespaces = false;
  std::string selector;  // labels of the nodes or pods that are shown
  Output output = Output::kTable;
  bool headers = true;
  bool watch = false;
  allocator::Features features = kNewestFeatures;
  When color = When::kAuto;
  bool ascii = false;
};

struct VersionOptions {
  ClusterChoice cluster;
  bool client_only = false;
  Output output = Output::kTable;
};

// What shells ask while somebody types.
struct CompleteOptions {
  std::vector<CompletedCommand> commands;
  std::vector<std::string> words;
};

// What a command line that runs no command comes to: help was asked for, or a flag is wrong.
struct NothingToRun {
  bool to_stderr = false;
  std::string text;
  int exit_code = 0;
};

using Command = std::variant<NothingToRun, UpOptions, ValidateOptions, ScenarioOptions, CelOptions, AllocateOptions,
                             ExplainOptions, TopOptions, VersionOptions, CompleteOptions>;

Command ParseCommandLine(int argc, char** argv);

}  // namespace kumiko::cli
