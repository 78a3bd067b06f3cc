// One entry of `gpus` in a board file.
#pragma once

#include <vector>

#include "base/result.h"
#include "fakenvml/install/board_file.h"
#include "fakenvml/install/tree_reader.h"

namespace kumiko::fakenvml {

// `first`: how many boards the entries before it have made. Places and fabric are the caller's.
Result<std::vector<BoardSetup>> ReadGpuEntry(const TreeNode& entry, unsigned first);

// "7b968a6d-c8aa-45e1-9e07-e1e51be99c31" as bytes; nothing when it is no UUID.
std::optional<Uuid> ParseUuid(std::string_view text);

}  // namespace kumiko::fakenvml
