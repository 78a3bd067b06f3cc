// Which objects a controller must look at: because something about them has changed, or because their time has come.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string_view>

#include "base/time.h"
#include "kube/api_client.h"
#include "localcluster/controllers/step_result.h"

namespace kumiko::localcluster {

// Owned by the stepping thread.
class WorkList {
 public:
  // To be looked at in the next Run.
  void Add(const kube::ObjectKey& key) { due_.insert(key); }
  // To be looked at from `time` on; of several times the earliest counts.
  void AddAt(const kube::ObjectKey& key, Time time);

  // Calls `reconcile` once for everything that is due, in the order of keys. What it could not finish
  // (StepResult::again) stays due. Returns whether anything was done.
  bool Run(std::string_view controller, Time now,
           const std::function<void(const kube::ObjectKey&, StepResult&)>& reconcile);

  // When time alone makes the next thing due.
  std::optional<Time> NextWake() const;

 private:
  std::set<kube::ObjectKey> due_;
  std::map<kube::ObjectKey, Time> times_;
  std::set<std::pair<Time, kube::ObjectKey>> by_time_;
};

}  // namespace kumiko::localcluster
