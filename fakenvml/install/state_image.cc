#include "fakenvml/install/state_image.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "fakenvml/state_map.h"
#include "gpu/nvml_abi.h"

namespace kumiko::fakenvml {
namespace {

void FillGpu(const BoardSetup& setup, Gpu& gpu) {
  gpu.board = setup.board;
  GpuState state{};
  state.mig_mode = state.mig_pending = setup.mig_mode ? NVML_DEVICE_MIG_ENABLE : NVML_DEVICE_MIG_DISABLE;
  for (const CutProfile& cut : setup.cut) Cut(setup.board, cut, state);
  gpu.state.Publish(state);
}

// `state` is zero, which is how a new file begins.
bool Fill(const BoardFile& boards, const StateOptions& options, StateFile& state) {
  state.layout = kStateLayout;
  state.gpu_count = static_cast<std::uint32_t>(boards.boards.size());
  state.file_size = StateFile::SizeFor(state.gpu_count);
  state.root_depth = options.root_depth;
  state.plain_devices = options.plain_devices ? 1 : 0;
  state.capability_major = options.capability_major;
  state.cuda_version = boards.cuda_version;
  boards.driver_version.copy(state.driver_version, sizeof state.driver_version - 1);
  for (const auto& [function, milliseconds] : boards.delays_ms) {
    Rule& rule = state.delays[state.delay_count++];
    rule = Rule{RuleKind::kDelay, -1, 0, milliseconds, {}};
    function.copy(rule.function, sizeof rule.function - 1);
  }
  if (!InitializeSharedMutex(state.writer)) return false;
  for (unsigned i = 0; i < state.gpu_count; ++i) {
    if (!InitializeSharedMutex(state.gpu(i).operation)) return false;
    FillGpu(boards.boards[i], state.gpu(i));
  }
  state.magic = kStateMagic;
  return true;
}

}  // namespace

Status WriteStateFile(const std::string& path, const BoardFile& boards, const StateOptions& options) {
  const std::string draft = path + ".new";
  const auto failed = [&](std::string_view what) {
    const int error = errno;
    unlink(draft.c_str());
    return Fail(Code::kUnavailable, "{}: {}: {}", draft, what, strerror(error));
  };
  // Readable by every user, as a driver's library is; only root changes boards.
  const int file = open(draft.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (file < 0) return failed("cannot be made");
  const std::uint64_t size = StateFile::SizeFor(static_cast<unsigned>(boards.boards.size()));
  const bool sized = ftruncate(file, static_cast<off_t>(size)) == 0;
  void* memory = sized ? mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0) : MAP_FAILED;
  close(file);
  if (memory == MAP_FAILED) return failed("cannot be mapped");
  const bool filled = Fill(boards, options, *static_cast<StateFile*>(memory));
  munmap(memory, size);
  if (!filled) return failed("its locks cannot be made");
  if (rename(draft.c_str(), path.c_str()) != 0) return failed("cannot be put in place");
  return {};
}

}  // namespace kumiko::fakenvml
