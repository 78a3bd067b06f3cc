#!/usr/bin/env python3
"""Says whether an allocation is one that the API, the driver and every other scheduler would accept.

  validity.py --reference BIN/dra-oracle --cel BIN/cel-oracle [--ours build/PRESET/bin/kumiko] [--count N] [--seed N]

Holds answers against the rules and against nothing of kumiko: what a selector says of a device is asked of the
expression engine of Kubernetes. With --ours it checks every result of kumiko, by both policies, and that they find a
result when the reference does; without, every result of the reference.

A rule says what a result must be, not which of several valid ones is taken, so that it holds for any order of search.
"""
import collections
import fractions
import json
import multiprocessing
import re
import sys
import time

import case_generator as generator
import compare
import known_defects
import programs
from quantities import ceiling, quantity

# Kumiko numbers the shares of a call, and makes UUIDs of the numbers when it commits them.
SHARE_ID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|share-\d+")
LIMIT = 32


class Verdicts:
    """What the expression engine of Kubernetes says, asked in one go: first `missing` fills, then `answers`."""

    def __init__(self, path):
        self.path, self.answers, self.missing = path, {}, {}

    def of(self, expression, driver, device, features, derived=False):
        """True, False, a derived value, or None for an error."""
        question = {"expression": expression, "driver": driver, "derived": derived, "features": {
            "EnableConsumableCapacity": features.get("ConsumableCapacity", False),
            "EnableListTypeAttributes": features.get("ListTypeAttributes", False)},
            "device": {k: v for k, v in device.items() if k in ("attributes", "capacity", "allowMultipleAllocations")}}
        key = json.dumps(question, sort_keys=True)
        if key not in self.answers:
            self.missing[key] = question
            return None if derived else True  # so that the next selector is asked for too
        answer = self.answers[key]
        return answer.get("value") if derived else answer.get("match")

    def ask(self):
        # The engine keeps one compiler, for the features asked last.
        keys = sorted(self.missing, key=lambda k: json.dumps(self.missing[k]["features"]))
        program = programs.Program([self.path])
        self.answers.update(zip(keys, program.ask_all([self.missing[k] for k in keys])))
        self.missing = {}


# What a node sees

LABEL_KEY = re.compile(r"([a-z0-9]([-a-z0-9.]*[a-z0-9])?/)?[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?")


def well_formed(where):
    """Whether a node selector says something that can be decided."""
    for term in where.get("nodeSelector", {}).get("nodeSelectorTerms", ()):
        for r in term.get("matchExpressions", ()):
            values = r.get("values", [])
            if not LABEL_KEY.fullmatch(r.get("key", "")) or not {
                    "In": values, "NotIn": values, "Exists": not values, "DoesNotExist": not values,
                    "Gt": len(values) == 1 and values[0].isdigit(),
                    "Lt": len(values) == 1 and values[0].isdigit()}.get(r["operator"]):
                return False
        for r in term.get("matchFields", ()):
            if r["operator"] not in ("In", "NotIn") or len(r.get("values", ())) != 1:
                return False
    return True


def requirement_holds(requirement, values):
    key, operator, wanted = requirement["key"], requirement["operator"], requirement.get("values", [])
    have = values.get(key)
    if operator in ("Exists", "DoesNotExist"):
        return (have is not None) == (operator == "Exists")
    if operator in ("In", "NotIn"):
        return (have in wanted) == (operator == "In")
    return have is not None and (int(have) > int(wanted[0]) if operator == "Gt" else int(have) < int(wanted[0]))


def reaches(node, where):
    """Whether a slice, or a device, is for this node."""
    name, labels = node["metadata"]["name"], node["metadata"].get("labels", {})
    if where.get("nodeName"):
        return where["nodeName"] == name
    if where.get("allNodes"):
        return True
    for term in where.get("nodeSelector", {}).get("nodeSelectorTerms", ()):
        expressions, fields = term.get("matchExpressions", ()), term.get("matchFields", ())
        if (expressions or fields) and all(requirement_holds(r, labels) for r in expressions) and all(
                requirement_holds(r, {"metadata.name": name}) for r in fields):
            return True
    return False


def declares_groups(spec):
    return any(draw.get("compatibilityGroups")
               for d in spec.get("devices", ()) for draw in d.get("consumesCounters", ()))


