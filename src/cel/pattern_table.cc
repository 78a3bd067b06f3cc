#include "cel/pattern_table.h"

#include <fmt/core.h>

#include <memory>
#include <tl/expected.hpp>
#include <utility>

#include "cel/actual_cost.h"
#include "cel/library/regex.h"
#include "cel/utf8.h"

namespace kumiko::cel {

std::uint32_t PatternTable::Add(std::string_view pattern, PatternUse use) {
  const auto [known, added] = places_.emplace(pattern, static_cast<std::uint32_t>(program_.regexes.size()));
  if (added) {
    const auto checked = checked_.patterns.find(pattern);
    auto compiled = checked != checked_.patterns.end() && checked->second != nullptr
                        ? tl::expected<std::shared_ptr<const re2::RE2>, PatternError>(checked->second)
                        : CompilePattern(pattern, steps_);
    if (!compiled) SetError(compiled.error().message);
    program_.regexes.push_back(compiled ? *std::move(compiled) : nullptr);
    program_.regex_costs.push_back(PatternCost(CodePointCount(pattern)));
  }
  const re2::RE2* const regex = program_.regexes[known->second].get();
  const bool prepare = use == PatternUse::kFind && regex != nullptr && prepared_.insert(regex).second;
  if (prepare && !PrepareToFind(*regex, steps_)) {
    SetError(fmt::format("error parsing regexp: expression too large: `{}`", pattern));
  }
  return known->second;
}

}  // namespace kumiko::cel
