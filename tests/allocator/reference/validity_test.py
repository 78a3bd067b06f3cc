#!/usr/bin/env python3
"""Spoils valid allocations in thirty ways; validity.py must reject each, for the right reason.

  validity_test.py --reference BIN/dra-oracle --cel BIN/cel-oracle [--count 4000] [--seed N]

The allocations are those of the reference on random cases. A way that no case allows is a failure too.
"""
import collections
import copy
import json
import sys

import case_generator as generator
import compare
import programs
import validity
from quantities import quantity

OTHER_SHARE = "00000000-0000-4000-8000-000000000001"


class Answer:
    """One node's results of a case, to be spoilt."""

    def __init__(self, case, answer):
        self.case, self.results = copy.deepcopy(case), copy.deepcopy(answer["results"])
        self.node = next(n for n in self.case["nodes"] if n["metadata"]["name"] == answer["node"])
        self.pools = validity.pools_of(self.case, self.node)

    def entries(self):
        """(claim, request, sub-request or None, entry, slice, device) of each result."""
        for claim, allocation in zip(self.case["claims"], self.results):
            by_name = {r["name"]: r for r in claim["spec"]["devices"]["requests"]}
            for entry in allocation["devices"].get("results") or ():
                first, _, second = entry["request"].partition("/")
                request = by_name[first]
                sub = next((s for s in request.get("firstAvailable", ()) if s["name"] == second), None)
                spec, device = self.pools[entry["driver"], entry["pool"]].devices[entry["device"]]
                yield claim, request, sub, entry, spec, device

    def lists(self):
        return [a["devices"]["results"] for a in self.results if a["devices"].get("results")]

    def list_of(self, entry):
        """The list that this entry stands in; two claims with admin access may hold equal ones."""
        return next(e for e in self.lists() if any(one is entry for one in e))

    def on(self, feature):
        return self.case["features"].get(feature)


# Each way changes the answer, or what the case says was there before, and is true when it could.

def one_device_less(a):
    for claim, request, sub, entry, spec, device in a.entries():
        # An alternative that names no count asks for none.
        if all(s.get("count") or s.get("allocationMode") == "All" for s in request.get("firstAvailable", ())):
            a.list_of(entry).remove(entry)
            return True


def one_device_more(a):
    """A device that nobody asked for, of the same request."""
    for claim, request, sub, entry, spec, device in a.entries():
        if (sub or request["exactly"]).get("allocationMode") == "All":
            continue
        for other in a.pools[entry["driver"], entry["pool"]].devices:
            if other != entry["device"]:
                entries = a.list_of(entry)
                entries.append({**copy.deepcopy(entry), "device": other})
                return True


def result_of_no_claim(a):
    a.results.append(copy.deepcopy(a.results[0]))
    return True


def unknown_request(a):
    for *_, entry, spec, device in a.entries():
        entry["request"] = "nosuch"
        return True


def request_without_its_sub_request(a):
    for _, request, sub, entry, spec, device in a.entries():
        if sub:
            entry["request"] = request["name"]
            return True


def two_sub_requests(a):
    for _, request, sub, entry, spec, device in a.entries():
        others = [s for s in request.get("firstAvailable", ()) if s is not sub]
        if sub and others and sub.get("count") == 2:
            entry["request"] = "%s/%s" % (request["name"], others[0]["name"])
            return True


def device_that_is_not_there(a):
    for *_, entry, spec, device in a.entries():
        entry["device"] = "nosuch"
        return True


def device_of_another_node(a):
    for *_, entry, spec, device in a.entries():
        for part, other in generator.all_devices(a.case):
            where = part["spec"]
            if where.get("nodeName", a.node["metadata"]["name"]) != a.node["metadata"]["name"]:
                pool = a.pools.get((where["driver"], where["pool"]["name"]))
                if not pool or other["name"] not in pool.devices:
                    entry.update(driver=where["driver"], pool=where["pool"]["name"], device=other["name"])
                    return True


