#include "base/quantity.h"

#include <algorithm>
#include <array>
#include <boost/multiprecision/cpp_int.hpp>
#include <charconv>
#include <limits>
#include <optional>

#include "base/quantity_text.h"

namespace kumiko {
namespace {

using BigInt = boost::multiprecision::cpp_int;
__extension__ using Int128 = __int128;

constexpr std::int64_t kMaxInt64 = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kMinInt64 = std::numeric_limits<std::int64_t>::min();
constexpr std::int32_t kNano = -9;
// All values of so many digits fit an int64.
constexpr std::int32_t kCompactDigits = 18;

constexpr std::array<std::int64_t, 19> kPowersOfTen = [] {
  std::array<std::int64_t, 19> powers{};
  std::int64_t power = 1;
  for (std::size_t i = 0; i < powers.size(); ++i) {
    powers[i] = power;
    if (i + 1 < powers.size()) power *= 10;
  }
  return powers;
}();

BigInt PowerOfTen(std::int32_t exponent) {
  return boost::multiprecision::pow(BigInt(10), static_cast<unsigned>(exponent));
}

// A decimal of any size: unscaled · 10^scale.
struct Decimal {
  BigInt unscaled;
  std::int32_t scale = 0;

  int Sign() const { return unscaled.sign(); }

  // The same value with a smaller or equal scale.
  BigInt AtScale(std::int32_t lower) const { return unscaled * PowerOfTen(scale - lower); }
};

// Divides and rounds away from zero.
BigInt DivideAway(const BigInt& value, const BigInt& divisor) {
  BigInt quotient;
  BigInt remainder;
  boost::multiprecision::divide_qr(value, divisor, quotient, remainder);
  if (remainder != 0) quotient += value.sign();
  return quotient;
}

// The decimal at exactly `scale`, rounded away from zero.
Decimal RoundAway(const Decimal& value, std::int32_t scale) {
  if (value.scale >= scale) return {value.AtScale(scale), scale};
  return {DivideAway(value.unscaled, PowerOfTen(scale - value.scale)), scale};
}

std::size_t DigitCount(const BigInt& value) {
  std::string text = value.str();
  return text.size() - (value.sign() < 0 ? 1 : 0);
}

std::strong_ordering OrderOf(int comparison) {
  if (comparison < 0) return std::strong_ordering::less;
  return comparison > 0 ? std::strong_ordering::greater : std::strong_ordering::equal;
}

std::strong_ordering CompareDecimals(const Decimal& a, const Decimal& b) {
  if (a.Sign() != b.Sign() || a.Sign() == 0) return OrderOf(a.Sign() - b.Sign());
  // Magnitudes first, so that 1e9000 against 1 does not write out 9,000 digits.
  const auto magnitude = [](const Decimal& value) {
    return static_cast<std::int64_t>(DigitCount(value.unscaled)) + value.scale;
  };
  const std::int64_t difference = magnitude(a) - magnitude(b);
  if (difference != 0) return OrderOf((difference > 0 ? 1 : -1) * a.Sign());
  const std::int32_t scale = std::min(a.scale, b.scale);
  return OrderOf(a.AtScale(scale).compare(b.AtScale(scale)));
}

// `value` · 10^exponent when that fits an int64.
std::optional<std::int64_t> ScaleUp(std::int64_t value, std::int32_t exponent) {
  if (value == 0) return 0;
  if (exponent > kCompactDigits) return std::nullopt;
  std::int64_t result = 0;
  if (__builtin_mul_overflow(value, kPowersOfTen[static_cast<std::size_t>(exponent)], &result)) return std::nullopt;
  return result;
}

std::int64_t Saturate(const BigInt& value) {
  if (value > kMaxInt64) return kMaxInt64;
  if (value < kMinInt64) return kMinInt64;
  return static_cast<std::int64_t>(value);
}

// The double that Go's math.Pow10 gives; the product with it must match Kubernetes to the last bit.
double PowerOfTenFloat(std::int32_t exponent) {
  static constexpr std::array<double, 10> kBy32 = {1e0, 1e32, 1e64, 1e96, 1e128, 1e160, 1e192, 1e224, 1e256, 1e288};
  static constexpr std::array<double, 11> kBy32Negative = {1e0,    1e-32,  1e-64,  1e-96,  1e-128, 1e-160,
                                                           1e-192, 1e-224, 1e-256, 1e-288, 1e-320};
  static constexpr std::array<double, 32> kBelow32 = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10,
                                                      1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21,
                                                      1e22, 1e23, 1e24, 1e25, 1e26, 1e27, 1e28, 1e29, 1e30, 1e31};
  if (exponent > 308) return std::numeric_limits<double>::infinity();
  if (exponent < -323) return 0;
  const auto size = static_cast<std::size_t>(exponent < 0 ? -exponent : exponent);
  if (exponent >= 0) return kBy32[size / 32] * kBelow32[size % 32];
  return kBy32Negative[size / 32] / kBelow32[size % 32];
}

// Digits and suffix of canonical decimal text. `unscaled` must not be 0.
std::string DecimalText(const BigInt& unscaled, std::int32_t exponent, Quantity::Format format) {
  const bool suffixes = format != Quantity::Format::kDecimalExponent;
  std::string digits = unscaled.str();
  const std::size_t kept = digits.find_last_not_of('0') + 1;
  exponent += static_cast<std::int32_t>(digits.size() - kept);
  digits.resize(kept);
  // Suffixes end at E; the digits must carry what lies above.
  for (; exponent % 3 != 0 || (suffixes && exponent > 18); --exponent) digits += '0';
  if (suffixes) return digits + std::string(DecimalSuffix(exponent));
  return exponent == 0 ? digits : digits + "e" + std::to_string(exponent);
}

std::string BinaryText(BigInt value) {
  std::int32_t exponent = 0;
  while (exponent < 60 && value % 1024 == 0) {
    value /= 1024;
    exponent += 10;
  }
  return value.str() + std::string(BinarySuffix(exponent));
}

}  // namespace

