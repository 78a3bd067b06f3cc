#include "gpu/nvml/board_reader.h"

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "gpu/pci_device.h"

namespace kumiko::gpu {
namespace {

// In the order of NVML's numbers (spec node-driver §1.4 and appendix B).
constexpr std::array kBrands = {"Unknown",   "Quadro",      "Tesla",     "NVS",        "Grid",      "GeForce",
                                "Titan",     "NvidiaVApps", "NvidiaVPC", "NvidiaVCS",  "NvidiaVWS", "NvidiaCloudGaming",
                                "QuadroRTX", "NvidiaRTX",   "Nvidia",    "GeForceRTX", "TitanRTX"};
constexpr std::array kArchitectures = {"Unknown", "Unknown",      "Kepler", "Maxwell",   "Pascal",  "Volta",   "Turing",
                                       "Ampere",  "Ada Lovelace", "Hopper", "Blackwell", "Unknown", "Unknown", "Rubin"};
constexpr std::array kAddressingModes = {"None", "HMM", "ATS"};

// A number that this list does not know yet is no reason to withhold the board.
std::string NameIn(std::span<const char* const> names, unsigned number) {
  return number < names.size() ? names[number] : "Unknown";
}

bool IsDisplay(std::string_view product_name) {
  return product_name == "DGX Display" || product_name == "NVIDIA DGX Display";
}

// Reads one GPU; every failure names it.
class GpuReader {
 public:
  GpuReader(const NvmlFunctions& functions, unsigned index)
      : functions_(functions), about_(fmt::format("the GPU at index {}", index)), index_(index) {}

  // Nothing: not to be offered, and no fault.
  Result<std::optional<BoardInstance>> Read(const std::string& system_root) {
    KU_TRY_OK(CallNvml(functions_.device_by_index, about_, index_, &device_));
    BoardInstance board;
    KU_TRY(board.model.product_name, Text(functions_.product_name));
    if (IsDisplay(board.model.product_name)) return std::nullopt;
    KU_TRY(board.uuid, Text(functions_.uuid));
    about_ = board.uuid;
    KU_TRY(const unsigned minor, Number(functions_.minor_number));
    board.minor = static_cast<int>(minor);
    about_ = fmt::format("{} ({})", DeviceName(board.minor), board.uuid);
    KU_TRY_OK(CheckWhole());
    KU_TRY_OK(ReadModel(board.model));
    KU_TRY_OK(ReadPlace(board, system_root));
    board.addressing_mode = AddressingMode();
    return board;
  }

 private:
  Result<std::string> Text(const NvmlFunction<nvmlDevice_t, char*, unsigned>& function) const {
    std::array<char, NVML_DEVICE_NAME_V2_BUFFER_SIZE> text{};
    KU_TRY_OK(CallNvml(function, about_, device_, text.data(), static_cast<unsigned>(text.size())));
    text.back() = '\0';
    return std::string(text.data());
  }

  Result<unsigned> Number(const NvmlFunction<nvmlDevice_t, unsigned*>& function) const {
    unsigned number = 0;
    KU_TRY_OK(CallNvml(function, about_, device_, &number));
    return number;
  }

  Status CheckWhole() const {
    unsigned current = NVML_DEVICE_MIG_DISABLE;
    unsigned pending = NVML_DEVICE_MIG_DISABLE;
    const nvmlReturn_t code = functions_.mig_mode(device_, &current, &pending);
    if (code != NVML_SUCCESS && !IsAbsent(code)) {
      return tl::unexpected<Error>(NvmlError(functions_.mig_mode.name(), about_, code));
    }
    if (current != NVML_DEVICE_MIG_ENABLE) return {};
    return Fail(Code::kInvalidArgument,
                "{} is in MIG mode, and parts of GPUs are not published yet: turn MIG off (nvidia-smi -i {} -mig 0) to "
                "offer it whole",
                about_, index_);
  }

  Status ReadModel(Model& model) const {
    KU_TRY(const unsigned brand, Number(functions_.brand));
    KU_TRY(const unsigned architecture, Number(functions_.architecture));
    model.brand = NameIn(kBrands, brand);
    model.architecture = NameIn(kArchitectures, architecture);
    int major = 0;
    int minor = 0;
    KU_TRY_OK(CallNvml(functions_.compute_capability, about_, device_, &major, &minor));
    model.compute_capability = fmt::format("{}.{}", major, minor);
    nvmlMemory_t memory{};
    const nvmlReturn_t code = functions_.memory(device_, &memory);
    // A GPU that shares the memory of its processor has no number of its own.
    if (code == NVML_ERROR_NOT_SUPPORTED) return {};
    if (code != NVML_SUCCESS) return tl::unexpected<Error>(NvmlError(functions_.memory.name(), about_, code));
    model.memory_bytes = static_cast<std::int64_t>(memory.total);
    return {};
  }

  Status ReadPlace(BoardInstance& board, const std::string& system_root) const {
    nvmlPciInfo_t pci{};
    KU_TRY_OK(CallNvml(functions_.pci_info, about_, device_, &pci));
    pci.busId[sizeof(pci.busId) - 1] = '\0';
    board.pci_bus_id = PciAddress(pci.busId);
    board.pcie_root = PcieRoot(system_root, board.pci_bus_id);
    board.numa_node = NumaNode(system_root, board.pci_bus_id);
    return {};
  }

  std::optional<std::string> AddressingMode() const {
    nvmlDeviceAddressingMode_t mode{.version = nvmlDeviceAddressingMode_v1, .value = 0};
    if (functions_.addressing_mode(device_, &mode) != NVML_SUCCESS) return std::nullopt;
    if (mode.value >= kAddressingModes.size()) return std::nullopt;
    return kAddressingModes[mode.value];
  }

  const NvmlFunctions& functions_;
  std::string about_;
  unsigned index_;
  nvmlDevice_t device_ = nullptr;
};

}  // namespace

Result<FoundBoards> ReadBoards(const Nvml& nvml, const std::string& system_root) {
  const NvmlFunctions& functions = nvml.functions();
  KU_TRY(const std::string driver_version, nvml.DriverVersion());
  int cuda_driver_version = 0;
  KU_TRY_OK(CallNvml(functions.cuda_driver_version, "", &cuda_driver_version));
  unsigned count = 0;
  KU_TRY_OK(CallNvml(functions.device_count, "", &count));

  FoundBoards found;
  for (unsigned index = 0; index < count; ++index) {
    auto board = GpuReader(functions, index).Read(system_root);
    if (!board) {
      found.left_out.push_back(board.error().message);
    } else if (*board) {
      (*board)->driver_version = driver_version;
      (*board)->cuda_driver_version = cuda_driver_version;
      found.boards.push_back(*std::move(*board));
    }
  }
  std::ranges::sort(found.boards, {}, &BoardInstance::minor);
  return found;
}

}  // namespace kumiko::gpu
