#include "allocator/capacity.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "allocator/mutant.h"

namespace kumiko::allocator {
namespace {

constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();

const Quantity& Milli() {
  static const Quantity milli = *Quantity::Parse("1m");
  return milli;
}

bool IsWhole(const Quantity& q) {
  return Quantity::FromInt(q.Value()) == q;
}

std::optional<std::int64_t> ExactMilli(const Quantity& q) {
  const auto milli = q.MilliValue();
  return Milli().Mul(milli) == q ? std::optional(milli) : std::nullopt;
}

// Thousandths are counted where a bound has a fraction and all of them allow it. (The reference counts thousandths also
// where all bounds are whole, which only shrinks the range: defect D3.)
bool CountsThousandths(const api::CapacityRequestPolicyRange& range, const Features& features) {
  if (!features.fractional_capacity_range) return false;
  bool whole = true;
  for (const auto* bound : {&range.min, &range.max, &range.step}) {
    if (!*bound) continue;
    if (!ExactMilli(**bound)) return false;
    whole = whole && IsWhole(**bound);
  }
  return !whole && (!range.step || range.step->MilliValue() >= 1);
}

Result<Quantity> NextStep(const Quantity& amount, const api::CapacityRequestPolicyRange& range,
                          const Features& features) {
  const bool thousandths = CountsThousandths(range, features);
  const auto count = [thousandths](const Quantity& q) { return thousandths ? q.MilliValue() : q.Value(); };
  if (thousandths ? !ExactMilli(amount) : amount > Quantity::FromInt(kMax)) {
    return Fail(Code::kInvalidArgument,
                "capacity request cannot be represented in the device's range arithmetic: request {} {}",
                amount.ToString(), thousandths ? "is not a representable milli value" : "exceeds MaxInt64");
  }
  const auto min = count(*range.min);
  const auto step = std::max<std::int64_t>(count(*range.step), 1);
  const auto above = count(amount) - min;
  const auto steps = above / step + (above % step != 0 && !Mutant(13) ? 1 : 0);
  if (min >= 0 && steps > (kMax - min) / step) {
    return Fail(
        Code::kInvalidArgument,
        "capacity request cannot be represented in the device's range arithmetic: rounding request {} up to the "
        "next step passes {}",
        amount.ToString(), thousandths ? "the milli-value range" : "MaxInt64");
  }
  const auto counted = min + step * steps;
  return (thousandths ? Milli().Mul(counted) : Quantity::FromInt(counted)).InFormat(range.step->format());
}

Result<Quantity> AmountOf(const Quantity* asked, const SliceShape::Capacity& capacity, const Features& features) {
  const auto& policy = capacity.policy;
  if (!asked) return policy && policy->default_value ? *policy->default_value : capacity.value;
  if (!policy) return *asked;
  if (policy->valid_range && policy->valid_range->min) {
    const auto& range = *policy->valid_range;
    if (*asked < *range.min) return *range.min;
    if (!range.step) return *asked;
    return NextStep(*asked, range, features);
  }
  for (const auto& valid : policy->valid_values) {
    if (*asked <= valid) return valid;
  }
  return *asked;
}

bool Permitted(const Quantity& amount, const api::CapacityRequestPolicy& policy, const Features& features) {
  if (policy.default_value && amount == *policy.default_value) return true;
  if (policy.valid_range) {
    const auto& range = *policy.valid_range;
    if (range.max && amount > *range.max) return false;
    if (!range.step || !range.min) return true;
    const bool thousandths = CountsThousandths(range, features);
    if (thousandths && !ExactMilli(amount)) return false;
    const auto count = [thousandths](const Quantity& q) { return thousandths ? q.MilliValue() : q.Value(); };
    return (count(amount) - count(*range.min)) % std::max<std::int64_t>(count(*range.step), 1) == 0;
  }
  return policy.valid_values.empty() ||
         std::find(policy.valid_values.begin(), policy.valid_values.end(), amount) != policy.valid_values.end();
}

}  // namespace

Result<CapacityTake> TakeOf(std::span<const SliceShape::Capacity> capacities, const api::CapacityRequirements* request,
                            const Features& features) {
  CapacityTake take;
  if (request) {
    for (const auto& [name, amount] : request->requests) {
      const bool known =
          std::any_of(capacities.begin(), capacities.end(), [&](const auto& c) { return c.name == name; });
      if (!known) return take;
    }
  }
  take.possible = true;
  take.amounts.reserve(capacities.size());
  for (const auto& capacity : capacities) {
    const Quantity* asked = nullptr;
    if (request) {
      const auto found = request->requests.find(capacity.name);
      if (found != request->requests.end()) asked = &found->second;
    }
    KU_TRY(auto amount, AmountOf(asked, capacity, features), "capacity \"{}\"", capacity.name);
    if (amount.Sign() < 0) {
      return Fail(Code::kInvalidArgument, "capacity \"{}\": capacity value is negative", capacity.name);
    }
    if (capacity.policy && !Permitted(amount, *capacity.policy, features)) take.possible = false;
    take.amounts.push_back(std::move(amount));
  }
  return take;
}

bool FitsCapacity(std::span<const SliceShape::Capacity> capacities, const std::vector<Quantity>& take,
                  std::span<const CapacityAmounts* const> used) {
  for (std::size_t c = 0; c < capacities.size(); ++c) {
    Quantity sum = take[c];
    for (const auto* amounts : used) {
      if (!amounts) continue;
      const auto found = amounts->find(capacities[c].name);
      if (found != amounts->end()) sum += found->second;
    }
    if (sum > capacities[c].value) return false;
  }
  return true;
}

CapacityAmounts ByName(std::span<const SliceShape::Capacity> capacities, const std::vector<Quantity>& amounts) {
  CapacityAmounts named;
  for (std::size_t c = 0; c < capacities.size(); ++c) named.emplace(capacities[c].name, amounts[c]);
  return named;
}

}  // namespace kumiko::allocator
