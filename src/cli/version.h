// `kumiko version`.
#pragma once

#include <string>

namespace kumiko::cli {

// "kumiko 0.1.0": the version of the build.
std::string VersionLine();

}  // namespace kumiko::cli
