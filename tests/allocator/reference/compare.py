#!/usr/bin/env python3
"""Gives kumiko's allocator and the one of Kubernetes the same random cases and compares every part of the answers.

  compare.py --ours build/PRESET/bin/kumiko --reference BIN/dra-oracle [--count 10000] [--seed N] [--channel C]

Compared, node by node: the outcome (fit, no fit, error of this node, fatal error), the text of errors up to what the
expression engine says, and results field by field. Prints what was asked, fails when a quota is missed or an answer
differs, and prints each kind of difference as the smallest case that still has it.
"""
import argparse
import collections
import json
import multiprocessing
import os
import re
import sys
import time

import case_generator as generator
import known_defects
import programs

# Shares of all cases.
FITS = (0.30, 0.70)
USED = 0.05
USED_WHILE_OFF = 0.01
BACKTRACKS = 0.20
MIXED = 0.05
OF_EACH_KIND = 0.01
TIMEOUTS = 0.005
# Errors by what they say, with the section of the specification.
KINDS = {name: re.compile(text) for name, text in {
    "2.3 node selector": "failed to perform node selection",
    "2.4 sub-requests while off": "has subrequests, but", "2.4 capacity while off": "has capacity requests, but",
    "2.4 derived while off": "cannot handle request with derived", "2.4 selector without cel": "CEL expression empty",
    "2.4 admin while off": "admin access is requested, but", "2.4 no class name": "missing device class name",
    "2.4 unknown class": "could not retrieve device class", "2.4 unknown mode": "unsupported count mode",
    "2.4 over the limit": "exceeds the claim limit", "2.4 empty constraint": "empty constraint",
    "2.5 all, incomplete pool": "currently being updated", "2.5 all, invalid pool": "currently invalid",
    "2.5 all, constraint": "a claim constraint would not be satisfied",
    "2.7 derived compiles not": "^compile derived attribute", "2.7 derived fails": "^evaluate derived attribute",
    "2.10 not representable": "cannot be represented", "2.10 negative": "capacity value is negative",
    "2.11 several terms": "unsupported ResourceSlice.NodeSelector", "2.11 invalid pools": "^invalid resource pools",
    "3.4 class compiles not": "^class .*CEL compile error", "3.4 claim compiles not": "^claim .*CEL compile error",
    "3.4 class fails": "^class .*CEL runtime error", "3.4 claim fails": "^claim .*CEL runtime error"}.items()}
EXPERIMENTAL_KINDS = {"2.7 derived compiles not", "2.7 derived fails"}

# Go prints whole objects here; what follows a colon is in the words of the expression engine, or of a parser.
SELECTION = re.compile(r"(failed to perform node selection for )(?:device .* in )?(slice \S+): .*", re.S)
DETAIL = re.compile(r"(CEL compile error|CEL runtime error|compile derived attribute \S+ failed|"
                    r"evaluate derived attribute \S+ on device \S+ failed): .*", re.S)


def error_text(text):
    return DETAIL.sub(r"\1", SELECTION.sub(r"\1\2", text))


def plain(value, key=""):
    """Absent, null and empty are the same; share IDs are random."""
    if key == "shareID":
        return "some"
    if isinstance(value, dict):
        return {k: p for k, v in value.items() if (p := plain(v, k)) not in (None, [], {}, "")}
    return [plain(v) for v in value] if isinstance(value, list) else value


def first_difference(mine, other, path=""):
    """Where two values part, as a path without positions."""
    if isinstance(mine, dict) and isinstance(other, dict):
        for key in sorted(mine.keys() | other.keys()):
            if mine.get(key) != other.get(key):
                return first_difference(mine.get(key), other.get(key), path + "." + key if path else key)
    if isinstance(mine, list) and isinstance(other, list) and len(mine) == len(other):
        for a, b in zip(mine, other):
            if a != b:
                return first_difference(a, b, path)
    return path


def difference(ours, reference):
    """Names what differs between two answers; "" when nothing does."""
    if "crash" in reference:
        return ""
    if "crash" in ours:
        return "crash here"
    if bool(ours.get("error")) != bool(reference.get("error")):
        return "error of the case"
    for mine, other in zip(ours.get("answers") or [{}], reference.get("answers") or [{}]):
        theirs = programs.outcome(other)
        if theirs == "time-out":
            continue
        own = programs.outcome(mine)
        text, other_text = (error_text(a.get("error") or "") for a in (mine, other))
        if text and other_text and text != other_text:
            return "error text"
        if own != theirs:
            return "%s there, %s here" % (theirs, own)
        mine, other = plain(mine.get("results")), plain(other.get("results"))
        if mine != other:
            return "result: " + first_difference(mine, other)
    if len(ours.get("answers") or []) != len(reference.get("answers") or []):
        return "number of nodes"
    return ""


