// Which parts of the device a piece of an expression reads, seen from its syntax tree.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cel/checker.h"
#include "cel/expression.h"
#include "cel/program.h"

namespace kumiko::cel {

// The variable `device` of the DRA environment.
bool IsDevice(const CheckedAst& checked, ExprId id);

// device.attributes or device.capacity.
std::optional<AttributeKey::Map> AsDomains(const CheckedAst& checked, ExprId id);
// One domain of them, by a constant name; the id of the key is empty.
std::optional<AttributeKey> AsDomain(const CheckedAst& checked, ExprId id);
// One attribute or capacity by constant names: also inside has() and behind `.?` and `[?`.
std::optional<AttributeKey> AsEntry(const CheckedAst& checked, ExprId id);

// Everything read below `root`, sorted, each once; nullopt when that is not known from the text.
std::optional<std::vector<AttributeKey>> KeysRead(const CheckedAst& checked, ExprId root);
// The one key that the conjunct reads and what it wants of it; nullopt when it reads none or several.
std::optional<Reading> ReadingOf(const CheckedAst& checked, ExprId root);

}  // namespace kumiko::cel
