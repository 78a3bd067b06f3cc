#include "gpu/boards.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include "base/check.h"
#include "base/json.h"
#include "base/suggest.h"
#include "base/text.h"
#include "gpu/embedded_tables.h"

namespace kumiko::gpu {
namespace {

constexpr std::int64_t kMiB = std::int64_t{1} << 20;
constexpr std::int64_t kGiB = std::int64_t{1} << 30;

const Json& Member(const Json& object, std::string_view key) {
  const Json* member = Find(object, key);
  KU_CHECK(member != nullptr) << "embedded table lacks " << std::string(key);
  return *member;
}

std::string Text(const Json& object, std::string_view key) {
  return std::string(StringAt(object, {key}));
}

std::optional<std::int64_t> Number(const Json& object, std::string_view key) {
  const Json* member = Find(object, key);
  if (member == nullptr || member->is_null()) return std::nullopt;
  KU_CHECK(member->is_int64()) << "embedded table: " << std::string(key) << " is no integer";
  return member->get_int64();
}

const Json& MigTable() {
  static const Result<Json> table = ParseJson(internal::kMigProfiles);
  KU_CHECK(table.has_value()) << "mig-profiles.json: " << table.error().message;
  return *table;
}

Profile ReadProfile(const Json& row) {
  Profile profile;
  profile.name = Text(row, "name");
  const auto number = [&](std::string_view key) {
    const auto value = Number(row, key);
    if (!value) profile.missing_fields.emplace_back(key);
    return value.value_or(0);
  };
  profile.nvml_index = static_cast<int>(Number(row, "nvmlProfileIndex").value_or(-1));
  profile.gi_profile_id = static_cast<int>(number("giProfileId"));
  profile.compute_slices = static_cast<int>(number("computeSlices"));
  profile.max_instances = static_cast<int>(number("maxInstances"));
  profile.engines.multiprocessors = number("multiprocessors");
  profile.engines.copy_engines = number("copyEngines");
  profile.engines.decoders = number("decoders");
  profile.engines.encoders = number("encoders");
  profile.engines.jpeg_engines = number("jpegEngines");
  profile.engines.ofa_engines = number("ofaEngines");
  profile.memory_bytes = number("memoryMiB") * kMiB;
  if (const Json* placements = Find(row, "placements"); placements != nullptr && placements->is_array()) {
    for (const Json& placement : placements->get_array()) {
      profile.placements.push_back({static_cast<int>(Number(placement, "start").value_or(0)),
                                    static_cast<int>(Number(placement, "size").value_or(0))});
    }
  }
  if (profile.placements.empty()) profile.missing_fields.emplace_back("placements");
  return profile;
}

std::vector<Board> ReadBoards() {
  std::vector<Board> boards;
  for (const auto& [name, row] : Member(MigTable(), "boards").get_object()) {
    Board board;
    board.name = name;
    board.memory_slices = static_cast<int>(Number(row, "memorySlices").value_or(0));
    board.compute_slices = static_cast<int>(Number(row, "computeSlices").value_or(0));
    for (const Json& profile : Member(row, "profiles").get_array()) board.profiles.push_back(ReadProfile(profile));
    boards.push_back(std::move(board));
  }
  return boards;
}

std::string ArchitectureName(std::string_view table_name) {
  if (table_name == "ada") return "Ada Lovelace";
  std::string name(table_name);
  if (!name.empty()) name.front() = ToUpper(name.substr(0, 1)).front();
  return name;
}

// The row of mig-profiles.json that tells the NVML total of this product, or null.
const Json* MigModelRow(const std::string& product_name) {
  for (const auto& [name, row] : Member(MigTable(), "boards").get_object()) {
    for (const Json& model : Member(row, "models").get_array()) {
      if (StringAt(model, {"name"}) == product_name) return &model;
    }
  }
  return nullptr;
}

// Written 0x2330 in the table.
std::int64_t FirstPciDeviceId(const Json& row) {
  const Json* ids = Find(row, "pciDeviceIds");
  if (ids == nullptr || !ids->is_array() || ids->get_array().empty() || !ids->get_array()[0].is_string()) return 0;
  const std::string_view text = ids->get_array()[0].get_string();
  std::int64_t id = 0;
  if (text.starts_with("0x")) std::from_chars(text.data() + 2, text.data() + text.size(), id, 16);
  return id;
}

Model ReadModel(const Json& row) {
  Model model;
  model.id = Text(row, "id");
  model.product_name = Text(row, "productName");
  model.brand = Text(row, "brand");
  model.architecture = ArchitectureName(Text(row, "architecture"));
  model.compute_capability = Text(row, "computeCapability");
  model.memory_bytes = Number(row, "memoryGiB").value_or(0) * kGiB;
  model.multiprocessors = Number(row, "multiprocessors").value_or(0);
  model.pci_device_id = FirstPciDeviceId(row);
  if (const Json* links = FindPath(row, {"nvlink", "links"}); links != nullptr && links->is_int64()) {
    model.nvlink_links = static_cast<int>(links->get_int64());
  }
  if (const std::string_view board_name = StringAt(row, {"mig", "board"}); !board_name.empty()) {
    const auto board = std::ranges::find(Boards(), board_name, &Board::name);
    KU_CHECK(board != Boards().end()) << "no board " << std::string(board_name);
    model.board = &*board;
  }
  if (const Json* mig_row = MigModelRow(model.product_name)) {
    if (const auto memory = Number(*mig_row, "memoryMiB")) model.memory_bytes = *memory * kMiB;
    model.full_profile_multiprocessors = Number(*mig_row, "fullMigProfileSMs").value_or(0);
  }
  return model;
}

std::vector<Model> ReadModels() {
  static const Result<Json> table = ParseJson(internal::kGpuModels);
  KU_CHECK(table.has_value()) << "gpu-models.json: " << table.error().message;
  std::vector<Model> models;
  for (const Json& row : Member(*table, "models").get_array()) models.push_back(ReadModel(row));
  return models;
}

// Names people use for a model without saying which of its forms they mean: the usual data-centre form is taken.
struct Alias {
  std::string_view name;
  std::string_view id;
};
constexpr std::array kAliases = {
    Alias{"v100", "v100-sxm2-16"},       Alias{"v10016", "v100-sxm2-16"},
    Alias{"v10032", "v100-sxm2-32"},     Alias{"a10040", "a100-sxm4-40"},
    Alias{"a10080", "a100-sxm4-80"},     Alias{"a100sxm40", "a100-sxm4-40"},
    Alias{"a100sxm80", "a100-sxm4-80"},  Alias{"h100", "h100-sxm5"},
    Alias{"h10080", "h100-sxm5"},        Alias{"h100sxm", "h100-sxm5"},
    Alias{"h10094", "h100-nvl"},         Alias{"h200", "h200-sxm"},
    Alias{"h200141", "h200-sxm"},        Alias{"rtxpro6000", "rtx-pro-6000-se"},
    Alias{"rtx6000", "rtx-pro-6000-se"},
};

// "A100-80GB", "nvidia a100 80" and "a100_80" are one name.
std::string Folded(std::string_view name) {
  std::string folded;
  for (const char c : ToLower(Trim(name))) {
    if (c != '-' && c != '_' && c != ' ' && c != '.') folded += c;
  }
  for (const std::string_view prefix : {"nvidia", "tesla"}) {
    if (folded.starts_with(prefix)) folded.erase(0, prefix.size());
  }
  const auto ends_with_digit_gb = [&] {
    return folded.size() > 2 && folded.ends_with("gb") && folded[folded.size() - 3] >= '0' &&
           folded[folded.size() - 3] <= '9';
  };
  if (ends_with_digit_gb()) folded.erase(folded.size() - 2);
  return folded;
}

template <class Range, class Projection>
std::vector<std::string> Names(const Range& range, Projection projection) {
  std::vector<std::string> names;
  for (const auto& item : range) names.push_back(std::invoke(projection, item));
  return names;
}

// "; did you mean x?", or "; write one of a, b".
std::string Advice(std::string_view name, const std::vector<std::string>& known) {
  if (const auto near = Suggest(name, known)) return fmt::format("did you mean {}?", *near);
  return fmt::format("write one of {}", Join(known, ", "));
}

Status CheckComplete(const Model& model, const Profile& profile) {
  if (profile.missing_fields.empty()) return {};
  return Fail(Code::kInvalidArgument, "board {}: profile {} has no known {}", model.board->name, profile.name,
              Join(profile.missing_fields, ", "));
}

}  // namespace

const Profile* Board::FindProfile(std::string_view profile_name) const {
  const auto found = std::ranges::find(profiles, profile_name, &Profile::name);
  return found == profiles.end() ? nullptr : &*found;
}

const std::vector<Board>& Boards() {
  static const std::vector<Board> boards = ReadBoards();
  return boards;
}

const std::vector<Model>& Models() {
  static const std::vector<Model> models = ReadModels();
  return models;
}

Result<const Model*> FindModel(std::string_view name) {
  std::string folded = Folded(name);
  for (const Alias& alias : kAliases) {
    if (folded == alias.name) folded = Folded(alias.id);
  }
  for (const Model& model : Models()) {
    if (folded == Folded(model.id) || folded == Folded(model.product_name)) return &model;
  }
  std::vector<std::string> beginning;
  for (const Model& model : Models()) {
    if (!folded.empty() && Folded(model.id).starts_with(folded)) beginning.push_back(model.id);
  }
  if (!beginning.empty()) {
    return Fail(Code::kInvalidArgument, "GPU model \"{}\" can be {}; write one of them", name, Join(beginning, ", "));
  }
  return Fail(Code::kInvalidArgument, "no GPU model \"{}\"; {}", name, Advice(name, Names(Models(), &Model::id)));
}

Result<const Board*> FindBoard(std::string_view name) {
  for (const Board& board : Boards()) {
    if (ToLower(board.name) == ToLower(name)) return &board;
  }
  return Fail(Code::kInvalidArgument, "no MIG board \"{}\"; {}", name, Advice(name, Names(Boards(), &Board::name)));
}

Result<Profile> UsableProfile(const Model& model, std::string_view profile_name) {
  if (model.board == nullptr) return Fail(Code::kInvalidArgument, "{} has no MIG; write mig: off", model.product_name);
  const Profile* found = model.board->FindProfile(profile_name);
  if (found == nullptr) {
    return Fail(Code::kInvalidArgument, "{} has no MIG profile \"{}\"; {}", model.product_name, profile_name,
                Advice(profile_name, Names(model.board->profiles, &Profile::name)));
  }
  KU_TRY_OK(CheckComplete(model, *found));
  Profile profile = *found;
  if (model.full_profile_multiprocessors != 0) {
    if (profile.compute_slices != model.board->compute_slices) {
      return Fail(Code::kInvalidArgument, "{}: profile {} has no known multiprocessors on this form of board {}",
                  model.product_name, profile.name, model.board->name);
    }
    profile.engines.multiprocessors = model.full_profile_multiprocessors;
  }
  return profile;
}

Result<std::vector<Profile>> UsableProfiles(const Model& model) {
  if (model.board == nullptr) return Fail(Code::kInvalidArgument, "{} has no MIG; write mig: off", model.product_name);
  std::vector<Profile> profiles;
  for (const Profile& row : model.board->profiles) {
    KU_TRY(profiles.emplace_back(), UsableProfile(model, row.name));
  }
  return profiles;
}

}  // namespace kumiko::gpu