def device_selected_for_another_node(a):
    for *_, entry, spec, device in a.entries():
        if spec.get("perDeviceNodeSelection"):
            for key in ("nodeName", "allNodes", "nodeSelector"):
                device.pop(key, None)
            device["nodeName"] = "elsewhere"
            return True


def pool_that_is_incomplete(a):
    for *_, entry, spec, device in a.entries():
        for part in a.case["slices"]:
            if part["spec"]["pool"]["name"] == entry["pool"]:
                part["spec"]["pool"]["resourceSliceCount"] += 1
        return True


def pool_that_is_invalid(a):
    for *_, entry, spec, device in a.entries():
        spec["devices"].append(copy.deepcopy(device))
        return True


def class_does_not_select(a):
    for _, request, sub, entry, spec, device in a.entries():
        for each in a.case["classes"]:
            if each["metadata"]["name"] == (sub or request["exactly"])["deviceClassName"]:
                each["spec"].setdefault("selectors", []).append(generator.cel('device.driver == "nosuch"'))
                return True


def request_does_not_select(a):
    for _, request, sub, entry, spec, device in a.entries():
        (sub or request["exactly"]).setdefault("selectors", []).append(generator.cel('1 / 0 == 1'))
        return True


def device_in_use(a):
    for _, request, sub, entry, spec, device in a.entries():
        if not entry.get("adminAccess"):
            a.case["allocated"].setdefault("devices", []).append({k: entry[k] for k in ("driver", "pool", "device")})
            return True


def device_with_live_shares(a):
    for _, request, sub, entry, spec, device in a.entries():
        if not entry.get("adminAccess") and "shareID" not in entry:
            a.case["allocated"].setdefault("shared", []).append({**{k: entry[k] for k in ("driver", "pool", "device")},
                                                                 "shareID": OTHER_SHARE})
            return True


def device_twice(a):
    """The second of two devices of a request becomes the first once more."""
    for entries in a.lists():
        for first, second in zip(entries, entries[1:]):
            if "shareID" not in first and "shareID" not in second:
                second.update({k: first[k] for k in ("driver", "pool", "device")})
                return True


def two_shares_for_one_request(a):
    for entries in a.lists():
        for first, second in zip(entries, entries[1:]):
            if "shareID" in first and first["request"] == second["request"]:
                second.update({k: first[k] for k in ("driver", "pool", "device")})
                return True


def counters_drawn_dry(a):
    for *_, entry, spec, device in a.entries():
        used = validity.InUse(a.case["allocated"]).any_use(validity.InUse.key(entry))
        if device.get("consumesCounters") and not entry.get("adminAccess") and not used:
            draw = device["consumesCounters"][0]
            for counter in draw["counters"].values():
                counter["value"] = "100Ti"
            return True


def groups_that_do_not_go_together(a):
    """What is in use of the same counters is of another group."""
    for *_, entry, spec, device in a.entries():
        pool = a.pools[entry["driver"], entry["pool"]]
        if device.get("consumesCounters") and a.on("CompatibilityGroups") and not entry.get("adminAccess"):
            used = validity.InUse(a.case["allocated"])
            key = validity.InUse.key(entry)
            if used.any_use(key):
                continue
            draw = device["consumesCounters"][0]
            others = [second for other in pool.everywhere.values() if used.any_use(key[:2] + (other["name"],))
                      for second in other.get("consumesCounters", ()) if second["counterSet"] == draw["counterSet"]]
            for second in others:
                draw["compatibilityGroups"], second["compatibilityGroups"] = ["this"], ["that"]
            if others:
                return True


def taint_not_tolerated(a):
    for _, request, sub, entry, spec, device in a.entries():
        if a.on("DeviceTaints"):
            for tolerations in ((sub or request["exactly"]).get("tolerations", []), entry.get("tolerations", [])):
                tolerations[:] = [t for t in tolerations if t.get("key")]
            device.setdefault("taints", []).append({"key": "example.com/new", "effect": "NoExecute"})
            return True


