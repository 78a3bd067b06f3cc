#!/usr/bin/env python3
"""Write the cases of every day, one JSON a line: a few GPUs of a node, one of thousands of full nodes, MIG profiles."""
import json

DRIVER = "gpu.example.com"
FEATURES = {f: True for f in ("AdminAccess", "ConsumableCapacity", "DeviceBindingAndStatus", "DeviceTaints",
                              "FractionalCapacityRange", "PartitionableDevices", "PrioritizedList")}
NUMA = [{"matchAttribute": f"{DRIVER}/numa"}]
# Compute and memory slices of a profile, and the memory slices at which it may start, as on A100 and H100.
PROFILES = {"1g": (1, 1, range(7)), "2g": (2, 2, (0, 2, 4)), "3g": (3, 4, (0, 4)), "4g": (4, 4, (0,)),
            "7g": (7, 8, (0,))}


def node(name):
    return {"metadata": {"name": name}}


def klass(expression=f'device.driver == "{DRIVER}"'):
    return [{"metadata": {"name": "gpu"}, "spec": {"selectors": [{"cel": {"expression": expression}}]}}]


def slice_(node_name, devices, count=1, name=None, **more):
    """`devices` may be None, for a slice of counters; `count` slices make the pool."""
    pool = {"name": node_name, "generation": 1, "resourceSliceCount": count}
    spec = {"driver": DRIVER, "pool": pool, "nodeName": node_name, **more}
    if devices is not None:
        spec["devices"] = devices
    return {"metadata": {"name": name or f"slice-{node_name}"}, "spec": spec}


def gpu(i, numa=2):
    attributes = {"index": {"int": i}, "numa": {"int": i % numa}, "productName": {"string": "H200"},
                  "driverVersion": {"version": "580.65.6"}}
    return {"name": f"gpu-{i}", "attributes": attributes, "capacity": {"memory": {"value": "141Gi"}}}


def request(name, count=1, selector=None):
    exactly = {"deviceClassName": "gpu", "allocationMode": "ExactCount", "count": count}
    if selector:
        exactly["selectors"] = [{"cel": {"expression": selector}}]
    return {"name": name, "exactly": exactly}


def claim(requests, constraints=()):
    return {"metadata": {"name": "claim", "namespace": "default", "uid": "1"},
            "spec": {"devices": {"requests": requests, "constraints": list(constraints)}}}


def case(name, slices, claims, nodes=("n0",), allocated=None):
    return {"name": name, "features": FEATURES, "classes": klass(), "slices": slices, "claims": claims,
            "allocated": allocated or {}, "nodes": [node(n) for n in nodes]}


def all_but_one_taken(count):
    names = [f"n{k:04}" for k in range(count)]
    taken = [{"driver": DRIVER, "pool": n, "device": f"gpu-{i}"} for n in names for i in range(8)][:-1]
    return case(f"{count} nodes, all but the last GPU taken, 1 wanted",
                [slice_(n, [gpu(i) for i in range(8)]) for n in names], [claim([request("r")])], names,
                {"devices": taken})


def partition(card, profile, start):
    compute, memory, _ = PROFILES[profile]
    slots = {f"mem-{m}": {"value": "1"} for m in range(start, min(8, start + memory))}
    return {"name": f"gpu-{card}-{profile}-{start}", "attributes": {"profile": {"string": profile}},
            "consumesCounters": [{"counterSet": f"gpu-{card}",
                                  "counters": {"compute": {"value": str(compute)}, **slots}}]}


def mig(cards):
    slots = {f"mem-{m}": {"value": "1"} for m in range(8)}
    counters = [{"name": f"gpu-{g}", "counters": {"compute": {"value": "7"}, **slots}} for g in range(cards)]
    devices = [partition(g, profile, start) for g in range(cards) for profile, (_, _, starts) in PROFILES.items()
               for start in starts]
    parts = [devices[i:i + 64] for i in range(0, len(devices), 64)]
    count = len(parts) + 1
    return [slice_("n0", None, count, "counters", sharedCounters=counters)] + [
        slice_("n0", part, count, f"devices-{k:02}") for k, part in enumerate(parts)]


def of_profile(profile):
    return f'device.attributes["{DRIVER}"].profile == "{profile}"'


def cases():
    one = [slice_("n0", [gpu(i) for i in range(8)])]
    large_and_new = (f'device.capacity["{DRIVER}"].memory.compareTo(quantity("80Gi")) >= 0 && '
                     f'device.attributes["{DRIVER}"].driverVersion.isGreaterThan(semver("570.0.0"))')
    yield case("1 node, 8 GPUs, 1 wanted", one, [claim([request("r")])])
    yield case("1 node, 8 GPUs, 4 in one NUMA node", one, [claim([request("r", 4)], NUMA)])
    yield case("1 node, 8 GPUs, CEL on memory and version", one, [claim([request("r", 1, large_and_new)])])
    for count in (100, 1000, 5000):
        yield all_but_one_taken(count)
    for name, cards, wanted in (("1 GPU, 2 x 3g", 1, ((1, "3g"), (1, "3g"))),
                                ("8 GPUs, 7 x 1g + 1 x 4g", 8, ((7, "1g"), (1, "4g"))),
                                ("1 GPU, 7 x 1g + 1 x 2g (no fit)", 1, ((7, "1g"), (1, "2g")))):
        requests = [request(f"r{i}", n, of_profile(profile)) for i, (n, profile) in enumerate(wanted)]
        yield case(f"MIG, {name}", mig(cards), [claim(requests)])
    for count in (12, 16, 20):
        wanted = count // 4 + 1
        yield case(f"no fit, {count} GPUs in 4 NUMA nodes, {wanted} wanted in one",
                   [slice_("n0", [gpu(i, 4) for i in range(count)])], [claim([request("r", wanted)], NUMA)])
    for count in (6, 7, 8):
        yield case(f"no fit, {count} GPUs, {count + 1} single requests", [slice_("n0", [gpu(i) for i in range(count)])],
                   [claim([request(f"r{j}") for j in range(count + 1)])])


if __name__ == "__main__":
    for entry in cases():
        print(json.dumps(entry))
