// The page that `kumiko up` prints: which pod got what, a picture of every GPU, how much of them is used against a
// placement of the same pods on whole GPUs, and what waits and why. A value; the caller counts (cli/cluster_view.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "report/strip.h"
#include "report/style.h"

namespace kumiko::report {

struct PlacedPod {
  std::string name;  // "demo/train-0"
  std::string asks;  // "part 1g.10gb"
  std::string node;
  std::string devices;   // "gpu-0-mig-1g10gb-19-4", several joined by a blank
  std::string profiles;  // "1g.10gb", "whole"
};

struct DrawnGpu {
  std::string node;
  std::string gpu;    // "gpu-0"
  std::string model;  // "NVIDIA A100-SXM4-80GB"
  Strip strip;
  std::int64_t memory_used_bytes = 0;  // by the pods on it
  std::int64_t memory_bytes = 0;
  int pods = 0;
};

// Of one resource over all GPUs: what pods use, what their claims hold, what there is.
struct Use {
  std::int64_t used = 0;
  std::int64_t held = 0;
  std::int64_t total = 0;
  bool operator==(const Use&) const = default;
};

struct RunTotals {
  int pods_running = 0;
  int pods = 0;       // running and waiting
  int gpus_held = 0;  // wholly or in part
  int gpus = 0;
  Use memory_bytes;
  Use multiprocessors;
  bool operator==(const RunTotals&) const = default;
};

struct WaitingPods {
  std::string owner;  // what made them, for grouping; not drawn
  std::string name;   // of the first
  int others = 0;     // that wait for the same reason and belong to the same owner
  std::string asks;
  std::string reason;
};

struct WholeGpuRun {
  RunTotals totals;
  std::vector<WaitingPods> waiting;
};

struct FailedPod {
  std::string name;
  std::string reason;
};

struct PlacementPage {
  std::string title;
  std::vector<PlacedPod> pods;
  std::vector<DrawnGpu> gpus;
  RunTotals totals;
  std::optional<WholeGpuRun> whole_gpus;  // the same pods, each on whole GPUs
  std::vector<WaitingPods> waiting;
  std::vector<FailedPod> failed;
  int pods_succeeded = 0;
  // More rows than these are summed up in one line.
  std::size_t max_pods = 24;
  std::size_t max_gpus = 16;
  std::size_t max_waiting = 8;
  std::size_t max_failed = 8;
};

std::string Draw(const PlacementPage& page, const Style& style);

}  // namespace kumiko::report
