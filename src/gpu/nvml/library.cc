#include "gpu/nvml/library.h"

#include <dlfcn.h>

#include <array>
#include <utility>

namespace kumiko::gpu {
namespace {

struct Named {
  nvmlReturn_t code;
  Code meaning;
  const char* words;
};
constexpr std::array kNames = {
    Named{NVML_ERROR_UNINITIALIZED, Code::kInternal, "the library is not initialised"},
    Named{NVML_ERROR_INVALID_ARGUMENT, Code::kInternal, "invalid argument"},
    Named{NVML_ERROR_NOT_SUPPORTED, Code::kNotFound, "not supported"},
    Named{NVML_ERROR_NO_PERMISSION, Code::kPermission, "no permission"},
    Named{NVML_ERROR_NOT_FOUND, Code::kNotFound, "not found"},
    Named{NVML_ERROR_INSUFFICIENT_SIZE, Code::kInternal, "insufficient size"},
    Named{NVML_ERROR_DRIVER_NOT_LOADED, Code::kUnavailable, "the driver is not loaded"},
    Named{NVML_ERROR_TIMEOUT, Code::kDeadline, "timeout"},
    Named{NVML_ERROR_LIBRARY_NOT_FOUND, Code::kNotFound, "library not found"},
    Named{NVML_ERROR_FUNCTION_NOT_FOUND, Code::kNotFound, "the library has no such function"},
    Named{NVML_ERROR_GPU_IS_LOST, Code::kUnavailable, "GPU is lost"},
    Named{NVML_ERROR_RESET_REQUIRED, Code::kUnavailable, "reset required"},
    Named{NVML_ERROR_IN_USE, Code::kUnavailable, "in use by another client"},
    Named{NVML_ERROR_MEMORY, Code::kUnavailable, "out of memory"},
    Named{NVML_ERROR_INSUFFICIENT_RESOURCES, Code::kUnavailable, "insufficient resources"},
    Named{NVML_ERROR_ARGUMENT_VERSION_MISMATCH, Code::kInternal, "argument version mismatch"},
    Named{NVML_ERROR_UNKNOWN, Code::kInternal, "unknown error"},
};

const Named* Find(nvmlReturn_t code) {
  for (const Named& name : kNames) {
    if (name.code == code) return &name;
  }
  return nullptr;
}

}  // namespace

void* FindSymbol(void* library, const char* name) {
  return ::dlsym(library, name);
}

std::string NvmlReason(nvmlReturn_t code) {
  const Named* name = Find(code);
  const auto number = static_cast<unsigned>(code);
  return name == nullptr ? fmt::format("NVML error {}", number) : fmt::format("{} ({})", name->words, number);
}

Error NvmlError(std::string_view call, std::string_view about, nvmlReturn_t code) {
  const Named* name = Find(code);
  return {name == nullptr ? Code::kInternal : name->meaning,
          about.empty() ? fmt::format("{}: {}", call, NvmlReason(code))
                        : fmt::format("{} of {}: {}", call, about, NvmlReason(code))};
}

void Nvml::Unload::operator()(void* library) const {
  ::dlclose(library);
}

Nvml::Nvml(Private /*unused*/, Handle library, std::string path)
    : library_(std::move(library)), path_(std::move(path)), functions_(library_.get()) {}

Nvml::~Nvml() {
  if (initialized_) functions_.shutdown();
}

Result<std::unique_ptr<Nvml>> Nvml::Open(const std::string& library_path) {
  Handle library(::dlopen(library_path.c_str(), RTLD_NOW | RTLD_LOCAL));
  if (library == nullptr) {
    const char* reason = ::dlerror();  // NOLINT(concurrency-mt-unsafe): thread local in glibc
    return Fail(Code::kNotFound, "cannot load the NVIDIA driver's library: {}", reason == nullptr ? "?" : reason);
  }
  auto nvml = std::make_unique<Nvml>(Private{}, std::move(library), library_path);
  const NvmlFunctions& functions = nvml->functions_;
  if (functions.init_with_flags.present()) {
    KU_TRY_OK(CallNvml(functions.init_with_flags, library_path, NVML_INIT_FLAG_NO_GPUS));
  } else {
    KU_TRY_OK(CallNvml(functions.init, library_path));
  }
  nvml->initialized_ = true;
  return nvml;
}

Result<std::string> Nvml::DriverVersion() const {
  std::array<char, 96> text{};
  KU_TRY_OK(CallNvml(functions_.driver_version, "", text.data(), static_cast<unsigned>(text.size())));
  text.back() = '\0';
  return std::string(text.data());
}

}  // namespace kumiko::gpu
