// Random claims on random nodes, placed and given back in random order: what must hold whatever happens.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <map>

#include "allocator/place.h"
#include "allocator/testing/builders.h"

namespace kumiko::allocator {
namespace {

using testing::ClaimBuilder;
using testing::MakeBoards;
using testing::MakeClass;
using testing::MakeGpus;

api::ResourceClaim RandomClaim(int serial) {
  ClaimBuilder claim("c" + std::to_string(serial));
  const auto requests = *rc::gen::inRange(1, 3);
  for (int r = 0; r < requests; ++r) {
    const auto name = "r" + std::to_string(r);
    switch (*rc::gen::inRange(0, 5)) {
      case 0:
        claim.Request(name, *rc::gen::inRange(1, 3)).Class("gpu");
        break;
      case 1:
        claim.Request(name).Class("any");
        break;
      case 2:
        claim.FirstAvailable(name).Alternative("w").Class("gpu").Alternative("p").Class("mig");
        break;
      default:
        claim.Request(name, *rc::gen::inRange(1, 3))
            .Class("mig")
            .Selector(R"(device.attributes["gpu.example.com"].profile == ")" +
                      *rc::gen::element<std::string>("1g.10gb", "2g.20gb", "3g.40gb", "4g.40gb", "7g.80gb") + "\"");
        break;
    }
  }
  if (*rc::gen::inRange(0, 4) == 0) claim.Match("gpu.example.com/index");
  return claim;
}

// Devices held, and what their boards have left, computed from the slices alone.
void CheckBooks(const Inventory& inventory, const std::map<int, std::vector<api::AllocationResult>>& running) {
  std::map<DeviceId, int> holders;
  std::map<std::string, Quantity> used;
  for (const auto& [serial, results] : running) {
    for (const auto& result : results) {
      for (const auto& device : result.devices.results) {
        const DeviceId id{device.driver, device.pool, device.device};
        RC_ASSERT(++holders[id] == 1);
        const auto published = inventory.FindDevice(id);
        RC_ASSERT(published.slice != nullptr);
        const auto& names = inventory.names();
        for (const auto& consumption : published.consumption()) {
          used[device.pool + "/" + names.Text(consumption.set) + "/" + names.Text(consumption.counter)] +=
              Quantity::FromInt(consumption.amount / 1000);
        }
      }
    }
  }
  for (const auto& [name, amount] : used) {
    const bool compute = name.ends_with("/compute");
    RC_ASSERT(amount <= Quantity::FromInt(compute ? 7 : 1));
  }
}

RC_GTEST_PROP(AllocationProperty, NeverDoubleBooksAndLeavesTheStateAsItWas, ()) {
  Inventory inventory;
  inventory.UpsertClass(MakeClass("any"));
  inventory.UpsertClass(MakeClass("gpu", R"(device.attributes["gpu.example.com"].type == "gpu")"));
  inventory.UpsertClass(MakeClass("mig", R"(device.attributes["gpu.example.com"].type == "mig")"));
  for (const auto& slice : MakeBoards("n1", {.gpus = 2, .model = "A100"})) inventory.UpsertSlice(slice);
  for (const auto& slice : MakeBoards("n2", {.gpus = 1, .model = "A100"})) inventory.UpsertSlice(slice);
  inventory.UpsertSlice(MakeGpus("n3", 4));
  const std::vector<std::string> nodes = {"n1", "n2", "n3"};
  State state(inventory);
  Options options;
  options.policy = *rc::gen::element(Policy::kFirstFit, Policy::kPacked);
  options.max_steps = 20'000;

  const auto fingerprint = [&] {
    std::string text;
    for (const auto& id : inventory.Devices()) text += state.Holds(id) ? 'x' : '.';
    return text;
  };
  std::map<int, std::vector<api::AllocationResult>> running;
  const auto events = *rc::gen::inRange(1, 25);
  for (int event = 0; event < events; ++event) {
    if (!running.empty() && *rc::gen::inRange(0, 4) == 0) {
      const auto gone = std::next(running.begin(), *rc::gen::inRange<int>(0, static_cast<int>(running.size())));
      for (const auto& result : gone->second) state.Remove(result);
      running.erase(gone);
      continue;
    }
    const auto claim = RandomClaim(event);
    const auto* pointer = &claim;
    const auto before = fingerprint();
    const auto placement = Place(inventory, state, std::span(&pointer, 1), nodes, options);
    RC_ASSERT(fingerprint() == before);
    if (placement.kind != Outcome::Kind::kFits) continue;
    for (const auto& result : placement.results) state.Add(result);
    running[event] = placement.results;
    CheckBooks(inventory, running);
    // Asked again on the same state, the answer is the same.
    for (const auto& result : placement.results) state.Remove(result);
    const auto again = Place(inventory, state, std::span(&pointer, 1), nodes, options);
    RC_ASSERT(again.node == placement.node);
    for (const auto& result : placement.results) state.Add(result);
  }
  for (const auto& [serial, results] : running) {
    for (const auto& result : results) state.Remove(result);
  }
  RC_ASSERT(fingerprint().find('x') == std::string::npos);
}

RC_GTEST_PROP(AllocationProperty, BothPoliciesAgreeOnWhatFitsOneNode, ()) {
  Inventory inventory;
  inventory.UpsertClass(MakeClass("any"));
  inventory.UpsertClass(MakeClass("gpu", R"(device.attributes["gpu.example.com"].type == "gpu")"));
  inventory.UpsertClass(MakeClass("mig", R"(device.attributes["gpu.example.com"].type == "mig")"));
  for (const auto& slice : MakeBoards("n1", {.gpus = 1, .model = "A100"})) inventory.UpsertSlice(slice);
  State state(inventory);
  std::vector<api::ResourceClaim> claims;
  const auto count = *rc::gen::inRange(1, 4);
  for (int i = 0; i < count; ++i) claims.push_back(RandomClaim(i));
  std::vector<const api::ResourceClaim*> pointers;
  for (const auto& claim : claims) pointers.push_back(&claim);
  Options first_fit{.policy = Policy::kFirstFit, .max_steps = 200'000, .stop = {}, .demand = nullptr};
  Options packed{.policy = Policy::kPacked, .max_steps = 200'000, .stop = {}, .demand = nullptr};
  const auto a = Allocate(inventory, state, "n1", pointers, first_fit);
  const auto b = Allocate(inventory, state, "n1", pointers, packed);
  // The step limit is met by one order and not by the other.
  RC_PRE(a.steps < first_fit.max_steps && b.steps < packed.max_steps);
  RC_ASSERT(a.kind == b.kind);
  RC_ASSERT(a.error == b.error);
}

}  // namespace
}  // namespace kumiko::allocator
