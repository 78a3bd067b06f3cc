// nvidia-smi of a simulated driver: the few things that the node driver and its tests ask of the real one.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fakenvml/smi/calls.h"
#include "fakenvml/smi/listings.h"

namespace {

using kumiko::fakenvml::Calls;

constexpr const char* kUsage =
    "nvidia-smi -L | -q | --version | -c MODE | -pm 0|1 | mig -lgip|-lgi | compute-policy --set-timeslice 0..3|--list\n"
    "    [-i INDEX|UUID|PCI,...]\n";

struct Request {
  std::vector<std::string> words;
  std::vector<std::string> chosen;  // of -i; empty: all
};

Request Read(int count, char** arguments) {
  Request request;
  for (int i = 1; i < count; ++i) {
    const std::string_view word = arguments[i];
    const bool is_id = word == "-i" || word == "--id" || word.starts_with("--id=");
    if (!is_id) {
      request.words.emplace_back(word);
      continue;
    }
    std::string_view list = word.starts_with("--id=") ? word.substr(5) : i + 1 < count ? arguments[++i] : "";
    while (!list.empty()) {
      const std::size_t comma = std::min(list.find(','), list.size());
      request.chosen.emplace_back(list.substr(0, comma));
      list.remove_prefix(std::min(comma + 1, list.size()));
    }
  }
  return request;
}

nvmlReturn_t Choose(const Calls& nvml, const Request& request, std::vector<nvmlDevice_t>& gpus) {
  if (request.chosen.empty()) {
    gpus = nvml.Gpus();
    return NVML_SUCCESS;
  }
  for (const std::string& id : request.chosen) {
    nvmlDevice_t gpu = nullptr;
    nvmlReturn_t found = NVML_ERROR_NOT_FOUND;
    if (id.starts_with("GPU-")) {
      found = nvml("nvmlDeviceGetHandleByUUID", id.c_str(), &gpu);
    } else if (id.find(':') != std::string::npos) {
      found = nvml("nvmlDeviceGetHandleByPciBusId_v2", id.c_str(), &gpu);
    } else if (!id.empty() && id.find_first_not_of("0123456789") == std::string::npos) {
      found = nvml("nvmlDeviceGetHandleByIndex_v2", static_cast<unsigned>(atoi(id.c_str())), &gpu);
    }
    if (found != NVML_SUCCESS) {
      printf("No devices were found: %s: %s\n", id.c_str(), nvml.Text(found));
      return found == NVML_ERROR_INVALID_ARGUMENT ? NVML_ERROR_NOT_FOUND : found;
    }
    gpus.push_back(gpu);
  }
  return NVML_SUCCESS;
}

std::optional<unsigned> ComputeMode(std::string_view text) {
  if (text == "0" || text == "DEFAULT") return 0;
  if (text == "2" || text == "PROHIBITED") return 2;
  if (text == "3" || text == "EXCLUSIVE_PROCESS") return 3;
  return std::nullopt;
}

// Sets something on each GPU; the first failure ends it.
nvmlReturn_t Set(const Calls& nvml, const std::vector<nvmlDevice_t>& gpus, const char* function, const char* what,
                 unsigned value) {
  for (const nvmlDevice_t gpu : gpus) {
    const nvmlReturn_t result = nvml(function, gpu, value);
    if (result != NVML_SUCCESS) {
      printf("Unable to set %s for GPU %s: %s\n", what, nvml.BusId(gpu).c_str(), nvml.Text(result));
      return result;
    }
    printf("Set %s to %u for GPU %s.\n", what, value, nvml.BusId(gpu).c_str());
  }
  return NVML_SUCCESS;
}

nvmlReturn_t Usage() {
  fputs(kUsage, stderr);
  return NVML_ERROR_INVALID_ARGUMENT;
}

nvmlReturn_t Run(const Calls& nvml, const Request& request) {
  std::vector<nvmlDevice_t> gpus;
  if (const nvmlReturn_t chosen = Choose(nvml, request, gpus); chosen != NVML_SUCCESS) return chosen;
  const std::vector<std::string>& words = request.words;
  const auto is = [&](std::string_view first, std::size_t size) { return words.size() == size && words[0] == first; };
  const auto digit = [&](std::size_t word, unsigned most) {
    const std::string& text = words[word];
    return text.size() == 1 && text[0] >= '0' && text[0] <= static_cast<char>('0' + most);
  };
  if (is("-L", 1) || is("--list-gpus", 1)) {
    ListDevices(nvml, gpus);
    return NVML_SUCCESS;
  }
  if (is("-q", 1) || is("--query", 1)) {
    PrintQuery(nvml, gpus);
    return NVML_SUCCESS;
  }
  if (is("--version", 1)) {
    printf("NVIDIA-SMI version  : %s (simulated)\nDRIVER version      : %s\n", nvml.DriverVersion().c_str(),
           nvml.DriverVersion().c_str());
    return NVML_SUCCESS;
  }
  if (is("mig", 2) && words[1] == "-lgip") return ListProfiles(nvml, gpus);
  if (is("mig", 2) && words[1] == "-lgi") return ListInstances(nvml, gpus);
  if (is("-c", 2) && ComputeMode(words[1])) {
    return Set(nvml, gpus, "nvmlDeviceSetComputeMode", "compute mode", *ComputeMode(words[1]));
  }
  if (is("-pm", 2) && digit(1, 1)) {
    return Set(nvml, gpus, "nvmlDeviceSetPersistenceMode", "persistence mode", words[1] == "1" ? 1 : 0);
  }
  if (is("compute-policy", 3) && words[1] == "--set-timeslice" && digit(2, 3)) {
    return Set(nvml, gpus, "nvmlFakeSetTimeslice", "timeslice", static_cast<unsigned>(words[2][0] - '0'));
  }
  if (is("compute-policy", 2) && (words[1] == "--list" || words[1] == "-l")) {
    kumiko::fakenvml::ListTimeslices(nvml, gpus);
    return NVML_SUCCESS;
  }
  return Usage();
}

}  // namespace

// The exit status is NVML's code, as with the real program.
int main(int argc, char** argv) {
  const Request request = Read(argc, argv);
  if (request.words.empty()) return static_cast<int>(Usage());
  const Calls nvml;
  if (!nvml) {
    fputs("NVIDIA-SMI couldn't find libnvidia-ml.so library in your system.\n", stderr);
    return NVML_ERROR_LIBRARY_NOT_FOUND;
  }
  nvmlReturn_t result = nvml("nvmlInit_v2");
  if (result == NVML_ERROR_NOT_FOUND) {
    puts("No devices were found");
    return static_cast<int>(result);
  }
  if (result != NVML_SUCCESS) {
    printf("NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver: %s\n", nvml.Text(result));
    return static_cast<int>(result);
  }
  result = Run(nvml, request);
  nvml("nvmlShutdown");
  return static_cast<int>(result);
}
