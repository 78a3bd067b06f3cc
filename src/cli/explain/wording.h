// What is asked for, in the words of explanations.
#pragma once

#include <string>
#include <vector>

#include "api/core/types.h"
#include "cli/explain/subject.h"

namespace kumiko::cli {

// One line a request: "8 × gpu.nvidia.com where …, on one node (claim train-gpus, request gpus)"; then cpu and memory,
// and the labels that the pod wants of its node.
std::vector<std::string> AskedLines(const Subject& subject);

// The request ("req" or "req/sub") of the claim ("ns/name"); null when there is none.
const api::DeviceSubRequest* FindRequest(const std::vector<const api::ResourceClaim*>& claims, const std::string& claim,
                                         const std::string& request);
// "H100 GPUs", "3g.40gb part", "devices of class x.example.com".
std::string NounFor(const api::DeviceSubRequest& request, bool many);

// "gpu-0 on node-1: 1g.10gb, 9.5 GiB, slot 3, uuid …", one line for each device that the claims have.
std::vector<std::string> HoldsLines(const Subject& subject);

}  // namespace kumiko::cli