def left_out(spec, features):
    """Whether the slice needs a feature that is off. Then nothing else of it counts."""
    partitions = "perDeviceNodeSelection" in spec or spec.get("sharedCounters")
    return (partitions and not features.get("PartitionableDevices")) or (
        declares_groups(spec) and not features.get("CompatibilityGroups"))


class PoolView:
    """A pool as one node sees it: its devices, its counters, and why it may not be used."""

    def __init__(self, relevant, every, features):
        self.unusable = ""
        generation = max(s["pool"]["generation"] for s in relevant)
        relevant = [s for s in relevant if s["pool"]["generation"] == generation]
        if len(relevant) != relevant[0]["pool"]["resourceSliceCount"]:
            if any(s["pool"]["generation"] > generation for s in every):
                self.unusable = "obsolete"
        every = [s for s in every if s["pool"]["generation"] == generation
                 and (features.get("CompatibilityGroups") or not declares_groups(s))]
        if relevant[0]["pool"]["resourceSliceCount"] not in (len(relevant), len(every)):
            self.unusable = self.unusable or "incomplete"
        counters = features.get("PartitionableDevices")
        self.devices = {}  # by name, with the slice
        self.everywhere = {}  # also those of other nodes
        for spec in relevant:
            for device in spec.get("devices", ()) if not (counters and spec.get("sharedCounters")) else ():
                if device["name"] in self.devices:
                    self.unusable = self.unusable or "two devices of one name"
                self.devices[device["name"]] = (spec, device)
        self.sets = {}
        for spec in every:
            for counter_set in spec.get("sharedCounters", ()):
                if counters and counter_set["name"] in self.sets:
                    self.unusable = self.unusable or "two counter sets of one name"
                self.sets[counter_set["name"]] = counter_set["counters"]
            for device in spec.get("devices", ()):
                self.everywhere[device["name"]] = device
        for device in self.everywhere.values():
            for draw in device.get("consumesCounters", ()) if counters else ():
                if not draw["counters"].keys() <= self.sets.get(draw["counterSet"], {}).keys():
                    self.unusable = self.unusable or "unknown counters"


def pools_of(case, node):
    features = case["features"]
    relevant, every = collections.defaultdict(list), collections.defaultdict(list)
    for part in case["slices"]:
        spec = part["spec"]
        name = (spec["driver"], spec["pool"]["name"])
        every[name].append(spec)
        if left_out(spec, features):
            continue
        if spec.get("perDeviceNodeSelection"):
            here = any(reaches(node, d) for d in spec.get("devices", ()))
        else:
            here = reaches(node, spec)
        if here:
            relevant[name].append(spec)
    return {name: PoolView(specs, every[name], features) for name, specs in relevant.items()}


# What is allocated already

class InUse:
    def __init__(self, allocated):
        self.exclusive, self.shares = set(), set()
        self.consumed = collections.defaultdict(lambda: collections.defaultdict(fractions.Fraction))
        self.shared = set()
        for entry in allocated.get("devices", ()):
            self.exclusive.add(self.key(entry))
        for entry in allocated.get("shared", ()):
            self.add_share(entry, {})
        for entry in allocated.get("capacity", ()):
            self.add_share(entry, entry.get("consumed", {}))
        for claim in allocated.get("claims", ()):
            for entry in claim["status"]["allocation"]["devices"]["results"]:
                if entry.get("adminAccess"):
                    continue
                if "shareID" in entry:
                    self.add_share(entry, entry.get("consumedCapacity", {}))
                else:
                    self.exclusive.add(self.key(entry))

    @staticmethod
    def key(entry):
        return entry["driver"], entry["pool"], entry["device"]

    def add_share(self, entry, consumed):
        self.shared.add(self.key(entry))
        self.shares.add(entry.get("shareID"))
        for name, amount in consumed.items():
            self.consumed[self.key(entry)][name] += quantity(amount)

    def any_use(self, key):
        return key in self.exclusive or key in self.shared


# Amounts of consumable capacity

