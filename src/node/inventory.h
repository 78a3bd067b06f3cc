// The GPUs that this node can give out, and what goes into every container with them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "gpu/slices.h"
#include "node/driver_files.h"

namespace kumiko::node {

struct Inventory {
  DriverPlaces places;
  std::vector<gpu::BoardInstance> boards;  // by minor
  std::string common_edits;                // as WriteCommonEdits has them
  std::vector<std::string> left_out;       // see gpu::FoundBoards

  // Null when there is no such whole GPU.
  const gpu::BoardInstance* FindWhole(std::string_view device) const;
};

// Loads the driver's library below the driver root, asks it for the GPUs and lets go of it. Errors: kNotFound where no
// driver is installed yet, those of the library.
Result<Inventory> ReadInventory(const DriverPlaces& places);

}  // namespace kumiko::node