def values_that_do_not_match(a):
    for claim, *_ in a.entries():
        if len({id(e[5]) for e in a.entries() if e[0] is claim}) > 1:
            claim["spec"]["devices"].setdefault("constraints", []).append({"matchAttribute": "new.example.com/a"})
            for number, (*_, other) in enumerate(a.entries()):
                other.setdefault("attributes", {})["new.example.com/a"] = {"int": number}
            return True


def values_that_are_not_distinct(a):
    for claim, *_ in a.entries():
        if len([e for e in a.entries() if e[0] is claim]) > 1:
            claim["spec"]["devices"].setdefault("constraints", []).append({"distinctAttribute": "new.example.com/a"})
            for *_, other in a.entries():
                other.setdefault("attributes", {})["new.example.com/a"] = {"string": "same"}
            return True


def more_than_the_capacity(a):
    for *_, entry, spec, device in a.entries():
        if "shareID" in entry and not entry.get("adminAccess"):
            for name, amount in entry.get("consumedCapacity", {}).items():
                if amount != "0":
                    a.case["allocated"].setdefault("capacity", []).append({
                        **{k: entry[k] for k in ("driver", "pool", "device")},
                        "consumed": {name: device["capacity"][name]["value"]}})
                    return True


def other_amount_than_the_policy_says(a):
    for *_, entry, spec, device in a.entries():
        for name in entry.get("consumedCapacity", {}):
            entry["consumedCapacity"][name] = "3m"
            return True


def amount_against_the_policy(a):
    for _, request, sub, entry, spec, device in a.entries():
        for name, amount in (sub or request["exactly"]).get("capacity", {}).get("requests", {}).items():
            device["capacity"][name]["requestPolicy"] = {"default": "1m", "validRange": {"min": "1m", "max": "2m"}}
            return quantity(amount) > 1


def malformed_share_id(a):
    for *_, entry, spec, device in a.entries():
        if "shareID" in entry:
            entry["shareID"] = entry["shareID"].upper() + "X"
            return True


def share_without_id(a):
    for *_, entry, spec, device in a.entries():
        if entry.pop("shareID", None):
            return True


def one_id_for_two_shares(a):
    shares = [e[3] for e in a.entries() if "shareID" in e[3]]
    if len(shares) > 1:
        shares[1]["shareID"] = shares[0]["shareID"]
        return True


def share_of_an_exclusive_device(a):
    for *_, entry, spec, device in a.entries():
        if "shareID" not in entry:
            entry["shareID"] = OTHER_SHARE
            return True


def admin_access_nobody_asked_for(a):
    for *_, entry, spec, device in a.entries():
        if not entry.get("adminAccess"):
            entry["adminAccess"] = True
            return True


def tolerations_left_out(a):
    for *_, entry, spec, device in a.entries():
        if entry.pop("tolerations", None):
            return True


def binding_conditions_left_out(a):
    for *_, entry, spec, device in a.entries():
        if entry.pop("bindingConditions", None):
            return True


def skipped_operations_left_out(a):
    for *_, entry, spec, device in a.entries():
        if entry.pop("skipNodeOperations", None):
            return True


def node_that_cannot_skip(a):
    for *_, entry, spec, device in a.entries():
        if spec.get("skipNodeOperations"):
            a.node.pop("status")
            return True


def configuration_left_out(a):
    for allocation in a.results:
        if allocation["devices"].get("config"):
            allocation["devices"]["config"].pop()
            return True


def configuration_for_another_request(a):
    for allocation in a.results:
        for config in allocation["devices"].get("config", ()):
            if config.get("requests"):
                config["requests"] = []
                return True


def no_node_selector(a):
    for allocation in a.results:
        if allocation.pop("nodeSelector", None):
            return True


def one_of_all_left_out(a):
    for claim, request, sub, entry, spec, device in a.entries():
        if (sub or request["exactly"]).get("allocationMode") == "All":
            a.list_of(entry).remove(entry)
            return True


def feature_that_is_off(a):
    for _, request, sub, entry, spec, device in a.entries():
        if sub:
            a.case["features"]["PrioritizedList"] = False
            return True