struct Quantity::Wide {
  Decimal decimal;
};

Quantity Quantity::FromWide(Wide wide, Format format) {
  Quantity result;
  result.format_ = format;
  result.wide_ = std::make_shared<const Wide>(std::move(wide));
  return result;
}

Quantity::Wide Quantity::ToWide() const {
  if (wide_ != nullptr) return *wide_;
  return {{BigInt(mantissa_), scale_}};
}

std::size_t Quantity::WideBytes() const {
  return wide_ == nullptr ? 0 : wide_->decimal.unscaled.backend().size() * sizeof(boost::multiprecision::limb_type);
}

Quantity Quantity::FromInt(std::int64_t value) {
  Quantity result;
  result.mantissa_ = value;
  return result;
}

Quantity Quantity::FromBytesBinary(std::int64_t bytes) {
  Quantity result = FromInt(bytes);
  result.format_ = Format::kBinarySuffix;
  return result;
}

Result<Quantity> Quantity::Parse(std::string_view text) {
  KU_TRY(const QuantityText parts, ReadQuantityText(text));
  const bool binary = parts.format == Format::kBinarySuffix;
  const auto digit_count = static_cast<std::int32_t>(parts.digits.size());
  const std::int32_t scale = (binary ? 0 : parts.exponent) - parts.fraction_digits;

  // Which form Kubernetes stores is visible to users through isInteger() in selectors, so the limits are theirs: a
  // binary power counts as three digits for each ten of its exponent, plus one.
  const std::int32_t spare = !binary                     ? kCompactDigits - digit_count
                             : parts.fraction_digits > 0 ? -1
                                                         : 14 - digit_count - parts.exponent * 3 / 10;
  if (spare >= 0 && scale >= kNano) {
    std::int64_t value = 0;
    std::from_chars(parts.digits.data(), parts.digits.data() + parts.digits.size(), value);
    std::int64_t product = 0;
    const std::int64_t factor = binary ? std::int64_t{1} << parts.exponent : 1;
    if (!__builtin_mul_overflow(value, factor, &product)) {
      Quantity result;
      result.mantissa_ = parts.negative ? -product : product;
      result.scale_ = scale;
      result.format_ = parts.format;
      const bool keeps_text =
          binary ? (value & 7) != 0 : scale % 3 == 0 && !parts.digits.ends_with("000") && parts.digits[0] != '0';
      if (keeps_text && result.ToString() != text) result.text_ = std::make_shared<const std::string>(text);
      return result;
    }
  }

  if (!parts.has_digits) return Fail(Code::kInvalidArgument, "{}", DescribeBadQuantity(text));
  // A leading 0 would make the constructor read octal.
  const std::size_t first = std::min(parts.digits.find_first_not_of('0'), parts.digits.size() - 1);
  Decimal value{BigInt(parts.digits.substr(first)), scale};
  if (binary) value.unscaled <<= static_cast<unsigned>(parts.exponent);
  Format format = parts.format;
  if (value.Sign() != 0) {
    const bool below_nano = static_cast<std::int64_t>(parts.digits.size() - first) + (binary ? 19 : 0) + scale < kNano;
    value = below_nano ? Decimal{1, kNano} : RoundAway(value, kNano);
    if (binary) {
      const Decimal limit{BigInt(kMaxInt64), 0};
      if (CompareDecimals(value, limit) > 0) value = limit;
      if (CompareDecimals(value, {1, 0}) < 0) format = Format::kDecimalSuffix;
    }
  }
  if (parts.negative) value.unscaled = -value.unscaled;
  return FromWide({std::move(value)}, format);
}

