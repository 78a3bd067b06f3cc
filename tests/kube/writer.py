"""Random changes to objects of many kinds, drawn from a seed."""

import threading
import time

NAMESPACES = ["kube-check-a", "kube-check-b", "kube-check-c"]
CRD = {
    "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
    "metadata": {"name": "widgets.check.kumiko.dev"},
    "spec": {"group": "check.kumiko.dev", "scope": "Namespaced",
             "names": {"kind": "Widget", "plural": "widgets", "singular": "widget", "listKind": "WidgetList"},
             "versions": [{"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": {
                 "type": "object", "x-kubernetes-preserve-unknown-fields": True}}}]},
}
_TEMPLATE = {"metadata": {"labels": {"app": "x"}}, "spec": {"containers": [{"name": "c", "image": "i"}]}}
_JOB_TEMPLATE = {"spec": {"containers": [{"name": "c", "image": "i"}], "restartPolicy": "Never"}}

# kind: (path, namespaced, the rest of a new object)
KINDS = {
    "ConfigMap": ("/api/v1", "configmaps", True, {"data": {"n": "0"}}),
    "Secret": ("/api/v1", "secrets", True, {"stringData": {"n": "0"}}),
    "Pod": ("/api/v1", "pods", True, {"spec": {"containers": [{"name": "c", "image": "i"}]}}),
    "ServiceAccount": ("/api/v1", "serviceaccounts", True, {}),
    "Service": ("/api/v1", "services", True, {"spec": {"clusterIP": "None", "selector": {"app": "x"}}}),
    "Lease": ("/apis/coordination.k8s.io/v1", "leases", True, {"spec": {"holderIdentity": "x"}}),
    "Deployment": ("/apis/apps/v1", "deployments", True,
                   {"spec": {"selector": {"matchLabels": {"app": "x"}}, "template": _TEMPLATE}}),
    "Job": ("/apis/batch/v1", "jobs", True, {"spec": {"template": _JOB_TEMPLATE}}),
    "PodDisruptionBudget": ("/apis/policy/v1", "poddisruptionbudgets", True,
                            {"spec": {"minAvailable": 1, "selector": {"matchLabels": {"app": "x"}}}}),
    "ResourceClaim": ("/apis/resource.k8s.io/v1", "resourceclaims", True,
                      {"spec": {"devices": {"requests": [{"name": "r", "exactly": {"deviceClassName": "x"}}]}}}),
    "Widget": ("/apis/check.kumiko.dev/v1", "widgets", True, {"spec": {"size": 1}}),
    "DeviceClass": ("/apis/resource.k8s.io/v1", "deviceclasses", False, {"spec": {}}),
    "ResourceSlice": ("/apis/resource.k8s.io/v1", "resourceslices", False,
                      {"spec": {"driver": "check.kumiko.dev", "allNodes": True, "devices": [{"name": "d"}],
                                "pool": {"name": "p", "generation": 1, "resourceSliceCount": 1}}}),
    "PriorityClass": ("/apis/scheduling.k8s.io/v1", "priorityclasses", False, {"value": 1}),
}


def prepare(api):
    for namespace in NAMESPACES:
        api.request("POST", "/api/v1/namespaces", {"metadata": {"name": namespace}})
        # Pods name it, and nobody else makes it.
        api.request("POST", f"/api/v1/namespaces/{namespace}/serviceaccounts", {"metadata": {"name": "default"}})
    api.request("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", CRD)
    for _ in range(100):
        if api.status("GET", "/apis/check.kumiko.dev/v1/widgets") == 200:
            return
        time.sleep(0.2)
    raise SystemExit("the API server does not serve the custom resource")


class Writer(threading.Thread):
    """Makes `count` changes with the api that `connect` gives, asking for another one after each failure."""

    def __init__(self, connect, random, count, name, pause=0.0):
        super().__init__(daemon=True)
        self._connect = connect
        self._random = random
        self._name = name
        self._pause = pause
        self._next = 0
        self._objects = []  # [(kind, path)]
        self.failure = None
        self.left = count
        self.done = 0

    def run(self):
        api = self._connect()
        while self.left > 0 and self.failure is None:
            status = self._change(api)
            if 200 <= status < 300:
                self.left -= 1
                self.done += 1
                time.sleep(self._pause)
            elif status == 0 or status == 401 or status >= 429:
                time.sleep(0.2)
                api = self._connect()

    def _change(self, api):
        random = self._random
        draw = random.random()
        if draw < 0.3 or not self._objects:
            return self._create(api)
        kind, path = random.choice(self._objects)
        if draw < 0.85:
            labels = {"metadata": {"labels": {"n": str(random.randrange(1 << 30))}}}
            status = api.request("PATCH", path, labels, "application/merge-patch+json")[0]
        else:
            status = api.status("DELETE", path + "?gracePeriodSeconds=0")
            if 200 <= status < 300:
                self._objects.remove((kind, path))
        if status == 404:
            # It was removed by a request whose answer got lost.
            self._objects.remove((kind, path))
        return status

    def _create(self, api):
        kind = self._random.choice(sorted(KINDS))
        root, plural, namespaced, rest = KINDS[kind]
        if namespaced:
            root += "/namespaces/" + self._random.choice(NAMESPACES)
        self._next += 1
        name = f"{self._name}-{self._next}"
        api_version = KINDS[kind][0].split("/", 2)[2]
        new = {"apiVersion": api_version, "kind": kind, "metadata": {"name": name}, **rest}
        status, answer = api.request("POST", f"{root}/{plural}", new)
        if 200 <= status < 300 or status == 409:
            self._objects.append((kind, f"{root}/{plural}/{name}"))
        elif 400 <= status < 429 and status != 401:
            self.failure = f"the API server refuses a {kind}: {answer.get('message', status)}"
        return status
