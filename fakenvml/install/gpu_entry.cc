#include "fakenvml/install/gpu_entry.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <functional>

#include "base/random.h"
#include "base/text.h"
#include "fakenvml/placement.h"
#include "gpu/boards.h"
#include "gpu/geometry.h"

namespace kumiko::fakenvml {
namespace {

constexpr std::int64_t kMiB = std::int64_t{1} << 20;
constexpr std::uint32_t kVendor = 0x10DE;

struct Word {
  std::string_view text;
  std::uint32_t value = 0;
};

// In the numbers of NVML (spec node-driver, appendix B).
constexpr auto kBrands = std::to_array<Word>({{"Unknown", 0},
                                              {"Quadro", 1},
                                              {"Tesla", 2},
                                              {"NVS", 3},
                                              {"Grid", 4},
                                              {"GeForce", 5},
                                              {"Titan", 6},
                                              {"NvidiaVApps", 7},
                                              {"NvidiaVPC", 8},
                                              {"NvidiaVCS", 9},
                                              {"NvidiaVWS", 10},
                                              {"NvidiaCloudGaming", 11},
                                              {"QuadroRTX", 12},
                                              {"NvidiaRTX", 13},
                                              {"Nvidia", 14},
                                              {"GeForceRTX", 15},
                                              {"TitanRTX", 16}});
constexpr auto kArchitectures = std::to_array<Word>({{"Kepler", 2},
                                                     {"Maxwell", 3},
                                                     {"Pascal", 4},
                                                     {"Volta", 5},
                                                     {"Turing", 6},
                                                     {"Ampere", 7},
                                                     {"Ada Lovelace", 8},
                                                     {"Hopper", 9},
                                                     {"Blackwell", 10},
                                                     {"Rubin", 13},
                                                     {"Unknown", 0xFFFFFFFF}});
constexpr auto kVirtualizations =
    std::to_array<Word>({{"none", 0}, {"passthrough", 1}, {"guest", 2}, {"host", 3}, {"vsga", 4}});
constexpr auto kAddressingModes = std::to_array<Word>({{"none", 0}, {"hmm", 1}, {"ats", 2}});
constexpr std::uint32_t kAmpere = 7;

constexpr auto kFields = std::to_array<std::string_view>(
    {"model", "board", "count", "mig", "sharing", "uuids", "pciBusIds", "firstMinor", "memoryMiB", "productName",
     "brand", "architecture", "pciDeviceId", "computeCapability", "profiles", "multiprocessors", "virtualization",
     "addressingMode"});
constexpr auto kProfileFields =
    std::to_array<std::string_view>({"giProfileId", "computeSlices", "maxInstances", "multiprocessors", "copyEngines",
                                     "decoders", "encoders", "jpegEngines", "ofaEngines", "memoryMiB"});

Result<std::uint32_t> OneOf(const TreeNode& node, std::span<const Word> words) {
  KU_TRY(const std::string text, node.Text());
  std::vector<std::string> known;
  for (const Word& word : words) {
    if (word.text == text) return word.value;
    known.emplace_back(word.text);
  }
  return node.Bad("\"{}\" is unknown; write one of {}", text, Join(known, ", "));
}

template <std::size_t N>
void SetText(char (&field)[N], std::string_view text) {
  text.substr(0, N - 1).copy(field, N - 1);
}

// The profile with the numbers that the file gives in the place of the table's.
Result<gpu::Profile> Completed(const TreeNode& entry, gpu::Profile profile) {
  const TreeNode given = entry.At("profiles").At(profile.name);
  const auto supply = [&](std::string_view field, auto& into, std::int64_t unit) -> Status {
    if (const TreeNode number = given.At(field)) {
      KU_TRY(const std::int64_t value, number.Number(0, std::int64_t{1} << 32));
      into = static_cast<std::remove_reference_t<decltype(into)>>(value * unit);
      std::erase(profile.missing_fields, field);
    }
    return {};
  };
  KU_TRY_OK(supply("giProfileId", profile.gi_profile_id, 1));
  KU_TRY_OK(supply("computeSlices", profile.compute_slices, 1));
  KU_TRY_OK(supply("maxInstances", profile.max_instances, 1));
  KU_TRY_OK(supply("multiprocessors", profile.engines.multiprocessors, 1));
  KU_TRY_OK(supply("copyEngines", profile.engines.copy_engines, 1));
  KU_TRY_OK(supply("decoders", profile.engines.decoders, 1));
  KU_TRY_OK(supply("encoders", profile.engines.encoders, 1));
  KU_TRY_OK(supply("jpegEngines", profile.engines.jpeg_engines, 1));
  KU_TRY_OK(supply("ofaEngines", profile.engines.ofa_engines, 1));
  KU_TRY_OK(supply("memoryMiB", profile.memory_bytes, kMiB));
  return profile;
}

// Every profile of the model's board, whole or refused. A form of a board with other multiprocessors than the table has
// (H100 PCIe) lacks these numbers in its smaller profiles.
Result<std::vector<gpu::Profile>> ReadProfiles(const TreeNode& entry, const gpu::Model& model) {
  if (const TreeNode profiles = entry.At("profiles")) {
    KU_TRY(const auto members, profiles.Members());
    for (const auto& [name, numbers] : members) {
      if (model.board->FindProfile(name) == nullptr) {
        return numbers.Bad("board {} has no such profile", model.board->name);
      }
      KU_TRY_OK(numbers.CheckMap(kProfileFields));
    }
  }
  std::vector<gpu::Profile> profiles;
  for (gpu::Profile row : model.board->profiles) {
    if (model.full_profile_multiprocessors != 0) {
      if (row.compute_slices == model.board->compute_slices) {
        row.engines.multiprocessors = model.full_profile_multiprocessors;
      } else {
        row.missing_fields.emplace_back("multiprocessors");
      }
    }
    KU_TRY(profiles.emplace_back(), Completed(entry, std::move(row)));
    const gpu::Profile& profile = profiles.back();
    if (!profile.missing_fields.empty()) {
      return entry.Bad("board {}: nobody has published {} of profile {}; give them in profiles, as in {}",
                       model.board->name, Join(profile.missing_fields, ", "), profile.name,
                       fmt::format("profiles: {{{}: {{{}: 1}}}}, or write mig: unsupported", profile.name,
                                   profile.missing_fields.front()));
    }
    if (profile.nvml_index < 0) {
      return entry.Bad("board {}: NVML's number of profile {} is unknown; write mig: unsupported", model.board->name,
                       profile.name);
    }
  }
  return profiles;
}

ProfileRow ToRow(const gpu::Profile& profile) {
  ProfileRow row{};
  SetText(row.name, profile.name);
  row.index = static_cast<std::uint32_t>(profile.nvml_index);
  row.id = static_cast<std::uint32_t>(profile.gi_profile_id);
  row.compute_slices = static_cast<std::uint32_t>(profile.compute_slices);
  row.max_instances = static_cast<std::uint32_t>(profile.max_instances);
  row.multiprocessors = static_cast<std::uint32_t>(profile.engines.multiprocessors);
  row.copy_engines = static_cast<std::uint32_t>(profile.engines.copy_engines);
  row.decoders = static_cast<std::uint32_t>(profile.engines.decoders);
  row.encoders = static_cast<std::uint32_t>(profile.engines.encoders);
  row.jpeg_engines = static_cast<std::uint32_t>(profile.engines.jpeg_engines);
  row.ofa_engines = static_cast<std::uint32_t>(profile.engines.ofa_engines);
  row.memory_mib = static_cast<std::uint64_t>(profile.memory_bytes / kMiB);
  row.placement_size = static_cast<std::uint32_t>(profile.slots());
  for (const gpu::Placement& placement : profile.placements) {
    if (row.placement_count == kMaxPlacements) break;
    row.placement_starts[row.placement_count++] = static_cast<std::uint32_t>(placement.start);
  }
  return row;
}

// What `model` or `board` names, with the facts that the file replaces or, for a bare board, must give.
Result<gpu::Model> ReadModel(const TreeNode& entry) {
  gpu::Model model;
  if (const TreeNode named = entry.At("model")) {
    KU_TRY(const std::string name, named.Text());
    const auto found = gpu::FindModel(name);
    if (!found) return named.Bad("{}", found.error().message);
    model = **found;
  } else if (const TreeNode board = entry.At("board")) {
    KU_TRY(const std::string name, board.Text());
    const auto found = gpu::FindBoard(name);
    if (!found) return board.Bad("{}", found.error().message);
    model.board = *found;
    model.brand = "Nvidia";
    for (const std::string_view field : {"productName", "architecture", "computeCapability", "memoryMiB"}) {
      if (!entry.At(field)) return entry.Bad("a GPU named by its board needs {}", field);
    }
  } else {
    return entry.Bad("a GPU needs a model, such as model: H100");
  }
  const auto replace = [&](std::string_view field, std::string& into) -> Status {
    if (const TreeNode text = entry.At(field)) {
      KU_TRY(into, text.Text());
    }
    return {};
  };
  KU_TRY_OK(replace("productName", model.product_name));
  KU_TRY_OK(replace("brand", model.brand));
  KU_TRY_OK(replace("architecture", model.architecture));
  KU_TRY_OK(replace("computeCapability", model.compute_capability));
  if (const TreeNode memory = entry.At("memoryMiB")) {
    KU_TRY(const std::int64_t mib, memory.Number(1, std::int64_t{1} << 24));
    model.memory_bytes = mib * kMiB;
  }
  if (const TreeNode id = entry.At("pciDeviceId")) {
    KU_TRY(model.pci_device_id, id.Number(1, 0xFFFF));
  }
  if (const TreeNode number = entry.At("multiprocessors")) {
    KU_TRY(model.multiprocessors, number.Number(1, 4096));
  }
  return model;
}

Result<Board> ToBoard(const TreeNode& entry, const gpu::Model& model) {
  Board board{};
  SetText(board.name, model.product_name);
  board.pci_id = static_cast<std::uint32_t>(model.pci_device_id) << 16 | kVendor;
  board.pci_subsystem_id = board.pci_id;
  board.memory_bytes = static_cast<std::uint64_t>(model.memory_bytes);
  board.multiprocessors = static_cast<std::uint32_t>(model.multiprocessors);
  board.nvlink_links = static_cast<std::uint32_t>(model.nvlink_links);
  board.addressing_mode = kNoAddressingMode;
  const auto brand = std::ranges::find(kBrands, model.brand, &Word::text);
  if (brand == kBrands.end()) return entry.At("brand").Bad("\"{}\" is no brand that NVML knows", model.brand);
  board.brand = brand->value;
  const auto architecture = std::ranges::find(kArchitectures, model.architecture, &Word::text);
  if (architecture == kArchitectures.end()) {
    return entry.At("architecture").Bad("\"{}\" is no architecture that NVML knows", model.architecture);
  }
  board.architecture = architecture->value;
  board.mig_needs_reset = board.architecture == kAmpere ? 1 : 0;
  const std::string& capability = model.compute_capability;
  const char* end = capability.data() + capability.size();
  const auto major = std::from_chars(capability.data(), end, board.compute_major);
  if (major.ec != std::errc() || major.ptr == end || *major.ptr != '.' ||
      std::from_chars(major.ptr + 1, end, board.compute_minor).ptr != end) {
    return entry.At("computeCapability").Bad("\"{}\" is not of the form 9.0", capability);
  }
  if (const TreeNode mode = entry.At("virtualization")) {
    KU_TRY(board.virtualization, OneOf(mode, kVirtualizations));
  }
  if (const TreeNode mode = entry.At("addressingMode")) {
    KU_TRY(board.addressing_mode, OneOf(mode, kAddressingModes));
  }
  return board;
}

enum class Mig { kUnsupported, kOff, kDynamic, kCut };

Result<Mig> ReadMig(const TreeNode& entry, const gpu::Model& model, std::vector<std::string>& cut) {
  const TreeNode mig = entry.At("mig");
  const Mig off = model.board == nullptr ? Mig::kUnsupported : Mig::kOff;
  // YAML reads a bare `off` as false.
  if (!mig || (mig.json().is_bool() && !mig.json().get_bool())) return off;
  if (mig.json().is_string() && mig.json().get_string() == "off") return off;
  if (mig.json().is_string() && mig.json().get_string() == "unsupported") return Mig::kUnsupported;
  if (model.board == nullptr) return mig.Bad("{} has no MIG; write mig: off", model.product_name);
  if (mig.json().is_string() && mig.json().get_string() == "dynamic") return Mig::kDynamic;
  if (!mig.json().is_array()) {
    return mig.Bad("write off, dynamic, unsupported, or a list of profiles such as [1g.10gb, 3g.40gb]");
  }
  KU_TRY(const auto items, mig.Items());
  for (const TreeNode& item : items) {
    KU_TRY(cut.emplace_back(), item.Text());
  }
  return Mig::kCut;
}

// Where the named profiles go on an empty board: large ones first, each where it leaves most open.
Status PlaceCut(const TreeNode& mig, const std::vector<gpu::Profile>& profiles, std::vector<std::string> names,
                BoardSetup& setup) {
  for (const std::string& name : names) {
    if (std::ranges::find(profiles, name, &gpu::Profile::name) == profiles.end()) {
      return mig.Bad("{} has no profile {}", setup.board.name, name);
    }
  }
  std::ranges::stable_sort(names, std::greater{}, [&](const std::string& name) {
    return std::ranges::find(profiles, name, &gpu::Profile::name)->slots();
  });
  GpuState state{};
  const std::vector<gpu::Slot> slots = gpu::SlotsByPreference(profiles);
  for (const std::string& name : names) {
    const auto slot = std::ranges::find_if(slots, [&](const gpu::Slot& candidate) {
      const ProfileRow& row = setup.board.profiles[candidate.profile - profiles.data()];
      const auto start = static_cast<std::uint32_t>(candidate.placement.start);
      return candidate.profile->name == name && CheckPlacement(setup.board, state, row, start) == NVML_SUCCESS;
    });
    if (slot == slots.end()) return mig.Bad("{} does not fit beside the others", name);
    const CutProfile cut = {static_cast<std::uint32_t>(slot->profile - profiles.data()),
                            static_cast<std::uint32_t>(slot->placement.start)};
    Cut(setup.board, cut, state);
    setup.cut.push_back(cut);
  }
  return {};
}

// The same for the same machine in every run.
std::string StableUuid(unsigned index) {
  Random random(0x6b756d696b6f ^ index);
  return "GPU-" + RandomUuid(random);
}

// Where HGX servers have their eight boards; a further eight are in the next domain.
constexpr std::array<std::uint32_t, 8> kBuses = {0x1A, 0x1B, 0x4A, 0x4B, 0x8A, 0x8B, 0xCA, 0xCB};

Status SetBusId(const TreeNode& given, Board& board) {
  KU_TRY(const std::string text, given.Text());
  std::array<std::uint32_t*, 3> fields = {&board.pci_domain, &board.pci_bus, &board.pci_device};
  const char* at = text.data();
  const char* const end = text.data() + text.size();
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const auto [stop, failure] = std::from_chars(at, end, *fields[i], 16);
    const char separator = i + 1 < fields.size() ? ':' : '.';
    if (failure != std::errc() || stop == end || *stop != separator) {
      return given.Bad("\"{}\" is no PCI address; write it as 0000:1a:00.0", text);
    }
    at = stop + 1;
  }
  if (std::string_view(at, end) != "0") return given.Bad("\"{}\": a GPU is function 0", text);
  return {};
}

// The entries of a list that has one for each board.
Result<std::vector<TreeNode>> OnePerBoard(const TreeNode& list, std::int64_t count) {
  KU_TRY(auto items, list.Items());
  if (std::ssize(items) != count) return list.Bad("{} entries for {} GPUs", items.size(), count);
  return items;
}

}  // namespace

