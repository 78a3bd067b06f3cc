// What nvidia-smi lists, in the form of the real program.
#pragma once

#include <vector>

#include "fakenvml/smi/calls.h"

namespace kumiko::fakenvml {

void ListDevices(const Calls& nvml, const std::vector<nvmlDevice_t>& gpus);            // -L
void PrintQuery(const Calls& nvml, const std::vector<nvmlDevice_t>& gpus);             // -q
nvmlReturn_t ListProfiles(const Calls& nvml, const std::vector<nvmlDevice_t>& gpus);   // mig -lgip
nvmlReturn_t ListInstances(const Calls& nvml, const std::vector<nvmlDevice_t>& gpus);  // mig -lgi
void ListTimeslices(const Calls& nvml, const std::vector<nvmlDevice_t>& gpus);         // compute-policy --list

}  // namespace kumiko::fakenvml
