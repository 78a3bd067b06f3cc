// Macros: calls that stand for loops and conditionals, expanded while the text is parsed. Names, expansions and
// messages: the CEL language definition, with the two-variable comprehensions, cel.bind, optMap and sortBy of its
// extensions.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

#include "cel/ast_builder.h"
#include "cel/source.h"

namespace kumiko::cel {

struct ParseOptions {
  bool macros = true;
  bool two_variable_macros = true;
  bool list_macros = true;      // sortBy
  bool optional_syntax = true;  // a.?b, a[?b], [?a], optMap
};

// What the call stands for; nullopt when it is no macro. `operand` is kNoExpr for a global call.
std::optional<tl::expected<ExprId, SourceError>> ExpandMacro(AstBuilder& builder, const ParseOptions& options,
                                                             std::string_view name, ExprId operand,
                                                             std::span<const ExprId> args, const Extent& at);

}  // namespace kumiko::cel
