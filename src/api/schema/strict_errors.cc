#include "api/schema/strict_errors.h"

#include <fmt/format.h>

#include "api/patch/go_text.h"

namespace kumiko::api {

void StrictErrors::Add(std::string_view what, const std::string& path) {
  constexpr std::size_t kMost = 100;
  if (errors_.size() >= kMost) return;
  std::string text = fmt::format("{} {}", what, GoQuoted(path));
  if (seen_.insert(text).second) errors_.push_back(std::move(text));
}

}  // namespace kumiko::api
