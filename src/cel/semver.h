// Semantic versions (semver.org 2.0.0): what a `version` attribute holds and what semver() makes in an expression.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace kumiko::cel {

// A parsed version. Compares by precedence; build metadata does not take part, so 1.2.3+a equals 1.2.3+b.
class Semver {
 public:
  // Fails with kInvalidArgument; the messages are those that Kubernetes gives. Numbers have no leading zeros and fit in
  // 64 bits.
  static Result<Semver> Parse(std::string_view text);
  // Accepts what people write: one leading "v" and leading zeros are dropped, missing parts become 0.
  static Result<Semver> ParseNormalized(std::string_view text);

  std::uint64_t major() const { return major_; }
  std::uint64_t minor() const { return minor_; }
  std::uint64_t patch() const { return patch_; }

  std::strong_ordering operator<=>(const Semver& other) const;
  bool operator==(const Semver& other) const { return (*this <=> other) == std::strong_ordering::equal; }
  std::string ToString() const;
  // Bytes behind the three numbers.
  std::size_t size() const { return prerelease_.size() + build_.size(); }

 private:
  std::uint64_t major_ = 0;
  std::uint64_t minor_ = 0;
  std::uint64_t patch_ = 0;
  std::string prerelease_;  // without '-'
  std::string build_;       // without '+'
};

}  // namespace kumiko::cel
