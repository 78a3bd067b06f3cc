#include "node/publication_plan.h"

#include <algorithm>
#include <charconv>
#include <string_view>
#include <utility>

#include "api/codec.h"
#include "base/json.h"

namespace kumiko::node {
namespace {

// One form for each quantity, whoever wrote it.
void Canonicalize(Quantity& quantity) {
  quantity = quantity.InFormat(Quantity::Format::kDecimalSuffix);
}

void Canonicalize(api::ResourceSliceSpec& spec) {
  spec.pool.generation = 0;
  for (api::Device& device : spec.devices) {
    for (auto& [name, capacity] : device.capacity) Canonicalize(capacity.value);
    for (api::DeviceCounterConsumption& consumption : device.consumes_counters) {
      for (auto& [name, counter] : consumption.counters) Canonicalize(counter.value);
    }
  }
  for (api::CounterSet& set : spec.shared_counters) {
    for (auto& [name, counter] : set.counters) Canonicalize(counter.value);
  }
}

Json Comparable(api::ResourceSliceSpec spec) {
  Canonicalize(spec);
  api::ResourceSlice slice;
  slice.spec = std::move(spec);
  return api::Encode(slice);
}

// "0001f-gpu.nvidia.com-node-0-x2b8k" of a pool whose names begin so: 31.
std::optional<std::size_t> IndexOf(const api::ResourceSlice& slice, const api::ResourceSlice& wanted) {
  const std::string& pattern = wanted.metadata.generate_name;  // 00000-<driver>-<node>-
  const std::string_view behind_index = std::string_view(pattern).substr(std::min(pattern.find('-'), pattern.size()));
  const std::string_view name = slice.metadata.name;
  const std::size_t dash = name.find('-');
  if (dash == std::string_view::npos || dash < 5 || !name.substr(dash).starts_with(behind_index)) return std::nullopt;
  std::size_t index = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + dash, index, 16);
  if (error != std::errc() || end != name.data() + dash) return std::nullopt;
  return index;
}

void KeepTimesOfTaints(const api::ResourceSlice& from, api::ResourceSlice& to) {
  for (api::Device& device : to.spec.devices) {
    const auto old = std::ranges::find(from.spec.devices, device.name, &api::Device::name);
    if (old == from.spec.devices.end()) continue;
    for (api::DeviceTaint& taint : device.taints) {
      for (const api::DeviceTaint& before : old->taints) {
        const bool same = taint.key == before.key && taint.value == before.value && taint.effect == before.effect;
        if (same && !taint.time_added) taint.time_added = before.time_added;
      }
    }
  }
}

// The slice at each index of the pool, or null; the others' names go to `obsolete`.
std::vector<const api::ResourceSlice*> Match(const std::vector<api::ResourceSlice>& existing,
                                             const std::vector<api::ResourceSlice>& wanted, std::int64_t generation,
                                             std::vector<std::string>& obsolete) {
  std::vector<const api::ResourceSlice*> current(wanted.size(), nullptr);
  for (const api::ResourceSlice& slice : existing) {
    const auto index = wanted.empty() ? std::nullopt : IndexOf(slice, wanted.front());
    const bool belongs = index && *index < wanted.size() && slice.spec.pool.generation == generation;
    if (belongs && current[*index] == nullptr) {
      current[*index] = &slice;
    } else {
      obsolete.push_back(slice.metadata.name);
    }
  }
  return current;
}

}  // namespace

bool IsSamePublication(const api::ResourceSliceSpec& a, const api::ResourceSliceSpec& b) {
  return Comparable(a) == Comparable(b);
}

PublicationPlan PlanPublication(const std::vector<api::ResourceSlice>& existing, std::vector<api::ResourceSlice> wanted,
                                const std::map<std::size_t, PublishedSlice>& published) {
  PublicationPlan plan;
  for (const api::ResourceSlice& slice : existing) {
    plan.generation = std::max(plan.generation, slice.spec.pool.generation);
  }
  const auto current = Match(existing, wanted, plan.generation, plan.deletions);

  std::vector<std::size_t> changed;
  bool missing = false;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (current[i] == nullptr) {
      missing = true;
      continue;
    }
    KeepTimesOfTaints(*current[i], wanted[i]);
    const auto known = published.find(i);
    const bool as_answered = known != published.end() && IsSamePublication(known->second.wanted, wanted[i].spec) &&
                             IsSamePublication(known->second.answered, current[i]->spec);
    if (!as_answered && !IsSamePublication(current[i]->spec, wanted[i].spec)) changed.push_back(i);
  }
  if (missing || changed.size() > 1) {
    ++plan.generation;
    changed.clear();
    for (std::size_t i = 0; i < wanted.size(); ++i) changed.push_back(i);
  }
  for (const std::size_t i : changed) {
    api::ResourceSlice slice = std::move(wanted[i]);
    slice.spec.pool.generation = plan.generation;
    slice.metadata.name.clear();
    std::string replaces;
    if (current[i] != nullptr) {
      replaces = current[i]->metadata.name;
      slice.metadata.name = replaces;
      slice.metadata.resource_version = current[i]->metadata.resource_version;
    }
    plan.writes.push_back({i, std::move(replaces), std::move(slice)});
  }
  return plan;
}

}  // namespace kumiko::node
