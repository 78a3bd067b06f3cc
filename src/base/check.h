// Assertions about our own code. KU_CHECK stays on in every build: a process with corrupt state must not go on.
#pragma once

#include <sstream>

namespace kumiko::internal {

// Collects the facts streamed to a failed KU_CHECK; aborts when it ends.
class CheckFailure {
 public:
  CheckFailure(const char* condition, const char* file, int line);
  [[noreturn]] ~CheckFailure();
  std::ostream& stream() { return stream_; }

 private:
  std::ostringstream stream_;
};

struct CheckVoidify {
  void operator&(std::ostream&) const {}
};

}  // namespace kumiko::internal

// KU_CHECK(x > 0) << "x is " << x;
#define KU_CHECK(condition)  \
  (condition)                \
      ? static_cast<void>(0) \
      : ::kumiko::internal::CheckVoidify() & ::kumiko::internal::CheckFailure(#condition, __FILE__, __LINE__).stream()
