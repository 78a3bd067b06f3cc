#include "localcluster/scenario.h"

#include <fmt/core.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "api/kinds.h"
#include "base/check.h"
#include "base/clock.h"
#include "base/files.h"
#include "base/text.h"
#include "base/yaml.h"
#include "kube/typed.h"
#include "localcluster/cluster.h"
#include "localcluster/expected_text.h"
#include "localcluster/pod_devices.h"
#include "localcluster/scenario_grammar.h"
#include "localcluster/scenario_script.h"

namespace kumiko::localcluster {
namespace {

using Words = std::vector<std::string>;

// Any time will do; this one is fixed so that a run gives the same bytes each time.
constexpr Time kStart{1'767'225'600'000'000};

// An expectation that does not hold; the message says what was expected and what is.
struct Mismatch {
  std::string message;
};
using Verdict = std::optional<Mismatch>;

std::string ReasonOf(const api::Pod& pod) {
  for (const api::Condition& condition : pod.status.conditions) {
    if (condition.type == "PodScheduled" && condition.status == "False") return condition.message;
  }
  return pod.status.message;
}

std::string PhaseWord(const api::Pod& pod) {
  return ToLower(pod.status.phase.empty() ? "Pending" : pod.status.phase);
}

std::int64_t Percent(std::int64_t part, std::int64_t whole) {
  if (whole == 0) return 0;
  return static_cast<std::int64_t>(100.0 * static_cast<double>(part) / static_cast<double>(whole) + 0.5);
}

// Boards with memory slots count by slots: a part takes its slots whole.
std::int64_t AllocatedBytes(const ClusterUse& use) {
  std::int64_t sum = 0;
  for (const BoardUse& board : use.boards) {
    sum += board.slots == 0 ? board.memory_allocated_bytes : board.memory_bytes * board.slots_allocated / board.slots;
  }
  return sum;
}

class ScenarioRun {
 public:
  ScenarioRun(const ScenarioOptions& options, const ScenarioVariant& variant)
      : options_(options), values_(variant.values) {
    if (const auto seed = values_.find("seed"); seed != values_.end()) {
      cluster_options_.seed = ParseSeed(seed->second).value_or(1);  // checked where it was read
    }
  }

  // `words` has passed CheckStatement.
  Result<Verdict> Execute(const Words& words) {
    const std::string& verb = words[0];
    if (verb == "seed" || verb == "policy" || verb == "cluster") {
      KU_TRY_OK(Configure(words));
      return Verdict();
    }
    if (cluster_ == nullptr) return Fail(Code::kInvalidArgument, "a scenario begins with: cluster FILE");
    if (verb == "at") return At(words);
    if (verb == "apply") {
      KU_TRY(const std::vector<Document> documents, Load(words));
      KU_TRY_OK(cluster_->Apply(documents));
      KU_TRY_OK(cluster_->RunUntilIdle());
      return Verdict();
    }
    if (verb == "delete") {
      KU_TRY_OK(Delete(words));
      return Verdict();
    }
    ++expectations_;
    return Expect(words);
  }

  Result<Words> Fill(const Words& words) const {
    Words filled;
    for (const std::string& word : words) {
      KU_TRY(std::string text, Substitute(word, values_));
      filled.push_back(std::move(text));
    }
    return filled;
  }

  int expectations() const { return expectations_; }
  int left_out() const { return left_out_; }

 private:
  Status Configure(const Words& words) {
    if (cluster_ != nullptr) return Fail(Code::kInvalidArgument, "{} must stand before everything else", words[0]);
    if (words[0] == "seed") {
      KU_TRY(cluster_options_.seed, ParseSeed(words[1]));
    } else if (words[0] == "policy") {
      if (words[1] != "first-fit" && words[1] != "packed") {
        return Fail(Code::kInvalidArgument, "policy is first-fit or packed, not \"{}\"", words[1]);
      }
      cluster_options_.policy = words[1] == "first-fit" ? allocator::Policy::kFirstFit : allocator::Policy::kPacked;
    } else {
      const std::string path = (options_.root / words[1]).string();
      KU_TRY(const std::string text, ReadFile(path));
      KU_TRY(const std::string filled, Substitute(text, values_), "{}", words[1]);
      KU_TRY(const ClusterFile file, ParseClusterFile(words[1], filled));
      KU_TRY(cluster_, Cluster::Create(file, cluster_options_, clock_));
    }
    return {};
  }

  Result<std::vector<Document>> Load(const Words& words) const {
    std::vector<Document> all;
    for (std::size_t i = 1; i < words.size(); ++i) {
      KU_TRY(const std::string text, ReadFile((options_.root / words[i]).string()));
      KU_TRY(const std::string filled, Substitute(text, values_), "{}", words[i]);
      KU_TRY(std::vector<Document> documents, ParseYamlDocuments(filled, words[i]));
      std::move(documents.begin(), documents.end(), std::back_inserter(all));
    }
    return all;
  }

  Result<Verdict> At(const Words& words) {
    const std::optional<std::int64_t> seconds = ParseInt64(words[1]);
    KU_CHECK(seconds.has_value());
    const Time target = kStart + std::chrono::seconds(*seconds);
    if (target < clock_.Now()) return Fail(Code::kInvalidArgument, "at {}: time does not go back", *seconds);
    // Step by step, so that what ends at one time frees its devices then and not later.
    for (std::optional<Time> wake = cluster_->NextWake(); wake && *wake < target; wake = cluster_->NextWake()) {
      clock_.Set(std::max(*wake, clock_.Now()));
      KU_TRY_OK(cluster_->RunUntilIdle());
    }
    clock_.Set(target);
    KU_TRY_OK(cluster_->RunUntilIdle());
    if (words.size() == 2) return Verdict();
    return Execute(Words(words.begin() + 2, words.end()));
  }

  Status Delete(const Words& words) {
    KU_TRY(const ScenarioArguments arguments, ReadArguments(words, 1));
    KU_TRY(const kube::ObjectKey key, KeyOf(arguments));
    KU_TRY_OK(cluster_->DeleteObject(key));
    return cluster_->RunUntilIdle();
  }

  // KIND NAME [namespace=NS]
  static Result<kube::ObjectKey> KeyOf(const ScenarioArguments& arguments) {
    std::string kind;
    for (const api::KindInfo& info : api::AllKinds()) {
      if (ToLower(info.kind) == ToLower(arguments.plain[0]) || info.plural == ToLower(arguments.plain[0])) {
        kind = info.kind;
      }
    }
    if (kind.empty()) return Fail(Code::kInvalidArgument, "kind {} is not served", arguments.plain[0]);
    const auto in = arguments.named.find("namespace");
    const std::string namespace_ = !api::FindKind(kind)->namespaced ? ""
                                   : in != arguments.named.end()    ? in->second
                                                                    : "default";
    return kube::ObjectKey{kind, namespace_, arguments.plain[1]};
  }

  Result<Verdict> Expect(const Words& words) {
    const std::string& what = words[1];
    if (what == "pod") return ExpectPod(words);
    if (what == "same-device") return ExpectSameDevice(words);
    if (what == "refused") return ExpectRefused(words);
    if (what == "objects") return ExpectObjects(words);
    if (what == "labels") return ExpectLabels(words);
    if (what == "output") return ExpectOutput(words);
    const std::size_t equals = what.find('=');
    const std::string key = what.substr(0, equals);
    if (key == "memory-used" || key == "memory-allocated") return ExpectMemory(key, what);
    return ExpectCounts(words);
  }

  static bool Selected(const api::Pod& pod, const ScenarioArguments& arguments) {
    const auto in = arguments.named.find("namespace");
    if (in != arguments.named.end() && pod.metadata.namespace_ != in->second) return false;
    const auto of = arguments.named.find("of");
    if (of == arguments.named.end()) return true;
    const std::size_t equals = of->second.find('=');
    const auto label = pod.metadata.labels.find(of->second.substr(0, equals));
    return label != pod.metadata.labels.end() && equals != std::string::npos &&
           label->second == of->second.substr(equals + 1);
  }

  Result<Verdict> ExpectCounts(const Words& words) {
    KU_TRY(const ScenarioArguments arguments, ReadArguments(words, 1));
    KU_TRY(const std::vector<api::Pod> pods, kube::List<api::Pod>(cluster_->api()));
    std::map<std::string, std::int64_t> counts;
    std::string reasons;
    std::string other_reason;
    for (const api::Pod& pod : pods) {
      if (!Selected(pod, arguments)) continue;
      const std::string phase = PhaseWord(pod);
      ++counts[phase];
      if (phase != "pending") continue;
      const std::string reason = ReasonOf(pod);
      if (reasons.empty()) reasons = fmt::format(" ({}: {})", pod.metadata.name, reason);
      if (reason.find(arguments.reason) == std::string::npos) {
        other_reason = fmt::format("{}: {}", pod.metadata.name, reason);
      }
    }
    for (const char* phase : {"running", "pending", "succeeded", "failed"}) {
      const auto expected = arguments.named.find(phase);
      if (expected == arguments.named.end()) continue;
      const auto number = ParseInt64(expected->second);
      if (!number) return Fail(Code::kInvalidArgument, "{}= takes a number", phase);
      if (*number == counts[phase]) continue;
      return Mismatch{fmt::format("expected {}={}, is running={} pending={} succeeded={} failed={}{}", phase, *number,
                                  counts["running"], counts["pending"], counts["succeeded"], counts["failed"],
                                  reasons)};
    }
    if (!arguments.reason.empty() && !other_reason.empty()) {
      return Mismatch{fmt::format("expected reason \"{}\", is {}", arguments.reason, other_reason)};
    }
    return Verdict();
  }

  Result<Verdict> ExpectMemory(const std::string& key, const std::string& what) {
    std::string number = what.substr(std::min(what.size(), key.size() + 1));
    if (!number.empty() && number.back() == '%') number.pop_back();
    const auto expected = ParseInt64(number);
    if (!expected) return Fail(Code::kInvalidArgument, "write {}=80%", key);
    KU_TRY(const ClusterUse use, ReadUse(cluster_->api()));
    const std::int64_t part = key == "memory-used" ? use.MemoryUsedBytes() : AllocatedBytes(use);
    const std::int64_t percent = Percent(part, use.MemoryBytes());
    if (percent == *expected) return Verdict();
    return Mismatch{
        fmt::format("expected {}={}%, is {}% ({} of {} bytes)", key, *expected, percent, part, use.MemoryBytes())};
  }

  static bool NameMatches(const std::string& name, const std::string& pattern) {
    if (pattern.ends_with('*')) return name.starts_with(pattern.substr(0, pattern.size() - 1));
    return name == pattern;
  }

  // What the statement may ask of a pod, as text; several devices are joined by commas.
  static std::string Fact(const PodPlacement& placement, const std::string& key) {
    if (key == "phase") return PhaseWord(placement.pod);
    if (key == "node") return placement.pod.spec.node_name;
    std::vector<std::string> parts;
    for (const PodDevice& device : placement.devices) {
      if (key == "device") parts.push_back(device.id.device);
      if (key == "profile") parts.push_back(device.shape.profile.empty() ? "whole" : device.shape.profile);
      if (key == "model") parts.push_back(device.model);
      if (key == "request") parts.push_back(device.request);
      if (key == "board") parts.push_back(device.shape.board);
    }
    return Join(parts, ",");
  }

  Result<Verdict> ExpectPod(const Words& words) {
    KU_TRY(const ScenarioArguments arguments, ReadArguments(words, 2));
    KU_TRY(const ClusterUse use, ReadUse(cluster_->api()));
    bool found = false;
    for (const PodPlacement& placement : use.pods) {
      const std::string& name = placement.pod.metadata.name;
      if (!NameMatches(name, arguments.plain[0])) continue;
      found = true;
      for (const auto& [key, expected] : arguments.named) {
        const std::string is = Fact(placement, key);
        // A model may be named by a part of its product name.
        const bool holds = key == "model"   ? is.find(expected) != std::string::npos
                           : key == "phase" ? is == ToLower(expected)
                                            : is == expected;
        if (holds) continue;
        return Mismatch{fmt::format("expected pod {} {}={}, is {}={} ({} {})", name, key, expected, key, is,
                                    PhaseWord(placement.pod), ReasonOf(placement.pod))};
      }
      if (ReasonOf(placement.pod).find(arguments.reason) == std::string::npos) {
        return Mismatch{
            fmt::format("expected pod {} reason \"{}\", is \"{}\"", name, arguments.reason, ReasonOf(placement.pod))};
      }
    }
    if (!found) return Mismatch{fmt::format("expected pod {}, there is none", arguments.plain[0])};
    return Verdict();
  }

  Result<Verdict> ExpectSameDevice(const Words& words) {
    KU_TRY(const ClusterUse use, ReadUse(cluster_->api()));
    std::optional<std::string> first;
    for (std::size_t i = 2; i < words.size(); ++i) {
      bool found = false;
      for (const PodPlacement& placement : use.pods) {
        if (!NameMatches(placement.pod.metadata.name, words[i])) continue;
        found = true;
        std::string sees;
        for (const PodDevice& device : placement.devices) sees += allocator::ToString(device.id) + " ";
        if (sees.empty()) return Mismatch{fmt::format("pod {} sees no device", placement.pod.metadata.name)};
        if (!first) first = sees;
        if (*first != sees) {
          return Mismatch{fmt::format("expected the same device, pod {} sees {}, another {}",
                                      placement.pod.metadata.name, sees, *first)};
        }
      }
      if (!found) return Mismatch{fmt::format("expected pod {}, there is none", words[i])};
    }
    return Verdict();
  }

  Result<Verdict> ExpectRefused(const Words& words) {
    KU_TRY(const ScenarioArguments arguments, ReadArguments(words, 2));
    Words load = {"refused"};
    load.insert(load.end(), arguments.plain.begin(), arguments.plain.end());
    const std::uint64_t before = cluster_->store().Revision();
    // A file that cannot be read is an error of the scenario: the cluster refused nothing.
    KU_TRY(const std::vector<Document> documents, Load(load));
    const Status applied = cluster_->Apply(documents);
    if (applied) return Mismatch{"expected it to be refused, was applied"};
    if (cluster_->store().Revision() != before) return Mismatch{"was refused, yet something was written"};
    if (applied.error().message.find(arguments.reason) != std::string::npos) return Verdict();
    return Mismatch{fmt::format("expected reason \"{}\", is \"{}\"", arguments.reason, applied.error().message)};
  }

  Result<Verdict> ExpectObjects(const Words& words) {
    KU_TRY(const ScenarioArguments arguments, ReadArguments(words, 2));
    for (const auto& [kind, expected] : arguments.named) {
      KU_TRY(const kube::ObjectList list, cluster_->api().List({kind, "", ""}));
      if (std::to_string(list.items.size()) == expected) continue;
      return Mismatch{fmt::format("expected {}={}, is {}", kind, expected, list.items.size())};
    }
    return Verdict();
  }

  Result<Verdict> ExpectLabels(const Words& words) {
    KU_TRY(const ScenarioArguments arguments, ReadArguments(words, 2));
    KU_TRY(const kube::ObjectKey key, KeyOf(arguments));
    KU_TRY(const std::shared_ptr<const Json> object, cluster_->api().Get(key));
    const Json* labels = FindPath(*object, {"metadata", "labels"});
    for (const auto& [label, expected] : arguments.named) {
      if (label == "namespace") continue;
      const Json* value = labels == nullptr || !labels->is_object() ? nullptr : labels->as_object().if_contains(label);
      const std::string is = value == nullptr || !value->is_string() ? "none" : std::string(value->as_string());
      if (is == expected) continue;
      return Mismatch{fmt::format("expected label {}={} of {} {}, is {}", label, expected, key.kind, key.name, is)};
    }
    return Verdict();
  }

  Result<Verdict> ExpectOutput(const Words& words) {
    if (!options_.run_command) return Fail(Code::kInvalidArgument, "commands cannot be run here");
    KU_TRY(const std::string text, ReadFile((options_.root / words[2]).string()));
    KU_TRY(const std::string expected, Substitute(text, values_), "{}", words[2]);
    KU_TRY(const std::optional<std::string> printed,
           options_.run_command(Words(words.begin() + 4, words.end()), *cluster_, clock_));
    if (!printed) {
      ++left_out_;
      return Verdict();
    }
    const auto differs = Difference(expected, *printed);
    if (!differs) return Verdict();
    return Mismatch{fmt::format("{}: {}; printed was:\n{}", words[2], *differs, *printed)};
  }

  const ScenarioOptions& options_;
  ScenarioValues values_;
  ClusterOptions cluster_options_;
  ManualClock clock_{kStart};
  std::unique_ptr<Cluster> cluster_;
  int expectations_ = 0;
  int left_out_ = 0;
};

}  // namespace

std::string ScenarioFailure::ToString() const {
  return fmt::format("{}: [{}] {}", where, variant, message);
}

Result<ScenarioReport> RunScenario(const std::filesystem::path& path, const ScenarioOptions& options) {
  KU_TRY(const std::string text, ReadFile(path.string()));
  KU_TRY(const ScenarioScript script, ParseScenario(text, path.string()));
  std::vector<std::string> names;
  for (const ScenarioVariant& variant : script.variants) names.push_back(variant.name);
  if (!options.only_variant.empty() && std::ranges::find(names, options.only_variant) == names.end()) {
    return Fail(Code::kInvalidArgument, "{}: there is no variant \"{}\"; write one of {}", path.string(),
                options.only_variant, Join(names, ", "));
  }
  const auto expects = [](const ScenarioLine& line) { return IsExpectation(line.words); };
  if (std::ranges::none_of(script.lines, expects)) {
    return Fail(Code::kInvalidArgument, "{}: nothing is expected; write at least one expect", path.string());
  }
  ScenarioReport report;
  report.name = path.stem().string();
  for (const ScenarioVariant& variant : script.variants) {
    if (!options.only_variant.empty() && options.only_variant != variant.name) continue;
    report.variants.push_back(variant.name);
    ScenarioRun run(options, variant);
    const auto where = [&](const ScenarioLine& line) { return fmt::format("{}:{}", path.string(), line.number); };
    // All lines first: what is wrong behind an expectation that does not hold is found as well.
    std::vector<Words> statements;
    for (const ScenarioLine& line : script.lines) {
      KU_TRY(Words words, run.Fill(line.words), "{}: [{}]", where(line), variant.name);
      KU_TRY_OK(CheckStatement(words), "{}: [{}]", where(line), variant.name);
      statements.push_back(std::move(words));
    }
    for (std::size_t i = 0; i < statements.size(); ++i) {
      const std::string place = where(script.lines[i]);
      KU_TRY(Verdict verdict, run.Execute(statements[i]), "{}: [{}]", place, variant.name);
      if (!verdict) continue;
      report.failures.push_back({place, variant.name, std::move(verdict->message)});
      break;
    }
    report.expectations += run.expectations();
    report.left_out += run.left_out();
  }
  return report;
}

}  // namespace kumiko::localcluster
