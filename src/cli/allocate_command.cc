#include "cli/allocate_command.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <vector>

#include "allocator/allocate.h"
#include "allocator/explain.h"
#include "allocator/smallest_change.h"
#include "api/codec.h"
#include "cel/expression_cache.h"
#include "cli/allocate_case.h"
#include "cli/explanation_json.h"
#include "cli/question.h"

namespace kumiko::cli {
namespace {

using allocator::Outcome;

// As the oracle replaces share ids, which are random there.
constexpr const char* kFixedShareId = "aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaaa";

// An inventory and what is in use of it.
struct World {
  allocator::Inventory inventory;
  allocator::State state{inventory};

  World(const AllocateCase& asked, const std::shared_ptr<cel::ExpressionCache>& expressions)
      : inventory(asked.features, expressions) {
    for (const auto& device_class : asked.classes) inventory.UpsertClass(device_class);
    for (const auto& rule : asked.taint_rules) inventory.UpsertTaintRule(rule);
    for (const auto& node : asked.nodes) inventory.UpsertNode(node);
    for (const auto& slice : asked.slices) inventory.UpsertSlice(slice);
    for (const auto& allocation : asked.allocations) state.Add(allocation);
    for (const auto& [device, consumed] : asked.capacity_in_use) state.AddConsumedCapacity(device, consumed);
    state.Commit();
  }
};

std::vector<const api::ResourceClaim*> ClaimsOf(const AllocateCase& asked) {
  std::vector<const api::ResourceClaim*> claims;
  for (const auto& claim : asked.claims) claims.push_back(&claim);
  return claims;
}

std::vector<Outcome> Decide(World& world, const std::vector<std::string>& nodes, const AllocateCase& asked,
                            const allocator::Options& options) {
  return allocator::AllocateEach(world.inventory, world.state, nodes, ClaimsOf(asked), options);
}

Json ResultsJson(std::vector<api::AllocationResult> results, bool keep_share_ids) {
  JsonArray encoded;
  for (api::AllocationResult& result : results) {
    for (auto& device : result.devices.results) {
      if (device.share_id && !keep_share_ids) device.share_id = kFixedShareId;
    }
    encoded.push_back(api::Encode(result));
  }
  return encoded;
}

JsonObject NodeJson(const std::string& node, const Outcome& outcome, bool keep_share_ids) {
  const bool fits = outcome.kind == Outcome::Kind::kFits;
  JsonObject answer{{"node", node}, {"allocated", fits}};
  answer["results"] = fits ? ResultsJson(outcome.results, keep_share_ids) : Json();
  if (!outcome.error.empty()) answer["error"] = outcome.error;
  if (outcome.kind == Outcome::Kind::kNodeError) answer["onlyThisNode"] = true;
  return answer;
}

class Allocating {
 public:
  explicit Allocating(const AllocateOptions& options) : options_(&options) {}

  JsonObject Answer(const AllocateCase& asked) {
    JsonObject answer;
    if (!asked.name.empty()) answer["name"] = asked.name;
    std::optional<World> world;
    if (options_->warm) {
      world.emplace(asked, expressions_);
      for (const auto& node : asked.nodes) world->inventory.ViewOf(node.metadata.name);
    }
    std::vector<std::int64_t> times;
    for (std::int64_t round = 0; round < options_->repeat; ++round) {
      const std::vector<Outcome> outcomes = Run(asked, world, times);
      if (round == 0) AddOutcomes(asked, outcomes, *world, answer);
    }
    answer["ns"] = times.front();
    if (times.size() > 1) {
      std::ranges::sort(times);
      answer["nsMin"] = times.front();
      answer["nsMedian"] = times[times.size() / 2];
    }
    return answer;
  }

 private:
  std::vector<Outcome> Run(const AllocateCase& asked, std::optional<World>& world, std::vector<std::int64_t>& times) {
    allocator::Options options;
    options.policy = options_->packed ? allocator::Policy::kPacked : allocator::Policy::kFirstFit;
    if (!options_->warm) world.reset();
    std::vector<std::string> nodes;
    for (const auto& node : asked.nodes) nodes.push_back(node.metadata.name);
    const auto start = std::chrono::steady_clock::now();
    if (!world) world.emplace(asked, expressions_);
    std::vector<Outcome> outcomes = Decide(*world, nodes, asked, options);
    times.push_back(std::chrono::nanoseconds(std::chrono::steady_clock::now() - start).count());
    return outcomes;
  }

  void AddOutcomes(const AllocateCase& asked, const std::vector<Outcome>& outcomes, const World& world,
                   JsonObject& answer) const {
    const auto claims = ClaimsOf(asked);
    JsonArray answers;
    std::int64_t steps = 0;
    for (std::size_t i = 0; i < outcomes.size(); ++i) {
      const std::string& node = asked.nodes[i].metadata.name;
      const Outcome& outcome = outcomes[i];
      JsonObject of_node = NodeJson(node, outcome, options_->keep_share_ids);
      const bool explained = outcome.kind == Outcome::Kind::kDoesNotFit || outcome.kind == Outcome::Kind::kNodeError;
      if (options_->explain && explained) {
        of_node["explanation"] = ExplanationJson(
            allocator::Explain(world.inventory, world.state, claims, {&node, 1}, allocator::DeviceNames::kListed));
      }
      answers.push_back(std::move(of_node));
      steps += outcome.steps;
    }
    answer["answers"] = std::move(answers);
    answer["steps"] = steps;
    const bool fits_nowhere = std::ranges::all_of(outcomes, [](const Outcome& outcome) {
      return outcome.kind == Outcome::Kind::kDoesNotFit || outcome.kind == Outcome::Kind::kNodeError;
    });
    if (!options_->explain || !fits_nowhere) return;
    std::vector<std::string> nodes;
    for (const auto& node : asked.nodes) nodes.push_back(node.metadata.name);
    const auto explanation =
        allocator::Explain(world.inventory, world.state, claims, nodes, allocator::DeviceNames::kListed);
    JsonObject json = ExplanationJson(explanation);
    json["proposal"] =
        ProposalJson(allocator::SmallestChange(world.inventory, world.state, claims, explanation.nearest_nodes));
    answer["explanation"] = std::move(json);
  }

  const AllocateOptions* options_;
  std::shared_ptr<cel::ExpressionCache> expressions_ = std::make_shared<cel::ExpressionCache>();
};

}  // namespace

ExitCode RunAllocate(const AllocateOptions& options, std::istream& in, std::ostream& out, std::ostream& err) {
  const CaseReading reading{.features = options.features, .validate = options.validate};
  Allocating allocating(options);
  return AnswerLines(in, "stdin", out, err, [&](const Json& json) {
    return ReadAllocateCase(json, reading).map([&](const AllocateCase& asked) { return allocating.Answer(asked); });
  });
}

}  // namespace kumiko::cli