int Quantity::Sign() const {
  if (wide_ != nullptr) return wide_->decimal.Sign();
  return mantissa_ == 0 ? 0 : (mantissa_ < 0 ? -1 : 1);
}

bool Quantity::IsInteger() const {
  return wide_ == nullptr && scale_ >= 0 && ScaleUp(mantissa_, scale_).has_value();
}

Result<std::int64_t> Quantity::AsInteger() const {
  if (!IsInteger()) return Fail(Code::kInvalidArgument, "quantity {} is not written as a 64-bit integer", ToString());
  return *ScaleUp(mantissa_, scale_);
}

double Quantity::AsApproximateFloat() const {
  double base = static_cast<double>(mantissa_);
  std::int32_t exponent = scale_;
  if (wide_ != nullptr) {
    // Through text, because the conversion of cpp_int does not promise the nearest double.
    const std::string digits = wide_->decimal.unscaled.str();
    const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), base);
    if (read.ec != std::errc()) base = Sign() * std::numeric_limits<double>::infinity();
    exponent = wide_->decimal.scale;
  }
  return exponent == 0 ? base : base * PowerOfTenFloat(exponent);
}

namespace {

std::int64_t RoundedAt(const Decimal& value, std::int32_t scale) {
  // 10^19 and more is beyond int64 whatever the digits are.
  if (value.Sign() != 0 && value.scale - scale > kCompactDigits) return value.Sign() > 0 ? kMaxInt64 : kMinInt64;
  return Saturate(RoundAway(value, scale).unscaled);
}

}  // namespace

std::int64_t Quantity::Value() const {
  if (wide_ == nullptr && scale_ == 0) return mantissa_;
  return RoundedAt(ToWide().decimal, 0);
}

std::int64_t Quantity::MilliValue() const {
  if (wide_ == nullptr && scale_ == -3) return mantissa_;
  return RoundedAt(ToWide().decimal, -3);
}

