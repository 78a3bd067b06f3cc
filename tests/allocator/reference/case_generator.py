"""Random cases for an allocator, in the form of ../oracle: nodes, slices, classes, claims, what is allocated already.

Cases are small, so that an exhaustive search ends, and are made to be hard in what matters: every feature used with its
gate on and off, candidates that must be given up again, one of two dozen mistakes in a third of the cases. A case
depends on seed and index alone: `Maker(seed, index).case()`.
"""
import copy
import json
import math
import pathlib
import random

# The switches of the reference, with how often a case uses what they allow.
FEATURES = {"AdminAccess": 0.13, "CompatibilityGroups": 0.11, "ConsumableCapacity": 0.18, "DerivedAttributes": 0.15,
            "DeviceBindingAndStatus": 0.12, "DeviceTaints": 0.15, "FractionalCapacityRange": 0.15,
            "ListTypeAttributes": 0.2, "OptionalNodeOperations": 0.11, "PartitionableDevices": 0.28,
            "PrioritizedList": 0.19}
# What the allocator of releases without alpha features knows.
INCUBATING = {"AdminAccess", "ConsumableCapacity", "DeviceBindingAndStatus", "DeviceTaints", "FractionalCapacityRange",
              "PartitionableDevices", "PrioritizedList"}
NEEDS = {"FractionalCapacityRange": "ConsumableCapacity", "CompatibilityGroups": "PartitionableDevices"}
# How often what a case uses is switched off.
OFF = 0.19
OFF_RATE = {"AdminAccess": 0.17, "ConsumableCapacity": 0.09, "DerivedAttributes": 0.15, "PrioritizedList": 0.13,
            "PartitionableDevices": 0.1, "CompatibilityGroups": 0.24}

DRIVERS = ("gpu.example.com", "nic.example.com", "npu.example.org")
# Eight GPUs as their driver publishes them.
REAL_DRIVER = "gpu.nvidia.com"
REAL_DEVICES = json.loads((pathlib.Path(__file__).parents[2] / "data/reference-slices/upstream-plain-h100x8.json")
                          .read_text())[0]["spec"]["devices"]
NODE_OPERATIONS = "DRAOptionalNodeOperations"
BUS = "resource.kubernetes.io/pcieRoot"
MODES = ("ExactCount", "All")
# A search of about this many steps takes the reference a few milliseconds.
MOST_STEPS = 20000

# Selectors, D being the domain of the driver: true for many devices, for some, or failing on devices that lack what
# they read. None reads what depends on the order of a map.
SAFE = ('true', 'device.driver == "D"', 'device.attributes["D"].?model.orValue("") == "a"', 'device.driver != "x"',
        '"model" in device.attributes["D"] && device.attributes["D"].model in ["a", "b"]',
        'has(device.attributes["D"].index) && device.attributes["D"].index < 2',
        'device.attributes["D"].?numa.orValue(0) == 0', 'device.allowMultipleAllocations',
        '!device.allowMultipleAllocations',
        '"memory" in device.capacity["D"] && device.capacity["D"].memory.compareTo(quantity("20Gi")) >= 0',
        'device.attributes["D"].?version.orValue(semver("0.0.0")).isGreaterThan(semver("1.1.0"))',
        'device.attributes["resource.kubernetes.io"].?pcieRoot.hasValue()',
        'device.attributes["D"].?profile.orValue("whole") != "whole"', 'device.attributes.size() > 0',
        'device.attributes["D"].?links.hasValue()')
RISKY = ('device.attributes["D"].model == "a"', 'device.attributes["D"].numa == 0', 'device.attributes["D"].index > 0',
         'device.capacity["D"].memory.isGreaterThan(quantity("15Gi"))', 'device.attributes["D"].healthy',
         'device.attributes["D"].version == semver("1.1.0")', 'device.attributes["D"].profile == "half"')
FAILING = ('1 / 0 == 1', 'device.attributes["D"].nosuch == 1', 'device.attributes["D"].index', '[1][3] == 1',
           'quantity("x").sign() == 1 || semver("x").major() == 1', 'device.attributes["none"].x == "y"',
           'device.attributes["D"].?index.orValue(7) / 0 > 1')
NOT_COMPILING = ('device.nosuch', '"a"', '1 + "a" == 2', 'device.driver ==', 'int("x") == 1',
                 '"a".matches("(")', 'nosuch(device)')
DERIVED = (('D/kind', 'device.attributes["D"].?model.orValue("none")'),
           ('D/half', 'device.attributes["D"].?index.orValue(0) / 2'),
           ('D/numa', 'device.attributes["D"].?numa.orValue(9)'), ('D/model', '"same"'),
           ('x.example.org/large',
            'device.capacity["D"].?memory.orValue(quantity("0")).compareTo(quantity("15Gi")) > 0'),
           ('D/links', 'device.attributes["D"].?index.orValue(0) < 2 ? [1, 2] : [2, 3]'))
AMOUNTS = ("0", "1", "2", "3", "5", "500m", "600m", "1500m", "1.5", "250m", "4")
BYTES = ("1Gi", "2Gi", "1500Mi", "3Gi", "10Gi", "1e9", "20Gi", "500Mi", "1", "8Gi")
# requestPolicy, for whole numbers and for bytes. Those with a fraction are for FractionalCapacityRange.
POLICIES = ({"default": "1"}, {"default": "1", "validValues": ["1", "2", "4"]},
            {"default": "1", "validRange": {"min": "1"}}, {"default": "1", "validRange": {"min": "1", "max": "4"}},
            {"default": "2", "validRange": {"min": "1", "max": "5", "step": "1"}},
            {"default": "1", "validRange": {"min": "1", "step": "2"}}, {"validValues": ["2"]},
            {"default": "0", "validRange": {"min": "0", "max": "4", "step": "2"}})