def straight(case):
    """Steps of a search that never gives up a device, at most."""
    steps = 1 + len(case["claims"])
    for claim in case["claims"]:
        for request in claim["spec"]["devices"]["requests"]:
            steps += 1 + ("firstAvailable" in request) + max(
                (12 if b.get("allocationMode") == "All" else b.get("count", 0) for b in generator.bodies(request)),
                default=0)
    return steps * len(case["nodes"])


def count_properties(case, answer, seen):
    used = generator.uses(case)
    for feature in used:
        seen[(feature, feature in case["features"])] += 1
    outcomes = collections.Counter(programs.outcome(a) for a in answer.get("answers") or ())
    seen["fits"] += bool(outcomes["fit"])
    seen["time-outs"] += bool(outcomes["time-out"])
    seen["backtracks"] += answer.get("steps", 0) > straight(case)
    seen["mixed"] += generator.mixes_infeasible_and_failing(case)
    for outcome, count in outcomes.items():
        seen["node: " + outcome] += count
    for kind in {k for a in answer.get("answers") or () if a.get("error") for k, r in KINDS.items()
                 if r.search(a["error"])}:
        seen[kind] += 1


def quotas(total, seen, channel):
    """Prints how the cases were spread; returns what was missed."""
    missed = []

    def check(name, count, least, most=1.0):
        # Chance makes small runs uneven.
        slack = 1 if total >= 50000 else 0.9 if total >= 10000 else 0.5 if total >= 1000 else 0
        good = least * slack <= count / total <= (most if total >= 1000 else 1.0)
        print("  %-34s %5.1f %% (%s %.1f)%s" % (name, 100 * count / total, "at least" if least else "at most",
                                               100 * (least or most), "" if good else "  MISSED"))
        if not good:
            missed.append(name)

    check("cases that fit some node", seen["fits"], *FITS)
    check("give up a device again", seen["backtracks"], BACKTRACKS)
    check("infeasible, with a failing selector", seen["mixed"], MIXED)
    check("time-outs of the reference", seen["time-outs"], 0, TIMEOUTS)
    known = [f for f in generator.FEATURES if channel == "experimental" or f in generator.INCUBATING]
    for feature in known:
        check(feature, seen[(feature, True)], USED)
        check(feature + ", switched off", seen[(feature, False)], USED_WHILE_OFF)
    for kind in KINDS:
        if channel == "experimental" or kind not in EXPERIMENTAL_KINDS:
            check(kind, seen[kind], OF_EACH_KIND)
    return missed


class Pair:
    """Both programs, for one case at a time."""

    def __init__(self, ours, reference):
        self.ours, self.reference = ours, reference

    def ask(self, case):
        """How the answers differ, and both. Of several errors in one map the reference reports any."""
        mine = self.ours.ask(case)
        for _ in range(8):
            other = self.reference.ask(case)
            if not (what := difference(mine, other)) or "error" not in what:
                break
        return what, mine, other

    def close(self):
        self.ours.close()
        self.reference.close()


# Keys that a case cannot be without; the reference may end without "exactly" or the "min" of a range.
KEEP = {"metadata", "spec", "name", "exactly", "driver", "pool", "generation", "resourceSliceCount", "classes",
        "slices", "claims", "nodes", "allocated", "status", "allocation", "results", "effect", "min"}


def without_each(value, path=()):
    """Paths to what may be left out, the largest parts first."""
    found, level = [], [((), value)]
    while level:
        following = []
        for path, part in level:
            items = enumerate(part) if isinstance(part, list) else part.items() if isinstance(part, dict) else ()
            for key, child in items:
                here = path + (key,)
                if isinstance(key, int) or key not in KEEP:
                    found.append(here)
                following.append((here, child))
        level = following
    return found


def leave_out(case, path):
    """A copy without one part; the pool of a slice that goes counts one less."""
    case = json.loads(json.dumps(case))
    parent = case
    for key in path[:-1]:
        parent = parent[key]
    gone = parent.pop(path[-1])
    if path[0] == "slices" and len(path) == 2:
        for other in case["slices"]:
            pool = other["spec"]["pool"]
            if pool["name"] == gone["spec"]["pool"]["name"] and other["spec"]["driver"] == gone["spec"]["driver"]:
                pool["resourceSliceCount"] -= 1
    return case


def shrink(pair, case, what, until):
    """The smallest case found that differs in the same way, and is excused by no other defect."""
    excuse = known_defects.excuse(case, what)
    improved = True
    while improved:
        improved = False
        for path in without_each(case):
            if time.time() > until:
                return case
            try:
                smaller = leave_out(case, path)
                if pair.ask(smaller)[0] == what and known_defects.excuse(smaller, what) == excuse:
                    case, improved = smaller, True
                    break
            except (KeyError, IndexError, TypeError):
                continue
    return case