std::optional<Uuid> ParseUuid(std::string_view text) {
  Uuid uuid{};
  std::size_t digits = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text.size() == 36 && (i == 8 || i == 13 || i == 18 || i == 23)) {
      if (text[i] != '-') return std::nullopt;
      continue;
    }
    std::uint8_t digit = 0;
    if (digits == 32 || std::from_chars(&text[i], &text[i] + 1, digit, 16).ec != std::errc()) return std::nullopt;
    uuid[digits / 2] = static_cast<std::uint8_t>(uuid[digits / 2] << 4 | digit);
    ++digits;
  }
  if (digits != 32 || text.size() != 36) return std::nullopt;
  return uuid;
}

Result<std::vector<BoardSetup>> ReadGpuEntry(const TreeNode& entry, unsigned first) {
  KU_TRY_OK(entry.CheckMap(kFields));
  KU_TRY(const gpu::Model model, ReadModel(entry));
  BoardSetup setup;
  KU_TRY(setup.board, ToBoard(entry, model));
  std::vector<std::string> cut;
  KU_TRY(const Mig mig, ReadMig(entry, model, cut));
  if (mig != Mig::kUnsupported) {
    KU_TRY(const auto profiles, ReadProfiles(entry, model));
    for (const gpu::Profile& profile : profiles) {
      if (setup.board.profile_count == kMaxProfiles) break;
      setup.board.profiles[setup.board.profile_count++] = ToRow(profile);
    }
    setup.board.memory_slices = static_cast<std::uint32_t>(gpu::MaximumOf(profiles).slots);
    setup.board.compute_slices = static_cast<std::uint32_t>(model.board->compute_slices);
    setup.board.max_mig_devices = setup.board.compute_slices;
    setup.mig_mode = mig == Mig::kCut || (mig == Mig::kDynamic && setup.board.mig_needs_reset != 0);
    if (mig == Mig::kCut) KU_TRY_OK(PlaceCut(entry.At("mig"), profiles, cut, setup));
  }

  std::int64_t count = 1;
  if (const TreeNode number = entry.At("count")) {
    KU_TRY(count, number.Number(1, kMaxGpus));
  }
  std::int64_t first_minor = first;
  if (const TreeNode number = entry.At("firstMinor")) {
    KU_TRY(first_minor, number.Number(0, 200));
  }
  std::vector<BoardSetup> setups;
  for (std::int64_t i = 0; i < count; ++i) {
    setups.push_back(setup);
    Board& board = setups.back().board;
    const auto index = first + static_cast<unsigned>(i);
    board.minor = static_cast<std::uint32_t>(first_minor + i);
    board.pci_domain = index / static_cast<unsigned>(kBuses.size());
    board.pci_bus = kBuses[index % kBuses.size()];
    board.module_id = board.nvlink_links == 0 ? 0 : index % 8 + 1;
    SetText(board.uuid, StableUuid(index));
  }
  if (const TreeNode list = entry.At("uuids")) {
    KU_TRY(const auto items, OnePerBoard(list, count));
    for (std::size_t i = 0; i < items.size(); ++i) {
      KU_TRY(const std::string uuid, items[i].Text());
      if (!uuid.starts_with("GPU-") || !ParseUuid(std::string_view(uuid).substr(4))) {
        return items[i].Bad("\"{}\" is no UUID of a GPU; write GPU- and a UUID", uuid);
      }
      SetText(setups[i].board.uuid, uuid);
    }
  }
  if (const TreeNode list = entry.At("pciBusIds")) {
    KU_TRY(const auto items, OnePerBoard(list, count));
    for (std::size_t i = 0; i < items.size(); ++i) KU_TRY_OK(SetBusId(items[i], setups[i].board));
  }
  return setups;
}

}  // namespace kumiko::fakenvml
