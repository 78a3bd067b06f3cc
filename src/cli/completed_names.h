// Names for completion, from the kubeconfig and the cluster behind it.
#pragma once

#include <string>
#include <vector>

#include "cli/completed_words.h"

namespace kumiko::cli {

// Some hundred at most, and none when the cluster cannot be asked: somebody is typing. Takes a few seconds at most.
std::vector<std::string> NamesFor(const NameQuestion& question);

}  // namespace kumiko::cli
