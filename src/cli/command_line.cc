#include "cli/command_line.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <sstream>

#include "cli/completion.h"
#include "cli/exit_code.h"

namespace kumiko::cli {
namespace {

// An option whose value is one of `words`; the first is the default.
CLI::Option* AddChoice(CLI::App& app, const std::string& flag, std::string& value,
                       const std::vector<std::string>& words) {
  value = words.front();
  const std::string listed = fmt::format("{}", fmt::join(words, ", "));
  return app.add_option(flag, value, "(default: " + words.front() + ")")
      ->type_name(fmt::format("{}", fmt::join(words, "|")))
      ->check([words, listed](const std::string& word) {
        const bool known = std::find(words.begin(), words.end(), word) != words.end();
        return known ? std::string() : fmt::format("\"{}\" does not exist; write one of {}", word, listed);
      });
}

// What an option must have; "" when the word will do.
std::string CheckNotEmpty(const std::string& word) {
  return word.empty() ? "the value is empty" : "";
}

std::string CheckSeed(const std::string& word) {
  std::uint64_t seed = 0;
  const char* end = word.data() + word.size();
  const auto [rest, error] = std::from_chars(word.data(), end, seed);
  if (error == std::errc() && rest == end) return "";
  return fmt::format("\"{}\" is no seed; write a number from 0 to 18446744073709551615", word);
}

When WhenOf(const std::string& word) {
  if (word == "always") return When::kAlways;
  if (word == "never") return When::kNever;
  return When::kAuto;
}

void AddUp(CLI::App& app, UpOptions& options, std::string& policy, std::string& color) {
  CLI::App* up = app.add_subcommand("up", "Run a cluster with simulated GPUs in this process");
  up->add_option("--cluster", options.cluster_file, "Cluster file: nodes and their GPUs")
      ->check(CheckNotEmpty)
      ->envname("KUMIKO_CLUSTER")
      ->type_name("FILE");
  up->add_option("--apply", options.apply, "Manifests to apply: files or folders, in this order")
      ->check(CheckNotEmpty)
      ->envname("KUMIKO_APPLY")
      ->type_name("FILE");
  up->add_flag("--demo", options.demo, "Apply the demo, print what ran where and against whole GPUs, and end")
      ->envname("KUMIKO_DEMO");
  up->add_flag("--keep", options.keep, "With --demo: keep the cluster up until Ctrl-C")->envname("KUMIKO_KEEP");
  up->add_option("--examples", options.examples, "Folder with clusters/demo.yaml and demo/ (default: examples)")
      ->check(CheckNotEmpty)
      ->envname("KUMIKO_EXAMPLES")
      ->type_name("DIR");
  up->add_option("--api-port", options.api_port, "Port of the API on 127.0.0.1 (default: a free one)")
      ->check(CLI::Range(1, 65535))
      ->envname("KUMIKO_API_PORT")
      ->type_name("PORT");
  up->add_option("--state", options.state, "Keep the cluster in this directory and go on with what is there")
      ->check(CheckNotEmpty)
      ->envname("KUMIKO_STATE")
      ->type_name("DIR");
  up->add_option("--kubeconfig", options.kubeconfig, "File to write the kubeconfig to, replaced if it is ours")
      ->check(CheckNotEmpty)
      ->envname("KUMIKO_KUBECONFIG")
      ->type_name("FILE");
  up->add_option("--seed", options.seed, "Seed of every random choice (default: 1)")
      ->check(CheckSeed)
      ->envname("KUMIKO_SEED");
  AddChoice(*up, "--policy", policy, {"packed", "first-fit"})->envname("KUMIKO_POLICY");
  AddChoice(*up, "--color", color, {"auto", "always", "never"})->envname("KUMIKO_COLOR");
  up->add_flag("--ascii", options.ascii, "Draw without Unicode")->envname("KUMIKO_ASCII");
}

void AddValidate(CLI::App& app, ValidateOptions& options) {
  CLI::App* validate = app.add_subcommand("validate", "Check manifests as the API server would");
  validate->add_option("FILE", options.files, "Files or folders; - is stdin")
      ->type_name("")
      ->envname("KUMIKO_FILES")
      ->required();
}

void AddScenario(CLI::App& app, ScenarioOptions& options) {
  CLI::App* scenario = app.add_subcommand("scenario", "Run text scenarios; exit 3 when an expectation does not hold");
  scenario->add_option("FILE", options.files, "Scenario files (.scn)")
      ->type_name("")
      ->envname("KUMIKO_FILES")
      ->required();
  scenario->add_option("--root", options.root, "Folder of the file names inside scenarios (default: .)")
      ->check(CheckNotEmpty)
      ->envname("KUMIKO_ROOT")
      ->type_name("DIR");
  scenario->add_option("--only", options.only, "Run this variant only")
      ->check(CheckNotEmpty)
      ->envname("KUMIKO_ONLY")
      ->type_name("VARIANT");
}

void AddCel(CLI::App& app, CelOptions& options) {
  CLI::App* cel = app.add_subcommand("cel", "Check a device selector, estimate its cost and try it on devices");
  CLI::Option* expression =
      cel->add_option("EXPRESSION", options.expression, "The expression; without it questions are read as JSON")
          ->check(CheckNotEmpty);
  cel->add_option("--file", options.questions, "Questions, one JSON object a line; - is stdin (default: -)")
      ->check(CheckNotEmpty)
      ->envname("KUMIKO_FILE")
      ->type_name("FILE")
      ->excludes(expression);
  cel->add_option("--device", options.device, "Devices to try it on: a ResourceSlice or a device; - is stdin")
      ->check(CheckNotEmpty)
      ->envname("KUMIKO_DEVICE")
      ->type_name("FILE")
      ->needs(expression);
  cel->add_option("--driver", options.driver, "Driver of devices that do not name one")
      ->envname("KUMIKO_DRIVER")
      ->type_name("NAME")
      ->needs(expression);
  cel->add_flag("--new", options.check_as_new, "Check as the API server checks a new object (default: a stored one)")
      ->envname("KUMIKO_NEW")
      ->needs(expression);
  cel->add_flag("--derived", options.derived, "A derived attribute instead of a selector")
      ->envname("KUMIKO_DERIVED")
      ->needs(expression);
  cel->add_flag("--consumable-capacity", options.consumable_capacity, "With --new: DRAConsumableCapacity is on")
      ->envname("KUMIKO_CONSUMABLE_CAPACITY")
      ->needs(expression);
  cel->add_flag("--list-attributes", options.list_attributes, "With --new: DRAListTypeAttributes is on")
      ->envname("KUMIKO_LIST_ATTRIBUTES")
      ->needs(expression);
}

std::string CheckRepeat(const std::string& word) {
  std::int64_t count = 0;
  const char* end = word.data() + word.size();
  const auto [rest, error] = std::from_chars(word.data(), end, count);
  if (error == std::errc() && rest == end && count > 0) return "";
  return fmt::format("\"{}\" is no number of runs; write a whole number above 0", word);
}

std::string CheckRelease(const std::string& word) {
  if (allocator::FeaturesOf(word)) return "";
  return fmt::format("\"{}\" is no release known here; write one of 1.{} to 1.{}", word, allocator::kOldestRelease,
                     allocator::kNewestRelease);
}

void AddAllocate(CLI::App& app, AllocateOptions& options, std::string& policy, std::string& release) {
  CLI::App* allocate =
      app.add_subcommand("allocate", "Decide which devices claims get: cases as JSON on stdin, one a line");
  AddChoice(*allocate, "--policy", policy, {"first-fit", "packed"})->envname("KUMIKO_POLICY");
  allocate->add_option("--features", release, "Switch on what this release of Kubernetes has on, such as 1.37")
      ->check(CheckRelease)
      ->envname("KUMIKO_FEATURES")
      ->type_name("RELEASE");
  allocate->add_option("--repeat", options.repeat, "Runs of each case; above 1, nsMin and nsMedian are reported")
      ->check(CheckRepeat)
      ->envname("KUMIKO_REPEAT")
      ->type_name("N");
  allocate->add_flag("--warm", options.warm, "Build the inventory of a case once, and measure decisions alone")
      ->envname("KUMIKO_WARM");
  allocate->add_flag("--validate", options.validate, "Refuse objects that the API server would refuse")
      ->envname("KUMIKO_VALIDATE");
  allocate->add_flag("--explain", options.explain, "Say why claims do not fit, every device counted in one reason")
      ->envname("KUMIKO_EXPLAIN");
  allocate->add_flag("--keep-share-ids", options.keep_share_ids, "Do not replace share ids by a fixed one")
      ->envname("KUMIKO_KEEP_SHARE_IDS");
}

// Which cluster: kubectl's flags.
void AddConnection(CLI::App& app, ClusterChoice& choice) {
  app.add_option("--kubeconfig", choice.kubeconfig, "The kubeconfig (default: as kubectl finds it)")
      ->check(CheckNotEmpty)
      ->type_name("FILE");
  app.add_option("--context", choice.context, "The context of the kubeconfig (default: the current one)")
      ->check(CheckNotEmpty)
      ->envname("KUMIKO_CONTEXT")
      ->type_name("CONTEXT");
  app.add_option("--request-timeout", choice.request_timeout, "Time for one answer, such as 5s (0: a minute)")
      ->envname("KUMIKO_REQUEST_TIMEOUT")
      ->type_name("DURATION");
}

// The flags of commands that look at a cluster's objects.
void AddCluster(CLI::App& app, ClusterChoice& choice, std::string& output) {
  AddConnection(app, choice);
  app.add_option("-n,--namespace", choice.namespace_, "The namespace (default: the context's)")
      ->check(CheckNotEmpty)
      ->envname("KUMIKO_NAMESPACE")
      ->type_name("NAMESPACE");
  AddChoice(app, "-o,--output", output, {"table", "wide", "json", "yaml", "name"})->envname("KUMIKO_OUTPUT");
}

Output OutputOf(const std::string& word) {
  if (word == "wide") return Output::kWide;
  if (word == "json") return Output::kJson;
  if (word == "yaml") return Output::kYaml;
  if (word == "name") return Output::kName;
  return Output::kTable;
}

void AddExplain(CLI::App& app, ExplainOptions& options, std::string& output, std::string& color) {
  CLI::App* explain = app.add_subcommand("explain", "Why a pod or claim waits, what would help, or where it runs");
  explain->add_option("KIND", options.kind, "The kind, or pod/NAME")->required()->type_name("pod|claim");
  explain->add_option("NAME", options.name, "The object; also NAMESPACE/NAME")->type_name("");
  AddCluster(*explain, options.cluster, output);
  explain->add_flag("-v", options.all_names, "Write out every row with the names of what it counts")
      ->envname("KUMIKO_VERBOSE");
  explain->add_flag("--check", options.check, "Exit 3 unless it runs")->envname("KUMIKO_CHECK");
  AddChoice(*explain, "--color", color, {"auto", "always", "never"})->envname("KUMIKO_COLOR");
  explain->add_flag("--ascii", options.ascii, "Draw without Unicode")->envname("KUMIKO_ASCII");
}

void AddTop(CLI::App& app, TopOptions& options, bool& no_headers, std::string& output, std::string& color) {
  CLI::App* top = app.add_subcommand("top", "What is used, free and broken, who holds it, and who waits");
  AddChoice(*top, "VIEW", options.what, {"nodes", "gpus", "pods", "pending"});
  top->add_option("NODE", options.node, "With gpus: those of this node only")->check(CheckNotEmpty)->type_name("");
  AddCluster(*top, options.cluster, output);
  top->add_flag("-A,--all-namespaces", options.all_namespaces, "Pods of every namespace")
      ->envname("KUMIKO_ALL_NAMESPACES");
  top->add_option("-l,--selector", options.selector, "Labels of the nodes or pods that are shown")
      ->envname("KUMIKO_SELECTOR")
      ->type_name("SELECTOR");
  top->add_flag("--no-headers", no_headers, "Rows only")->envname("KUMIKO_NO_HEADERS");
  top->add_flag("-w,--watch", options.watch, "Go on and show changes; q ends")->envname("KUMIKO_WATCH");
  AddChoice(*top, "--color", color, {"auto", "always", "never"})->envname("KUMIKO_COLOR");
  top->add_flag("--ascii", options.ascii, "Draw without Unicode")->envname("KUMIKO_ASCII");
}

void AddVersion(CLI::App& app, VersionOptions& options, std::string& output) {
  CLI::App* version = app.add_subcommand("version", "Print the versions of kumiko and of the API server");
  AddConnection(*version, options.cluster);
  version->add_flag("--client", options.client_only, "Ask no server")->envname("KUMIKO_CLIENT");
  AddChoice(*version, "-o,--output", output, {"table", "json", "yaml"})->envname("KUMIKO_OUTPUT");
}

// What shells complete, as the parser knows it.
std::vector<CompletedCommand> CompletedCommands(const CLI::App& app) {
  std::vector<CompletedCommand> commands;
  for (const CLI::App* one : app.get_subcommands([](const CLI::App*) { return true; })) {
    CompletedCommand command{.name = one->get_name(), .help = one->get_description(), .options = {}, .arguments = {}};
    for (const CLI::Option* option : one->get_options()) {
      const bool flag = option->get_items_expected_max() == 0;
      const std::string type = flag ? "" : option->get_type_name();
      if (option->get_positional()) {
        command.arguments.push_back(type.empty() ? option->get_single_name() : type);
        continue;
      }
      CompletedOption completed{.names = {}, .help = option->get_description(), .type = type};
      for (const std::string& name : option->get_lnames()) completed.names.push_back("--" + name);
      for (const std::string& name : option->get_snames()) completed.names.push_back("-" + name);
      command.options.push_back(std::move(completed));
    }
    commands.push_back(std::move(command));
  }
  return commands;
}

Shell ShellOf(const std::string& word) {
  if (word == "zsh") return Shell::kZsh;
  return word == "fish" ? Shell::kFish : Shell::kBash;
}

}  // namespace

Command ParseCommandLine(int argc, char** argv) {
  CLI::App app("kumiko places AI work on GPUs under Kubernetes", "kumiko");
  app.require_subcommand(1);
  app.set_help_all_flag("--help-all", "The help of every command");
  UpOptions up;
  ValidateOptions validate;
  ScenarioOptions scenario;
  CelOptions cel;
  AllocateOptions allocate;
  ExplainOptions explain;
  TopOptions top;
  bool no_headers = false;
  std::string explain_output;
  std::string top_output;
  std::string explain_color;
  std::string top_color;
  VersionOptions version;
  std::string version_output;
  std::string shell;
  std::string order;
  std::string release;
  std::string policy;
  std::string color;
  AddUp(app, up, policy, color);
  AddValidate(app, validate);
  AddScenario(app, scenario);
  AddCel(app, cel);
  AddAllocate(app, allocate, order, release);
  AddExplain(app, explain, explain_output, explain_color);
  AddTop(app, top, no_headers, top_output, top_color);
  CLI::App* completion = app.add_subcommand("completion", "Print the script that completes kumiko in a shell");
  AddChoice(*completion, "SHELL", shell, {"bash", "zsh", "fish"})->required();
  AddVersion(app, version, version_output);
  if (argc > 1 && std::string_view(argv[1]) == "__complete") {
    return CompleteOptions{.commands = CompletedCommands(app), .words = {argv + 2, argv + argc}};
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    std::ostringstream out;
    std::ostringstream err;
    const int code = app.exit(error, out, err);
    if (code == 0) return NothingToRun{.to_stderr = false, .text = out.str(), .exit_code = 0};
    return NothingToRun{
        .to_stderr = true, .text = err.str() + out.str(), .exit_code = static_cast<int>(ExitCode::kBadInput)};
  } catch (const std::exception& error) {
    return NothingToRun{.to_stderr = true,
                        .text = std::string("the command line cannot be read: ") + error.what() + "\n",
                        .exit_code = static_cast<int>(ExitCode::kBadInput)};
  }
  up.packed = policy == "packed";
  up.color = WhenOf(color);
  if (app.got_subcommand("up")) return up;
  if (app.got_subcommand("validate")) return validate;
  if (app.got_subcommand("scenario")) return scenario;
  if (app.got_subcommand("cel")) return cel;
  allocate.packed = order == "packed";
  allocate.features = allocator::FeaturesOf(release).value_or(allocator::Features());
  if (app.got_subcommand("allocate")) return allocate;
  explain.output = OutputOf(explain_output);
  explain.color = WhenOf(explain_color);
  if (app.got_subcommand("explain")) return explain;
  top.output = OutputOf(top_output);
  top.color = WhenOf(top_color);
  top.headers = !no_headers;
  if (app.got_subcommand("top")) return top;
  if (app.got_subcommand("completion")) {
    return NothingToRun{.to_stderr = false, .text = CompletionScript(ShellOf(shell)), .exit_code = 0};
  }
  version.output = OutputOf(version_output);
  return version;
}

}  // namespace kumiko::cli
