#include "allocator/packing_classes.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>
#include <variant>

namespace kumiko::allocator {
namespace {

constexpr std::array kLabels = {"profile", "type"};  // the first that a device has

const std::string* StringAttribute(const Inventory& inventory, const DeviceRef& device, std::string_view id) {
  const auto& attributes = inventory.attributes();
  for (const auto attribute : device.attributes()) {
    if (attributes.Name(attributes.NameOf(attribute)).id != id) continue;
    if (const auto* text = std::get_if<std::string>(&attributes.At(attribute).value)) return text;
  }
  return nullptr;
}

}  // namespace

bool IsLabel(std::string_view id) {
  return std::find(kLabels.begin(), kLabels.end(), id) != kLabels.end();
}

std::string LabelOf(const Inventory& inventory, const DeviceRef& device) {
  for (const auto* id : kLabels) {
    if (const auto* text = StringAttribute(inventory, device, id)) return *text;
  }
  return "";
}

PackingClasses::PackingClasses(const Inventory& inventory, const Demand* demand, std::span<const NodeView* const> views)
    : inventory_(&inventory) {
  if (demand) {
    for (auto& entry : demand->Classes()) Add(std::move(entry));
    declared_ = demand->declared();
    drift_ = demand->Drift();
  }
  known_ = !classes_.empty();
  if (known_) return;
  std::set<std::string> labels;
  for (const auto* view : views) {
    for (std::uint32_t d = 0; d < view->layout->candidates; ++d) labels.insert(LabelOf(inventory, view->Device(d)));
  }
  for (const auto& label : labels) {
    if (classes_.size() < kMaxClasses) Add({.label = label, .selectors = {}, .weight = 0, .index = 0});
  }
}

void PackingClasses::Add(Demand::Class entry) {
  Class added;
  key_ += entry.label + "\n";
  for (const auto& text : entry.selectors) {
    key_ += text + "\n";
    if (auto expression = inventory_->Compile(text)) added.selectors.push_back(std::move(*expression));
  }
  key_ += "\n";
  // A class whose selectors do not compile serves no request.
  if (added.selectors.size() != entry.selectors.size()) return;
  added.label = std::move(entry.label);
  added.weight = entry.weight;
  added.index = entry.index;
  classes_.push_back(std::move(added));
}

ClassMask PackingClasses::MaskOf(const DeviceRef& device) const {
  const auto label = LabelOf(*inventory_, device);
  ClassMask mask = 0;
  for (std::size_t c = 0; c < classes_.size(); ++c) {
    const auto& entry = classes_[c];
    bool serves = !entry.selectors.empty() || entry.label == label;
    for (const auto& expression : entry.selectors) {
      serves = serves && inventory_->Evaluate(expression, device).kind == Verdict::Kind::kTrue;
    }
    if (serves) mask |= ClassMask{1} << c;
  }
  return mask;
}

}  // namespace kumiko::allocator
