// The controllers of kube-controller-manager that manifests need. Each looks, whenever something has changed, at the
// objects that the change concerns, compares them with what should be, and writes the difference.
#pragma once

#include <string>

#include "api/apps/types.h"
#include "api/batch/types.h"
#include "base/clock.h"
#include "kube/api_client.h"
#include "localcluster/controller.h"
#include "localcluster/controllers/owned_index.h"
#include "localcluster/event_recorder.h"

namespace kumiko::localcluster {

// What the controllers share. Outlives them; belongs to the stepping thread.
struct Workloads {
  // Events are written through `unowned`: 10,000 of them with their owners would be as large as all else.
  Workloads(kube::ApiClient& client, kube::ApiClient& unowned, const Clock& time)
      : api(client),
        clock(time),
        events(unowned, time),
        pods(client),
        replica_sets(client),
        jobs(client),
        revisions(client) {}

  kube::ApiClient& api;
  const Clock& clock;
  EventRecorder events;
  std::string root_certificate;  // PEM text that clients of the cluster are to trust; empty until it is known
  PodIndex pods;
  OwnedIndex<api::ReplicaSet> replica_sets;
  OwnedIndex<api::Job> jobs;
  OwnedIndex<api::ControllerRevision> revisions;
};

// ResourceClaims from the templates that pods name; reservedFor without pods that are gone or done; deallocation when
// the last consumer goes; template claims of finished pods deleted (spec dra-allocator §6).
Controller MakeClaimController(Workloads& workloads);

// Pods of Jobs: parallelism, completions, indexes, limits of failures and time, suspending; removal after a while.
Controller MakeJobController(Workloads& workloads);

// ReplicaSets of Deployments: one per pod template, rolled out within maxSurge and maxUnavailable or recreated;
// revisions, conditions and progress deadlines.
Controller MakeDeploymentController(Workloads& workloads);

// Pods of ReplicaSets: adopted, made and deleted until there are as many as wanted.
Controller MakeReplicaSetController(Workloads& workloads);

// Pods of StatefulSets: in order or in parallel, rolled on down to a partition; their history of templates.
Controller MakeStatefulSetController(Workloads& workloads);

// Pods of DaemonSets: one on each node that they fit, rolled on within maxUnavailable; their history of templates.
Controller MakeDaemonSetController(Workloads& workloads);

// Jobs of CronJobs, by schedule in UTC; other time zones are taken as UTC, with an event.
Controller MakeCronJobController(Workloads& workloads);

// The status of PodDisruptionBudgets: how many of their pods may be evicted now.
Controller MakeDisruptionBudgetController(Workloads& workloads);

// EndpointSlices and Endpoints of Services that select pods.
Controller MakeEndpointController(Workloads& workloads);

// The annotation node.alpha.kubernetes.io/ttl of nodes, and the event RegisteredNode.
Controller MakeNodeController(Workloads& workloads);

// The ServiceAccount default and the ConfigMap kube-root-ca.crt of every namespace.
Controller MakeNamespaceContentsController(Workloads& workloads);

// Objects whose owners are gone; foreground and orphan deletion of owners.
Controller MakeGarbageCollector(kube::ApiClient& api);

// The objects of CustomResourceDefinitions that are being deleted.
Controller MakeDefinitionController(kube::ApiClient& api);

// The contents of namespaces that are being deleted.
Controller MakeNamespaceController(kube::ApiClient& api);

}  // namespace kumiko::localcluster
