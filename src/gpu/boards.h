// The GPU models and MIG boards that kumiko knows: what a simulated board is made of and what reports name. The facts
// are data/gpu-models.json and data/mig-profiles.json, embedded at build time; nothing is read from disk.
// Real boards never come from here: the node driver reads geometry from NVML.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace kumiko::gpu {

// Memory slots start .. start+size-1 of a board.
struct Placement {
  int start = 0;
  int size = 0;
  int end() const { return start + size; }
  bool Overlaps(const Placement& other) const { return start < other.end() && other.start < end(); }
  auto operator<=>(const Placement&) const = default;
};

// What an instance of a profile has, and what it takes from its board.
struct Engines {
  std::int64_t multiprocessors = 0;
  std::int64_t copy_engines = 0;
  std::int64_t decoders = 0;
  std::int64_t encoders = 0;
  std::int64_t jpeg_engines = 0;
  std::int64_t ofa_engines = 0;
  bool operator==(const Engines&) const = default;
};

struct Profile {
  std::string name;     // as NVML prints it: "1g.10gb+me"
  int nvml_index = -1;  // NVML's number of the kind of profile; -1 when unknown
  int gi_profile_id = 0;
  int compute_slices = 0;
  int max_instances = 0;
  Engines engines;
  std::int64_t memory_bytes = 0;
  std::vector<Placement> placements;  // in table order; all of one size
  // Names, as in the table, of numbers nobody has published; the members above are 0 where named here.
  std::vector<std::string> missing_fields;

  int slots() const { return placements.empty() ? 0 : placements.front().size; }
};

// A MIG geometry, shared by the models of one memory size.
struct Board {
  std::string name;  // "A100-80GB"
  int memory_slices = 0;
  int compute_slices = 0;
  std::vector<Profile> profiles;  // in table order

  // Null when the board has no such profile.
  const Profile* FindProfile(std::string_view profile_name) const;
};

struct Model {
  std::string id;            // "a100-sxm4-80"
  std::string product_name;  // as NVML prints it
  std::string brand;
  std::string architecture;        // as the driver publishes it: "Ampere", "Ada Lovelace"
  std::string compute_capability;  // "8.0"
  std::int64_t memory_bytes = 0;   // NVML total where known, else the nominal size; 0: none of its own
  std::int64_t multiprocessors = 0;
  std::int64_t pci_device_id = 0;  // of its usual form; 0 when unknown
  int nvlink_links = 0;
  const Board* board = nullptr;  // null: no MIG
  // Multiprocessors of the full profile where this model has fewer than the board's table says (H100 PCIe), else 0.
  // The table's smaller profiles then do not hold for it either.
  std::int64_t full_profile_multiprocessors = 0;

  // Ampere boards offer partitions only while in MIG mode; later ones offer whole and parts side by side.
  bool NeedsMigModeForParts() const { return architecture == "Ampere"; }
};

// Every model and board of the tables, in table order. The references live as long as the process.
const std::vector<Model>& Models();
const std::vector<Board>& Boards();

// By id ("h100-sxm5"), product name, or what people say ("H100", "A100-80", "A100-80GB", "T4"); letter case does not
// matter. Fails with kInvalidArgument, naming the nearest model or all of them.
Result<const Model*> FindModel(std::string_view name);
Result<const Board*> FindBoard(std::string_view name);

// The profile of `model`, with its numbers as they are on that model. Fails with kInvalidArgument when the model has no
// MIG, lacks the profile (names the nearest), or a number of it is unknown: simulating that profile would be guessing.
Result<Profile> UsableProfile(const Model& model, std::string_view profile_name);
// Every profile of the model, or the first one's failure.
Result<std::vector<Profile>> UsableProfiles(const Model& model);

}  // namespace kumiko::gpu
