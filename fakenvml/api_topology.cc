// Where boards are: NUMA nodes, PCIe roots, NVLink, fabric.
#include <algorithm>
#include <array>

#include "fakenvml/library.h"

namespace fakenvml = kumiko::fakenvml;
using fakenvml::Board;
using fakenvml::Gpu;
using fakenvml::Library;
using fakenvml::OnGpu;
using fakenvml::Store;

namespace {

// nvmlGpuTopologyLevel_t
constexpr unsigned kSameBoard = 0;
constexpr unsigned kSamePcieRoot = 30;  // one host bridge
constexpr unsigned kSameNumaNode = 40;
constexpr unsigned kSameMachine = 50;

unsigned LevelBetween(const Board& a, const Board& b) {
  if (&a == &b) return kSameBoard;
  if (a.pcie_root >= 0 && a.pcie_root == b.pcie_root) return kSamePcieRoot;
  if (a.numa_node >= 0 && a.numa_node == b.numa_node) return kSameNumaNode;
  return kSameMachine;
}

// Both versioned structs and the plain one have these members.
template <class Info>
void FillFabric(const Gpu& gpu, Info& info) {
  Library& library = Library::Get();
  const auto index = &gpu - &library.state().gpu(0);
  const std::uint32_t told = library.state().control.Read(
      [&](const fakenvml::Control& control) { return control.health[index].fabric_state; });
  info.state = static_cast<unsigned char>(told == 0 ? gpu.board.fabric_state : told - 1);
  const bool completed = info.state == 3;
  info.status = NVML_SUCCESS;
  info.cliqueId = completed ? gpu.board.fabric_clique : 0;
  std::ranges::fill(info.clusterUuid, static_cast<unsigned char>(0));
  if (completed) std::ranges::copy(gpu.board.fabric_cluster, info.clusterUuid);
}

}  // namespace

NVML_EXPORT nvmlReturn_t nvmlDeviceGetNumaNodeId(nvmlDevice_t device, unsigned* node) {
  return OnGpu(__func__, device, [&](const Gpu& gpu) {
    if (gpu.board.numa_node < 0) return NVML_ERROR_NOT_SUPPORTED;
    return Store(node, static_cast<unsigned>(gpu.board.numa_node));
  });
}

NVML_EXPORT nvmlReturn_t nvmlDeviceGetTopologyCommonAncestor(nvmlDevice_t one, nvmlDevice_t other, unsigned* level) {
  return OnGpu(__func__, one, [&](const Gpu& first) {
    fakenvml::Target target;
    if (const nvmlReturn_t found = fakenvml::Resolve(other, target); found != NVML_SUCCESS) return found;
    return Store(level, LevelBetween(first.board, Library::Get().state().gpu(target.gpu).board));
  });
}

NVML_EXPORT nvmlReturn_t nvmlDeviceGetNvLinkState(nvmlDevice_t device, unsigned link, unsigned* active) {
  return OnGpu(__func__, device, [&](const Gpu& gpu) {
    if (gpu.board.nvlink_links == 0) return NVML_ERROR_NOT_SUPPORTED;
    if (link >= gpu.board.nvlink_links) return NVML_ERROR_INVALID_ARGUMENT;
    return Store(active, 1u);
  });
}

// Links are spread over the other boards in turn.
NVML_EXPORT nvmlReturn_t nvmlDeviceGetNvLinkRemotePciInfo_v2(nvmlDevice_t device, unsigned link, nvmlPciInfo_t* pci) {
  return OnGpu(__func__, device, [&](const Gpu& gpu) {
    fakenvml::StateFile& state = Library::Get().state();
    if (gpu.board.nvlink_links == 0 || state.gpu_count < 2) return NVML_ERROR_NOT_SUPPORTED;
    if (link >= gpu.board.nvlink_links) return NVML_ERROR_INVALID_ARGUMENT;
    const auto own = static_cast<unsigned>(&gpu - &state.gpu(0));
    const unsigned peer = (own + 1 + link % (state.gpu_count - 1)) % state.gpu_count;
    return Store(pci, fakenvml::PciInfoOf(state.gpu(peer).board));
  });
}

NVML_EXPORT nvmlReturn_t nvmlDeviceGetGpuFabricInfo(nvmlDevice_t device, nvmlGpuFabricInfo_t* info) {
  return OnGpu(__func__, device, [&](const Gpu& gpu) {
    if (info == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
    FillFabric(gpu, *info);
    return NVML_SUCCESS;
  });
}

NVML_EXPORT nvmlReturn_t nvmlDeviceGetGpuFabricInfoV(nvmlDevice_t device, nvmlGpuFabricInfo_v2_t* info) {
  return OnGpu(__func__, device, [&](const Gpu& gpu) {
    if (info == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
    if (info->version != nvmlGpuFabricInfo_v2 && info->version != nvmlGpuFabricInfo_v3) {
      return NVML_ERROR_ARGUMENT_VERSION_MISMATCH;
    }
    FillFabric(gpu, *info);
    info->healthMask = 0;
    // The third version is the second with one member more.
    if (info->version == nvmlGpuFabricInfo_v3) reinterpret_cast<nvmlGpuFabricInfo_v3_t*>(info)->healthSummary = 0;
    return NVML_SUCCESS;
  });
}
