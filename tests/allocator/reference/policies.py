#!/usr/bin/env python3
"""Whether packing changes what fits: random cases with one claim to kumiko under both policies.

  policies.py --ours build/PRESET/bin/kumiko [--count 10000] [--seed N]

The outcome on each node (fit, no fit, error of this node, fatal error) has to be the same. Prints the smallest cases
in which it is not.
"""
import argparse
import collections
import json
import multiprocessing
import sys
import time

import case_generator as generator
import compare
import programs

# Shares of all nodes asked about, so that the comparison says something.
LEAST_FIT, LEAST_NO_FIT, LEAST_ERRORS = 0.20, 0.10, 0.05


def one_claim(seed, index):
    case = generator.Maker(seed, index, "experimental").case()
    case["claims"] = case["claims"][:1]
    return case


def outcomes(answer):
    if "crash" in answer:
        return ["crash"]
    return [programs.outcome(a) for a in answer.get("answers") or [answer]]


class Policies:
    """First-fit and packed, for one case at a time; in place of the pair of compare.shrink()."""

    def __init__(self, path):
        self.policies = [programs.kumiko(path, policy) for policy in ("first-fit", "packed")]

    def ask(self, case):
        first, packed = (policy.ask(case) for policy in self.policies)
        return difference(first, packed), packed, first

    def close(self):
        for policy in self.policies:
            policy.close()


def difference(first, packed):
    """Names how the outcomes part on the first node where they do; "" when they are the same."""
    a, b = outcomes(first), outcomes(packed)
    if "crash" in a + b:
        return "crash"
    return next(("%s under first-fit, %s under packed" % pair for pair in zip(a, b) if len(set(pair)) > 1), "")


def work(job):
    args, first, count = job
    cases = [one_claim(args.seed, index) for index in range(first, first + count)]
    answers = [programs.kumiko(args.ours, policy).ask_all(cases) for policy in ("first-fit", "packed")]
    seen = collections.Counter(o for answer in answers[0] for o in outcomes(answer))
    return seen, [(what, case) for case, a, b in zip(cases, *answers) if (what := difference(a, b))]


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--ours", required=True, help="build/PRESET/bin/kumiko")
    options.add_argument("--count", type=int, default=10000)
    options.add_argument("--seed", type=int, default=time.time_ns() % (1 << 32))
    options.add_argument("--processes", type=int, default=2)
    options.add_argument("--show", type=int, default=3, help="differing cases to print")
    args = options.parse_args()
    print("seed %d, %d cases of one claim (replay: --seed %d --count %d)" % (args.seed, args.count, args.seed,
                                                                             args.count), flush=True)
    seen, differing = collections.Counter(), []
    with multiprocessing.Pool(args.processes) as pool:
        for part in pool.imap_unordered(work, compare.shares(args)):
            seen.update(part[0])
            differing += part[1]
    nodes = sum(seen.values())
    print("  nodes: " + ", ".join("%d %s" % (n, outcome) for outcome, n in sorted(seen.items())))
    missed = [name for name, share, least in (
        ("fit", seen["fit"] / nodes, LEAST_FIT), ("no fit", seen["no fit"] / nodes, LEAST_NO_FIT),
        ("errors", (seen["fatal error"] + seen["error of this node"]) / nodes, LEAST_ERRORS)) if share < least]
    for name in missed:
        print("quota missed: " + name)
    policies = Policies(args.ours)
    for what, case in sorted(differing, key=lambda d: len(json.dumps(d[1])))[:args.show]:
        case = compare.shrink(policies, case, what, time.time() + 20)
        _, packed, first = policies.ask(case)
        print("\n%s, %s" % (what, case["name"]))
        for name, answer in (("first-fit", first), ("packed   ", packed)):
            print("  %s %s" % (name, json.dumps(answer.get("answers", answer), ensure_ascii=False)))
        print("  case      " + json.dumps(case, ensure_ascii=False))
    policies.close()
    print("policies: %d of %d outcomes are the same" % (args.count - len(differing), args.count))
    return 1 if differing or missed else 0


if __name__ == "__main__":
    sys.exit(main())
