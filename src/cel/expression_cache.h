// One compiled expression per text, mode and gates, shared by everything that evaluates selectors.
#pragma once

#include <memory>
#include <string_view>

#include "cel/expression.h"

namespace kumiko::cel {

// Thread safe. Failures are values too: a text that does not compile is not compiled again. When `capacity` texts are
// held, those not used for longest make room.
class ExpressionCache {
 public:
  explicit ExpressionCache(std::size_t capacity = 10'000);
  ~ExpressionCache();
  ExpressionCache(const ExpressionCache&) = delete;
  ExpressionCache& operator=(const ExpressionCache&) = delete;

  // As Expression::Compile. Options with other limits than the default ones must not be mixed in one cache.
  Result<Expression> Get(std::string_view text, const CompileOptions& options = {});
  std::size_t size() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace kumiko::cel
