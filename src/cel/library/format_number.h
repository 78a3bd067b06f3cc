// Doubles as text.format(...) prints them: with commas between thousands, raised exponents and the sign for infinity,
// as the reference does for English.
#pragma once

#include <cstdint>
#include <string>

namespace kumiko::cel {

inline constexpr std::int64_t kDefaultPrecision = 6;

// %f: "1,234.500000", "∞", "-∞", "NaN". The reference keeps the precision in narrow numbers: it pads with zeros to
// precision modulo 256, rounds only when the low 16 bits are not negative, and prints "%!(NOVERB)" for numbers that it
// cannot read.
std::string FormatFixed(double value, std::int64_t precision);
// %e: always six digits, "1.234500×10⁰³". What is written as the precision is the least width, in blanks on the left.
std::string FormatScientific(double value, std::int64_t width);

}  // namespace kumiko::cel
