#include "gpu/counters_left.h"

namespace kumiko::gpu {

void CountersLeft::Publish(const api::ResourceSlice& slice) {
  for (const api::CounterSet& set : slice.spec.shared_counters) {
    for (const auto& [name, counter] : set.counters) left_[{set.name, name}] = counter.value;
  }
}

bool CountersLeft::Fits(const api::Device& device) const {
  for (const api::DeviceCounterConsumption& consumption : device.consumes_counters) {
    for (const auto& [name, counter] : consumption.counters) {
      const auto found = left_.find({consumption.counter_set, name});
      if (found == left_.end() || found->second < counter.value) return false;
    }
  }
  return true;
}

void CountersLeft::Take(const api::Device& device) {
  for (const api::DeviceCounterConsumption& consumption : device.consumes_counters) {
    for (const auto& [name, counter] : consumption.counters) left_[{consumption.counter_set, name}] -= counter.value;
  }
}

}  // namespace kumiko::gpu
