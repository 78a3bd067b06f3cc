#include "base/check.h"

#include <cstdio>
#include <cstdlib>

namespace kumiko::internal {

CheckFailure::CheckFailure(const char* condition, const char* file, int line) {
  stream_ << file << ':' << line << ": check failed: " << condition << ' ';
}

CheckFailure::~CheckFailure() {
  std::fprintf(stderr, "%s\n", stream_.str().c_str());
  std::abort();
}

}  // namespace kumiko::internal