def resolved(capacity, requested, fractional):
    """What a request for `requested` (None: nothing said) takes of a capacity."""
    policy = capacity.get("requestPolicy", {})
    if requested is None:
        return quantity(policy.get("default", capacity["value"]))
    amount, bounds = quantity(requested), policy.get("validRange", {})
    if "min" in bounds:
        least = quantity(bounds["min"])
        if amount < least:
            return least
        if "step" in bounds:
            step = quantity(bounds["step"])
            if not fractional:
                amount, least, step = (fractions.Fraction(ceiling(v)) for v in (amount, least, step))
            return least + ceiling((amount - least) / step) * step
        return amount
    return min((v for v in map(quantity, policy.get("validValues", ())) if v >= amount), default=amount)


def breaks_policy(capacity, amount, fractional):
    policy = capacity.get("requestPolicy", {})
    bounds, values = policy.get("validRange", {}), policy.get("validValues", ())
    if "default" in policy and amount == quantity(policy["default"]):
        return False
    if "max" in bounds and amount > quantity(bounds["max"]):
        return True
    if "step" in bounds:
        step, least = quantity(bounds["step"]), quantity(bounds.get("min", "0"))
        if not fractional:
            amount, least, step = (ceiling(v) for v in (amount, least, step))
        return (amount - least) % step != 0
    return bool(values) and amount not in map(quantity, values)


# Attributes and constraints

SCALARS, LISTS = ("int", "bool", "string", "version"), ("ints", "bools", "strings", "versions")


def value_set(attribute):
    """Type and values of an attribute, a scalar being one value."""
    for scalar, several in zip(SCALARS, LISTS):
        if attribute.get(several):
            return scalar, set(attribute[several])
        if scalar in attribute:
            return scalar, {attribute[scalar]}
    return "", set()


def constraint_holds(matching, attributes, lists):
    """Whether devices with these attributes, in the order in which they were picked, go together."""
    if any(a is None for a in attributes):
        return False
    sets = [value_set(a) for a in attributes]
    if not lists:
        # What is no scalar can only stand first.
        if any(not any(s in a for s in SCALARS) for a in attributes[1:]):
            return False
        sets = [s if any(k in a for k in SCALARS) else ("a list", {"its values"}) for s, a in zip(sets, attributes)]
    elif any(not kind for kind, _ in sets):
        return False
    if matching:
        return len({kind for kind, _ in sets}) == 1 and bool(set.intersection(*(values for _, values in sets)))
    return all(a[0] != b[0] or not a[1] & b[1] for i, a in enumerate(sets) for b in sets[:i])


def tolerated(taint, tolerations):
    if taint.get("effect") not in ("NoSchedule", "NoExecute"):
        return True
    for toleration in tolerations:
        concerned = all(toleration.get(k, taint[k]) == taint[k] for k in ("effect", "key"))
        if concerned and (toleration.get("operator") == "Exists"
                          or toleration.get("value", "") == taint.get("value", "")):
            return True
    return False


def names(request, sub):
    return {request["name"], "%s/%s" % (request["name"], sub["name"])} if sub else {request["name"]}


