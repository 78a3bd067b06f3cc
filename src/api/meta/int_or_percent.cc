#include "api/meta/int_or_percent.h"

#include <string_view>

#include "base/text.h"

namespace kumiko::api {

std::int64_t ScaledValue(const Json& value, std::int64_t total, Rounding rounding) {
  if (const auto* number = value.if_int64()) return *number;
  const auto* text = value.if_string();
  if (text == nullptr || !text->ends_with('%')) return 0;
  const std::string_view digits(text->data(), text->size() - 1);
  const std::int64_t percent = ParseInt64(digits).value_or(0);
  return (percent * total + (rounding == Rounding::kUp ? 99 : 0)) / 100;
}

}  // namespace kumiko::api
