#include "localcluster/controllers/work_list.h"

#include <utility>

namespace kumiko::localcluster {

void WorkList::AddAt(const kube::ObjectKey& key, Time time) {
  const auto [found, added] = times_.emplace(key, time);
  if (!added) {
    if (found->second <= time) return;
    by_time_.erase({found->second, key});
    found->second = time;
  }
  by_time_.emplace(time, key);
}

bool WorkList::Run(std::string_view controller, Time now,
                   const std::function<void(const kube::ObjectKey&, StepResult&)>& reconcile) {
  while (!by_time_.empty() && by_time_.begin()->first <= now) {
    const auto first = by_time_.begin();
    due_.insert(first->second);
    times_.erase(first->second);
    by_time_.erase(first);
  }
  bool changed = false;
  for (const kube::ObjectKey& key : std::exchange(due_, {})) {
    StepResult result(controller);
    reconcile(key, result);
    changed |= result.changed();
    if (result.again()) due_.insert(key);
  }
  return changed;
}

std::optional<Time> WorkList::NextWake() const {
  if (by_time_.empty()) return std::nullopt;
  return by_time_.begin()->first;
}

}  // namespace kumiko::localcluster