std::strong_ordering Quantity::Compare(const Quantity& other) const {
  if (wide_ == nullptr && other.wide_ == nullptr) {
    if (scale_ == other.scale_) return mantissa_ <=> other.mantissa_;
    const std::int32_t lower = std::min(scale_, other.scale_);
    if (scale_ - lower <= kCompactDigits && other.scale_ - lower <= kCompactDigits) {
      const auto at_lower = [&](const Quantity& q) {
        return static_cast<Int128>(q.mantissa_) * kPowersOfTen[static_cast<std::size_t>(q.scale_ - lower)];
      };
      return at_lower(*this) <=> at_lower(other);
    }
  }
  return CompareDecimals(ToWide().decimal, other.ToWide().decimal);
}

Quantity Quantity::Add(const Quantity& other) const {
  Quantity result = *this;
  result.text_ = nullptr;
  if (IsZero()) result.format_ = other.format_;
  if (wide_ == nullptr && other.wide_ == nullptr) {
    if (other.mantissa_ == 0) return result;
    if (mantissa_ == 0) {
      result.mantissa_ = other.mantissa_;
      result.scale_ = other.scale_;
      return result;
    }
    const std::int32_t lower = std::min(scale_, other.scale_);
    const auto left = ScaleUp(mantissa_, scale_ - lower);
    const auto right = ScaleUp(other.mantissa_, other.scale_ - lower);
    if (left && right && !__builtin_add_overflow(*left, *right, &result.mantissa_)) {
      result.scale_ = lower;
      return result;
    }
  }
  const Decimal left = ToWide().decimal;
  const Decimal right = other.ToWide().decimal;
  const std::int32_t lower = std::min(left.scale, right.scale);
  return FromWide({{left.AtScale(lower) + right.AtScale(lower), lower}}, result.format_);
}

Quantity Quantity::Sub(const Quantity& other) const {
  Quantity negated = other;
  negated.text_ = nullptr;
  if (other.wide_ != nullptr || other.mantissa_ == kMinInt64) {
    Wide wide = other.ToWide();
    wide.decimal.unscaled = -wide.decimal.unscaled;
    negated = FromWide(std::move(wide), other.format_);
  } else {
    negated.mantissa_ = -other.mantissa_;
  }
  return Add(negated);
}

Quantity Quantity::Mul(std::int64_t factor) const {
  Quantity result = *this;
  result.text_ = nullptr;
  if (wide_ == nullptr) {
    if (mantissa_ == 0) return result;
    if (factor == 0) {
      result.mantissa_ = 0;
      result.scale_ = 0;
      return result;
    }
    if (!__builtin_mul_overflow(mantissa_, factor, &result.mantissa_) &&
        (scale_ <= 0 || ScaleUp(result.mantissa_, scale_))) {
      return result;
    }
  }
  Wide wide = ToWide();
  wide.decimal.unscaled *= factor;
  return FromWide(std::move(wide), format_);
}

Quantity Quantity::InFormat(Format format) const {
  Quantity result = *this;
  result.text_ = nullptr;
  result.format_ = format;
  return result;
}

bool Quantity::IsIdenticalTo(const Quantity& other) const {
  const bool same_text = text_ == other.text_ || (text_ && other.text_ && *text_ == *other.text_);
  return mantissa_ == other.mantissa_ && scale_ == other.scale_ && format_ == other.format_ && wide_ == other.wide_ &&
         same_text;
}

std::string Quantity::ToString() const {
  if (text_ != nullptr) return *text_;
  if (IsZero()) return "0";
  const Decimal value = ToWide().decimal;
  if (format_ == Format::kBinarySuffix && (Compare(FromInt(1024)) >= 0 || Compare(FromInt(-1024)) <= 0)) {
    const Decimal whole = RoundAway(value, 0);
    if (CompareDecimals(whole, value) == 0) return BinaryText(whole.unscaled);
  }
  return DecimalText(value.unscaled, value.scale, format_);
}

}  // namespace kumiko
