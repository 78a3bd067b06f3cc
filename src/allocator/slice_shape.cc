#include "allocator/slice_shape.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

namespace kumiko::allocator {
namespace {

bool Same(const std::optional<Quantity>& a, const std::optional<Quantity>& b) {
  return a.has_value() == b.has_value() && (!a || a->IsIdenticalTo(*b));
}

bool Same(const std::optional<api::CapacityRequestPolicy>& a, const std::optional<api::CapacityRequestPolicy>& b) {
  if (a.has_value() != b.has_value()) return false;
  if (!a) return true;
  if (!Same(a->default_value, b->default_value) || a->valid_range.has_value() != b->valid_range.has_value())
    return false;
  if (a->valid_range &&
      !(Same(a->valid_range->min, b->valid_range->min) && Same(a->valid_range->max, b->valid_range->max) &&
        Same(a->valid_range->step, b->valid_range->step))) {
    return false;
  }
  return std::equal(a->valid_values.begin(), a->valid_values.end(), b->valid_values.begin(), b->valid_values.end(),
                    [](const auto& x, const auto& y) { return x.IsIdenticalTo(y); });
}

bool HasExtras(const api::Device& device) {
  return !device.binding_conditions.empty() || !device.binding_failure_conditions.empty() || device.node_name ||
         device.all_nodes || device.node_selector || device.binds_to_node.value_or(false);
}

SliceShape::Extras ExtrasOf(const api::Device& device) {
  return {.binding_conditions = device.binding_conditions,
          .binding_failure_conditions = device.binding_failure_conditions,
          .node_name = device.node_name,
          .all_nodes = device.all_nodes,
          .node_selector = device.node_selector,
          .binds_to_node = device.binds_to_node.value_or(false)};
}

bool UsesGroups(const api::ResourceSlice& slice) {
  for (const auto& device : slice.spec.devices) {
    for (const auto& consumption : device.consumes_counters) {
      if (!consumption.compatibility_groups.empty()) return true;
    }
  }
  return false;
}

std::uint32_t Size(const auto& list) {
  return static_cast<std::uint32_t>(list.size());
}

// What is quick to read of a slice; equal shapes have equal keys.
std::uint64_t KeyOf(const api::ResourceSlice& slice) {
  const auto& spec = slice.spec;
  std::uint64_t key = StringHash()(spec.driver) + spec.devices.size() * 31 + spec.shared_counters.size() * 17;
  const auto add = [&key](std::string_view text) { key = (key ^ StringHash()(text)) * 0x9e37'79b9'7f4a'7c15; };
  if (!spec.devices.empty()) {
    add(spec.devices.front().name);
    add(spec.devices.back().name);
  }
  if (!spec.shared_counters.empty()) add(spec.shared_counters.front().name);
  return key;
}

void AddReadableCapacities(SliceShape& shape, const SliceShape::Device& device) {
  const auto begin = Size(shape.readable_capacities);
  for (auto c = device.capacities.begin; c < device.capacities.end; ++c) {
    const auto& capacity = shape.capacities[c];
    const auto slash = capacity.name.find('/');
    cel::DeviceCapacity readable;
    readable.domain = slash == std::string::npos ? shape.driver_name : capacity.name.substr(0, slash);
    readable.id = slash == std::string::npos ? capacity.name : capacity.name.substr(slash + 1);
    readable.value = capacity.value;
    shape.readable_capacities.push_back(std::move(readable));
  }
  if (device.capacities.size() > 1) {
    const auto from = shape.readable_capacities.begin() + begin;
    const auto key = [](const auto& c) { return std::tie(c.domain, c.id); };
    // By insertion: stable, and devices have few.
    for (auto next = from; next != shape.readable_capacities.end(); ++next) {
      const auto place =
          std::upper_bound(from, next, *next, [&](const auto& a, const auto& b) { return key(a) < key(b); });
      std::rotate(place, next, next + 1);
    }
    shape.readable_capacities.erase(std::unique(from, shape.readable_capacities.end(),
                                                [&](const auto& a, const auto& b) { return key(a) == key(b); }),
                                    shape.readable_capacities.end());
  }
  shape.readable.push_back({begin, Size(shape.readable_capacities)});
}

}  // namespace

Quantity ToQuantity(Amount amount) {
  if (amount % 1000 == 0) return Quantity::FromBytesBinary(amount / 1000);
  return Quantity::Parse(fmt::format("{}m", amount)).value_or(Quantity());
}

AttributeId DeviceRef::Attribute(AttributeNameId name) const {
  const auto range = device().attributes;
  const auto& keys = shape().attributes;
  for (auto i = range.begin; i < range.end; ++i) {
    if (keys[i].name == name) return slice->values[i];
  }
  return kNoAttribute;
}

void SliceReader::Read(const api::ResourceSlice& slice, StoredSlice& stored) {
  const auto& spec = slice.spec;
  stored.generation = spec.pool.generation;
  stored.slice_count = spec.pool.resource_slice_count;
  if (spec.node_name && !spec.node_name->empty()) stored.node_name = spec.node_name;
  stored.all_nodes = spec.all_nodes.value_or(false);
  stored.per_device_node_selection = spec.per_device_node_selection.value_or(false);
  stored.has_per_device_field = spec.per_device_node_selection.has_value();
  stored.node_selector = spec.node_selector;
  stored.shape = FindShape(slice, stored.values);
  last_->values = stored.values;
}

std::shared_ptr<const SliceShape> SliceReader::FindShape(const api::ResourceSlice& slice,
                                                         std::vector<AttributeId>& values) {
  if (last_) {
    if (auto shape = last_->shape.lock(); shape && HasShape(slice, *shape, last_->values, values)) return shape;
  }
  auto& known = shapes_[KeyOf(slice)];
  std::erase_if(known, [](const auto& entry) { return entry->shape.expired(); });
  for (const auto& entry : known) {
    if (entry == last_) continue;
    auto shape = entry->shape.lock();
    if (!HasShape(slice, *shape, entry->values, values)) continue;
    last_ = entry;
    return shape;
  }
  auto built = BuildShape(slice);
  ReadValues(slice, *built, values);
  last_ = std::make_shared<Known>(Known{.shape = built, .values = {}});
  known.push_back(last_);
  return built;
}

bool SliceReader::HasShape(const api::ResourceSlice& slice, const SliceShape& shape,
                           const std::vector<AttributeId>& last, std::vector<AttributeId>& values) {
  const auto& spec = slice.spec;
  values.clear();
  values.reserve(shape.attributes.size());
  if (spec.devices.size() != shape.devices.size() || spec.driver != shape.driver_name ||
      shape.counter_sets.size() != spec.shared_counters.size() ||
      spec.skip_node_operations != shape.skip_node_operations) {
    return false;
  }
  for (std::size_t d = 0; d < spec.devices.size(); ++d) {
    if (!HasDevice(spec.devices[d], shape, shape.devices[d]) ||
        !HasAttributes(spec.devices[d], shape, shape.devices[d], last, values)) {
      return false;
    }
  }
  std::size_t c = 0;
  for (std::size_t s = 0; s < spec.shared_counters.size(); ++s) {
    const auto& set = spec.shared_counters[s];
    if (names_->Text(shape.counter_sets[s]) != set.name) return false;
    for (const auto& [name, counter] : set.counters) {
      if (c == shape.counters.size()) return false;
      const auto& known = shape.counters[c++];
      if (names_->Text(known.name) != name || names_->Text(known.set) != set.name ||
          known.declared != counter.value.MilliValue()) {
        return false;
      }
    }
  }
  return c == shape.counters.size();
}

bool SliceReader::HasAttributes(const api::Device& device, const SliceShape& shape, const SliceShape::Device& known,
                                const std::vector<AttributeId>& last, std::vector<AttributeId>& values) {
  auto at = known.attributes.begin;
  for (const auto& [name, value] : device.attributes) {
    const auto& key = shape.attributes[at];
    if (names_->Text(key.written) != name) return false;
    values.push_back(attributes_->Is(last[at], value) ? last[at] : attributes_->Intern(key.name, value));
    ++at;
  }
  return true;
}

bool SliceReader::HasDevice(const api::Device& device, const SliceShape& shape, const SliceShape::Device& known) const {
  if (names_->Text(known.name) != device.name || known.attributes.size() != device.attributes.size() ||
      known.capacities.size() != device.capacity.size() || known.taints.size() != device.taints.size() ||
      known.allow_multiple_allocations != device.allow_multiple_allocations.value_or(false) ||
      HasExtras(device) != (known.extras >= 0)) {
    return false;
  }
  auto c = known.capacities.begin;
  for (const auto& [name, capacity] : device.capacity) {
    const auto& other = shape.capacities[c++];
    if (other.name != name || !other.value.IsIdenticalTo(capacity.value) ||
        !Same(other.policy, capacity.request_policy)) {
      return false;
    }
  }
  auto u = known.consumption.begin;
  auto g = known.draws.begin;
  for (const auto& consumption : device.consumes_counters) {
    for (const auto& [name, counter] : consumption.counters) {
      if (u == known.consumption.end) return false;
      const auto& other = shape.consumption[u++];
      if (other.amount != counter.value.MilliValue() || names_->Text(other.counter) != name ||
          names_->Text(other.set) != consumption.counter_set) {
        return false;
      }
    }
    if (g == known.draws.end) return false;
    const auto& other = shape.draws[g++];
    if (names_->Text(other.set) != consumption.counter_set ||
        !std::equal(other.groups.begin(), other.groups.end(), consumption.compatibility_groups.begin(),
                    consumption.compatibility_groups.end(),
                    [this](NameId id, const std::string& text) { return names_->Text(id) == text; })) {
      return false;
    }
  }
  if (u != known.consumption.end || g != known.draws.end) return false;
  for (std::size_t t = 0; t < device.taints.size(); ++t) {
    const auto& taint = device.taints[t];
    const auto& other = shape.taints[known.taints.begin + t];
    if (taint.key != other.key || taint.value != other.value || taint.effect != other.effect) return false;
  }
  return known.extras < 0 || *shape.ExtrasOf(known) == ExtrasOf(device);
}

std::shared_ptr<SliceShape> SliceReader::BuildShape(const api::ResourceSlice& slice) {
  auto shape = std::make_shared<SliceShape>();
  const auto& spec = slice.spec;
  shape->serial = next_serial_++;
  shape->driver = names_->Intern(spec.driver);
  shape->driver_name = spec.driver;
  shape->skip_node_operations = spec.skip_node_operations;
  shape->has_compatibility_groups = UsesGroups(slice);
  shape->devices.reserve(spec.devices.size());
  shape->readable.reserve(spec.devices.size());
  if (!spec.devices.empty()) {
    shape->attributes.reserve(spec.devices.size() * spec.devices.front().attributes.size());
    shape->capacities.reserve(spec.devices.size() * spec.devices.front().capacity.size());
    shape->readable_capacities.reserve(spec.devices.size() * spec.devices.front().capacity.size());
  }
  NameId last_set = 0;
  for (const auto& device : spec.devices) {
    SliceShape::Device entry;
    entry.name = names_->Intern(device.name);
    entry.allow_multiple_allocations = device.allow_multiple_allocations.value_or(false);
    entry.attributes.begin = Size(shape->attributes);
    // The keys of the device before, most often the same.
    auto guess = shape->devices.empty() ? 0 : shape->devices.back().attributes.begin;
    for (const auto& [name, value] : device.attributes) {
      if (guess < entry.attributes.begin && names_->Text(shape->attributes[guess].written) == name) {
        const auto same = shape->attributes[guess++];
        shape->attributes.push_back(same);
        continue;
      }
      shape->attributes.push_back({names_->Intern(name), attributes_->InternName(name, spec.driver)});
    }
    entry.attributes.end = Size(shape->attributes);
    entry.capacities.begin = Size(shape->capacities);
    for (const auto& [name, capacity] : device.capacity) {
      shape->capacities.push_back({name, capacity.value, capacity.request_policy});
    }
    entry.capacities.end = Size(shape->capacities);
    entry.consumption.begin = Size(shape->consumption);
    entry.draws.begin = Size(shape->draws);
    for (const auto& consumption : device.consumes_counters) {
      if (shape->draws.empty() || names_->Text(last_set) != consumption.counter_set) {
        last_set = names_->Intern(consumption.counter_set);
      }
      for (const auto& [name, counter] : consumption.counters) {
        shape->consumption.push_back({last_set, names_->Intern(name), counter.value.MilliValue()});
      }
      SliceShape::Draw draw{.set = last_set, .groups = {}};
      for (const auto& group : consumption.compatibility_groups) draw.groups.push_back(names_->Intern(group));
      shape->draws.push_back(std::move(draw));
    }
    entry.consumption.end = Size(shape->consumption);
    entry.draws.end = Size(shape->draws);
    entry.taints.begin = Size(shape->taints);
    shape->taints.insert(shape->taints.end(), device.taints.begin(), device.taints.end());
    entry.taints.end = Size(shape->taints);
    if (HasExtras(device)) {
      entry.extras = static_cast<std::int32_t>(shape->extras.size());
      shape->extras.push_back(ExtrasOf(device));
    }
    shape->has_binding_conditions = shape->has_binding_conditions || !device.binding_conditions.empty();
    AddReadableCapacities(*shape, entry);
    shape->devices.push_back(entry);
  }
  for (const auto& set : spec.shared_counters) {
    const auto set_name = names_->Intern(set.name);
    shape->counter_sets.push_back(set_name);
    for (const auto& [name, counter] : set.counters) {
      shape->counters.push_back({set_name, names_->Intern(name), counter.value.MilliValue()});
    }
  }
  return shape;
}

// Of a shape that is new: a device most often has some values of the one before.
void SliceReader::ReadValues(const api::ResourceSlice& slice, const SliceShape& shape,
                             std::vector<AttributeId>& values) {
  values.clear();
  for (std::size_t d = 0; d < slice.spec.devices.size(); ++d) {
    const auto range = shape.devices[d].attributes;
    const auto back = d == 0 ? range.begin : range.begin - shape.devices[d - 1].attributes.begin;
    for (const auto& [name, value] : slice.spec.devices[d].attributes) {
      const auto at = Size(values);
      const auto before = at - back;  // where the device before has its attribute of this place
      if (d > 0 && before < at && shape.attributes[before].name == shape.attributes[at].name &&
          attributes_->Is(values[before], value)) {
        values.push_back(values[before]);
      } else {
        values.push_back(attributes_->Intern(shape.attributes[at].name, value));
      }
    }
  }
}

}  // namespace kumiko::allocator
