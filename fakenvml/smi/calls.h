// The management library as nvidia-smi calls it: loaded by its name from wherever the loader finds it, as the real
// program does.
#pragma once

#include <dlfcn.h>

#include <string>
#include <vector>

#include "gpu/nvml_abi.h"

namespace kumiko::fakenvml {

class Calls {
 public:
  // Null when there is no library.
  Calls() : library_(dlopen("libnvidia-ml.so.1", RTLD_NOW)) {}
  Calls(const Calls&) = delete;
  Calls& operator=(const Calls&) = delete;
  ~Calls() {
    if (library_ != nullptr) dlclose(library_);
  }
  explicit operator bool() const { return library_ != nullptr; }

  // The arguments must have the types of the function's parameters.
  template <class... Arguments>
  nvmlReturn_t operator()(const char* name, Arguments... arguments) const {
    const auto function = reinterpret_cast<nvmlReturn_t (*)(Arguments...)>(dlsym(library_, name));
    return function == nullptr ? NVML_ERROR_FUNCTION_NOT_FOUND : function(arguments...);
  }
  const char* Text(nvmlReturn_t result) const {
    const auto function = reinterpret_cast<const char* (*)(nvmlReturn_t)>(dlsym(library_, "nvmlErrorString"));
    return function == nullptr ? "Unknown Error" : function(result);
  }

  std::string Name(nvmlDevice_t device) const { return Line("nvmlDeviceGetName", device); }
  std::string Uuid(nvmlDevice_t device) const { return Line("nvmlDeviceGetUUID", device); }
  std::string BusId(nvmlDevice_t device) const;
  std::string DriverVersion() const;
  std::vector<nvmlDevice_t> Gpus() const;
  std::vector<nvmlDevice_t> MigDevices(nvmlDevice_t gpu) const;  // those that can be seen

 private:
  std::string Line(const char* function, nvmlDevice_t device) const;

  void* library_;
};

}  // namespace kumiko::fakenvml
