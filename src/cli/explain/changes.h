// What would help, and what would not: every line is tried with the allocator on the same snapshot before it is said.
#pragma once

#include <optional>
#include <vector>

#include "base/time.h"
#include "cli/explain/holders.h"
#include "cli/explain/node_place.h"
#include "cli/explain/subject.h"
#include "report/explanation.h"

namespace kumiko::cli {

struct Advice {
  std::vector<report::CheckedChange> changes;  // at most five, cheapest for the owner first
  // Who has to end first, where that helps: any one of them, or all.
  std::vector<Holder> wait_for;
  bool wait_for_all = false;
  std::string wait_on;  // the node
};

// For a subject that fits nowhere now. `could_ever`: in a cluster where nothing is in use it would fit.
Advice Advise(const Subject& subject, const NodePlace& place, const Holders& holders, bool could_ever);

}  // namespace kumiko::cli
