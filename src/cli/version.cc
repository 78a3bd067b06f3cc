#include "cli/version.h"

namespace kumiko::cli {

std::string VersionLine() {
  return std::string("kumiko ") + KUMIKO_VERSION;
}

}  // namespace kumiko::cli
