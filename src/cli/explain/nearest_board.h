// The boards on which parts that are asked for come nearest to fitting, and what is in their way.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "cli/explain/holders.h"
#include "cli/explain/node_place.h"
#include "cli/explain/subject.h"
#include "report/explanation.h"

namespace kumiko::cli {

// At most one board a node, of two nodes; none when what is missing is not room on a board.
std::vector<report::NearestBoard> NearestBoards(const Subject& subject, const NodePlace& place, const Holders& holders);

struct SlotCount {
  std::size_t free = 0;
  std::size_t total = 0;
};
// Of all healthy boards with slots on the nodes.
SlotCount CountSlots(const localcluster::ClusterModel& model, const std::vector<std::string>& nodes,
                     const Holders& holders);

}  // namespace kumiko::cli
