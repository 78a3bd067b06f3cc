// Selectors as people and rewrites need them: their parts, and the short form of a request. Text only; what a selector
// means is decided by src/cel.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/resource/types.h"

namespace kumiko::cli {

// The parts that && joins at the top level of `expression`, trimmed. One part when || or ?: stands beside them, since
// then no part holds alone.
std::vector<std::string> Conjuncts(std::string_view expression);

// A conjunct in few words.
struct Wording {
  bool names = false;  // a name or kind that goes before the noun: "Hopper", "1g.10gb"
  std::string text;    // else what is compared: "memory ≥ 16Gi"
  bool operator==(const Wording&) const = default;
};
Wording ShortForm(std::string_view conjunct);

// What a claim asks for, in one short line: "Hopper GPU or part, memory ≥ 16Gi".
std::string AskedFor(const api::DeviceClaim& claim);

}  // namespace kumiko::cli
