#!/usr/bin/env python3
"""Holds explanations of kumiko against the reference: random cases that it says fit nowhere.

  explain.py --ours build/PRESET/bin/kumiko --reference BIN/dra-oracle --cel BIN/cel-oracle [--count N] [--seed N]

Of each case that the reference allocates on no node, all of its nodes saying "no fit" or "error of this node":
  - every device that is published for the nodes stands in exactly one row, and the counts add up;
  - of a device that a selector rules out, the expression engine of Kubernetes says so too: the selector, and the part
    that is named, are false (SelectorFalse), not true (AttributeMissing) or fail (SelectorError);
  - with the proposed change applied to the case, the reference allocates on the node that is named, in at least 95 % of
    all cases; "nothing helps" counts as a failure.
"""
import collections
import json
import multiprocessing
import sys
import time

import case_generator as generator
import compare
import known_defects
import programs
import validity

HELPS = 0.95
# What the engine of Kubernetes may answer to a selector of a row.
SAYS = {"SelectorFalse": {"false"}, "AttributeMissing": {"false", "error"}, "SelectorError": {"error", "no bool"}}


def fits_nowhere(answer):
    outcomes = {programs.outcome(a) for a in answer.get("answers") or ()}
    return bool(outcomes) and outcomes <= {"no fit", "error of this node"}


# The devices of a case

def identity(part, name):
    return part["driver"], part["pool"]["name"], name


def published(case, nodes):
    """Every device that is for one of the nodes, by its identity; those of superseded slices excepted."""
    found = set()
    for node in nodes:
        usable = validity.pools_of(case, node)
        for pool in usable.values():
            if pool.unusable == "obsolete":
                continue
            for name, (spec, device) in pool.devices.items():
                if not spec.get("perDeviceNodeSelection") or validity.reaches(node, device):
                    found.add(identity(spec, name))
        for part in case["slices"]:
            spec = part["spec"]
            if not validity.left_out(spec, case["features"]) or spec.get("sharedCounters"):
                continue
            for device in spec.get("devices", ()):
                where = device if spec.get("perDeviceNodeSelection") else spec
                if validity.well_formed(where) and validity.reaches(node, where):
                    found.add(identity(spec, device["name"]))
    return found


def counting_errors(explanation, wanted):
    """What is wrong with the counts of one explanation."""
    rows = explanation["reasons"]
    if sum(r["devices"] for r in rows) != explanation["devices"]:
        yield "rows add up to %d of %d" % (sum(r["devices"] for r in rows), explanation["devices"])
    names = [(d["driver"], d["pool"], d["device"]) for r in rows for d in r.get("names", ())]
    if len(names) != len(set(names)):
        yield "a device stands in two rows"
    if set(names) != wanted:
        yield "devices missing %s, too many %s" % (sorted(wanted - set(names)), sorted(set(names) - wanted))


# Selectors

def selector_questions(case, explanation):
    """(kind of row, question to the expression engine) for every device of a row that names a selector."""
    gates = {"EnableConsumableCapacity": case["features"].get("ConsumableCapacity", False),
             "EnableListTypeAttributes": case["features"].get("ListTypeAttributes", False)}
    newest = {}
    for part, device in generator.all_devices(case):
        key, generation = identity(part["spec"], device["name"]), part["spec"]["pool"]["generation"]
        if key not in newest or newest[key][0] < generation:
            newest[key] = (generation, device)
    for row in explanation["reasons"]:
        if row["reason"] not in SAYS:
            continue
        for name in row["names"]:
            device = newest[(name["driver"], name["pool"], name["device"])][1]
            for text in {row["selector"]["expression"], row["selector"]["condition"]}:
                yield row["reason"], {"expression": text, "driver": name["driver"], "features": gates, "device": {
                    k: v for k, v in device.items() if k in ("attributes", "capacity", "allowMultipleAllocations")}}


def say(answer):
    """"true", "false", "error" or "no bool"."""
    if answer.get("error") or answer.get("compileError"):
        return "error"
    return {True: "true", False: "false"}.get(answer.get("match"), "no bool")


def selector_errors(path, asked):
    """What is wrong with the selectors that rows name; `asked` is (case, answer, kind of row, question)."""
    lines = {}
    for *_, question in asked:
        lines.setdefault(json.dumps(question, sort_keys=True))
    # The engine keeps one compiler, for the features asked last.
    keys = sorted(lines, key=lambda k: json.dumps(json.loads(k)["features"]))
    lines.update(zip(keys, programs.Program([path]).ask_all([json.loads(k) for k in keys])))
    for case, answer, kind, question in asked:
        said = say(lines[json.dumps(question, sort_keys=True)])
        if said not in SAYS[kind]:
            yield "%s: the reference says %s of %s on a device of %s" % (
                kind, said, question["expression"], question["driver"]), case, answer


