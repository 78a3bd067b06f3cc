#include "cli/explain/wording.h"

#include <fmt/format.h>

#include "base/text.h"
#include "cli/explain/node_place.h"
#include "cli/selector_text.h"
#include "gpu/device_classes.h"
#include "gpu/layout.h"
#include "localcluster/node_fit.h"
#include "report/text.h"

namespace kumiko::cli {
namespace {

std::string RequestText(const api::DeviceSubRequest& request) {
  std::string text = request.allocation_mode == api::kAll ? "every " : fmt::format("{} × ", request.count);
  text += request.device_class_name;
  std::string_view word = " where ";
  for (const api::DeviceSelector& selector : request.selectors) {
    if (!selector.cel) continue;
    text += word;
    text += selector.cel->expression;
    word = " and ";
  }
  if (request.capacity) {
    for (const auto& [name, amount] : request.capacity->requests) {
      text += fmt::format(" with {} of {}", amount.ToString(), name);
    }
  }
  return text;
}

std::string HostText(const api::Pod& pod) {
  using localcluster::NodeRefusal;
  const localcluster::NodeUse use = localcluster::RequestsOf(pod);
  std::vector<std::string> parts;
  if (use.cpu_milli > 0) parts.push_back(AmountText({.reason = NodeRefusal::Reason::kCpu}, use.cpu_milli) + " cpu");
  if (use.memory_bytes > 0) {
    parts.push_back(AmountText({.reason = NodeRefusal::Reason::kMemory}, use.memory_bytes) + " memory");
  }
  for (const auto& [key, value] : pod.spec.node_selector) parts.push_back(fmt::format("label {}={}", key, value));
  return Join(parts, ", ");
}

const api::ResourceSlice* SliceOf(const localcluster::ClusterModel& model, const allocator::DeviceId& id,
                                  const api::Device*& device) {
  for (const auto& [key, slice] : model.slices()) {
    if (slice->spec.driver != id.driver || slice->spec.pool.name != id.pool) continue;
    for (const api::Device& candidate : slice->spec.devices) {
      if (candidate.name != id.device) continue;
      device = &candidate;
      return slice.get();
    }
  }
  return nullptr;
}

std::string HeldText(const localcluster::ClusterModel& model, const allocator::DeviceId& id) {
  const api::Device* device = nullptr;
  const api::ResourceSlice* slice = SliceOf(model, id, device);
  if (slice == nullptr) return allocator::ToString(id) + ", which is not published any more";
  std::vector<std::string> facts;
  const auto text_of = [&](const char* name) {
    const auto found = device->attributes.find(name);
    return found == device->attributes.end() ? "" : found->second.string_value.value_or("");
  };
  const auto add = [&](const char* what, const std::string& text) {
    if (!text.empty()) facts.push_back(what + text);
  };
  add("", text_of("profile"));
  add("", text_of("productName"));
  if (const auto memory = device->capacity.find("memory"); memory != device->capacity.end()) {
    facts.push_back(report::BinarySize(memory->second.value.Value()));
  }
  const auto slots = gpu::SlotsOf(*device);
  if (slots && !text_of("profile").empty()) {
    facts.push_back(slots->size == 1 ? fmt::format("slot {}", slots->start)
                                     : fmt::format("slots {} to {}", slots->start, slots->start + slots->size - 1));
  }
  add("uuid ", text_of("uuid"));
  add("PCIe root ", text_of("resource.kubernetes.io/pcieRoot"));
  const std::string node = slice->spec.node_name.value_or(device->node_name.value_or(id.pool));
  const std::string where = fmt::format("{} on {}", device->name, node);
  return facts.empty() ? where : where + ": " + Join(facts, ", ");
}

}  // namespace

std::vector<std::string> AskedLines(const Subject& subject) {
  std::vector<std::string> lines;
  for (const auto& claim : subject.claims) {
    for (const api::DeviceRequest& request : claim->spec.devices.requests) {
      std::vector<std::string> alternatives;
      if (request.exactly) alternatives.push_back(RequestText(*request.exactly));
      for (const api::DeviceSubRequest& sub : request.first_available) alternatives.push_back(RequestText(sub));
      std::string line = Join(alternatives, ", else ");
      if (request.exactly && request.exactly->count > 1) line += ", on one node";
      if (subject.pod != nullptr) line += fmt::format(" (claim {}, request {})", claim->metadata.name, request.name);
      lines.push_back(std::move(line));
    }
    for (const api::DeviceConstraint& constraint : claim->spec.devices.constraints) {
      const auto& attribute = constraint.match_attribute ? constraint.match_attribute : constraint.distinct_attribute;
      if (!attribute) continue;
      lines.push_back(fmt::format("{} {} of {}", constraint.match_attribute ? "the same" : "different", *attribute,
                                  constraint.requests.empty() ? "all" : Join(constraint.requests, ", ")));
    }
  }
  if (subject.pod != nullptr) {
    std::string host = HostText(*subject.pod);
    if (!host.empty()) lines.push_back(std::move(host));
  }
  return lines;
}

const api::DeviceSubRequest* FindRequest(const std::vector<const api::ResourceClaim*>& claims, const std::string& claim,
                                         const std::string& request) {
  for (const auto* candidate : claims) {
    if (api::QualifiedName(candidate->metadata) != claim) continue;
    for (const api::DeviceRequest& one : candidate->spec.devices.requests) {
      if (one.exactly && one.name == request) return &*one.exactly;
      for (const api::DeviceSubRequest& sub : one.first_available) {
        if (one.name + "/" + sub.name == request) return &sub;
      }
    }
  }
  return nullptr;
}

std::string NounFor(const api::DeviceSubRequest& request, bool many) {
  std::string names;
  for (const api::DeviceSelector& selector : request.selectors) {
    if (!selector.cel) continue;
    for (const std::string& conjunct : Conjuncts(selector.cel->expression)) {
      const Wording wording = ShortForm(conjunct);
      if (wording.names) names += wording.text + " ";
    }
  }
  const char* end = many ? "s" : "";
  if (request.device_class_name == gpu::kGpuClass) return fmt::format("{}GPU{}", names, end);
  if (request.device_class_name == gpu::kMigClass) return fmt::format("{}part{}", names, end);
  if (request.device_class_name == gpu::kGpuOrPartClass) return fmt::format("{}GPU{} or part{}", names, end, end);
  return fmt::format("{}device{} of class {}", names, end, request.device_class_name);
}

std::vector<std::string> HoldsLines(const Subject& subject) {
  std::vector<std::string> lines;
  for (const auto& claim : subject.claims) {
    if (!claim->status.allocation) continue;
    for (const auto& result : claim->status.allocation->devices.results) {
      lines.push_back(HeldText(*subject.model, {result.driver, result.pool, result.device}));
    }
  }
  return lines;
}

}  // namespace kumiko::cli
