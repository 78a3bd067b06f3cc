// A GPU drawn as a strip of 25 cells: a border, then 24 cells shared among the board's memory slots, the last cell of
// each part being its border.
//
//   │3g.40gb    │2g.20│1g│··│   partitioned, one slot free
//   │█ ml/train-0           │   whole, in use
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "report/style.h"

namespace kumiko::report {

inline constexpr std::size_t kStripCells = 25;

enum class PartState {
  kFree,         // ·
  kUnreachable,  // ▒ free, but no profile of the board can use it now
  kPart,         // a partition in use
  kWhole,        // █ the whole GPU in use
  kUnhealthy,    // !
};

struct StripPart {
  int start = 0;  // first slot
  int size = 1;   // slots
  PartState state = PartState::kPart;
  std::vector<std::string> labels;  // longest first; the first that fits is drawn. Unused for free slots
};

struct Strip {
  int slots = 1;                 // 1 to 24; a board without partitions has 1
  std::vector<StripPart> parts;  // by start, not overlapping; slots without a part are free
};

// The labels of a profile: "3g.40gb", "3g.40", "3g".
std::vector<std::string> ProfileLabels(std::string_view profile);

std::string Draw(const Strip& strip, const Style& style);

// The same in ten cells, for several boards a line: the first cell of a part shows its size, its others "-". Told
// apart without colour and without Unicode.
//
//   [3---2-1.]   partitioned, one slot free      [========]   whole, in use
std::string DrawCompact(const Strip& strip, const Style& style);

}  // namespace kumiko::report
