// Kubernetes quantities ("80Gi", "1500m", "12e6"): parsing, arithmetic and printing with the results Kubernetes gives.
// Facts and their source: resource.Quantity of k8s.io/apimachinery.
//
// Values are decimals down to one nano; finer text is rounded away from zero. Two stored forms exist, and
// IsInteger/AsInteger tell them apart by how the value was written: compact (int64 · 10^scale), or wide (arbitrary
// precision, held out of line, immutable and shared between copies).
#pragma once

#include <compare>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace kumiko {

class Quantity {
 public:
  // How a value prints: 12M, 12e6 or 12Mi. Remembered from the text it was read from.
  enum class Format : std::uint8_t { kDecimalSuffix, kDecimalExponent, kBinarySuffix };

  // Zero, printed "0".
  Quantity() = default;

  // Errors: kInvalidArgument; the message quotes the text and says what to write instead. Text longer than 4,096
  // characters and exponents beyond ±9,999 are refused; Kubernetes has no such limits.
  static Result<Quantity> Parse(std::string_view text);
  static Quantity FromInt(std::int64_t value);
  // Prints with binary suffixes: FromBytesBinary(85899345920) is 80Gi.
  static Quantity FromBytesBinary(std::int64_t bytes);

  Format format() const { return format_; }

  bool IsZero() const { return Sign() == 0; }
  // -1, 0 or 1.
  int Sign() const;
  // Whether Kubernetes reads the value as an int64 without rounding. Depends on how it was written: 1e3 and 80Gi are,
  // 1.0 and 100Ti are not.
  bool IsInteger() const;
  // Fails with kInvalidArgument when IsInteger() is false.
  Result<std::int64_t> AsInteger() const;
  double AsApproximateFloat() const;
  // In units and thousandths, rounded away from zero. Beyond int64 the result is the nearest int64.
  std::int64_t Value() const;
  std::int64_t MilliValue() const;

  // Compare by value: 1Gi == 1024Mi.
  std::strong_ordering Compare(const Quantity& other) const;
  friend bool operator==(const Quantity& a, const Quantity& b) { return a.Compare(b) == 0; }
  friend std::strong_ordering operator<=>(const Quantity& a, const Quantity& b) { return a.Compare(b); }

  // As written: mantissa · 10^scale. Nullopt when the digits do not fit 64 bits.
  struct Compact {
    std::int64_t mantissa = 0;
    std::int32_t scale = 0;
  };
  std::optional<Compact> AsCompact() const {
    return wide_ == nullptr ? std::optional(Compact{mantissa_, scale_}) : std::nullopt;
  }

  // Whether nothing tells the two apart: value, format and how they print. Wide values count only as the same object.
  bool IsIdenticalTo(const Quantity& other) const;

  // The same value, printed in `format`.
  [[nodiscard]] Quantity InFormat(Format format) const;

  // Exact. The result prints in the format of *this, or of `other` when *this is zero.
  [[nodiscard]] Quantity Add(const Quantity& other) const;
  [[nodiscard]] Quantity Sub(const Quantity& other) const;
  [[nodiscard]] Quantity Mul(std::int64_t factor) const;
  Quantity& operator+=(const Quantity& other) { return *this = Add(other); }
  Quantity& operator-=(const Quantity& other) { return *this = Sub(other); }

  // Kubernetes' canonical text: no fraction, largest suffix that keeps the value. 1.5Gi is 1536Mi, 1000m is 1. Above
  // the largest suffix digits are kept (1000E), where Kubernetes drops the power of ten.
  std::string ToString() const;
  // Bytes of the digits when they do not fit 64 bits, else 0: how much work arithmetic is.
  std::size_t WideBytes() const;

 private:
  struct Wide;

  static Quantity FromWide(Wide wide, Format format);
  Wide ToWide() const;

  std::int64_t mantissa_ = 0;
  std::int32_t scale_ = 0;  // power of ten
  Format format_ = Format::kDecimalSuffix;
  // Set: the value is here and mantissa_ is unused.
  std::shared_ptr<const Wide> wide_;
  // Set: the written text, kept by Kubernetes though the canonical form would differ ("1E3", "1.500").
  std::shared_ptr<const std::string> text_;
};

}  // namespace kumiko
