#include "allocator/constraint.h"

#include <algorithm>
#include <type_traits>
#include <variant>

#include "allocator/mutant.h"

namespace kumiko::allocator {
namespace {

bool IsScalar(const cel::AttributeValue& value) {
  return std::holds_alternative<std::int64_t>(value) || std::holds_alternative<bool>(value) ||
         std::holds_alternative<std::string>(value) || std::holds_alternative<cel::Version>(value);
}

template <class Item>
std::optional<std::vector<Item>> ElementsOf(const cel::AttributeValue& value) {
  if (const auto* one = std::get_if<Item>(&value)) return std::vector<Item>{*one};
  if (const auto* list = std::get_if<std::vector<Item>>(&value)) return *list;
  return std::nullopt;
}

void Put(api::DeviceAttribute& to, std::vector<std::int64_t> items) {
  to.int_values = std::move(items);
}
void Put(api::DeviceAttribute& to, std::vector<bool> items) {
  to.bool_values = std::move(items);
}
void Put(api::DeviceAttribute& to, std::vector<std::string> items) {
  to.string_values = std::move(items);
}
void Put(api::DeviceAttribute& to, const std::vector<cel::Version>& items) {
  to.version_values.emplace();
  for (const auto& item : items) to.version_values->push_back(item.text);
}

bool Less(const cel::Version& a, const cel::Version& b) {
  return a.text < b.text;
}
template <class Item>
bool Less(const Item& a, const Item& b) {
  return a < b;
}

// False when the two are not both of this type; else `common` has the elements of both, sorted.
template <class Item>
bool Intersect(const cel::AttributeValue& a, const cel::AttributeValue& b,
               std::optional<api::DeviceAttribute>& common) {
  auto left = ElementsOf<Item>(a);
  const auto right = ElementsOf<Item>(b);
  if (!left || !right) return false;
  std::vector<Item> both;
  for (const auto& item : *left) {
    const Item value = item;
    if (std::find(right->begin(), right->end(), value) != right->end()) both.push_back(value);
  }
  std::sort(both.begin(), both.end(), [](const Item& x, const Item& y) { return Less(x, y); });
  both.erase(std::unique(both.begin(), both.end()), both.end());
  if (both.empty()) return true;
  common.emplace();
  Put(*common, std::move(both));
  return true;
}

}  // namespace

AttributeId PublishedAttribute(const DeviceRef& device, const ConstraintPlan& constraint) {
  const auto range = device.device().attributes;
  const auto& keys = device.shape().attributes;
  auto found = kNoAttribute;
  for (auto i = range.begin; i < range.end; ++i) {
    if (keys[i].written == constraint.written) return device.slice->values[i];
    if (keys[i].name == constraint.name) found = device.slice->values[i];
  }
  return found;
}

std::optional<AttributeId> CommonElements(AttributeTable& attributes, AttributeId a, AttributeId b) {
  if (!attributes.HasValue(a) || !attributes.HasValue(b)) return std::nullopt;
  if (a == b) return a;
  const auto& left = attributes.At(a).value;
  const auto& right = attributes.At(b).value;
  if (IsScalar(left) && IsScalar(right)) return left == right ? std::optional(a) : std::nullopt;
  std::optional<api::DeviceAttribute> common;
  if (!Intersect<std::int64_t>(left, right, common) && !Intersect<bool>(left, right, common) &&
      !Intersect<std::string>(left, right, common)) {
    Intersect<cel::Version>(left, right, common);
  }
  if (!common) return std::nullopt;
  return attributes.Intern(attributes.NameOf(a), *common);
}

bool ConstraintState::Allows(AttributeId value) const {
  if (value == kNoAttribute) return false;
  if (lists_) {
    if (!attributes_->HasValue(value)) return false;
    if (!plan_->distinct) return values_.empty() || CommonElements(*attributes_, values_.back(), value).has_value();
    return std::none_of(Mutant(18) && !values_.empty() ? values_.end() - 1 : values_.begin(), values_.end(),
                        [&](auto earlier) { return CommonElements(*attributes_, earlier, value).has_value(); });
  }
  // Without list attributes the first device may carry anything, as in the reference.
  if (values_.empty()) return true;
  if (!attributes_->HasValue(value) || !IsScalar(attributes_->At(value).value)) return false;
  const auto same = [&](AttributeId earlier) {
    return earlier == value ||
           (attributes_->HasValue(earlier) && attributes_->At(earlier).value == attributes_->At(value).value);
  };
  const auto first = Mutant(18) ? values_.end() - 1 : values_.begin();
  return plan_->distinct ? std::none_of(first, values_.end(), same) : same(values_.back());
}

void ConstraintState::Push(AttributeId value) {
  if (lists_ && !plan_->distinct && !values_.empty()) {
    values_.push_back(*CommonElements(*attributes_, values_.back(), value));
  } else {
    values_.push_back(value);
  }
}

void ConstraintState::Pop() {
  if (!Mutant(4)) values_.pop_back();
}

}  // namespace kumiko::allocator
