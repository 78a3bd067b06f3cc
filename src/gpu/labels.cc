#include "gpu/labels.h"

#include <algorithm>

#include "base/text.h"

namespace kumiko::gpu {
namespace {

// Characters outside letters, digits, "-", "_", "." and blank are dropped, runs of blanks become one dash.
std::string LabelValue(std::string_view product_name) {
  std::string value;
  for (const char c : Trim(product_name)) {
    const bool allowed =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.';
    if (allowed) value += c;
    if (c == ' ' && !value.ends_with('-')) value += '-';
  }
  return value;
}

// The one profile that every board is cut into, or null.
const Profile* SingleProfile(const std::vector<BoardInstance>& boards) {
  const Profile* single = nullptr;
  for (const BoardInstance& board : boards) {
    if (board.mig != MigMode::kStatic || board.instances.empty()) return nullptr;
    for (const MigInstance& instance : board.instances) {
      if (single != nullptr && instance.profile.name != single->name) return nullptr;
      single = &instance.profile;
    }
  }
  return single;
}

}  // namespace

api::StringMap FeatureLabels(const std::vector<BoardInstance>& boards) {
  api::StringMap labels;
  if (boards.empty()) return labels;
  const Model& model = boards.front().model;
  std::string product = LabelValue(model.product_name);
  std::size_t count = boards.size();
  std::int64_t memory_bytes = model.memory_bytes;
  std::string strategy = "none";
  if (const Profile* profile = SingleProfile(boards)) {
    strategy = "single";
    product += "-MIG-" + LabelValue(profile->name);
    memory_bytes = profile->memory_bytes;
    count = 0;
    for (const BoardInstance& board : boards) count += board.instances.size();
  } else if (std::ranges::any_of(boards, [](const BoardInstance& board) { return board.mig == MigMode::kStatic; })) {
    strategy = "mixed";
  }
  if (boards.front().sharing.kind != Sharing::Kind::kDisabled) product += "-SHARED";
  const std::vector<std::string_view> capability = Split(model.compute_capability, '.');
  labels["nvidia.com/gpu.present"] = "true";
  labels["nvidia.com/gpu.count"] = std::to_string(count);
  labels["nvidia.com/gpu.product"] = product;
  labels["nvidia.com/gpu.memory"] = std::to_string(memory_bytes >> 20);
  labels["nvidia.com/gpu.family"] = Split(ToLower(model.architecture), ' ').front();
  labels["nvidia.com/gpu.compute.major"] = capability.front();
  labels["nvidia.com/gpu.compute.minor"] = capability.back();
  labels["nvidia.com/mig.capable"] =
      std::ranges::any_of(boards, [](const BoardInstance& board) { return board.model.board != nullptr; }) ? "true"
                                                                                                           : "false";
  labels["nvidia.com/mig.strategy"] = strategy;
  return labels;
}

}  // namespace kumiko::gpu
