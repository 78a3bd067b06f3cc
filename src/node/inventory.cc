#include "node/inventory.h"

#include <memory>
#include <utility>

#include "gpu/driver_root.h"
#include "gpu/nvml/board_reader.h"
#include "gpu/nvml/library.h"

namespace kumiko::node {

const gpu::BoardInstance* Inventory::FindWhole(std::string_view device) const {
  for (const gpu::BoardInstance& board : boards) {
    if (gpu::DeviceName(board.minor) == device) return &board;
  }
  return nullptr;
}

Result<Inventory> ReadInventory(const DriverPlaces& places) {
  KU_TRY(const std::string library, gpu::FindDriverLibrary(places.driver_root));
  KU_TRY(const std::unique_ptr<gpu::Nvml> nvml, gpu::Nvml::Open(library));
  KU_TRY(const std::string driver_version, nvml->DriverVersion());
  KU_TRY(gpu::FoundBoards found, gpu::ReadBoards(*nvml, places.system_root));
  KU_TRY(const CdiEdits edits, CommonEdits(places, driver_version));
  return Inventory{places, std::move(found.boards), WriteCommonEdits(edits), std::move(found.left_out)};
}

}  // namespace kumiko::node
