// The state file: what the simulated boards are, which instances are on them, and what the control file asks for. One
// memory-mapped file that every process shares, laid out as these structs; `fakenvml install` writes it once, the
// library changes it in place.
//
// What can change exists in two copies under one sequence number (TwoCopies). A writer fills the copy that nobody reads
// and publishes it with one store, so a process killed at any instruction leaves a whole state behind, and readers,
// which only need read access, never wait for a writer.
//
//   StateFile | Gpu 0 | Gpu 1 | ...
#pragma once

#include <pthread.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <type_traits>

namespace kumiko::fakenvml {

inline constexpr std::uint64_t kStateMagic = 0x6c6d766e656b6166;  // "fakenvml"
inline constexpr std::uint32_t kStateLayout = 1;
inline constexpr unsigned kMaxGpus = 64;
inline constexpr unsigned kMaxProfiles = 18;  // as many as NVML has indices
inline constexpr unsigned kMaxPlacements = 16;
inline constexpr unsigned kMaxInstances = 15;  // nodes of the tree of placements, see placement.h
inline constexpr unsigned kMaxComputeInstances = 8;
inline constexpr unsigned kMaxRules = 128;
inline constexpr unsigned kMaxProcesses = 256;
inline constexpr unsigned kMaxEvents = 4096;
inline constexpr unsigned kFunctionNameSize = 56;

// The file's parts of the fixed major numbers that a driver registers.
inline constexpr unsigned kGpuMajor = 195;
inline constexpr unsigned kControlMinor = 255;

using Uuid = std::array<std::uint8_t, 16>;

// A GPU instance profile of a board, in the terms of NVML.
struct ProfileRow {
  char name[32];
  std::uint32_t index;  // argument of nvmlDeviceGetGpuInstanceProfileInfo
  std::uint32_t id;     // argument of placement and create calls
  std::uint32_t compute_slices;
  std::uint32_t max_instances;
  std::uint32_t multiprocessors;
  std::uint32_t copy_engines;
  std::uint32_t decoders;
  std::uint32_t encoders;
  std::uint32_t jpeg_engines;
  std::uint32_t ofa_engines;
  std::uint64_t memory_mib;
  std::uint32_t placement_size;
  std::uint32_t placement_count;
  std::uint32_t placement_starts[kMaxPlacements];
};

// What never changes of a board.
struct Board {
  char uuid[48];  // GPU-...
  char name[96];
  std::uint32_t minor;
  std::uint32_t pci_domain;
  std::uint32_t pci_bus;
  std::uint32_t pci_device;
  std::uint32_t pci_id;  // device << 16 | vendor
  std::uint32_t pci_subsystem_id;
  std::int32_t numa_node;      // below 0: none
  std::int32_t pcie_root;      // boards of one number hang below one root; below 0: none
  std::uint32_t nvlink_links;  // 0: no NVLink
  std::uint32_t brand;
  std::uint32_t architecture;
  std::uint32_t compute_major;
  std::uint32_t compute_minor;
  std::uint32_t module_id;
  std::uint32_t virtualization;
  std::uint32_t addressing_mode;  // kNoAddressingMode: the call is not supported
  std::uint32_t mig_needs_reset;  // Ampere: a change of the MIG mode waits for a reset
  std::uint32_t memory_slices;    // 0: no MIG
  std::uint32_t compute_slices;
  std::uint32_t max_mig_devices;
  std::uint64_t memory_bytes;
  std::uint32_t multiprocessors;
  std::uint8_t fabric_cluster[16];
  std::uint32_t fabric_clique;
  std::uint32_t fabric_state;  // 0: no fabric
  std::uint32_t profile_count;
  ProfileRow profiles[kMaxProfiles];
};
inline constexpr std::uint32_t kNoAddressingMode = 0xFFFFFFFF;

struct ComputeInstance {
  std::uint32_t serial;  // 0: this slot is empty
  std::uint32_t slices;
  std::uint32_t start;  // in compute slices of the GPU instance
  Uuid uuid;            // of the MIG device
};

struct GpuInstance {
  std::uint32_t serial;   // 0: this slot is empty
  std::uint32_t profile;  // row of Board::profiles
  std::uint32_t start;    // in memory slices
  std::uint32_t size;
  ComputeInstance compute[kMaxComputeInstances];
};

// What calls change on a board.
struct GpuState {
  std::uint32_t mig_mode;
  std::uint32_t mig_pending;
  std::uint32_t persistence_mode;
  std::uint32_t compute_mode;
  std::uint32_t timeslice;               // 0 default, 1 short, 2 medium, 3 long
  std::uint32_t last_serial;             // of instances; each creation takes the next one
  GpuInstance instances[kMaxInstances];  // by GPU instance id
};

enum class RuleKind : std::uint32_t { kFail, kDelay, kHang, kHangForGood };

// "Calls of this function on this GPU ..."; the first rule of a kind that matches counts.
struct Rule {
  RuleKind kind;
  std::int32_t gpu;                  // index; below 0: any
  std::int32_t pid;                  // 0: any
  std::uint32_t value;               // kFail: the code; kDelay: milliseconds
  char function[kFunctionNameSize];  // empty: any
};

// A process that is said to use a board.
struct ProcessRow {
  std::uint32_t gpu;
  std::uint32_t pid;
  std::uint32_t gpu_instance;  // NVML_NO_INSTANCE: the whole board
  std::uint32_t compute_instance;
  std::uint64_t memory_bytes;
};

struct GpuHealth {
  std::uint32_t lost;
  std::uint32_t recovery_action;
  std::uint64_t ecc_corrected;  // since the driver was loaded
  std::uint64_t ecc_uncorrected;
  std::uint32_t remapped_corrected;
  std::uint32_t remapped_uncorrected;
  std::uint32_t remap_pending;
  std::uint32_t remap_failure;
  std::uint32_t utilization_gpu;  // percent
  std::uint32_t utilization_memory;
  std::uint32_t fabric_state;  // + 1; 0: as the board says
};

// Which file the control file was when it was read; all 0 when there was none.
struct FileIdentity {
  std::uint64_t inode;
  std::int64_t modified_ns;
  std::int64_t size;
  bool operator==(const FileIdentity&) const = default;
};

// The meaning of the control file.
struct Control {
  FileIdentity identity;
  std::uint64_t last_event;  // serial number of the latest event statement that was carried out
  char error[256];           // why the file was refused; the statements before the change then still hold
  std::uint32_t rule_count;
  std::uint32_t process_count;
  Rule rules[kMaxRules];
  ProcessRow processes[kMaxProcesses];
  GpuHealth health[kMaxGpus];
};

struct Event {
  std::uint32_t gpu;
  std::uint32_t gpu_instance;
  std::uint32_t compute_instance;
  std::uint32_t unused;
  std::uint64_t type;
  std::uint64_t data;
};

// The latest kMaxEvents events; event n lies in slot n % kMaxEvents. `next` is stored after the event.
struct EventRing {
  std::atomic<std::uint64_t> next;
  Event slots[kMaxEvents];
};

template <class T>
struct TwoCopies {
  static_assert(std::is_trivially_copyable_v<T>);
  std::atomic<std::uint64_t> sequence;  // its lowest bit names the copy that holds
  T copies[2];

