// An installation of simulated boards in a fresh folder, and the library of it, loaded.
#pragma once

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "base/files.h"
#include "fakenvml/state_map.h"
#include "gpu/nvml_abi.h"

namespace kumiko::fakenvml {

class Driver {
 public:
  // `boards`: the text of a board file. Fails the test when it cannot be installed. Loads the library, which is
  // initialised unless a test wants to do that itself.
  enum class Start { kInitialized, kLoaded };
  explicit Driver(std::string_view boards, Start start = Start::kInitialized);
  Driver(const Driver&) = delete;
  Driver& operator=(const Driver&) = delete;
  // The library stays loaded: what the C++ runtime inside it has allocated belongs to it for good.
  ~Driver() = default;

  // Calls a function of the library. The arguments must have the types of its parameters.
  template <class... Arguments>
  nvmlReturn_t Call(const char* name, Arguments... arguments) const {
    const auto function = reinterpret_cast<nvmlReturn_t (*)(Arguments...)>(dlsym(library_, name));
    if (function == nullptr) {
      ADD_FAILURE() << "the library has no " << name;
      return NVML_ERROR_FUNCTION_NOT_FOUND;
    }
    return function(arguments...);
  }

  nvmlDevice_t Gpu(unsigned index) const;
  std::string Uuid(nvmlDevice_t device) const;
  // With its compute instance of full size.
  nvmlReturn_t Create(nvmlDevice_t device, unsigned profile_id, nvmlGpuInstancePlacement_t placement,
                      nvmlGpuInstance_t& instance) const;
  nvmlReturn_t Destroy(nvmlGpuInstance_t instance) const;

  // Puts a control file in place, as one.
  void Control(std::string_view text) const;
  std::string ControlPath() const { return ControlFilePath(folder_); }

  void* library() const { return library_; }
  const std::string& root() const { return root_.path(); }
  const std::string& folder() const { return folder_; }  // of the library
  // The state file, looked at from outside.
  StateMap Map() const;

 private:
  TemporaryDirectory root_;
  std::string folder_;
  void* library_ = nullptr;
};

// Profiles of A100-80GB and H100-80GB by NVML's id.
inline constexpr unsigned kSevenSlices = 0;
inline constexpr unsigned kFourSlices = 5;
inline constexpr unsigned kThreeSlices = 9;
inline constexpr unsigned kTwoSlices = 14;
inline constexpr unsigned kOneSlice = 19;

}  // namespace kumiko::fakenvml
