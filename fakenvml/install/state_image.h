// Writing a new state file.
#pragma once

#include <string>

#include "base/result.h"
#include "fakenvml/install/board_file.h"

namespace kumiko::fakenvml {

struct StateOptions {
  unsigned root_depth = 3;  // folders between the driver root and the library
  bool plain_devices = false;
  unsigned capability_major = 236;
};

// The whole file appears at once, in the place of one that is there.
Status WriteStateFile(const std::string& path, const BoardFile& boards, const StateOptions& options);

}  // namespace kumiko::fakenvml
