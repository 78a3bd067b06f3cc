#include "allocator/change.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/overloaded.h"

namespace kumiko::allocator {
namespace {

std::string Where(const RequestName& of) {
  return fmt::format("(claim {}, request {})", of.claim, of.request);
}

std::string ConditionText(const std::string& condition, const std::string& expression) {
  return expression == "true" ? fmt::format("drop the selector {}", condition)
                              : fmt::format("drop the condition {}", condition);
}

}  // namespace

int Effort(const Change& change) {
  return std::visit(
      Overloaded{
          [](const LowerCapacity&) { return 10; }, [](const Tolerate& c) { return c.key.empty() ? 14 : 11; },
          [](const LowerCount& c) {
            // All are many.
            return 12 + static_cast<int>(c.instead_of ? std::min<std::int64_t>(*c.instead_of - c.count, 20) : 2);
          },
          [](const RelaxSelector& c) { return c.expression == "true" ? 15 : 13; },
          [](const DropConstraint&) { return 15; },
          [](const ReleaseDevices& c) { return 19 + static_cast<int>(std::min<std::size_t>(c.devices.size(), 20)); },
          [](const RelaxClass& c) { return c.expression == "true" ? 42 : 40; }, [](const EnableFeature&) { return 42; },
          [](const DeclareNodeOperations&) { return 42; }, [](const CompletePool&) { return 42; },
          [](const DropRequest&) { return 60; },
          [](const AddDevices& c) { return 70 + static_cast<int>(std::min<std::int64_t>(c.count, 40)); }},
      change);
}

std::string Text(const Change& change) {
  return std::visit(
      Overloaded{[](const LowerCount& c) {
                   return fmt::format("ask for {} {} instead of {} {}", c.count, c.count == 1 ? "device" : "devices",
                                      c.instead_of ? fmt::format("{}", *c.instead_of) : "all", Where(c.of));
                 },
                 [](const LowerCapacity& c) {
                   if (!c.amount) return fmt::format("say nothing about capacity {} {}", c.capacity, Where(c.of));
                   return fmt::format("ask for {} of capacity {} instead of {} {}", c.amount->ToString(), c.capacity,
                                      c.instead_of.ToString(), Where(c.of));
                 },
                 [](const Tolerate& c) {
                   return fmt::format("tolerate {} {}", c.key.empty() ? "every taint" : "taint " + c.key, Where(c.of));
                 },
                 [](const RelaxSelector& c) { return ConditionText(c.condition, c.expression) + " " + Where(c.of); },
                 [](const DropConstraint& c) {
                   return fmt::format("drop the constraint on {} (claim {})", c.attribute, c.claim);
                 },
                 [](const DropRequest& c) {
                   return fmt::format("do without request {} (claim {})", c.of.request, c.of.claim);
                 },
                 [](const ReleaseDevices& c) {
                   std::string text = "wait until ";
                   for (std::size_t i = 0; i < c.devices.size(); ++i) {
                     if (i == 3 && c.devices.size() > 4) {
                       text += fmt::format(" and {} more", c.devices.size() - i);
                       break;
                     }
                     text += (i == 0 ? "" : i + 1 == c.devices.size() ? " and " : ", ") + ToString(c.devices[i]);
                   }
                   return text + (c.devices.size() == 1 ? " is free" : " are free");
                 },
                 [](const RelaxClass& c) {
                   return fmt::format("{} of class {}", ConditionText(c.condition, c.expression), c.device_class);
                 },
                 [](const EnableFeature& c) { return fmt::format("turn on the feature {}", c.feature); },
                 [](const DeclareNodeOperations& c) {
                   return fmt::format("give node {} a kubelet that declares DRAOptionalNodeOperations", c.node);
                 },
                 [](const CompletePool& c) {
                   return fmt::format("have driver {} publish the rest of pool {}: {} of {} slices are there", c.driver,
                                      c.pool, c.slices, c.announced);
                 },
                 [](const AddDevices& c) {
                   return fmt::format("add {} {} like {} to node {}", c.count, c.count == 1 ? "device" : "devices",
                                      ToString(c.like), c.node);
                 }},
      change);
}

std::string Text(std::span<const Change> changes) {
  std::string text;
  for (const auto& change : changes) text += (text.empty() ? "" : ", and ") + Text(change);
  return text;
}

}  // namespace kumiko::allocator
