// `kumiko allocate`: which devices some claims get on each of some nodes, asked and answered as JSON, one case a line.
// The protocol is that of the reference allocator behind tests/allocator/oracle, so that both answer the same file.
#pragma once

#include <iosfwd>

#include "cli/command_line.h"
#include "cli/exit_code.h"

namespace kumiko::cli {

// Cases: cli/allocate_case.h. Answers, one for each, in order: {name, answers: [{node, allocated, results, error,
// onlyThisNode, explanation}], steps, ns, nsMin, nsMedian, explanation}. `results` are AllocationResults of
// resource.k8s.io/v1, one a claim, or null; `onlyThisNode` says that an error tells nothing about other nodes. Nodes
// are decided one by one, each as if the others had taken nothing. Explanations (cli/explanation_json.h) are there when
// asked for: of each node on which the claims do not fit, and, where they fit on none, of all together with `proposal`,
// the smallest change that was found to help. A case that cannot be read is answered {error} and named on `err`;
// reading goes on and the exit code is kBadInput. Claims that fit nowhere are an answer like any other.
//
// `ns` is the time of the first run from the decoded objects to the last decision, less whatever compiling of
// expressions an earlier case has done already; when warm, the decisions alone. Nothing found out in one run (verdicts
// of selectors, failed searches) is kept for the next. `steps` counts the candidates looked at.
ExitCode RunAllocate(const AllocateOptions& options, std::istream& in, std::ostream& out, std::ostream& err);

}  // namespace kumiko::cli
