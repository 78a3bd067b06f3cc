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

// "Hopper" for device.attributes["gpu.nvidia.com"].architecture == "Hopper"; "memory ≥ 16Gi" for a comparison of a
// capacity; else the conjunct without the words before its last member.
std::string ShortForm(std::string_view conjunct);

// What a claim asks for, in one short line: "GPU or part, memory ≥ 16Gi, Hopper".
std::string AskedFor(const api::DeviceClaim& claim);

}  // namespace kumiko::cli
