// Turns the text of an expression into a syntax tree. Recursive descent with a fixed depth; no input makes it crash.
#pragma once

#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "cel/ast.h"
#include "cel/macros.h"
#include "cel/source.h"

namespace kumiko::cel {

// Expressions nested in one another, and levels of the tree, that are accepted.
inline constexpr std::uint32_t kMaxNesting = 250;

// `text` must be valid UTF-8 and outlive the tree, which borrows names from it.
tl::expected<Ast, std::vector<SourceError>> Parse(std::string_view text, const ParseOptions& options = {});

}  // namespace kumiko::cel