class Check:
    """The rules, for one node's answer. `problems` names each that does not hold."""

    def __init__(self, case, node, results, verdicts):
        self.case, self.node, self.verdicts = case, node, verdicts
        self.features = case["features"]
        self.problems = []
        if not all(well_formed(where) for part in case["slices"] if not left_out(part["spec"], self.features)
                   for where in (part["spec"], *part["spec"].get("devices", ()))):
            self.problem("node selectors are well-formed")
            return
        self.pools, self.in_use = pools_of(case, node), InUse(case.get("allocated", {}))
        self.picks = []  # (claim index, request, body, result, slice, device)
        self.classes = {c["metadata"]["name"]: c for c in case["classes"]}
        if len(results) != len(case["claims"]):
            self.problem("results for each claim")
            return
        for index, (claim, result) in enumerate(zip(case["claims"], results)):
            self.claim(index, claim, result)
        self.devices_together()

    def problem(self, name):
        if name not in self.problems:
            self.problems.append(name)

    def on(self, feature):
        return bool(self.features.get(feature))

    # One claim

    def claim(self, index, claim, allocation):
        entries = (allocation.get("devices") or {}).get("results") or []
        if len(entries) > LIMIT:
            self.problem("limit of results")
        requests = {r["name"]: r for r in claim["spec"]["devices"]["requests"]}
        by_request = collections.defaultdict(list)
        picks = []
        for entry in entries:
            first, _, second = entry["request"].partition("/")
            request = requests.get(first)
            subs = {s["name"]: s for s in (request or {}).get("firstAvailable", ())}
            if request is None or bool(second) != bool(subs) or second and second not in subs:
                self.problem("request exists")
                continue
            sub = subs.get(second)
            by_request[first].append((sub["name"] if sub else "", entry))
            pool = self.pools.get((entry["driver"], entry["pool"]))
            if pool is None or entry["device"] not in pool.devices:
                self.problem("device exists on the node")
                continue
            if pool.unusable:
                self.problem("pool is usable")
            spec, device = pool.devices[entry["device"]]
            body = sub or request["exactly"]
            self.device(request, sub, body, entry, spec, device)
            picks.append((index, request, sub, body, entry, spec, device))
        self.picks += picks
        chosen = {}
        for name, request in requests.items():
            chosen[name] = self.count(request, by_request[name])
        self.constraints(claim, picks)
        self.config(claim, allocation, chosen)
        self.node_selector(allocation, picks)

    def count(self, request, taken):
        """The sub-requests, or the request, that the number of devices allows."""
        if "exactly" in request:
            allowed = [(None, request["exactly"])]
        else:
            if not self.on("PrioritizedList"):
                self.problem("feature is on")
            if len({sub for sub, _ in taken}) > 1:
                self.problem("one sub-request")
                return []
            allowed = [(s, s) for s in request["firstAvailable"] if not taken or s["name"] == taken[0][0]]
        allowed = [(sub, body) for sub, body in allowed if self.right_number(request, sub, body, [e for _, e in taken])]
        if not allowed:
            self.problem("all devices" if any(b.get("allocationMode") == "All" for b in generator.bodies(request))
                         else "number of devices")
        return [sub for sub, _ in allowed]

    def right_number(self, request, sub, body, entries):
        if body.get("allocationMode") != "All":
            return len(entries) == body.get("count", 0)
        found = set()
        for (driver, pool_name), pool in self.pools.items():
            if pool.unusable in ("", "obsolete"):
                for spec, device in pool.devices.values() if not pool.unusable else ():
                    if self.selectable(body, spec, device) and not self.too_large(body, device):
                        found.add((driver, pool_name, device["name"]))
            else:
                self.problem("pool is usable")
        return found == {InUse.key(e) for e in entries} and len(entries) == len(found) > 0

    def too_large(self, body, device):
        if not self.on("ConsumableCapacity"):
            return False
        requested = body.get("capacity", {}).get("requests", {})
        capacity = device.get("capacity", {})
        return not requested.keys() <= capacity.keys() or any(
            breaks_policy(c, a, self.on("FractionalCapacityRange")) or a > quantity(c["value"])
            for n, c in capacity.items() for a in [resolved(c, requested.get(n), self.on("FractionalCapacityRange"))])

    def selectable(self, body, spec, device):
        """Selectors of class and request hold, it is for this node, and what it needs is on."""
        if device.get("bindingConditions") and not self.on("DeviceBindingAndStatus"):
            return False
        if spec.get("perDeviceNodeSelection") and not reaches(self.node, device):
            return False
        return all(self.selector(s, spec, device) for s in self.selectors(body))

    def selectors(self, body):
        in_class = self.classes.get(body.get("deviceClassName"), {}).get("spec", {}).get("selectors", ())
        return [s["cel"]["expression"] for s in (*in_class, *body.get("selectors", ()))]

    def selector(self, expression, spec, device):
        return self.verdicts.of(expression, spec["driver"], device, self.features)

    def device(self, request, sub, body, entry, spec, device):
        """One device for one request, whatever else is picked."""
        if body.get("deviceClassName") not in self.classes:
            self.problem("class exists")
        in_class = self.classes.get(body.get("deviceClassName"), {}).get("spec", {}).get("selectors", ())
        for name, selectors in (("class selectors", in_class), ("request selectors", body.get("selectors", ()))):
            if not all(self.selector(s["cel"]["expression"], spec, device) for s in selectors):
                self.problem(name)
        if spec.get("perDeviceNodeSelection") and not reaches(self.node, device):
            self.problem("device reaches the node")
        operations = spec.get("skipNodeOperations", [])
        if operations and generator.NODE_OPERATIONS not in self.node.get("status", {}).get("declaredFeatures", ()):
            self.problem("node skips operations")
        if (operations and not self.on("OptionalNodeOperations")
                or device.get("bindingConditions") and not self.on("DeviceBindingAndStatus")
                or device.get("consumesCounters") and not self.on("PartitionableDevices")
                or "adminAccess" in body and not self.on("AdminAccess")
                or "capacity" in body and not self.on("ConsumableCapacity")
                or body.get("derivedAttributes") and not self.on("DerivedAttributes")):
            self.problem("feature is on")
        tolerations = body.get("tolerations", ())
        if self.on("DeviceTaints") and not all(tolerated(t, tolerations) for t in device.get("taints", ())):
            self.problem("taints are tolerated")
        # What is copied.
        if (entry.get("adminAccess") or False) != (body.get("adminAccess") or False):
            self.problem("admin access as asked")
        if compare.plain(entry.get("tolerations", [])) != compare.plain(body.get("tolerations", [])):
            self.problem("tolerations copied")
        for field in ("bindingConditions", "bindingFailureConditions"):
            if entry.get(field, []) != (device.get(field, []) if self.on("DeviceBindingAndStatus") else []):
                self.problem("binding conditions copied")
        if entry.get("skipNodeOperations", []) != operations:
            self.problem("skipped operations copied")
        self.capacity(body, entry, device)

    def shareable(self, device):
        return self.on("ConsumableCapacity") and device.get("allowMultipleAllocations", False)

    def capacity(self, body, entry, device):
        if not self.on("ConsumableCapacity"):
            if "shareID" in entry or entry.get("consumedCapacity"):
                self.problem("share of what can be shared")
            return
        requested, fractional = body.get("capacity", {}).get("requests", {}), self.on("FractionalCapacityRange")
        if not requested.keys() <= device.get("capacity", {}).keys():
            self.problem("device has the capacity")
            return
        amounts = {n: resolved(c, requested.get(n), fractional) for n, c in device.get("capacity", {}).items()}
        if any(breaks_policy(c, amounts[n], fractional) for n, c in device.get("capacity", {}).items()):
            self.problem("amount within the policy")
        if self.shareable(device):
            if not SHARE_ID.fullmatch(entry.get("shareID", "")):
                self.problem("share ID")
            if {n: quantity(q) for n, q in entry.get("consumedCapacity", {}).items()} != amounts:
                self.problem("consumed capacity")
        else:
            if "shareID" in entry or entry.get("consumedCapacity"):
                self.problem("share of what can be shared")
            used = self.in_use.consumed.get(InUse.key(entry), {})
            if any(a + used.get(n, 0) > quantity(device["capacity"][n]["value"]) for n, a in amounts.items()):
                self.problem("capacity is there")

    def attribute(self, body, spec, device, name):
        for derived in body.get("derivedAttributes", ()):
            if derived["name"] == name:
                return self.verdicts.of(derived["expression"], spec["driver"], device, self.features, derived=True)
        attributes = device.get("attributes", {})
        domain, _, short = name.partition("/")
        return attributes.get(name, attributes.get(short) if domain == spec["driver"] else None)

    def constraints(self, claim, picks):
        for constraint in claim["spec"]["devices"].get("constraints", ()):
            concerned = set(constraint.get("requests", ()))
            name = constraint.get("matchAttribute", constraint.get("distinctAttribute"))
            if name is None:
                self.problem("constraints hold")
                continue
            attributes = [self.attribute(body, spec, device, name) for _, request, sub, body, _, spec, device in picks
                          if not concerned or concerned & names(request, sub)]
            if attributes and not constraint_holds("matchAttribute" in constraint, attributes,
                                                   self.on("ListTypeAttributes")):
                self.problem("constraints hold")

    def config(self, claim, allocation, chosen):
        """The configuration for some choice of sub-requests that the devices allow."""
        got = compare.plain((allocation.get("devices") or {}).get("config") or [])
        requests = claim["spec"]["devices"]["requests"]
        choices = [{}]
        for request in requests:
            choices = [{**c, request["name"]: sub} for c in choices for sub in chosen.get(request["name"]) or ()]
        if choices and not any(compare.plain(self.expected_config(claim, choice)) == got for choice in choices):
            self.problem("configuration")

    def expected_config(self, claim, choice):
        requests = claim["spec"]["devices"]["requests"]
        config, users = [], collections.OrderedDict()
        for request in requests:
            sub = choice[request["name"]]
            body = sub or request["exactly"]
            name = "%s/%s" % (request["name"], sub["name"]) if sub else request["name"]
            users.setdefault(body.get("deviceClassName"), []).append(name)
        for name, served in users.items():
            for entry in self.classes.get(name, {}).get("spec", {}).get("config", ()):
                config.append({"source": "FromClass", "requests": list(served), **entry})
        for entry in claim["spec"]["devices"].get("config", ()):
            listed = set(entry.get("requests", ()))
            if not listed or any(listed & names(r, choice[r["name"]]) for r in requests):
                config.append({"source": "FromClaim", **entry})
        for entry in config:
            if all(set(entry.get("requests", ())) & names(r, choice[r["name"]]) for r in requests):
                entry["requests"] = []
        return config

    def node_selector(self, allocation, picks):
        term = {}
        for _, _, _, _, _, spec, device in picks:
            where = device if spec.get("perDeviceNodeSelection") else spec
            if where.get("nodeName") or device.get("bindsToNode"):
                term = {"matchFields": [{"key": "metadata.name", "operator": "In",
                                         "values": [self.node["metadata"]["name"]]}]}
                break
            for needed in where.get("nodeSelector", {}).get("nodeSelectorTerms", ()):
                for kind, requirements in needed.items():
                    for r in requirements:
                        if r not in term.setdefault(kind, []):
                            term[kind].append(r)
        wanted = {"nodeSelectorTerms": [term]} if term else {}
        if compare.plain(allocation.get("nodeSelector") or {}) != compare.plain(wanted):
            self.problem("node selector")

    # All claims together

    def devices_together(self):
        holders = collections.defaultdict(list)
        share_ids = collections.Counter()
        consumed = collections.defaultdict(lambda: collections.defaultdict(fractions.Fraction))
        for index, request, _, body, entry, _, device in self.picks:
            holders[InUse.key(entry)].append((index, request["name"], bool(body.get("adminAccess")), device))
            if "shareID" in entry:
                share_ids[entry["shareID"]] += 1
                if not body.get("adminAccess"):
                    for name, amount in entry.get("consumedCapacity", {}).items():
                        consumed[InUse.key(entry)][name] += quantity(amount)
        if any(n > 1 or i in self.in_use.shares for i, n in share_ids.items()):
            self.problem("share IDs are unique")
        for key, users in holders.items():
            device = users[0][3]
            ordinary = [u for u in users if not u[2]]
            if ordinary and key in self.in_use.exclusive:
                self.problem("device is free")
            if self.shareable(device):
                if len({(u[0], u[1]) for u in users}) < len(users):
                    self.problem("one share for a request")
                for name, amount in consumed[key].items():
                    total = amount + self.in_use.consumed.get(key, {}).get(name, 0)
                    if name in device.get("capacity", {}) and total > quantity(device["capacity"][name]["value"]):
                        self.problem("capacity is there")
            else:
                if ordinary and key in self.in_use.shared:
                    self.problem("no live shares")
                if len(ordinary) > 1 or len({u[0] for u in users}) < len(users):
                    self.problem("device once")
        self.counters({key for key, users in holders.items() if not all(u[2] for u in users)})

    def counters(self, taken):
        """Counters and compatibility groups of the devices in use, with those picked for use."""
        for pool_key, pool in self.pools.items():
            picked = {k for k in taken if k[:2] == pool_key}
            if not picked or not self.on("PartitionableDevices"):
                continue
            left = {(s, c): quantity(v["value"]) for s, counters in pool.sets.items() for c, v in counters.items()}
            before, after = collections.defaultdict(list), collections.defaultdict(list)
            touched = set()
            for name, device in pool.everywhere.items():
                key = pool_key + (name,)
                used = self.in_use.any_use(key)
                if not used and key not in picked:
                    continue
                for draw in device.get("consumesCounters", ()):
                    groups = set(draw.get("compatibilityGroups", ()))
                    (before if used else after)[draw["counterSet"]].append(groups)
                    for counter, amount in draw["counters"].items():
                        if (draw["counterSet"], counter) in left:
                            left[draw["counterSet"], counter] -= quantity(amount["value"])
                            if not used:
                                touched.add((draw["counterSet"], counter))
            if any(left[c] < 0 for c in touched):
                self.problem("counters are there")
            if self.on("CompatibilityGroups"):
                for name, groups in after.items():
                    old = before[name]
                    if not (any(old) and not all(old)) and not compatible(old + groups):
                        self.problem("compatibility groups")


