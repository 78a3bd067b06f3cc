// How far a node comes before it fails a pod: conditions in a fixed order, so that each node stands under one of them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "allocator/explain.h"

namespace kumiko::cli {

// Later is nearer to success.
enum class Stage {
  kClosed,     // cordoned, or a taint of the node
  kLabel,      // the pod's nodeSelector, and its affinity to nodes
  kReach,      // devices that a claim of the pod already has are elsewhere
  kNoDevices,  // nothing published, or nothing that the class accepts
  kSelector,   // the request's selectors
  kTaint,      // taints of devices
  kHost,       // number of pods, cpu, memory
  kTaken,      // in use: devices, capacity, counters, slots
  kTogether,   // constraints, and the other requests of the pod
  kRoom,       // nothing: it could start there
};

Stage StageOf(const allocator::Rejection& row);

// The word of the reason, "SelectorFalse".
std::string_view CodeOf(allocator::Rejection::Reason reason);

// Where the devices of one node fail a request, counted: the first stage that leaves fewer than are needed.
struct DeviceStage {
  Stage stage = Stage::kTogether;
  std::string code;
  std::string text;      // "free GPUs: 2 of 8 needed"
  std::size_t free = 0;  // devices that speak nothing against by themselves
  std::size_t needed = 1;
};
// `explanation` is of one node. `noun` is plural: "GPUs".
DeviceStage StageOf(const allocator::Explanation& explanation, std::string_view noun);

// "GPUs", "parts", or "devices" for classes that others define.
std::string_view NounOf(std::string_view device_class);

}  // namespace kumiko::cli
