// Initialising, versions and error texts.
#include "fakenvml/library.h"

namespace kumiko::fakenvml {
namespace {

const char* TextOf(nvmlReturn_t result) {
  switch (result) {
    case NVML_SUCCESS:
      return "Success";
    case NVML_ERROR_UNINITIALIZED:
      return "Uninitialized";
    case NVML_ERROR_INVALID_ARGUMENT:
      return "Invalid Argument";
    case NVML_ERROR_NOT_SUPPORTED:
      return "Not Supported";
    case NVML_ERROR_NO_PERMISSION:
      return "Insufficient Permissions";
    case NVML_ERROR_NOT_FOUND:
      return "Not Found";
    case NVML_ERROR_INSUFFICIENT_SIZE:
      return "Insufficient Size";
    case NVML_ERROR_DRIVER_NOT_LOADED:
      return "Driver Not Loaded";
    case NVML_ERROR_TIMEOUT:
      return "Timeout";
    case NVML_ERROR_LIBRARY_NOT_FOUND:
      return "NVML Shared Library Not Found";
    case NVML_ERROR_FUNCTION_NOT_FOUND:
      return "Function Not Found";
    case NVML_ERROR_GPU_IS_LOST:
      return "GPU is lost";
    case NVML_ERROR_RESET_REQUIRED:
      return "GPU requires reset";
    case NVML_ERROR_IN_USE:
      return "In use by another client";
    case NVML_ERROR_MEMORY:
      return "Insufficient Memory";
    case NVML_ERROR_INSUFFICIENT_RESOURCES:
      return "Insufficient Resources";
    case NVML_ERROR_ARGUMENT_VERSION_MISMATCH:
      return "Argument version mismatch";
    case NVML_ERROR_UNKNOWN:
      return "Unknown Error";
  }
  return "Unknown Error";
}

// A hang or a failure of nvmlInit itself needs a mapped state file, so it is looked for after the first initialisation.
nvmlReturn_t InitThenEnter(const char* function, unsigned flags) {
  if ((flags & ~NVML_INIT_FLAG_NO_GPUS) != 0) return NVML_ERROR_INVALID_ARGUMENT;
  Library& library = Library::Get();
  if (const nvmlReturn_t result = library.Init(flags); result != NVML_SUCCESS) return result;
  const nvmlReturn_t entered = library.Enter(function, -1);
  if (entered != NVML_SUCCESS) library.Shutdown();
  return entered;
}

}  // namespace
}  // namespace kumiko::fakenvml

namespace fakenvml = kumiko::fakenvml;

NVML_EXPORT nvmlReturn_t nvmlInit_v2() {
  return fakenvml::InitThenEnter(__func__, 0);
}

NVML_EXPORT nvmlReturn_t nvmlInitWithFlags(unsigned flags) {
  return fakenvml::InitThenEnter(__func__, flags);
}

NVML_EXPORT nvmlReturn_t nvmlShutdown() {
  return fakenvml::Library::Get().Shutdown();
}

NVML_EXPORT const char* nvmlErrorString(nvmlReturn_t result) {
  return fakenvml::TextOf(result);
}

NVML_EXPORT nvmlReturn_t nvmlSystemGetDriverVersion(char* version, unsigned length) {
  return fakenvml::OnLibrary(__func__, [&](fakenvml::Library& library) {
    return fakenvml::CopyText(library.state().driver_version, version, length);
  });
}

NVML_EXPORT nvmlReturn_t nvmlSystemGetCudaDriverVersion(int* version) {
  return fakenvml::OnLibrary(__func__, [&](fakenvml::Library& library) {
    return fakenvml::Store(version, static_cast<int>(library.state().cuda_version));
  });
}
