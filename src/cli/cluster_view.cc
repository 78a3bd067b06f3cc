#include "cli/cluster_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <vector>

#include "api/apps/types.h"
#include "api/resource/types.h"
#include "base/text.h"
#include "cli/board_strips.h"
#include "cli/selector_text.h"
#include "gpu/boards.h"
#include "kube/typed.h"
#include "localcluster/kubelet.h"
#include "localcluster/pod_devices.h"

namespace kumiko::cli {
namespace {

using localcluster::BoardUse;
using localcluster::ClusterUse;
using localcluster::PodDevice;
using localcluster::PodPlacement;
using BoardKey = std::pair<std::string, std::string>;  // node, board

// Objects of namespace default go by their name alone, as kubectl shows them.
std::string ShownName(const api::ObjectMeta& meta) {
  return meta.namespace_ == "default" ? meta.name : api::QualifiedName(meta);
}

struct Objects {
  ClusterUse use;
  std::map<std::string, std::string> owner_of_replica_set;  // ns/name → "Deployment ns/name"
  std::map<std::string, api::ResourceClaim> claims;         // ns/name
  std::map<std::string, api::ResourceClaimTemplate> templates;
};

Result<Objects> Read(kube::ApiClient& api) {
  Objects objects;
  KU_TRY(objects.use, localcluster::ReadUse(api));
  KU_TRY(const auto sets, kube::List<api::ReplicaSet>(api));
  for (const api::ReplicaSet& set : sets) {
    const api::OwnerReference* owner = api::ControllerOf(set.metadata);
    if (owner == nullptr) continue;
    objects.owner_of_replica_set[api::QualifiedName(set.metadata)] =
        fmt::format("{} {}/{}", owner->kind, set.metadata.namespace_, owner->name);
  }
  KU_TRY(auto claims, kube::List<api::ResourceClaim>(api));
  for (api::ResourceClaim& claim : claims) objects.claims[api::QualifiedName(claim.metadata)] = std::move(claim);
  KU_TRY(auto templates, kube::List<api::ResourceClaimTemplate>(api));
  for (auto& item : templates) objects.templates[api::QualifiedName(item.metadata)] = std::move(item);
  return objects;
}

std::string OwnerOf(const api::Pod& pod, const Objects& objects) {
  const api::OwnerReference* owner = api::ControllerOf(pod.metadata);
  if (owner == nullptr) return "Pod " + api::QualifiedName(pod.metadata);
  const std::string name = pod.metadata.namespace_ + "/" + owner->name;
  if (owner->kind == api::ReplicaSet::kKind) {
    const auto found = objects.owner_of_replica_set.find(name);
    if (found != objects.owner_of_replica_set.end()) return found->second;
  }
  return owner->kind + " " + name;
}

bool Runs(const PodPlacement& placement) {
  return placement.pod.status.phase == "Running";
}

const gpu::Model* ModelOf(const std::string& product_name) {
  const auto model = gpu::FindModel(product_name);
  return model ? *model : nullptr;
}

std::int64_t MemoryOf(const PodDevice& device) {
  const gpu::Model* model = device.shape.profile.empty() ? ModelOf(device.model) : nullptr;
  return model != nullptr ? model->memory_bytes : device.shape.memory_bytes;
}

std::int64_t MultiprocessorsOf(const PodDevice& device) {
  const gpu::Model* model = device.shape.profile.empty() ? ModelOf(device.model) : nullptr;
  return model != nullptr ? model->multiprocessors : device.shape.multiprocessors;
}

Work OwnWork(const PodPlacement& placement) {
  Work work;
  for (const PodDevice& device : placement.devices) {
    work.memory_bytes += MemoryOf(device);
    work.multiprocessors += MultiprocessorsOf(device);
  }
  const auto& annotations = placement.pod.metadata.annotations;
  if (const auto memory = annotations.find(localcluster::kGpuMemoryUsedAnnotation); memory != annotations.end()) {
    const auto used = Quantity::Parse(memory->second);
    if (used) work.memory_bytes = std::min(work.memory_bytes, used->Value());
  }
  if (const auto util = annotations.find(localcluster::kGpuUtilAnnotation); util != annotations.end()) {
    const auto percent = ParseInt64(util->second);
    if (percent) work.multiprocessors = work.multiprocessors * std::clamp<std::int64_t>(*percent, 0, 100) / 100;
  }
  return work;
}

// What is used of every device, each pod's work spread over its devices in proportion to their size.
struct DeviceLoad {
  PodDevice device;
  Work used;
  std::vector<std::string> pods;
};
using Loads = std::map<allocator::DeviceId, DeviceLoad>;

std::int64_t Share(std::int64_t whole, std::int64_t part, std::int64_t total) {
  if (total <= 0) return 0;
  // Both factors may be sizes in bytes: their product leaves 64 bits.
  __extension__ using Wide = __int128;
  return static_cast<std::int64_t>(static_cast<Wide>(whole) * part / total);
}

Loads LoadsOf(const Objects& objects, const WorkByOwner& known) {
  Loads loads;
  for (const PodPlacement& placement : objects.use.pods) {
    if (!Runs(placement) || placement.devices.empty()) continue;
    const auto override_ = known.find(OwnerOf(placement.pod, objects));
    const Work work = override_ != known.end() ? override_->second : OwnWork(placement);
    Work size;
    for (const PodDevice& device : placement.devices) {
      size.memory_bytes += MemoryOf(device);
      size.multiprocessors += MultiprocessorsOf(device);
    }
    for (const PodDevice& device : placement.devices) {
      DeviceLoad& load = loads[device.id];
      load.device = device;
      load.pods.push_back(ShownName(placement.pod.metadata));
      const Work room{MemoryOf(device) - load.used.memory_bytes, MultiprocessorsOf(device) - load.used.multiprocessors};
      const std::int64_t memory = Share(work.memory_bytes, MemoryOf(device), size.memory_bytes);
      const std::int64_t compute = Share(work.multiprocessors, MultiprocessorsOf(device), size.multiprocessors);
      load.used.memory_bytes += std::min(memory, room.memory_bytes);
      load.used.multiprocessors += std::min(compute, room.multiprocessors);
    }
  }
  return loads;
}

std::string AsksOf(const api::Pod& pod, const Objects& objects) {
  std::vector<std::string> asks;
  for (const api::PodResourceClaim& entry : pod.spec.resource_claims) {
    if (entry.resource_claim_name) {
      const auto claim = objects.claims.find(pod.metadata.namespace_ + "/" + *entry.resource_claim_name);
      if (claim != objects.claims.end()) asks.push_back(AskedFor(claim->second.spec.devices));
    } else if (entry.resource_claim_template_name) {
      const auto item = objects.templates.find(pod.metadata.namespace_ + "/" + *entry.resource_claim_template_name);
      if (item != objects.templates.end()) asks.push_back(AskedFor(item->second.spec.spec.devices));
    }
  }
  return Join(asks, "; ");
}

report::PlacedPod PlacedRow(const PodPlacement& placement, const Objects& objects) {
  report::PlacedPod row;
  row.name = ShownName(placement.pod.metadata);
  row.asks = AsksOf(placement.pod, objects);
  row.node = placement.pod.spec.node_name;
  std::vector<std::string> devices;
  std::vector<std::string> profiles;
  for (const PodDevice& device : placement.devices) {
    devices.push_back(device.id.device);
    const std::string profile = device.shape.profile.empty() ? "whole" : device.shape.profile;
    if (std::find(profiles.begin(), profiles.end(), profile) == profiles.end()) profiles.push_back(profile);
  }
  row.devices = Join(devices, " ");
  row.profiles = Join(profiles, " ");
  return row;
}

std::string ReasonOf(const api::Pod& pod) {
  for (const api::Condition& condition : pod.status.conditions) {
    if (condition.type == "PodScheduled" && condition.status == "False") return condition.message;
  }
  return pod.spec.node_name.empty() ? "not looked at yet" : "bound to " + pod.spec.node_name + ", not running yet";
}

void AddWaiting(const PodPlacement& placement, const Objects& objects,
                std::set<std::pair<std::string, std::string>>& seen, report::PlacementPage& page) {
  const std::string reason = ReasonOf(placement.pod);
  const auto key = std::make_pair(OwnerOf(placement.pod, objects), reason);
  if (!seen.insert(key).second) {
    for (report::WaitingPods& waiting : page.waiting) {
      if (waiting.owner == key.first && waiting.reason == reason) ++waiting.others;
    }
    return;
  }
  page.waiting.push_back({.owner = key.first,
                          .name = ShownName(placement.pod.metadata),
                          .others = 0,
                          .asks = AsksOf(placement.pod, objects),
                          .reason = reason});
}

void AddFinished(const api::Pod& pod, report::PlacementPage& page) {
  if (pod.status.phase == "Succeeded") {
    ++page.pods_succeeded;
    return;
  }
  std::vector<std::string> words;
  for (const std::string& word : {pod.status.reason, pod.status.message}) {
    if (!word.empty()) words.push_back(word);
  }
  if (words.empty()) {
    const auto code = pod.metadata.annotations.find(localcluster::kExitCodeAnnotation);
    words.push_back(code == pod.metadata.annotations.end() ? "ended with an error" : "exit code " + code->second);
  }
  page.failed.push_back({ShownName(pod.metadata), Join(words, ": ")});
}

}  // namespace

Result<WorkByOwner> WorkOf(kube::ApiClient& api) {
  KU_TRY(const Objects objects, Read(api));
  std::map<std::string, std::pair<Work, std::int64_t>> sums;
  for (const PodPlacement& placement : objects.use.pods) {
    if (!Runs(placement) || placement.devices.empty()) continue;
    const Work work = OwnWork(placement);
    auto& [sum, pods] = sums[OwnerOf(placement.pod, objects)];
    sum.memory_bytes += work.memory_bytes;
    sum.multiprocessors += work.multiprocessors;
    ++pods;
  }
  WorkByOwner average;
  for (const auto& [owner, entry] : sums) {
    average[owner] = {entry.first.memory_bytes / entry.second, entry.first.multiprocessors / entry.second};
  }
  return average;
}

Result<report::PlacementPage> ViewOf(kube::ApiClient& api, const WorkByOwner& known) {
  KU_TRY(const Objects objects, Read(api));
  const Loads loads = LoadsOf(objects, known);
  report::PlacementPage page;
  std::set<std::pair<std::string, std::string>> seen;
  for (const PodPlacement& placement : objects.use.pods) {
    if (api::IsFinished(placement.pod)) {
      AddFinished(placement.pod, page);
      continue;
    }
    ++page.totals.pods;
    if (Runs(placement)) {
      ++page.totals.pods_running;
      page.pods.push_back(PlacedRow(placement, objects));
    } else {
      AddWaiting(placement, objects, seen, page);
    }
  }

  std::map<BoardKey, report::DrawnGpu> drawn;
  std::map<BoardKey, std::set<std::string>> pods_on;
  std::map<BoardKey, std::vector<HeldDevice>> held;
  for (const auto& [id, load] : loads) {
    const BoardKey key{load.device.node, load.device.shape.board};
    drawn[key].memory_used_bytes += load.used.memory_bytes;
    page.totals.memory_bytes.used += load.used.memory_bytes;
    page.totals.multiprocessors.used += load.used.multiprocessors;
    page.totals.memory_bytes.held += MemoryOf(load.device);
    page.totals.multiprocessors.held += MultiprocessorsOf(load.device);
    pods_on[key].insert(load.pods.begin(), load.pods.end());
    held[key].push_back({id, load.device.shape, load.pods});
  }
  KU_TRY(const BoardStrips strips, BoardStrips::Read(api));
  for (const BoardUse& board : objects.use.boards) {
    const BoardKey key{board.node, board.board};
    report::DrawnGpu gpu = drawn[key];
    gpu.node = board.node;
    gpu.gpu = board.board;
    gpu.model = board.model;
    const gpu::Model* model = ModelOf(board.model);
    gpu.memory_bytes = model != nullptr ? model->memory_bytes : board.memory_bytes;
    gpu.pods = static_cast<int>(pods_on[key].size());
    gpu.strip = strips.Of(board.node, board.board, held[key]);
    ++page.totals.gpus;
    if (!held[key].empty()) ++page.totals.gpus_held;
    page.totals.memory_bytes.total += gpu.memory_bytes;
    if (model != nullptr) page.totals.multiprocessors.total += model->multiprocessors;
    page.gpus.push_back(std::move(gpu));
  }
  return page;
}

}  // namespace kumiko::cli
