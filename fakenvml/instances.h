// Handles of GPU and compute instances, and the way in which calls change a board.
#pragma once

#include "fakenvml/library.h"
#include "fakenvml/placement.h"

namespace kumiko::fakenvml {

// A GPU instance or compute instance that a handle means, as it was when the call began.
struct InstanceTarget {
  unsigned gpu = 0;
  std::uint32_t gpu_instance = 0;
  std::uint32_t compute_instance = 0;
  GpuInstance instance{};

  const Board& board() const { return Library::Get().state().gpu(gpu).board; }
  const ProfileRow& profile() const { return board().profiles[instance.profile % kMaxProfiles]; }
};

// NVML_ERROR_NOT_FOUND when `parts` name an instance that is gone.
nvmlReturn_t CheckInstance(const HandleParts& parts, const GpuState& state);

// Passes the gate for a call on an instance and then runs `body(target)`.
template <class Handle, class Body>
nvmlReturn_t OnInstance(const char* function, HandleKind kind, Handle handle, Body body) {
  Library& library = Library::Get();
  if (!library.initialized()) return NVML_ERROR_UNINITIALIZED;
  const auto parts = ReadHandle(handle);
  if (!parts || parts->kind != kind || !library.IsVisible(parts->index)) return NVML_ERROR_INVALID_ARGUMENT;
  const nvmlReturn_t entered = library.Enter(function, static_cast<int>(parts->index));
  if (entered != NVML_SUCCESS) return entered;
  const GpuState state = library.state().gpu(parts->index).state.Copy();
  if (const nvmlReturn_t there = CheckInstance(*parts, state); there != NVML_SUCCESS) return there;
  return body(
      InstanceTarget{parts->index, parts->gpu_instance, parts->compute_instance, state.instances[parts->gpu_instance]});
}

nvmlGpuInstance_t GpuInstanceHandle(unsigned gpu, std::uint32_t id, std::uint32_t serial);
nvmlComputeInstance_t ComputeInstanceHandle(unsigned gpu, std::uint32_t gpu_instance, std::uint32_t id,
                                            std::uint32_t serial);

// A process that is said to use the instance; with NVML_NO_INSTANCE anything on the board.
bool IsUsed(unsigned gpu, std::uint32_t gpu_instance, std::uint32_t compute_instance);

// Changes a board as a driver does: one change of a board at a time on the whole machine, the delay of the control file
// within it. `body(board, state)` works on a copy, which is published when it answers NVML_SUCCESS. It is run before
// the delay as well, so that what cannot be done is refused at once.
template <class Body>
nvmlReturn_t ChangeGpu(const char* function, unsigned index, Body body) {
  Library& library = Library::Get();
  if (!library.initialized()) return NVML_ERROR_UNINITIALIZED;
  if (!library.IsVisible(index)) return NVML_ERROR_INVALID_ARGUMENT;
  if (!library.CanWrite()) return NVML_ERROR_NO_PERMISSION;
  Gpu& gpu = library.state().gpu(index);
  const SharedLock operation(gpu.operation);
  GpuState state = gpu.state.Copy();
  const nvmlReturn_t possible = body(gpu.board, state);
  const auto delays = possible == NVML_SUCCESS ? Library::Delays::kPay : Library::Delays::kSkip;
  const nvmlReturn_t entered = library.Enter(function, static_cast<int>(index), delays);
  if (entered != NVML_SUCCESS) return entered;
  if (possible != NVML_SUCCESS) return possible;
  const SharedLock writer(library.state().writer);
  state = gpu.state.Copy();  // a reset may have come in between
  const nvmlReturn_t result = body(gpu.board, state);
  if (result == NVML_SUCCESS) gpu.state.Publish(state);
  return result;
}

}  // namespace kumiko::fakenvml
