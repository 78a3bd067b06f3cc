// The board file: which boards a simulated machine has. YAML, in the form of a node of a cluster file:
//
//   driverVersion: 580.95.05
//   cudaVersion: "13.0"
//   topology: {numa: 2, pcieRoots: 4, nvlink: true}     or a node type such as p5.48xlarge
//   fabric: {clusterUuid: 7b968a6d-c8aa-45e1-9e07-e1e51be99c31, cliqueId: 1}
//   delaysMs: {nvmlGpuInstanceDestroy: 1000}
//   gpus:
//   - {model: H100, count: 8, mig: dynamic}
//
// Of an entry of `gpus`: `mig` is off (the default), dynamic (MIG mode on where it needs a reset, else off and ready),
// a list of profiles that are cut already, or unsupported. `uuids`, `pciBusIds` (one for each of count), `firstMinor`,
// `memoryMiB`, `productName`, `brand`, `architecture`, `computeCapability`, `pciDeviceId`, `multiprocessors`,
// `virtualization` (none, passthrough, guest, host, vsga) and `addressingMode` (none, hmm, ats) replace what the tables
// say. `board: GH200-96GB` instead of `model` takes a MIG board that no model of the tables has.
//
// A board with a number that nobody has published is refused, naming profile and field, unless `profiles` gives it:
//   profiles: {3g.72gb: {memoryMiB: 71040}}
//
// A cluster file is taken as well: the boards of one of its nodes.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/yaml.h"
#include "fakenvml/state.h"

namespace kumiko::fakenvml {

struct CutProfile {
  std::uint32_t profile = 0;  // row of Board::profiles
  std::uint32_t start = 0;
};

// Makes the instance, with one compute instance of its full size, on a state where it fits.
void Cut(const Board& board, const CutProfile& cut, GpuState& state);

struct BoardSetup {
  Board board{};
  bool mig_mode = false;
  std::vector<CutProfile> cut;
};

struct BoardFile {
  std::string driver_version = "580.95.05";
  std::uint32_t cuda_version = 13000;
  std::vector<std::pair<std::string, std::uint32_t>> delays_ms;  // function, milliseconds
  std::vector<BoardSetup> boards;
};

// `node`: which node of a cluster file; may be empty for a board file, or when there is one. Errors: kInvalidArgument,
// "FILE:LINE:COL: field: message".
Result<BoardFile> ReadBoardFile(std::string_view text, std::string_view file_name, std::string_view node);

}  // namespace kumiko::fakenvml