# The rule that must reject each.
WAYS = {
    one_device_less: ("number of devices", "all devices"), one_device_more: ("number of devices", "all devices"),
    result_of_no_claim: ("results for each claim",), unknown_request: ("request exists",),
    request_without_its_sub_request: ("request exists",), two_sub_requests: ("one sub-request",),
    device_that_is_not_there: ("device exists on the node",), device_of_another_node: ("device exists on the node",),
    device_selected_for_another_node: ("device reaches the node", "device exists on the node"),
    pool_that_is_incomplete: ("pool is usable",), pool_that_is_invalid: ("pool is usable",),
    class_does_not_select: ("class selectors",), request_does_not_select: ("request selectors",),
    device_in_use: ("device is free",), device_with_live_shares: ("no live shares",), device_twice: ("device once",),
    two_shares_for_one_request: ("one share for a request",), counters_drawn_dry: ("counters are there",),
    groups_that_do_not_go_together: ("compatibility groups",), taint_not_tolerated: ("taints are tolerated",),
    values_that_do_not_match: ("constraints hold",), values_that_are_not_distinct: ("constraints hold",),
    more_than_the_capacity: ("capacity is there",), other_amount_than_the_policy_says: ("consumed capacity",),
    amount_against_the_policy: ("amount within the policy",), share_without_id: ("share ID",),
    malformed_share_id: ("share ID",),
    one_id_for_two_shares: ("share IDs are unique",), share_of_an_exclusive_device: ("share of what can be shared",),
    admin_access_nobody_asked_for: ("admin access as asked",), tolerations_left_out: ("tolerations copied",),
    binding_conditions_left_out: ("binding conditions copied",),
    skipped_operations_left_out: ("skipped operations copied",), node_that_cannot_skip: ("node skips operations",),
    configuration_left_out: ("configuration",), configuration_for_another_request: ("configuration",),
    no_node_selector: ("node selector",), one_of_all_left_out: ("all devices",),
    feature_that_is_off: ("feature is on",)}
OF_EACH = 20


def main():
    options = compare.arguments(__doc__)
    options.add_argument("--cel", required=True, help="the program of tests/cel/oracle")
    options.set_defaults(count=4000)
    args = options.parse_args()
    compare.say_seed(args)
    cases = [generator.Maker(args.seed, i, args.channel).case() for i in range(args.count)]
    answers = programs.reference(args.reference, args.channel, keep_share_ids=True).ask_all(cases)
    verdicts = validity.Verdicts(args.cel)
    spoilt, planted = [], collections.Counter()
    for case, answer in zip(cases, answers):
        case = generator.for_reference(case, args.channel)
        for one in answer.get("answers") or ():
            for way in WAYS if one["allocated"] else ():
                if planted[way] < OF_EACH:
                    a = Answer(case, one)
                    if way(a):
                        planted[way] += 1
                        spoilt.append((way, a))
    for _, a in spoilt:
        validity.check(a.case, a.node["metadata"]["name"], a.results, verdicts)
    verdicts.ask()
    rejected, wrong = collections.Counter(), []
    for way, a in spoilt:
        problems = validity.check(a.case, a.node["metadata"]["name"], a.results, verdicts)
        if set(problems) & set(WAYS[way]):
            rejected[way] += 1
        else:
            wrong.append((way, a, problems))
    for way in WAYS:
        print("  %-36s %3d of %3d rejected%s" % (way.__name__.replace("_", " "), rejected[way], planted[way],
                                                "" if planted[way] and rejected[way] == planted[way] else "  WRONG"))
    for way, a, problems in wrong[:3]:
        print("\n%s: got %s" % (way.__name__, problems))
        print("  results %s\n  case    %s" % (json.dumps(a.results), json.dumps(a.case)))
    good = not wrong and all(planted[way] for way in WAYS)
    print("validity: %d ways to spoil an allocation, %d of %d rejected for the right reason" % (
        len(WAYS), sum(rejected.values()), len(spoilt)))
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
