// NVIDIA's management library, loaded while the process runs: the driver of the host decides which one. In tests and on
// machines without a GPU another library of that name is loaded, the loading and calling code is the same.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "gpu/nvml/functions.h"

namespace kumiko::gpu {

// "GPU is lost (15)", or the number alone when it has no name.
std::string NvmlReason(nvmlReturn_t code);

// What the call does not offer here, as opposed to what failed: an old library, an old board, another platform.
inline bool IsAbsent(nvmlReturn_t code) {
  return code == NVML_ERROR_NOT_SUPPORTED || code == NVML_ERROR_FUNCTION_NOT_FOUND;
}

// Names the call and what it was about: `nvmlDeviceGetName of gpu at index 3: GPU is lost (15)`. Codes: kNotFound for
// what is not there or not offered, kPermission, kDeadline, kUnavailable for what may heal (lost, in use, needs a
// reset, driver not loaded), else kInternal.
Error NvmlError(std::string_view call, std::string_view about, nvmlReturn_t code);

// A loaded and initialised library. Calls may come from several threads; the library does its own locking.
class Nvml {
  struct Unload {
    void operator()(void* library) const;
  };
  using Handle = std::unique_ptr<void, Unload>;
  struct Private {};

 public:
  // `library_path` as FindDriverLibrary gives it. A host whose GPUs are all given away is no error. Errors: kNotFound
  // when the file cannot be loaded, those of NvmlError for its initialisation.
  static Result<std::unique_ptr<Nvml>> Open(const std::string& library_path);
  Nvml(Private, Handle library, std::string path);
  ~Nvml();
  Nvml(const Nvml&) = delete;
  Nvml& operator=(const Nvml&) = delete;

  const NvmlFunctions& functions() const { return functions_; }
  const std::string& path() const { return path_; }

  // "580.95.05"
  Result<std::string> DriverVersion() const;

 private:
  Handle library_;
  std::string path_;
  NvmlFunctions functions_;
  bool initialized_ = false;
};

// Calls and tells a failure by NvmlError.
template <class Function, class... Arguments>
Status CallNvml(const Function& function, std::string_view about, Arguments... arguments) {
  const nvmlReturn_t code = function(arguments...);
  if (code == NVML_SUCCESS) return {};
  return tl::unexpected<Error>(NvmlError(function.name(), about, code));
}

}  // namespace kumiko::gpu
