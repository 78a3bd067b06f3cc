#include "fakenvml/install/report.h"

#include "base/json.h"
#include "fakenvml/device_text.h"

namespace kumiko::fakenvml {
namespace {

JsonArray Instances(const Board& board, const GpuState& state) {
  JsonArray instances;
  for (std::uint32_t id = 0; id < kMaxInstances; ++id) {
    const GpuInstance& instance = state.instances[id];
    if (instance.serial == 0) continue;
    const ProfileRow& profile = board.profiles[instance.profile % kMaxProfiles];
    JsonArray compute;
    for (std::uint32_t part = 0; part < kMaxComputeInstances; ++part) {
      const ComputeInstance& slot = instance.compute[part];
      if (slot.serial == 0) continue;
      compute.push_back(JsonObject{{"id", part}, {"slices", slot.slices}, {"uuid", MigUuidText(slot.uuid)}});
    }
    instances.push_back(JsonObject{{"id", id},
                                   {"profile", std::string_view(profile.name)},
                                   {"profileId", profile.id},
                                   {"start", instance.start},
                                   {"size", instance.size},
                                   {"computeInstances", std::move(compute)}});
  }
  return instances;
}

}  // namespace

std::string Report(const StateFile& state) {
  JsonArray gpus;
  for (unsigned i = 0; i < state.gpu_count; ++i) {
    const Board& board = state.gpu(i).board;
    const GpuState copy = state.gpu(i).state.Copy();
    gpus.push_back(JsonObject{{"index", i},
                              {"uuid", std::string_view(board.uuid)},
                              {"name", std::string_view(board.name)},
                              {"minor", board.minor},
                              {"pciBusId", PciBusIdText(board, 8)},
                              {"memoryBytes", board.memory_bytes},
                              {"numaNode", board.numa_node},
                              {"migMode", copy.mig_mode},
                              {"migPending", copy.mig_pending},
                              {"computeMode", copy.compute_mode},
                              {"timeslice", copy.timeslice},
                              {"instances", Instances(board, copy)}});
  }
  JsonObject report{{"driverVersion", std::string_view(state.driver_version)},
                    {"capabilityMajor", state.capability_major},
                    {"gpus", std::move(gpus)}};
  const Control control = state.control.Copy();
  if (control.error[0] != '\0') report["controlError"] = std::string_view(control.error);
  return WriteJsonPretty(report);
}

}  // namespace kumiko::fakenvml