def make_programs(args):
    reference = programs.reference(args.reference, args.channel)
    if args.self_check:
        return programs.reference(args.reference, "experimental"), reference
    return programs.kumiko(args.ours), reference


def work(job):
    """One share: cases by property, differing ones, how many each defect excuses."""
    args, first, count = job
    cases = [generator.Maker(args.seed, i, args.channel).case() for i in range(first, first + count)]
    ours, reference = make_programs(args)
    theirs, mine = reference.ask_all(cases), ours.ask_all(cases)
    seen, excused, differing = collections.Counter(), collections.Counter(), []
    pair = Pair(ours, reference)
    for case, own, other in zip(cases, mine, theirs):
        count_properties(case, other, seen)
        what = difference(own, other)
        if what and len(differing) < 200:
            what = pair.ask(case)[0]
        if what:
            if defect := known_defects.excuse(case, what):
                excused[defect] += 1
            else:
                differing.append((what, case))
    pair.close()
    return seen, excused, differing


def report(differing, args):
    """Prints the differing cases, one of each kind and then more, as small as they get."""
    by_kind = collections.Counter(what for what, _ in differing)
    print("\n%d answers differ:" % len(differing))
    for what, count in by_kind.most_common():
        print("  %6d %s" % (count, what))
    pair, shown = Pair(*make_programs(args)), collections.Counter()
    end = time.time() + args.shrink_s
    most_of_each = max(1, args.show // len(by_kind))
    for what, case in differing:
        if sum(shown.values()) >= args.show or time.time() > end or shown[what] >= most_of_each:
            continue
        shown[what] += 1
        case = shrink(pair, case, what, min(end, time.time() + 10))
        _, own, other = pair.ask(case)
        print("\n%s, %s" % (what, case["name"]))
        for name, answer in (("kumiko   ", own), ("reference", other)):
            print("  %s %s" % (name, json.dumps(answer.get("answers", answer), ensure_ascii=False)))
        print("  case      " + json.dumps(case, ensure_ascii=False))
    pair.close()


def arguments(text):
    options = argparse.ArgumentParser(description=text, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--ours", help="build/PRESET/bin/kumiko")
    options.add_argument("--reference", required=True, help="the program of ../oracle")
    options.add_argument("--count", type=int, default=10000)
    options.add_argument("--seed", type=int, default=int(os.environ.get("KUMIKO_SEED") or time.time_ns() % (1 << 32)))
    options.add_argument("--processes", type=int, default=2)
    options.add_argument("--channel", choices=("experimental", "incubating"), default="experimental",
                         help="which allocator of the reference, with the features that it knows")
    return options


def say_seed(args):
    print("seed %d, %d cases, %s (replay: --seed %d --count %d --channel %s)" % (
        args.seed, args.count, args.channel, args.seed, args.count, args.channel), flush=True)


def shares(args, size=500):
    return [(args, first, min(size, args.count - first)) for first in range(0, args.count, size)]


def main():
    options = arguments(__doc__)
    options.add_argument("--self-check", action="store_true",
                         help="in place of kumiko, the experimental allocator of the reference")
    options.add_argument("--show", type=int, default=12, help="differing cases to print")
    options.add_argument("--shrink-s", type=int, default=60, help="seconds for making them smaller")
    args = options.parse_args()
    if not args.ours and not args.self_check:
        options.error("--ours is needed")
    started = time.time()
    say_seed(args)
    seen, excused, differing = collections.Counter(), collections.Counter(), []
    with multiprocessing.Pool(args.processes) as pool:
        for part in pool.imap_unordered(work, shares(args)):
            seen.update(part[0])
            excused.update(part[1])
            differing += part[2]
    missed = quotas(args.count, seen, args.channel)
    print("  nodes: " + ", ".join("%d %s" % (n, k[6:]) for k, n in sorted(seen.items(), key=str)
                                  if str(k).startswith("node: ")))
    for defect, count in sorted(excused.items()):
        print("  %d answers differ as is known, %s: %s" % (
            count, defect, " ".join(known_defects.DEFECTS[defect].__doc__.split())))
    if differing:
        report(sorted(differing, key=lambda d: len(json.dumps(d[1]))), args)
    for name in missed:
        print("quota missed: " + name)
    same = args.count - len(differing) - sum(excused.values())
    print("reference: %d of %d answers are the same, %.0f s" % (same, args.count, time.time() - started))
    return 1 if differing or missed else 0


if __name__ == "__main__":
    sys.exit(main())
