// What controllers read from pods: whether they are active, ready, available; which of them goes first. Pure functions.
// Source: pkg/controller/controller_utils.go and pkg/api/v1/pod of Kubernetes 1.37.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "api/core/types.h"
#include "base/time.h"

namespace kumiko::localcluster {

using PodPointer = std::shared_ptr<const api::Pod>;
using Pods = std::vector<PodPointer>;

// Neither ended nor being deleted.
bool IsActive(const api::Pod& pod);
// Being deleted, and not ended.
bool IsTerminating(const api::Pod& pod);
bool IsReady(const api::Pod& pod);

// When a ready pod has been so for `min_ready_seconds`; nothing for one that is not ready.
std::optional<Time> AvailableFrom(const api::Pod& pod, std::int64_t min_ready_seconds);
bool IsAvailable(const api::Pod& pod, std::int64_t min_ready_seconds, Time now);

// Puts the pods that are to be deleted first to the front: those without a node, pending, not ready, of lower
// controller.kubernetes.io/pod-deletion-cost, with more ready pods of the list on their node, ready for a shorter time,
// restarted more often, newer; at last by descending name, so that equal clusters decide equally.
void SortForDeletion(Pods& pods);

}  // namespace kumiko::localcluster