# Changes, by the rule of src/cli/explanation_json.h

def claim_named(case, name):
    for claim in case["claims"]:
        if "%s/%s" % (claim["metadata"]["namespace"], claim["metadata"]["name"]) == name:
            return claim["spec"]["devices"]
    raise KeyError(name)


def body_named(case, change):
    name, _, sub = change["request"].partition("/")
    for request in claim_named(case, change["claim"])["requests"]:
        if request["name"] == name:
            if not sub:
                return request["exactly"]
            return next(b for b in request["firstAvailable"] if b["name"] == sub)
    raise KeyError(change["request"])


def release(case, change):
    gone = [(d["driver"], d["pool"], d["device"]) for d in change["devices"]]

    def held(entry):
        return (entry["driver"], entry["pool"], entry["device"]) not in gone

    state = case["allocated"]
    for key in ("devices", "shared", "capacity"):
        if key in state:
            state[key] = [e for e in state[key] if held(e)]
    for claim in state.get("claims", ()):
        devices = claim["status"]["allocation"]["devices"]
        devices["results"] = [e for e in devices["results"] if held(e)]


def add_devices(case, change):
    like = change["like"]
    pattern = max(((p["spec"]["pool"]["generation"], d) for p, d in generator.all_devices(case)
                   if identity(p["spec"], d["name"]) == (like["driver"], like["pool"], like["device"])),
                  key=lambda found: found[0])[1]
    kept = {k: pattern[k] for k in ("attributes", "capacity", "allowMultipleAllocations") if k in pattern}
    name = "added-%d" % len(case["slices"])
    case["slices"].append({"metadata": {"name": name}, "spec": {
        "driver": like["driver"], "pool": {"name": name, "generation": 1, "resourceSliceCount": 1},
        "nodeName": change["node"], "devices": [{"name": "added-%d" % i, **kept} for i in range(change["count"])]}})


def complete_pool(case, change):
    for part in case["slices"]:
        pool = part["spec"]["pool"]
        if (part["spec"]["driver"], pool["name"], pool["generation"]) == (
                change["driver"], change["pool"], change["generation"]):
            pool["resourceSliceCount"] = change["slices"]


def lower_capacity(case, change):
    requests = body_named(case, change)["capacity"]["requests"]
    if "amount" in change:
        requests[change["capacity"]] = change["amount"]
    else:
        del requests[change["capacity"]]


def drop_request(case, change):
    devices = claim_named(case, change["claim"])
    devices["requests"] = [r for r in devices["requests"] if r["name"] != change["request"]]


def relax_class(case, change):
    for each in case["classes"]:
        if each["metadata"]["name"] == change["deviceClass"]:
            each["spec"]["selectors"][change["selector"]]["cel"]["expression"] = change["expression"]


def tolerate(case, change):
    toleration = {"operator": "Exists", **({"key": change["key"]} if change["key"] else {})}
    body_named(case, change).setdefault("tolerations", []).append(toleration)


def declare_node_operations(case, change):
    for node in case["nodes"]:
        if node["metadata"]["name"] == change["node"]:
            node.setdefault("status", {}).setdefault("declaredFeatures", []).append(generator.NODE_OPERATIONS)


APPLY = {
    "LowerCount": lambda case, c: body_named(case, c).update(allocationMode="ExactCount", count=c["count"]),
    "LowerCapacity": lower_capacity,
    "Tolerate": tolerate,
    "RelaxSelector": lambda case, c: body_named(case, c)["selectors"][c["selector"]]["cel"].update(
        expression=c["expression"]),
    "DropConstraint": lambda case, c: claim_named(case, c["claim"])["constraints"].pop(c["constraint"]),
    "DropRequest": drop_request,
    "ReleaseDevices": release,
    "RelaxClass": relax_class,
    "EnableFeature": lambda case, c: case["features"].update({c["feature"]: True}),
    "DeclareNodeOperations": declare_node_operations,
    "CompletePool": complete_pool,
    "AddDevices": add_devices,
}


def applied(case, proposal):
    case = json.loads(json.dumps(case))
    for change in proposal["changes"]:
        APPLY[change["kind"]](case, change)
    return case


# A run

def explanations(case, answer):
    """(nodes, explanation) of each node, and of all together."""
    for node, of_node in zip(case["nodes"], answer["answers"]):
        yield [node], of_node["explanation"]
    yield case["nodes"], answer["explanation"]


