#include "cel/checker.h"

#include <gtest/gtest.h>

#include <sstream>
#include <string>

#include "base/files.h"
#include "cel/expression.h"

namespace kumiko::cel {
namespace {

TEST(Checker, SaysWhatTheReferenceSays) {
  const auto text = ReadFile(std::string(KUMIKO_SOURCE_DIR) + "/src/cel/testdata/type_errors.txt");
  ASSERT_TRUE(text);
  std::istringstream lines(*text);
  std::string expression;
  std::string wanted;
  int checked = 0;
  const auto check = [&] {
    if (expression.empty()) return;
    const auto compiled = Expression::Compile(expression);
    EXPECT_EQ(compiled ? "ok " + compiled->output_type() : compiled.error().message, wanted) << expression;
    ++checked;
  };
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("#") || line.empty()) continue;
    if (line.starts_with("> ")) {
      check();
      expression = line.substr(2);
      wanted.clear();
    } else {
      wanted += (wanted.empty() ? "" : "\n") + line;
    }
  }
  check();
  EXPECT_GT(checked, 80);
}

}  // namespace
}  // namespace kumiko::cel
