// Named text formats of Kubernetes: format.dns1123Label().validate("my-name") is none for good text, otherwise the list
// of what is wrong.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cel/overload.h"

namespace kumiko::cel {

struct NamedFormat {
  std::string_view key;   // what format.named() looks for: dns1123Label
  std::string_view name;  // DNS1123Label
  // Length of the pattern that a cost takes the format for.
  std::size_t max_regex_size = 0;
  // Empty for good text.
  std::vector<std::string> (*validate)(std::string_view text) = nullptr;

  bool operator==(const NamedFormat& other) const { return name == other.name; }
};

// What the estimate takes every format for, and the longest name.
inline constexpr std::size_t kMaxFormatRegexSize = 128;
inline constexpr std::size_t kMaxFormatNameSize = 64;

std::span<const Overload> NamedFormatsOverloads();

}  // namespace kumiko::cel