  // Calls `look` with the state until no writer came between, and returns what it answered then. `look` may see a torn
  // state: it must not loop over or index by what it reads without a bound.
  template <class Look>
  auto Read(Look look) const {
    for (;;) {
      const std::uint64_t before = sequence.load(std::memory_order_acquire);
      auto answer = look(copies[before & 1]);
      std::atomic_thread_fence(std::memory_order_acquire);
      if (sequence.load(std::memory_order_relaxed) == before) return answer;
    }
  }
  T Copy() const {
    return Read([](const T& state) { return state; });
  }
  // For the holder of StateFile::writer only.
  void Publish(const T& state) {
    const std::uint64_t next = sequence.load(std::memory_order_relaxed) + 1;
    copies[next & 1] = state;
    sequence.store(next, std::memory_order_release);
  }
};

struct Gpu {
  Board board;
  // Held from the beginning to the end of a call that changes the board, its delay included, as a driver does. Taken
  // before StateFile::writer.
  pthread_mutex_t operation;
  TwoCopies<GpuState> state;
};

struct StateFile {
  std::uint64_t magic;
  std::uint32_t layout;
  std::uint32_t gpu_count;
  std::uint64_t file_size;
  std::uint32_t root_depth;     // folders between the driver root and the library
  std::uint32_t plain_devices;  // device nodes are ordinary files (tests without root)
  std::uint32_t capability_major;
  std::uint32_t cuda_version;  // 13000 is 13.0
  char driver_version[32];
  std::uint32_t delay_count;
  Rule delays[kMaxRules];  // of the board file; the control file's come first
  pthread_mutex_t writer;  // held for a moment by whoever publishes anything
  TwoCopies<Control> control;
  EventRing events;

  Gpu& gpu(unsigned index) { return gpus()[index]; }
  const Gpu& gpu(unsigned index) const { return const_cast<StateFile*>(this)->gpus()[index]; }

  static std::uint64_t SizeFor(unsigned gpu_count) { return sizeof(StateFile) + sizeof(Gpu) * gpu_count; }

 private:
  Gpu* gpus() { return reinterpret_cast<Gpu*>(this + 1); }
};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

}  // namespace kumiko::fakenvml
