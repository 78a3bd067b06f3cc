#include "allocator/constraint.h"

#include <algorithm>

#include "allocator/view_builder.h"
#include "base/check.h"

namespace kumiko::allocator {

const cel::AttributeValue* FindAttribute(const DeviceContent& content, const std::string& name) {
  const auto slash = name.find('/');
  const std::string_view domain =
      slash == std::string::npos ? std::string_view(content.driver) : std::string_view(name).substr(0, slash);
  const std::string_view id =
      slash == std::string::npos ? std::string_view(name) : std::string_view(name).substr(slash + 1);
  for (const auto& attribute : content.attributes) {
    if (attribute.id == id && attribute.domain == domain) return &attribute.value;
  }
  return nullptr;
}

bool ConstraintState::Allows(const DeviceContent& content) const {
  const auto* value = FindAttribute(content, plan_->attribute);
  if (!value) return false;
  if (plan_->distinct) {
    return std::none_of(values_.begin(), values_.end(), [value](const auto* earlier) { return *earlier == *value; });
  }
  return values_.empty() || *values_.front() == *value;
}

void ConstraintState::Push(const DeviceContent& content) {
  const auto* value = FindAttribute(content, plan_->attribute);
  KU_CHECK(value != nullptr) << "constraint on " << plan_->attribute;
  values_.push_back(value);
}

}  // namespace kumiko::allocator