def kinds_of(proposal):
    """Of one or two changes which; of more, how many."""
    if not proposal:
        return "nothing"
    kinds = sorted(c["kind"] for c in proposal["changes"])
    return " + ".join(kinds) if len(kinds) < 3 else "%d changes" % len(kinds)


def work(job):
    """One share: what was seen, what is wrong, cases whose proposal does not help."""
    args, first, count = job
    cases = [generator.Maker(args.seed, i, args.channel).case() for i in range(first, first + count)]
    reference = programs.reference(args.reference, args.channel)
    cases = [c for c, a in zip(cases, reference.ask_all(cases)) if fits_nowhere(a)]
    answers = programs.Program([args.ours, "allocate", "--policy", "first-fit", "--explain"]).ask_all(cases)
    seen, wrong, useless, changed, asked = collections.Counter(), [], [], [], []
    for case, answer in zip(cases, answers):
        if "explanation" not in answer:
            # Where kumiko does not copy a defect it may fit, or fail otherwise.
            what = compare.difference(answer, reference.ask(case))
            if what and known_defects.excuse(case, what):
                seen["left out, another verdict as is known"] += 1
            else:
                wrong.append(("no explanation: %s" % what, case, answer))
            continue
        seen["cases"] += 1
        for nodes, explanation in explanations(case, answer):
            wrong += [(text, case, answer) for text in counting_errors(explanation, published(case, nodes))]
            asked += [(case, answer, kind, question) for kind, question in selector_questions(case, explanation)]
        for row in answer["explanation"]["reasons"]:
            seen["devices " + row["reason"]] += row["devices"]
        proposal = answer["explanation"]["proposal"]
        seen["proposed " + kinds_of(proposal)] += 1
        changed.append((case, answer, proposal))
    seen["selector verdicts"] += len(asked)
    wrong += selector_errors(args.cel, asked)
    tried = iter(reference.ask_all([applied(c, p) for c, _, p in changed if p]))
    for case, answer, proposal in changed:
        after = next(tried) if proposal else {}
        if any(a.get("allocated") and a["node"] == proposal["node"] for a in after.get("answers") or ()):
            seen["helps"] += 1
            seen["proposed and helps " + kinds_of(proposal)] += 1
        else:
            useless.append((kinds_of(proposal), case, proposal, after))
    return seen, wrong, useless


def report(title, found, show):
    by_kind = collections.Counter(kind for kind, *_ in found)
    print("\n%d %s:" % (len(found), title))
    for kind, count in by_kind.most_common(20):
        print("  %6d %s" % (count, kind))
    for kind, *rest in sorted(found, key=lambda f: len(json.dumps(f[1])))[:show]:
        print("\n%s" % kind)
        for part in rest:
            print("  " + json.dumps(part, ensure_ascii=False))


def main():
    options = compare.arguments(__doc__)
    options.add_argument("--cel", required=True, help="the program of ../../cel/oracle")
    options.add_argument("--show", type=int, default=3, help="cases of each kind of failure to print")
    args = options.parse_args()
    started = time.time()
    compare.say_seed(args)
    seen, wrong, useless, first = collections.Counter(), [], [], 0
    share = 100
    with multiprocessing.Pool(args.processes) as pool:
        while seen["cases"] < args.count:
            # About a third of all cases fit nowhere.
            shares = max(1, (args.count - seen["cases"]) * 3 // share)
            jobs = [(args, first + i * share, share) for i in range(shares)]
            first += shares * share
            for part in pool.imap(work, jobs):
                seen.update(part[0])
                wrong += part[1]
                useless += part[2]
    for key in ("selector verdicts", "left out, another verdict as is known"):
        print("  %6d %s" % (seen[key], key))
    for title, prefix in (("devices by reason", "devices "), ("changes, of them helping", "proposed ")):
        rows = [(k[len(prefix):], n) for k, n in seen.most_common() if k.startswith(prefix) and " and helps " not in k]
        print("  %s: %s" % (title, ", ".join("%s %d%s" % (
            kind, n, "/%d" % seen["proposed and helps " + kind] if prefix == "proposed " else "") for kind, n in rows)))
    if wrong:
        report("explanations are wrong", wrong, args.show)
    helps = seen["helps"] / seen["cases"]
    if useless:
        report("cases in which nothing is proposed, or what is proposed does not help", useless,
               args.show if helps < HELPS else 0)
    print("explain: %d cases of %d that fit nowhere; %d wrong; the change helps in %.1f %% (at least %.0f), %.0f s" % (
        seen["cases"], first, len(wrong), 100 * helps, 100 * HELPS, time.time() - started))
    return 1 if wrong or helps < HELPS else 0


if __name__ == "__main__":
    sys.exit(main())
