// Whether something that fits nowhere can ever start, and what it lacks.
#pragma once

#include <string>

#include "cli/explain/holders.h"
#include "cli/explain/node_place.h"
#include "cli/explain/subject.h"
#include "report/explanation.h"

namespace kumiko::cli {

struct Judgement {
  report::Verdict verdict = report::Verdict::kWaitingForRoom;
  std::string because;
};

// For a subject that has room nowhere; `place` says so. What is in use, cordons and taints pass; labels, selectors, and
// what the cluster has do not.
Judgement Judge(const Subject& subject, const NodePlace& place, const Holders& holders);

}  // namespace kumiko::cli
