#include "cli/command_line.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <sstream>

#include "cli/exit_code.h"

namespace kumiko::cli {
namespace {

// An option whose value is one of `words`; the first is the default.
CLI::Option* AddChoice(CLI::App& app, const std::string& flag, std::string& value,
                       const std::vector<std::string>& words) {
  value = words.front();
  const std::string listed = fmt::format("{}", fmt::join(words, ", "));
  return app.add_option(flag, value, "One of " + listed + " (default: " + words.front() + ")")
      ->type_name("WORD")
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
  validate->add_option("FILE", options.files, "Files or folders; - is stdin")->envname("KUMIKO_FILES")->required();
}

void AddScenario(CLI::App& app, ScenarioOptions& options) {
  CLI::App* scenario = app.add_subcommand("scenario", "Run text scenarios; exit 3 when an expectation does not hold");
  scenario->add_option("FILE", options.files, "Scenario files (.scn)")->envname("KUMIKO_FILES")->required();
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
  std::string order;
  std::string release;
  std::string policy;
  std::string color;
  AddUp(app, up, policy, color);
  AddValidate(app, validate);
  AddScenario(app, scenario);
  AddCel(app, cel);
  AddAllocate(app, allocate, order, release);
  app.add_subcommand("version", "Print the version");
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
  return VersionOptions{};
}

}  // namespace kumiko::cli