FRACTIONS = ({"default": "500m", "validRange": {"min": "500m", "max": "3", "step": "250m"}},
             {"default": "1", "validRange": {"min": "500m", "step": "500m"}},
             {"default": "1500m", "validRange": {"min": "1", "max": "4", "step": "500m"}},
             {"default": "100m", "validRange": {"min": "100m", "max": "2500m"}},
             {"default": "1.2", "validValues": ["600m", "1.2", "2400m"]})
BYTE_POLICIES = ({"default": "1Gi"}, {"default": "1Gi", "validRange": {"min": "1Gi", "max": "8Gi", "step": "1Gi"}},
                 {"default": "2Gi", "validValues": ["1Gi", "2Gi", "10Gi"]},
                 {"default": "1Gi", "validRange": {"min": "512Mi", "max": "16Gi"}})
TAINT_KEYS = ("example.com/broken", "example.com/flaky")


def cel(expression):
    return {"cel": {"expression": expression}}


class Maker:
    def __init__(self, seed, index, channel="experimental"):
        self.seed, self.index, self.channel = seed, index, channel
        self.random = random.Random(seed * 1_000_003 + index)

    def chance(self, probability):
        return self.random.random() < probability

    def choice(self, values):
        return values[int(self.random.random() * len(values))]

    def some(self, values, least=0):
        return self.random.sample(values, self.random.randint(min(least, len(values)), len(values)))

    def case(self):
        known = [f for f in FEATURES if self.channel == "experimental" or f in INCUBATING]
        self.uses = {f for f in known if self.chance(FEATURES[f])}
        for feature, needed in NEEDS.items():
            if feature in self.uses:
                self.uses.add(needed)
        if self.chance(0.012):
            return self.near_limit()
        rate = {f: OFF_RATE.get(f, OFF) for f in known}
        features = {f: True for f in known
                    if (not self.chance(rate[f]) if f in self.uses else self.chance(0.7))}
        self.easy = self.chance(0.95)  # most of what is asked for can be had
        self.nodes = [self.node(i) for i in range(self.choice((1, 1, 1, 2, 2, 3)))]
        self.drivers = [self.choice(DRIVERS)] if self.chance(0.7) else self.random.sample(DRIVERS, 2)
        if self.chance(0.04):
            self.drivers[0] = REAL_DRIVER
        self.cores = self.chance(0.6) or "FractionalCapacityRange" in self.uses
        self.slices = []
        for driver in self.drivers:
            self.pools_of(driver)
        self.classes = self.make_classes()
        self.claims = self.make_claims()
        case = {"name": "%d/%d" % (self.seed, self.index), "features": features, "classes": self.classes,
                "slices": self.slices, "claims": self.claims, "allocated": self.allocated(), "nodes": self.nodes}
        if "DeviceTaints" in self.uses and self.chance(0.4):
            case["taintRules"] = self.taint_rules()
        mistake = self.random.choices(MISTAKES, MISTAKE_WEIGHTS)[0]
        if mistake:
            mistake(self, case)
        bound_search(case)
        self.random.shuffle(self.slices)
        return case

    def near_limit(self):
        """Alternatives that are too large together, though not alone. What is chosen can always be had, since to try
        all choices of so many devices takes for ever."""
        driver, devices = self.choice(DRIVERS), self.random.randint(33, 40)
        self.slices, self.drivers = [], [driver]
        self.add_slice("many", driver, "n0", 1, 1, {"nodeName": "n0", "devices": [
            {"name": "dev-%d" % i, "attributes": {"index": {"int": i}}} for i in range(devices)]})

        def asked(name, counts):
            alternatives = [{"name": "s%d" % k, "deviceClassName": "any", "allocationMode": "ExactCount", "count": n}
                            for k, n in enumerate(counts)]
            if len(counts) > 1:
                return {"name": name, "firstAvailable": alternatives}
            del alternatives[0]["name"]
            return {"name": name, "exactly": alternatives[0]}

        large = self.random.randint(18, 32)
        requests = [asked("r0", (large, self.random.randint(1, 3))),
                    asked("r1", self.choice(((33 - large,), (32 - large,), (14, 15), (33 - large, 32 - large),
                                             (20, 1))))]
        if self.chance(0.5):
            requests.append(asked("r2", self.choice(((2,), (1,), (30, 1)))))
        claims = [{"metadata": {"name": "c0", "namespace": "ns", "uid": "u0"},
                   "spec": {"devices": {"requests": requests}}}]
        if self.chance(0.4):
            claims.append({"metadata": {"name": "c1", "namespace": "ns", "uid": "u1"},
                           "spec": {"devices": {"requests": [asked("r0", self.choice(((40, 1), (33, 1), (1,))))]}}})
        self.nodes = [{"metadata": {"name": "n0"}}]
        return {"name": "%d/%d" % (self.seed, self.index), "features": {"PrioritizedList": True}, "slices": self.slices,
                "classes": [{"metadata": {"name": "any"}, "spec": {}}], "claims": claims, "allocated": {},
                "nodes": self.nodes}

    # Nodes and slices

    def node(self, i):
        labels = {"zone": "ab"[i % 2], "size": str(self.random.randint(1, 4)), "kubernetes.io/hostname": "n%d" % i}
        if self.chance(0.5):
            labels["special"] = "yes"
        node = {"metadata": {"name": "n%d" % i, "labels": labels}}
        if self.chance(0.65 if "OptionalNodeOperations" in self.uses else 0.2):
            node["status"] = {"declaredFeatures": [NODE_OPERATIONS]}
        return node

    def node_selector(self):
        requirements = [self.choice((
            {"key": "zone", "operator": "In", "values": ["a", "c"]},
            {"key": "zone", "operator": "NotIn", "values": ["b"]},
            {"key": "zone", "operator": "In", "values": ["a", "b"]},
            {"key": "size", "operator": "Gt", "values": ["0"]},
            {"key": "special", "operator": "Exists"}, {"key": "special", "operator": "DoesNotExist"},
            {"key": "size", "operator": "Gt", "values": ["1"]},
            {"key": "size", "operator": "Lt", "values": ["4"]}, {"key": "zone", "operator": "Exists"}))
            for _ in range(self.choice((1, 1, 2)))]
        term = {"matchExpressions": requirements}
        if self.chance(0.2):
            term["matchFields"] = [{"key": "metadata.name", "operator": self.choice(("In", "NotIn")),
                                    "values": [self.choice(self.nodes)["metadata"]["name"]]}]
            if self.chance(0.5):
                del term["matchExpressions"]
        return {"nodeSelectorTerms": [term]}

    def pools_of(self, driver):
        names = [n["metadata"]["name"] for n in self.nodes]
        room = 12 // len(self.drivers)
        least = 4 if self.easy else 2
        if len(self.drivers) == 1 and self.chance(0.25):
            room -= 4
            self.pool(driver, self.choice(("a-pool", "z-pool")),
                      self.choice(({"allNodes": True}, {"nodeName": names[0]})), self.random.randint(2, 4))
        where = self.random.random()
        if len(names) > 1 and self.chance(0.5 if "CompatibilityGroups" in self.uses else 0.25):
            self.pool(driver, "spanning", {"nodeName": names[0]}, self.random.randint(4, min(8, room)), names)
        elif where < 0.62:
            for name in names:
                self.pool(driver, name, {"nodeName": name}, min(room // len(names), self.random.randint(least, 8)))
        elif where < 0.76:
            self.pool(driver, "everywhere", {"allNodes": True}, self.random.randint(3, min(7, room)))
        elif where < 0.83 or "PartitionableDevices" not in self.uses:
            self.pool(driver, "some-nodes", {"nodeSelector": self.node_selector()},
                      self.random.randint(2, min(7, room)))
        else:
            self.pool(driver, "by-device", {"perDeviceNodeSelection": True}, self.random.randint(3, min(8, room)))

    def pool(self, driver, name, where, count, spanning=None):
        """One pool in one or several slices, with shared counters in a slice of their own."""
        counters, devices = [], []
        if "PartitionableDevices" in self.uses and count > 1 and driver != REAL_DRIVER and self.chance(0.8):
            counters, devices = self.cards(driver, count)
        else:
            devices = [self.device(driver, i) for i in range(count)]
        for device in devices:
            self.decorate(driver, device)
            if "perDeviceNodeSelection" in where:
                device.update(self.choice(({"nodeName": self.choice(self.nodes)["metadata"]["name"]},
                                           {"allNodes": True}, {"nodeSelector": self.node_selector()})))
        parts = min(len(devices), self.choice((2, 3)) if spanning else self.choice((1, 1, 2, 3)))
        slices = []
        for i in range(parts):
            place = {"nodeName": spanning[i % len(spanning)]} if spanning else where
            slices.append({**place, "devices": devices[i::parts]})
        if counters:
            place = self.choice(({"allNodes": True}, {"nodeName": spanning[-1]})) if spanning else where
            slices.append({**place, "sharedCounters": counters})
            if len(counters) > 1 and self.chance(0.2):
                slices[-1]["sharedCounters"] = counters[:1]
                slices.append({**place, "sharedCounters": counters[1:]})
        generation = self.choice((0, 1, 1, 2))
        if "OptionalNodeOperations" in self.uses:
            for part in slices:
                if "devices" in part and self.chance(0.6):
                    part["skipNodeOperations"] = self.choice((["NodePrepareResources", "NodeUnprepareResources"], ["*"],
                                                              ["NodeUnprepareResources"]))
        total = len(slices)
        if self.chance(0.03):
            total += 1  # not all of them are there yet
        names = ["%s-%s-%d" % (driver, name, i) for i in range(len(slices) + 1)]
        self.random.shuffle(names)
        for part in slices:
            self.add_slice(names.pop(), driver, name, generation, total, part)
        if self.chance(0.08):  # left from before, or the first of what replaces it
            newer = self.choice((-1, -1, 1))
            if generation + newer >= 0:
                elsewhere = {"nodeName": self.choice(self.nodes)["metadata"]["name"]} if newer > 0 else where
                old = {"name": "old-0", **({"allNodes": True} if "perDeviceNodeSelection" in where else {})}
                self.add_slice("z-" + names.pop(), driver, name, generation + newer, self.choice((1, 2)),
                               {**elsewhere, "devices": [old]})

    def add_slice(self, name, driver, pool, generation, total, spec):
        self.slices.append({"metadata": {"name": name}, "spec": {
            "driver": driver, "pool": {"name": pool, "generation": generation, "resourceSliceCount": total}, **spec}})

    def device(self, driver, i):
        if driver == REAL_DRIVER:
            return copy.deepcopy(REAL_DEVICES[i])
        few = (0, 0, 0, 0, 0, 0, 1) if self.easy else (0, 0, 1)
        attributes = {"index": {"int": i}, "numa": {"int": self.choice(few)},
                      "model": {"string": "ab"[self.choice(few)]},
                      "version": {"version": self.choice(("1.0.0", "1.1.0", "2.0.0-rc.1"))},
                      "healthy": {"bool": self.chance(0.8)}, BUS: {"string": "pci0000:%02d" % self.choice(few)}}
        if self.chance(0.1 if self.easy else 0.3):
            del attributes[self.choice(list(attributes))]
        if self.chance(0.15) and "model" in attributes:
            attributes[driver + "/model"] = attributes.pop("model")
        return {"name": "dev-%d" % i, "attributes": attributes, "capacity": {"memory": {"value": self.choice((
            "10Gi", "20Gi", "40Gi"))}}}

    def cards(self, driver, count):
        """Cards that can be used whole or in parts: their counters, and `count` devices that draw from them."""
        counters, devices = [], []
        for card in range(1 if count < 4 or self.chance(0.3 if self.easy else 0.6) else 2):
            name = "card-%d" % card
            counters.append({"name": name, "counters": {"slices": {"value": "4"}, "memory": {"value": "40Gi"}}})
            for profile, slices, memory in self.random.sample(
                    (("quarter" if self.easy else "whole",) + ((1, 10) if self.easy else (4, 40)), ("half", 2, 20),
                     ("half", 2, 20), ("quarter", 1, 10), ("quarter", 1, 10), ("large-quarter", 1, 20)), 6):
                device = self.device(driver, len(devices))
                device["attributes"]["profile"] = {"string": profile}
                device["capacity"] = {"memory": {"value": "%dGi" % memory}}
                if self.chance(0.92):
                    drawn = {"slices": {"value": str(slices)}, "memory": {"value": "%dGi" % memory}}
                    if self.chance(0.1):
                        del drawn["memory"]
                    device["consumesCounters"] = [{"counterSet": name, "counters": drawn}]
                    if card and self.chance(0.2):
                        device["consumesCounters"].append({"counterSet": "card-0",
                                                           "counters": {"slices": {"value": "1"}}})
                devices.append(device)
        if "CompatibilityGroups" in self.uses:
            for device in devices:
                for draw in device.get("consumesCounters", []):
                    if self.chance(0.8):
                        draw["compatibilityGroups"] = self.some(["mig", "mps", "ts"], 1)[:2]
        self.random.shuffle(devices)
        return counters, devices[:count]

    def decorate(self, driver, device):
        """What a device has besides, by the features that the case uses."""
        if "ConsumableCapacity" in self.uses:
            if self.chance(0.55):
                device["allowMultipleAllocations"] = self.chance(0.9)
            capacity = device["capacity"]
            if self.chance(0.5):
                capacity["memory"]["requestPolicy"] = self.choice(BYTE_POLICIES)
            if self.cores and self.chance(0.92):
                capacity["cores"] = {"value": self.choice(("4", "6", "8"))}
                if "FractionalCapacityRange" in self.uses and self.chance(0.8):
                    capacity["cores"]["requestPolicy"] = self.choice(FRACTIONS)
                elif self.chance(0.7):
                    capacity["cores"]["requestPolicy"] = self.choice(POLICIES)
            if self.chance(0.12):
                device["capacity"] = {}
        if "DeviceTaints" in self.uses and self.chance(0.3):
            device["taints"] = [self.taint() for _ in range(self.choice((1, 1, 2)))]
        if "DeviceBindingAndStatus" in self.uses and self.chance(0.5):
            device["bindingConditions"] = ["example.com/attached"]
            device["bindingFailureConditions"] = ["example.com/failed"]
            if self.chance(0.5):
                device["bindsToNode"] = True
        elif "DeviceBindingAndStatus" in self.uses and self.chance(0.1):
            device["bindsToNode"] = True
        if "ListTypeAttributes" in self.uses and self.chance(0.85):
            device["attributes"]["links"] = self.choice((
                *({"ints": self.some([1, 2, 3, 3], 1)} for _ in range(6)), {"int": 2}, {"int": 1},
                {"strings": self.some(["x", "y"], 1)}, {"bools": [True, self.chance(0.5)]},
                {"versions": self.some(["1.0.0", "1.1.0"], 1)}))
        if self.chance(0.03):
            device["attributes"] = {}

    def taint(self):
        taint = {"key": self.choice(TAINT_KEYS),
                 "effect": self.choice(("NoSchedule", "NoSchedule", "NoExecute", "None", "Odd")),
                 "timeAdded": "2026-01-02T03:04:05Z"}
        if self.chance(0.6):
            taint["value"] = self.choice(("yes", "no"))
        return taint

    def toleration(self):
        toleration = {}
        if self.chance(0.85):
            toleration["key"] = self.choice(TAINT_KEYS)
        toleration["operator"] = self.choice(("Exists", "Exists", "Equal")) if "key" in toleration else "Exists"
        if toleration["operator"] == "Equal":
            toleration["value"] = self.choice(("yes", "no", ""))
            if self.chance(0.3):
                del toleration["operator"]
        if self.chance(0.4):
            toleration["effect"] = self.choice(("NoSchedule", "NoExecute"))
            if toleration["effect"] == "NoExecute" and self.chance(0.5):
                toleration["tolerationSeconds"] = 30
        return toleration

    def taint_rules(self):
        rules = []
        for name in self.some(["b-rule", "a-rule", "c-rule"], 1):
            spec = {"taint": self.taint()}
            if self.chance(0.95):
                spec["deviceSelector"] = selector = {}
                spec_of_slice = self.choice(self.slices)["spec"] if self.slices else None
                if spec_of_slice and self.chance(0.9):
                    if self.chance(0.6):
                        selector["driver"] = spec_of_slice["driver"]
                    if self.chance(0.6):
                        selector["pool"] = spec_of_slice["pool"]["name"]
                    if self.chance(0.6) or not selector:
                        selector["device"] = self.choice(("dev-0", "dev-1", "dev-2", "gpu-0"))
            rules.append({"metadata": {"name": name}, "spec": spec})
        return rules

    # Classes and claims

    def selector(self, domain=None):
        table = RISKY if self.chance(0.08) else SAFE
        return self.choice(table).replace("D", domain or self.choice(self.drivers))

    def make_classes(self):
        classes = [{"metadata": {"name": "any"}, "spec": {}}]
        for driver in self.drivers:
            classes.append({"metadata": {"name": driver},
                            "spec": {"selectors": [cel('device.driver == "%s"' % driver)]}})
            if self.chance(0.06 if self.easy else 0.3):
                classes[-1]["spec"]["selectors"].append(cel(self.selector(driver)))
        for each in classes:
            if self.chance(0.35):
                each["spec"]["config"] = [self.config("class") for _ in range(self.choice((1, 1, 2)))]
        return classes

    def config(self, origin):
        return {"opaque": {"driver": self.choice(self.drivers),
                           "parameters": {"from": origin, "n": self.random.randint(0, 9)}}}

    def request_body(self, sub):
        driver = self.choice(self.drivers)
        body = {"deviceClassName": driver if self.chance(0.8) else "any", "allocationMode": "ExactCount",
                "count": self.choice((1, 1, 1, 1, 1, 1, 2) if self.easy else (1, 1, 1, 2, 2, 3))}
        if self.chance(0.06):
            body["allocationMode"] = "All"
            del body["count"]
        elif self.chance(0.02):
            body["count"] = 0
            if self.chance(0.5):
                del body["count"]
        elif sub and self.chance(0.06):
            body["count"] = 40  # never fits in one claim
        if self.chance(0.15 if self.easy else 0.5):
            body["selectors"] = [cel(self.selector(driver)) for _ in range(self.choice((1, 1, 1, 2)))]
        if "ConsumableCapacity" in self.uses and self.chance(0.55):
            requests = {}
            if self.chance(0.4):
                requests["memory"] = self.choice(BYTES)
            if self.cores and (self.chance(0.5) or "FractionalCapacityRange" in self.uses and self.chance(0.8)):
                requests["cores"] = self.choice(AMOUNTS)
            if self.chance(0.03):
                requests["nosuch"] = "1"
            body["capacity"] = {"requests": requests}
        if "DeviceTaints" in self.uses and self.chance(0.6):
            body["tolerations"] = [self.toleration() for _ in range(self.choice((1, 1, 2)))]
        if "DerivedAttributes" in self.uses and self.chance(0.75):
            table = DERIVED if "ListTypeAttributes" in self.uses else DERIVED[:-1]
            body["derivedAttributes"] = [{"name": n.replace("D", driver), "expression": e.replace("D", driver)}
                                         for n, e in self.random.sample(table, self.choice((1, 2, 2)))]
        if "AdminAccess" in self.uses and not sub and self.chance(0.6):
            body["adminAccess"] = self.chance(0.8)
        return body

    def request(self, i):
        if "PrioritizedList" in self.uses and self.chance(0.6):
            return {"name": "r%d" % i, "firstAvailable": [{"name": "s%d" % k, **self.request_body(True)}
                                                          for k in range(self.choice((1, 2, 2, 3)))]}
        return {"name": "r%d" % i, "exactly": self.request_body(False)}

    def names_of(self, requests):
        names = [r["name"] for r in requests]
        for r in requests:
            names += ["%s/%s" % (r["name"], s["name"]) for s in r.get("firstAvailable", ())]
        return names

    def constraint(self, requests):
        driver = self.choice(self.drivers)
        names = [driver + "/numa", driver + "/model", driver + "/index", BUS, driver + "/version", driver + "/healthy"]
        if "ListTypeAttributes" in self.uses:
            names += [driver + "/links"] * 8
        derived = [d["name"] for r in requests for b in bodies(r) for d in b.get("derivedAttributes", ())]
        names += derived * 6
        attribute = self.choice(names)
        matching = self.chance(0.2 if attribute.endswith("/index") else 0.85 if self.easy else 0.6)
        constraint = {"matchAttribute" if matching else "distinctAttribute": attribute}
        if attribute in derived and self.chance(0.8):
            constraint["requests"] = [r["name"] for r in requests if any(
                d["name"] == attribute for b in bodies(r) for d in b.get("derivedAttributes", ()))]
        elif self.chance(0.4):
            constraint["requests"] = self.some(self.names_of(requests), 1)[:3]
        return constraint

    def make_claims(self):
        claims, left = [], self.choice((1, 1, 1, 2, 2, 3) if self.easy else (1, 2, 3, 3, 4))
        while left > 0:
            n = min(left, self.choice((1, 2, 2, 3)) if not claims else left)
            if len(claims) < 2 and left > n and self.chance(0.3):
                n = max(1, n - 1)
            left -= n
            requests = [self.request(i) for i in range(n)]
            devices = {"requests": requests}
            likely = 0.75 if self.uses & {"ListTypeAttributes", "DerivedAttributes"} else 0.35
            if self.chance(likely * (0.7 if self.easy else 1)):
                several = (1, 1, 2) if "DerivedAttributes" in self.uses else (1, 1, 1, 2)
                devices["constraints"] = [self.constraint(requests) for _ in range(self.choice(several))]
            if self.chance(0.35):
                devices["config"] = [self.config("claim") for _ in range(self.choice((1, 1, 2)))]
                for config in devices["config"]:
                    if self.chance(0.7):
                        config["requests"] = self.some(self.names_of(requests), 1)
            claims.append({"metadata": {"name": "c%d" % len(claims), "namespace": "ns", "uid": "u%d" % len(claims)},
                           "spec": {"devices": devices}})
            if len(claims) == 3:
                break
        if self.chance(0.01):
            claims[-1]["spec"]["devices"]["requests"] = []
        elif sum(len(c["spec"]["devices"]["requests"]) for c in claims) < 4 and self.chance(0.95):
            self.add_trap(claims)
        return claims

    def add_trap(self, claims):
        """A last request for one certain device, which earlier requests for any device may have taken."""
        devices = claims[-1]["spec"]["devices"]
        driver = self.choice(self.drivers)
        for claim in claims:
            for request in claim["spec"]["devices"]["requests"]:
                for body in bodies(request):
                    if self.chance(0.7):
                        body.pop("selectors", None)
                        body["deviceClassName"] = driver
        there = [d["attributes"]["index"]["int"] for s in self.slices if s["spec"]["driver"] == driver
                 for d in s["spec"].get("devices", ()) if "index" in d.get("attributes", ())]
        if not there:
            return
        certain = 'device.attributes["D"].?index.orValue(-1) == %d' % self.choice(sorted(there)[:3] * 5 + [99])
        body = {"deviceClassName": driver, "allocationMode": "ExactCount", "count": 1,
                "selectors": [cel(certain.replace("D", driver))]}
        if "DeviceTaints" in self.uses:
            body["tolerations"] = [{"operator": "Exists"}]
        for constraint in devices.get("constraints", ()):
            constraint.setdefault("requests", [r["name"] for r in devices["requests"]])
        devices["requests"].append({"name": "r%d" % len(devices["requests"]), "exactly": body})

    # What is allocated already

    def allocated(self):
        state = {}
        shared = self.uses & {"CompatibilityGroups", "ConsumableCapacity"}
        if self.chance(0.55 if shared else 0.75 if self.easy else 0.4):
            return state
        known = [(s["spec"], d) for s in self.slices for d in s["spec"].get("devices", ())]
        taken = [k for k in known if self.chance(0.3 if shared else 0.2)]
        drawing = [k for k in known if k[1].get("consumesCounters")]
        if drawing and self.chance(0.25):  # all parts of a card, more than it has, be they for other nodes
            spec, device = self.choice(drawing)
            card = device["consumesCounters"][0]["counterSet"]
            taken += [k for k in drawing if k[0]["pool"]["name"] == spec["pool"]["name"]
                      and k[1]["consumesCounters"][0]["counterSet"] == card and not any(k[1] is t[1] for t in taken)]
        as_claims = self.chance(0.4)
        for spec, device in taken:
            ref = {"driver": spec["driver"], "pool": spec["pool"]["name"], "device": device["name"]}
            many = device.get("allowMultipleAllocations", False)
            if self.chance(0.03):
                many = not many  # the driver changed it since (D2)
            shares = []
            for _ in range(self.choice((1, 1, 2)) if many else 0):
                consumed = {n: self.choice(("1", "2", "500m") if n == "cores" else ("1Gi", "4Gi", "1500Mi"))
                            for n in device.get("capacity", {}) if self.chance(0.9)}
                shares.append((self.share_id(), consumed))
            if as_claims:
                results = state.setdefault("claims", [])
                for share, consumed in shares or [(None, None)]:
                    result = {"request": "r", **ref}
                    if share:
                        result["shareID"] = share
                        if consumed:
                            result["consumedCapacity"] = consumed
                    elif self.chance(0.15):
                        result["adminAccess"] = True
                    results.append({"metadata": {"name": "old-%d" % len(results), "namespace": "ns"}, "status": {
                        "allocation": {"devices": {"results": [result]}}}})
            elif shares:
                form = self.random.random()
                if form < 0.75:
                    state.setdefault("shared", []).extend({**ref, "shareID": share} for share, _ in shares)
                if form > 0.35:
                    state.setdefault("capacity", []).extend({**ref, "consumed": consumed} for _, consumed in shares)
            else:
                state.setdefault("devices", []).append(ref)
        if self.chance(0.05):
            state.setdefault("devices", []).append({"driver": self.choice(self.drivers), "pool": "gone",
                                                    "device": "dev-0"})
        return state

    def share_id(self):
        return "%08x-0000-4000-8000-%012x" % (self.random.getrandbits(32), self.random.getrandbits(48))


def bodies(request):
    """The request or its sub-requests: what asks for devices."""
    return [request["exactly"]] if "exactly" in request else request.get("firstAvailable", [])


def all_bodies(case):
    for claim in case["claims"]:
        for request in claim["spec"]["devices"]["requests"]:
            yield from bodies(request)


def all_devices(case):
    for part in case["slices"]:
        for device in part["spec"].get("devices", ()):
            yield part, device


def wanted(request):
    """How many devices the request asks for at least."""
    return min((b.get("count", 0) for b in bodies(request) if b.get("allocationMode") != "All"), default=0)


def bound_search(case):
    """Lowers counts until trying everything is a matter of milliseconds."""
    devices = sum(1 for _ in all_devices(case))
    asked = [b for b in all_bodies(case) if b.get("allocationMode") == "ExactCount"]

    def tries():
        product = 1
        for claim in case["claims"]:
            for request in claim["spec"]["devices"]["requests"]:
                product *= max(1, sum(math.comb(devices, b["count"]) for b in bodies(request)
                                      if 0 < b.get("count", 0) <= devices))
        return product

    while tries() > MOST_STEPS:
        largest = max((b for b in asked if b.get("count", 0) <= devices), key=lambda b: b.get("count", 0))
        if largest["count"] > 1:
            largest["count"] -= 1
        else:
            requests = max((c["spec"]["devices"]["requests"] for c in case["claims"]), key=len)
            if len(requests) > 1:
                requests.pop()
            else:
                case["claims"].pop()
            asked = [b for b in all_bodies(case) if b.get("allocationMode") == "ExactCount"]


# Mistakes: each makes one kind of error likely.

def any_body(maker, case):
    found = list(all_bodies(case))
    return maker.choice(found) if found else None


def all_of(maker, case):
    """Turns a request into one for all devices; the first, so that nothing else is in its way."""
    for body in all_bodies(case):
        body.update(allocationMode="All")
        body.pop("count", None)
        return body
    return None


def selector_without_cel(maker, case):
    if body := any_body(maker, case):
        body.setdefault("selectors", []).append({})


def no_class(maker, case):
    if body := any_body(maker, case):
        body["deviceClassName"] = ""


def unknown_class(maker, case):
    if body := any_body(maker, case):
        body["deviceClassName"] = "gone"


def unknown_mode(maker, case):
    if body := any_body(maker, case):
        body["allocationMode"] = maker.choice(("", "Most"))
        if maker.chance(0.5):
            del body["allocationMode"]


def too_many(maker, case):
    for claim in case["claims"]:
        for request in claim["spec"]["devices"]["requests"]:
            for body in bodies(request):
                body["count"], body["allocationMode"] = maker.choice((33, 32, 40)), "ExactCount"


def empty_constraint(maker, case):
    devices = maker.choice(case["claims"])["spec"]["devices"]
    devices.setdefault("constraints", []).insert(0, maker.choice(({}, {"requests": ["r0"]})))


def all_while_incomplete(maker, case):
    if all_of(maker, case):
        part = maker.choice(case["slices"])["spec"]["pool"]
        for other in case["slices"]:
            if other["spec"]["pool"]["name"] == part["name"]:
                other["spec"]["pool"]["resourceSliceCount"] += 1


def break_pool(maker, case):
    with_devices = [s for s in case["slices"] if s["spec"].get("devices")]
    if not with_devices:
        return
    spec = maker.choice(with_devices)["spec"]
    draws = [d for d in spec["devices"] if d.get("consumesCounters")]
    if draws and maker.chance(0.6):
        draw = maker.choice(draws)["consumesCounters"][0]
        if maker.chance(0.5):
            draw["counterSet"] = "gone"
        else:
            draw["counters"]["gone"] = {"value": "1"}
    elif (counters := [s for s in case["slices"] if s["spec"].get("sharedCounters")]) and maker.chance(0.4):
        sets = maker.choice(counters)["spec"]["sharedCounters"]
        sets.append(sets[0])
    else:
        spec["devices"].append(dict(spec["devices"][0]))


def all_while_invalid(maker, case):
    if all_of(maker, case):
        break_pool(maker, case)


def all_and_constraint(maker, case):
    body = all_of(maker, case)
    if body:
        body.pop("selectors", None)
        body.pop("capacity", None)
        body["deviceClassName"] = "any"
        case["allocated"] = {}
        name = maker.choice(maker.drivers) + maker.choice(("/index", "/numa", "/model"))
        case["claims"][0]["spec"]["devices"].setdefault("constraints", []).insert(0, {maker.choice((
            "matchAttribute", "distinctAttribute")): name})


def invalid_and_no_fit(maker, case):
    break_pool(maker, case)
    if body := any_body(maker, case):
        body["count"], body["allocationMode"] = 13, "ExactCount"


def malformed_node_selector(maker, case):
    bad = maker.choice(({"key": "zone", "operator": "Maybe"}, {"key": "zone", "operator": "In"},
                        {"key": "size", "operator": "Gt", "values": ["x"]}, {"key": "-zone-", "operator": "Exists"},
                        {"key": "zone", "operator": "Exists", "values": ["a"]}))
    spec = maker.choice(case["slices"])["spec"]
    if maker.chance(0.3):
        term = {"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["n0", "n1"]}]}
    else:
        term = {"matchExpressions": [bad]}
    if spec.pop("perDeviceNodeSelection", None):
        for device in spec.get("devices", ()):
            for key in ("nodeName", "allNodes", "nodeSelector"):
                device.pop(key, None)
    spec.pop("nodeName", None), spec.pop("allNodes", None)
    spec["nodeSelector"] = {"nodeSelectorTerms": [term]}


def two_terms(maker, case):
    for part in case["slices"]:
        spec = part["spec"]
        if "perDeviceNodeSelection" not in spec and "sharedCounters" not in spec:
            for key in ("nodeName", "allNodes", "nodeSelector"):
                spec.pop(key, None)
            spec["nodeSelector"] = {"nodeSelectorTerms": [
                {"matchExpressions": [{"key": "zone", "operator": "Exists"}]},
                {"matchExpressions": [{"key": "special", "operator": "Exists"}]}]}
            for device in spec["devices"]:
                device.pop("bindsToNode", None)


def unusable_capacity(maker, case, amount, policy):
    case["features"]["ConsumableCapacity"] = True
    body = next(iter(all_bodies(case)), None)
    if not body:
        return
    body.pop("selectors", None)
    body["deviceClassName"] = "any"
    body["capacity"] = {"requests": {"cores": amount}}
    for _, device in all_devices(case):
        device["capacity"] = {"cores": {"value": "1000"}}
        if policy:
            device["capacity"]["cores"]["requestPolicy"] = policy


def not_representable(maker, case):
    amount = maker.choice(("10E", "10E", "9223372036854775807", "1e19", "20Ei", "9E"))
    bounds = maker.choice(({"min": "1", "step": "1024"}, {"min": "500m", "step": "500m"},
                           {"min": "1", "step": "2", "max": "9E"}))
    unusable_capacity(maker, case, amount, {"default": bounds["min"], "validRange": bounds})


def negative_capacity(maker, case):
    if maker.chance(0.5):
        unusable_capacity(maker, case, "-1", None)
    else:
        # In milli units the reference calls this too large.
        case["features"].pop("FractionalCapacityRange", None)
        unusable_capacity(maker, case, "-1", {"default": "1", "validRange": {"min": "-5", "step": "1"}})


def failing_class(table):
    def mistake(maker, case):
        body = next(iter(all_bodies(case)), None)
        for each in case["classes"]:
            if body and each["metadata"]["name"] == body["deviceClassName"]:
                each["spec"].setdefault("selectors", []).append(cel(maker.choice(table).replace("D", maker.drivers[0])))
    return mistake


def failing_claim(table):
    def mistake(maker, case):
        if body := any_body(maker, case):
            body.setdefault("selectors", []).insert(0, cel(maker.choice(table).replace("D", maker.drivers[0])))
    return mistake


def failing_derived(expressions):
    def mistake(maker, case):
        if maker.channel == "experimental":
            case["features"]["DerivedAttributes"] = True
        if body := next(iter(all_bodies(case)), None):
            name = maker.drivers[0] + "/derived"
            expression = maker.choice(expressions).replace("D", maker.drivers[0])
            body.setdefault("derivedAttributes", []).append({"name": name, "expression": expression})
            case["claims"][0]["spec"]["devices"].setdefault("constraints", []).insert(0, {"matchAttribute": name})
    return mistake


def infeasible_and_failing(maker, case):
    """More devices are asked for than there are, by requests of which one fails when it comes to a device."""
    devices = len(list(all_devices(case)))
    claim = case["claims"][-1]["spec"]["devices"]
    driver = maker.choice(maker.drivers)
    counts = [1] * (devices + 1) if devices < 5 else maker.choice(([1, devices], [devices - 1, 2], [1, 1, devices - 1]))
    maker.random.shuffle(counts)
    claim["requests"] = [{"name": "r%d" % i, "exactly": {"deviceClassName": driver, "allocationMode": "ExactCount",
                                                          "count": count}} for i, count in enumerate(counts)]
    claim.pop("config", None)
    if maker.chance(0.7):
        claim.pop("constraints", None)
    maker.choice(claim["requests"])["exactly"]["selectors"] = [cel(maker.choice(FAILING + NOT_COMPILING[:3] + RISKY[:2])
                                                                   .replace("D", driver))]


WEIGHTED_MISTAKES = (
    (None, 74), (selector_without_cel, 1.7), (no_class, 1.8), (unknown_class, 1.8), (unknown_mode, 1.9),
    (too_many, 1.6), (empty_constraint, 2.1), (all_while_incomplete, 0.8), (all_while_invalid, 1.8),
    (all_and_constraint, 1), (invalid_and_no_fit, 2.1), (malformed_node_selector, 1.8), (two_terms, 3.2),
    (not_representable, 2.4),
    (negative_capacity, 2.9), (failing_class(NOT_COMPILING), 1.7), (failing_claim(NOT_COMPILING), 0.7),
    (failing_class(FAILING), 2), (failing_claim(FAILING), 0.3),
    (failing_derived(('nosuch', 'device.driver +', 'device', '{1: 2}')), 2),
    (failing_derived(('1 / 0', 'device.attributes["D"].nosuch', 'device.attributes["D"].index / 0')), 2.2),
    (infeasible_and_failing, 7))
MISTAKES = [m for m, _ in WEIGHTED_MISTAKES]
MISTAKE_WEIGHTS = [w for _, w in WEIGHTED_MISTAKES]


# What a case is about, for quotas

def uses(case):
    """The features whose subject the case has."""
    found = set()
    with_rules = bool(case.get("taintRules"))
    asked = set()
    for claim in case["claims"]:
        devices = claim["spec"]["devices"]
        for request in devices["requests"]:
            if "firstAvailable" in request:
                found.add("PrioritizedList")
            for body in bodies(request):
                if "adminAccess" in body:
                    found.add("AdminAccess")
                if "capacity" in body:
                    found.add("ConsumableCapacity")
                    asked.update(body["capacity"].get("requests", ()))
                if body.get("derivedAttributes"):
                    found.add("DerivedAttributes")
    if with_rules:
        found.add("DeviceTaints")
    constrained = {c.get("matchAttribute", c.get("distinctAttribute", "")).split("/")[-1] for claim in case["claims"]
                   for c in claim["spec"]["devices"].get("constraints", ())}
    for part in case["slices"]:
        spec = part["spec"]
        if spec.get("skipNodeOperations"):
            found.add("OptionalNodeOperations")
        if "perDeviceNodeSelection" in spec or spec.get("sharedCounters"):
            found.add("PartitionableDevices")
        for device in spec.get("devices", ()):
            if device.get("taints"):
                found.add("DeviceTaints")
            if device.get("bindingConditions"):
                found.add("DeviceBindingAndStatus")
            if device.get("allowMultipleAllocations"):
                found.add("ConsumableCapacity")
            for draw in device.get("consumesCounters", ()):
                if draw.get("compatibilityGroups"):
                    found.add("CompatibilityGroups")
            for name, value in device.get("attributes", {}).items():
                if name in constrained and value.keys() & {"ints", "bools", "strings", "versions"}:
                    found.add("ListTypeAttributes")
            for name, capacity in device.get("capacity", {}).items():
                bounds = capacity.get("requestPolicy", {}).get("validRange", {})
                if name in asked and "step" in bounds and any(b.endswith("m") for b in bounds.values()):
                    found.add("FractionalCapacityRange")
    return found


ALWAYS_FAILING = frozenset(e.replace("D", d) for e in FAILING + NOT_COMPILING + RISKY for d in (*DRIVERS, REAL_DRIVER))


def mixes_infeasible_and_failing(case):
    """More devices are asked for than there are, by requests of which one has a selector that fails."""
    total = sum(wanted(r) for c in case["claims"] for r in c["spec"]["devices"]["requests"])
    return total > sum(1 for _ in all_devices(case)) and any(
        s.get("cel", {}).get("expression") in ALWAYS_FAILING for b in all_bodies(case) for s in b.get("selectors", ()))


def for_reference(case, channel):
    """The case as the reference takes it: taint rules, in the order of their names, become taints of devices."""
    rules = sorted(case.get("taintRules", ()), key=lambda r: r["metadata"]["name"])
    case = {**case, "channel": channel}
    case.pop("taintRules", None)
    if rules:
        case["slices"] = json.loads(json.dumps(case["slices"]))
        for part, device in all_devices(case):
            names = {"driver": part["spec"]["driver"], "pool": part["spec"]["pool"]["name"], "device": device["name"]}
            for rule in rules:
                selector = rule["spec"].get("deviceSelector")
                if selector is not None and all(names[k] == v for k, v in selector.items()):
                    device.setdefault("taints", []).append(rule["spec"]["taint"])
    return case
