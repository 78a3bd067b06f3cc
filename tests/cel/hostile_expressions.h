// Expressions that nobody means well with, by the way in which they are expensive. Compiling one and running it must
// end soon, whatever the result.
#pragma once

#include <string>
#include <vector>

namespace kumiko::cel {

struct HostileExpression {
  std::string name;
  std::string text;
};

std::vector<HostileExpression> HostileExpressions();

}  // namespace kumiko::cel
