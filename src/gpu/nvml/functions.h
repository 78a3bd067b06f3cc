// The functions of NVIDIA's management library that are called, looked up by name when the library is loaded. Source:
// spec node-driver, appendix B.
#pragma once

#include "gpu/nvml_abi.h"

namespace kumiko::gpu {

// Null when the library has no such symbol.
void* FindSymbol(void* library, const char* name);

// One that this version of the library lacks answers NVML_ERROR_FUNCTION_NOT_FOUND.
template <class... Parameters>
class NvmlFunction {
 public:
  NvmlFunction(void* library, const char* name)
      : name_(name), function_(reinterpret_cast<Function>(FindSymbol(library, name))) {}

  nvmlReturn_t operator()(Parameters... parameters) const {
    return function_ == nullptr ? NVML_ERROR_FUNCTION_NOT_FOUND : function_(parameters...);
  }
  const char* name() const { return name_; }
  bool present() const { return function_ != nullptr; }

 private:
  using Function = nvmlReturn_t (*)(Parameters...);
  const char* name_;
  Function function_;
};

struct NvmlFunctions {
  explicit NvmlFunctions(void* loaded) : library(loaded) {}

  void* library;  // before the others, which are looked up in it

  NvmlFunction<unsigned> init_with_flags{library, "nvmlInitWithFlags"};
  NvmlFunction<> init{library, "nvmlInit_v2"};
  NvmlFunction<> shutdown{library, "nvmlShutdown"};
  NvmlFunction<char*, unsigned> driver_version{library, "nvmlSystemGetDriverVersion"};
  NvmlFunction<int*> cuda_driver_version{library, "nvmlSystemGetCudaDriverVersion"};

  NvmlFunction<unsigned*> device_count{library, "nvmlDeviceGetCount_v2"};
  NvmlFunction<unsigned, nvmlDevice_t*> device_by_index{library, "nvmlDeviceGetHandleByIndex_v2"};

  NvmlFunction<nvmlDevice_t, char*, unsigned> uuid{library, "nvmlDeviceGetUUID"};
  NvmlFunction<nvmlDevice_t, char*, unsigned> product_name{library, "nvmlDeviceGetName"};
  NvmlFunction<nvmlDevice_t, unsigned*> minor_number{library, "nvmlDeviceGetMinorNumber"};
  NvmlFunction<nvmlDevice_t, nvmlPciInfo_t*> pci_info{library, "nvmlDeviceGetPciInfo_v3"};
  NvmlFunction<nvmlDevice_t, unsigned*> brand{library, "nvmlDeviceGetBrand"};
  NvmlFunction<nvmlDevice_t, unsigned*> architecture{library, "nvmlDeviceGetArchitecture"};
  NvmlFunction<nvmlDevice_t, int*, int*> compute_capability{library, "nvmlDeviceGetCudaComputeCapability"};
  NvmlFunction<nvmlDevice_t, nvmlMemory_t*> memory{library, "nvmlDeviceGetMemoryInfo"};
  NvmlFunction<nvmlDevice_t, nvmlDeviceAddressingMode_t*> addressing_mode{library, "nvmlDeviceGetAddressingMode"};
  NvmlFunction<nvmlDevice_t, unsigned*, unsigned*> mig_mode{library, "nvmlDeviceGetMigMode"};
};

}  // namespace kumiko::gpu
