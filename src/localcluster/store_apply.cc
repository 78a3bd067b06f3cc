// Store::ApplyAll: many manifests as one change.
#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "api/patch/merge_patch.h"
#include "api/patch/strategic_merge.h"
#include "kube/typed.h"
#include "localcluster/admission/admission.h"
#include "localcluster/object_tree.h"
#include "localcluster/service_addresses.h"
#include "localcluster/store.h"
#include "localcluster/store_state.h"

namespace kumiko::localcluster {
namespace {

using Tree = std::shared_ptr<const Json>;

// One manifest on its way into the store.
struct Pending {
  std::size_t manifest = 0;
  ServedKind kind;
  kube::ObjectKey key;
  Json sent;           // of the stored version, not defaulted: the members that the person wrote
  Json fresh;          // what a create would store
  kube::Object found;  // as it is stored
  Tree before;         // null: to be created
  Json after;
};

// "spec.x: message" → its two parts; a message without a path stays whole.
ManifestProblem ProblemOf(std::size_t manifest, const std::string& message) {
  const std::size_t colon = message.find(": ");
  const std::string head = message.substr(0, colon);
  const bool is_path = colon != std::string::npos && head.find(' ') == std::string::npos;
  if (!is_path) return {manifest, "", message};
  return {manifest, head, message.substr(colon + 2)};
}

// Lists of a pod are merged by the names of their items, as kubectl does: admission has added to them.
Json Applied(const ServedKind& kind, const Json& before, const Json& sent) {
  Json after = before;
  if (StringAt(before, {"kind"}) == "Pod") {
    if (auto merged = api::StrategicMerge(before, sent, *api::SchemaOf("", "v1", "Pod"))) after = *std::move(merged);
  } else {
    api::MergePatch(after, sent);
  }
  return PrepareUpdate(kind, before, after, kube::Subresource::kNone);
}

// The cluster as it will be with the manifests.
ClusterReader ReaderOf(Store& store, const std::vector<Pending>& pending) {
  return {.get = [&store, &pending](std::string_view kind, std::string_view name_space, std::string_view name) -> Tree {
            for (const Pending& entry : pending) {
              if (entry.key.kind == kind && entry.key.namespace_ == name_space && entry.key.name == name) {
                return std::make_shared<const Json>(entry.fresh);
              }
            }
            return store.Get({std::string(kind), std::string(name_space), std::string(name)}).value_or(nullptr);
          },
          .list =
              [&store](std::string_view kind) {
                std::vector<Tree> trees;
                const auto list = store.List({std::string(kind), "", ""});
                if (list) std::ranges::transform(list->items, std::back_inserter(trees), &kube::Object::tree);
                return trees;
              }};
}

// What admission and validation have against the manifest, of which `entry.after` is the result.
void Check(Pending& entry, const ClusterReader& cluster, const std::string& suffix,
           std::vector<ManifestProblem>& problems) {
  if (entry.before == nullptr && entry.kind.custom == nullptr) {
    if (const auto admitted = Admit(entry.after, cluster, suffix); !admitted) {
      problems.push_back({entry.manifest, "", admitted.error().message});
      return;
    }
  }
  for (api::FieldError& error : CheckObject(entry.kind, entry.after, entry.before.get())) {
    problems.push_back({entry.manifest, std::move(error.path), std::move(error.message)});
  }
}

std::vector<ManifestProblem> Prepare(const ServedKinds& kinds, std::span<const Json> manifests,
                                     std::vector<Pending>& pending) {
  std::vector<ManifestProblem> problems;
  std::map<kube::ObjectKey, std::size_t> seen;
  for (std::size_t i = 0; i < manifests.size(); ++i) {
    const ServedKind kind = kinds.OfObject(manifests[i]);
    Result<Json> fresh = kind ? PrepareCreate(kind, manifests[i]) : api::ToStored(manifests[i]);
    if (!fresh) {
      problems.push_back(ProblemOf(i, fresh.error().message));
      continue;
    }
    Pending entry{i, kind, kube::KeyOf(*fresh), {}, std::move(*fresh), {}, nullptr, {}};
    if (entry.key.name.empty()) {
      problems.push_back({i, "metadata.name", "Required value: apply finds objects by name"});
      continue;
    }
    if (const auto [other, added] = seen.emplace(entry.key, i); !added) {
      problems.push_back({i, "metadata.name", Describe(entry.key) + " is in these manifests twice"});
      continue;
    }
    entry.sent = ToStored(kind, manifests[i]).value_or(Json());
    pending.push_back(std::move(entry));
  }
  return problems;
}

// Writes what only the store knows; Services get addresses.
void Stamp(std::vector<Pending>& pending, Store::State& state, Time now, std::vector<ManifestProblem>& problems) {
  std::vector<Tree> services = state.AllOf("Service");
  for (Pending& entry : pending) {
    if (entry.before == nullptr) StampCreated(entry.kind, entry.after, RandomUuid(state.random), now);
    if (entry.key.kind != "Service") continue;
    for (api::FieldError& error : AssignAddresses(entry.after, services)) {
      problems.push_back({entry.manifest, std::move(error.path), std::move(error.message)});
    }
    services.push_back(std::make_shared<const Json>(entry.after));
  }
}

bool NamespaceComesAlong(const std::vector<Pending>& pending, const std::string& name) {
  for (const Pending& entry : pending) {
    if (entry.key.kind == "Namespace" && entry.key.name == name) return true;
  }
  return false;
}

}  // namespace

std::vector<ManifestProblem> Store::ApplyAll(std::span<const Json> manifests) {
  std::vector<Pending> pending;
  std::vector<ManifestProblem> problems = Prepare(*kinds_, manifests, pending);

  for (;;) {
    std::set<std::string> namespaces;
    state_->With([&](const State& state) {
      for (Pending& entry : pending) {
        entry.found = state.Find(entry.key);
        const std::string& inside = entry.key.namespace_;
        const kube::Object in = inside.empty() ? kube::Object() : state.Find({"Namespace", "", inside});
        if (in && FindPath(in.outline(), {"metadata", "deletionTimestamp"}) == nullptr) {
          namespaces.insert(entry.key.namespace_);
        }
      }
    });
    for (Pending& entry : pending) {
      entry.before = entry.found.tree();
      const std::string& in = entry.key.namespace_;
      if (!in.empty() && !namespaces.contains(in) && !NamespaceComesAlong(pending, in)) {
        problems.push_back({entry.manifest, "metadata.namespace",
                            "namespace " + in + " does not exist; add a Namespace to the manifests"});
        continue;
      }
      entry.after = entry.before == nullptr ? entry.fresh : Applied(entry.kind, *entry.before, entry.sent);
      const bool draws = entry.before == nullptr && entry.key.kind == "Pod";
      const std::string suffix =
          draws ? state_->With([](State& state) { return RandomSuffix(state.random); }) : std::string();
      Check(entry, ReaderOf(*this, pending), suffix, problems);
    }
    if (!problems.empty()) return problems;

    const Time now = clock_.Now();
    bool wrote = false;
    const bool done = state_->With([&](State& state) {
      for (const Pending& entry : pending) {
        if (state.Find(entry.key) != entry.found) return false;
      }
      Stamp(pending, state, now, problems);
      if (!problems.empty()) return true;
      for (Pending& entry : pending) {
        if (entry.before != nullptr && entry.after == *entry.before) continue;
        wrote = true;
        state.Put(entry.key, std::move(entry.after));
      }
      return true;
    });
    if (wrote) Changed();
    if (done) return problems;
  }
}

}  // namespace kumiko::localcluster
