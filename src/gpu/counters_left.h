// What is left of the counters that a node's slices publish, as devices are taken.
#pragma once

#include <map>
#include <string_view>
#include <utility>

#include "api/resource/types.h"
#include "base/quantity.h"

namespace kumiko::gpu {

// Borrows names from the slices and devices that it is given.
class CountersLeft {
 public:
  void Publish(const api::ResourceSlice& slice);
  // Whether the device could be had now. One that draws from a counter that is not published cannot.
  bool Fits(const api::Device& device) const;
  void Take(const api::Device& device);

 private:
  std::map<std::pair<std::string_view, std::string_view>, Quantity> left_;  // (set, counter)
};

}  // namespace kumiko::gpu
