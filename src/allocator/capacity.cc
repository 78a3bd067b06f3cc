#include "allocator/capacity.h"

#include <algorithm>
#include <limits>

namespace kumiko::allocator {
namespace {

// Steps from `min` that reach `amount`: whole units where the policy is written in whole units, else thousandths.
std::int64_t StepsUp(const Quantity& amount, const Quantity& min, const Quantity& step) {
  const bool whole = min.IsInteger() && step.IsInteger();
  const auto in_unit = [whole](const Quantity& q) { return whole ? q.Value() : q.MilliValue(); };
  const std::int64_t size = std::max<std::int64_t>(in_unit(step), 1);
  const std::int64_t above = in_unit(amount) - in_unit(min);
  return above / size + (above % size != 0 ? 1 : 0);
}

Quantity RoundUp(const Quantity& amount, const api::CapacityRequestPolicy& policy) {
  if (policy.valid_range && policy.valid_range->min) {
    const auto& range = *policy.valid_range;
    if (amount < *range.min) return *range.min;
    if (range.step && range.step->Sign() > 0 && amount > *range.min) {
      const auto steps = StepsUp(amount, *range.min, *range.step);
      return range.step->Mul(steps).Add(*range.min);
    }
    return amount;
  }
  for (const auto& valid : policy.valid_values) {
    if (amount <= valid) return valid;
  }
  return amount;
}

bool Permitted(const Quantity& amount, const api::CapacityRequestPolicy& policy) {
  if (policy.default_value && amount == *policy.default_value) return true;
  if (policy.valid_range) {
    const auto& range = *policy.valid_range;
    if (range.max && amount > *range.max) return false;
    if (range.min && amount < *range.min) return false;
    if (range.min && range.step && range.step->Sign() > 0) {
      return range.step->Mul(StepsUp(amount, *range.min, *range.step)).Add(*range.min) == amount;
    }
    return true;
  }
  if (policy.valid_values.empty()) return true;
  return std::find(policy.valid_values.begin(), policy.valid_values.end(), amount) != policy.valid_values.end();
}

}  // namespace

Result<std::optional<CapacityAmounts>> ConsumedBy(const api::Device& device, const api::CapacityRequirements* request) {
  CapacityAmounts amounts;
  bool acceptable = true;
  if (request) {
    for (const auto& [name, amount] : request->requests) {
      if (amount.Sign() < 0)
        return Fail(Code::kInvalidArgument, "capacity {}: {} is negative", name, amount.ToString());
      acceptable = acceptable && device.capacity.count(name) > 0;
    }
  }
  for (const auto& [name, capacity] : device.capacity) {
    const Quantity* asked = nullptr;
    if (request) {
      const auto found = request->requests.find(name);
      if (found != request->requests.end()) asked = &found->second;
    }
    const auto& policy = capacity.request_policy;
    Quantity amount = capacity.value;
    if (asked) {
      amount = policy ? RoundUp(*asked, *policy) : *asked;
    } else if (policy && policy->default_value) {
      amount = *policy->default_value;
    }
    acceptable = acceptable && (!policy || Permitted(amount, *policy));
    amounts[name] = amount;
  }
  if (!acceptable) return std::nullopt;
  return amounts;
}

bool FitsCapacity(const api::Device& device, const CapacityAmounts& amounts, const CapacityAmounts* used) {
  return std::all_of(amounts.begin(), amounts.end(), [&](const auto& entry) {
    const auto& [name, amount] = entry;
    const auto capacity = device.capacity.find(name);
    if (capacity == device.capacity.end()) return false;
    Quantity sum = amount;
    if (used) {
      const auto found = used->find(name);
      if (found != used->end()) sum += found->second;
    }
    return sum <= capacity->second.value;
  });
}

}  // namespace kumiko::allocator