def compatible(groups):
    return not any(groups) or all(groups) and bool(set.intersection(*groups))


def check(case, node_name, results, verdicts):
    """Names of the rules that do not hold."""
    node = next(n for n in case["nodes"] if n["metadata"]["name"] == node_name)
    return Check(case, node, results or [], verdicts).problems


# Defects of the reference that make its results break a rule.
EXCUSES = {"no live shares": known_defects.exclusive_use_of_shared_device}


def invalid(cases, answers, verdicts, excuses=None):
    """(case, node, problems) of results that break a rule, how many results there were, how many are excused."""
    fitting = [(c, a) for c, answer in zip(cases, answers) for a in answer.get("answers") or () if a.get("allocated")]
    for case, a in fitting:
        check(case, a["node"], a["results"], verdicts)  # to know what to ask
    verdicts.ask()
    found, excused = [], 0
    for case, a in fitting:
        problems = check(case, a["node"], a["results"], verdicts)
        known = [p for p in problems if p in (excuses or {}) and excuses[p](case, "result")]
        excused += bool(known)
        if problems := [p for p in problems if p not in known]:
            found.append((case, a, problems))
    return found, len(fitting), excused


def work(job):
    args, first, count = job
    cases = [generator.Maker(args.seed, i, args.channel).case() for i in range(first, first + count)]
    patched = [generator.for_reference(c, args.channel) for c in cases]
    verdicts, found, counts = Verdicts(args.cel), [], collections.Counter()
    theirs = programs.reference(args.reference, args.channel, keep_share_ids=True).ask_all(cases)
    if not args.ours:
        bad, n, excused = invalid(patched, theirs, verdicts, EXCUSES)
        found += [("reference", *b) for b in bad]
        counts["reference"] += n
        counts["of the reference, excused by a defect"] += excused
        return found, counts
    for policy in ("first-fit", "packed"):
        mine = programs.kumiko(args.ours, policy, keep_share_ids=True).ask_all(cases)
        bad, n, _ = invalid(patched, mine, verdicts)
        found += [(policy, *b) for b in bad]
        counts[policy] += n
        for case, own, other in zip(cases, mine, theirs):
            if "crash" in own:
                found.append((policy, case, own, ["answers"]))
            for a, b in zip(own.get("answers") or (), other.get("answers") or ()):
                lost = programs.outcome(b) == "fit" and programs.outcome(a) == "no fit"
                if lost and not known_defects.excuse(case, "fit there, no fit here"):
                    found.append((policy, case, a, ["fits where the reference fits"]))
    return found, counts


def main():
    options = compare.arguments(__doc__)
    options.add_argument("--show", type=int, default=6, help="invalid results to print")
    options.add_argument("--cel", required=True, help="the program of tests/cel/oracle")
    args = options.parse_args()
    started = time.time()
    compare.say_seed(args)
    found, counts = [], collections.Counter()
    with multiprocessing.Pool(args.processes) as pool:
        for part, n in pool.imap_unordered(work, compare.shares(args)):
            found += part
            counts.update(n)
    for policy, case, answer, problems in sorted(found, key=lambda f: len(json.dumps(f[1])))[:args.show]:
        print("\n%s, %s: %s" % (policy, case["name"], ", ".join(problems)))
        print("  answer %s" % json.dumps(answer))
        print("  case   %s" % json.dumps(case))
    for problem, n in collections.Counter((f[0], p) for f in found for p in f[3]).most_common():
        print("  %6d %s: not so: %s" % (n, *problem))
    print("validity: %s; %d break a rule, %.0f s" % (
        ", ".join("%d results %s" % (n, k) for k, n in counts.items()), len(found), time.time() - started))
    return 1 if found or not any(counts.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
