// The parts of a written quantity; private to base/quantity.cc.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/quantity.h"
#include "base/result.h"

namespace kumiko {

struct QuantityText {
  bool negative = false;
  bool has_digits = false;           // false for "+", "Ki" and the like, which Kubernetes reads as 0
  std::string digits;                // whole part without leading zeros (at least "0"), then the fraction
  std::int32_t fraction_digits = 0;  // how many of `digits` stand behind the point
  std::int32_t exponent = 0;         // of two for Format::kBinarySuffix, else of ten
  Quantity::Format format = Quantity::Format::kDecimalSuffix;
};

Result<QuantityText> ReadQuantityText(std::string_view text);

// `quantity "12GB" is not valid: write 12G (decimal) or 12Gi (binary)`
std::string DescribeBadQuantity(std::string_view text);

// "k" for 3; the exponent must be a multiple of 3 from -9 to 18.
std::string_view DecimalSuffix(std::int32_t exponent);
// "Ki" for 10; the exponent must be a multiple of 10 from 0 to 60.
std::string_view BinarySuffix(std::int32_t exponent);

}  // namespace kumiko
