#!/usr/bin/env python3
"""Asks kumiko and the libraries of kube-apiserver the same random questions about patches and compares the answers.

  compare.py --ours build/dev/bin/api_patches_server --reference build/go/api-patches-oracle [--count 20000] [--seed N]

COUNT questions of each sort: JSON patches, merge patches, strategic merge patches, and requests of several managers
whose managedFields must come out the same, byte by byte, for built-in kinds and for custom resources with schemas made
up. Prints what was asked and the first answers that differ.
"""
import argparse
import collections
import json
import multiprocessing
import os
import random
import re
import subprocess
import sys
import time

import generator

SORTS = ["json", "merge", "strategic", "fields", "custom"]
# Asked again this often before a difference counts: Go goes over maps in random order.
TRIES = 100


class Program:
    def __init__(self, path):
        self.path = path
        self.start()

    def start(self):
        self.process = subprocess.Popen([self.path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, question):
        self.process.stdin.write(json.dumps(question) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if line:
            return json.loads(line)
        self.process.wait()
        self.start()
        return {"crash": True}

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def plain(answer):
    """Without what may differ: the order of conflicts of several managers, and of findings."""
    answer = dict(answer)
    if "steps" in answer:
        answer["steps"] = [plain(step) for step in answer["steps"]]
    if "causes" in answer:
        answer["causes"] = sorted((c["field"], c["message"]) for c in answer["causes"])
    error = answer.get("error", "")
    if "errors:\n" in error:
        head, _, findings = error.partition("errors:\n")
        answer["error"] = head + "\n".join(sorted(findings.split("\n")))
    if error.startswith(("testing value", "replace operation value must be")):
        answer["error"] = error.split(":")[0]
    return answer


def same(ours, reference):
    if "panic" in reference:
        return "crash" not in ours
    return plain(ours) == plain(reference)


def first_difference(ours, reference):
    if "steps" not in ours or "steps" not in reference:
        return "", ours, reference
    for at, (mine, other) in enumerate(zip(ours["steps"], reference["steps"])):
        if not same(mine, other):
            return " of step %d" % at, mine, other
    return "", ours, reference


def question_of(sort, make, rng):
    api_version, kind, name = rng.choice(generator.KINDS)
    question = {"type": sort, "apiVersion": api_version, "kind": kind}
    if sort == "custom":
        make.schemas.named["custom"] = schema = make.custom_schema()
        return {"type": "fields", "apiVersion": "x.dev/v1", "kind": "Paint", "schema": schema,
                "steps": make.steps("x.dev/v1", "Paint", "custom")}
    if sort == "fields":
        return dict(question, steps=make.steps(api_version, kind, name))
    document = make.whole(api_version, kind, name)
    fresh = make.whole(api_version, kind, name)
    question["object"] = document
    if sort == "json":
        question["patch"] = make.json_patch(document)
    else:
        question["patch"] = make.merge_patch(document, make.schemas.named[name], fresh, sort == "strategic")
    return question


def work(job):
    seed, sort, count, ours, reference = job
    rng = random.Random(seed)
    make = generator.Generator(rng, generator.Schemas())
    mine, other = Program(ours), Program(reference)
    seen, differing = collections.Counter(), []
    for _ in range(count):
        question = question_of(sort, make, rng)
        own = mine.ask(question)
        for attempt in range(TRIES):
            expected = other.ask(question)
            if same(own, expected):
                break
        seen["retried"] += attempt > 0
        steps = expected.get("steps", [expected])
        seen["steps"] += len(steps)
        seen["refused"] += sum("error" in step for step in steps)
        seen["conflicts"] += sum("causes" in step for step in steps)
        seen["panics"] += "panic" in expected
        if not same(own, expected):
            differing.append((sort, question, own, expected))
    mine.close()
    other.close()
    return sort, seen, differing


def report(differing, show):
    kinds = collections.Counter()
    for sort, question, own, expected in sorted(differing, key=lambda d: len(json.dumps(d[1]))):
        where, mine, other = first_difference(own, expected)
        parts = [p for p in sorted(set(mine) | set(other)) if plain(mine).get(p) != plain(other).get(p)]
        kinds[sort + ": " + ",".join(parts)] += 1
        if kinds[sort + ": " + ",".join(parts)] > show:
            continue
        print("\n%s, %s%s differ" % (sort, " and ".join(parts), where))
        for part in parts:
            print("  kumiko    %s %s" % (part, json.dumps(mine.get(part), ensure_ascii=False)[:3000]))
            print("  reference %s %s" % (part, json.dumps(other.get(part), ensure_ascii=False)[:3000]))
        print("  question  " + json.dumps(question, ensure_ascii=False))
    print()
    for kind, count in kinds.most_common():
        print("  %6d %s" % (count, kind))


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--ours", required=True, help="build/PRESET/bin/api_patches_server")
    options.add_argument("--reference", required=True, help="the program of oracle/")
    options.add_argument("--count", type=int, default=20000, help="of each sort")
    options.add_argument("--seed", type=int, default=int(os.environ.get("KUMIKO_SEED") or time.time_ns() % (1 << 32)))
    options.add_argument("--sort", choices=SORTS, action="append", help="only this one")
    options.add_argument("--processes", type=int, default=2)
    options.add_argument("--show", type=int, default=3, help="answers to print of each way to differ")
    args = options.parse_args()
    started = time.time()
    print("seed %d, %d questions of each sort (replay: --seed %d --count %d)" % (
        args.seed, args.count, args.seed, args.count), flush=True)
    share = -(-args.count // args.processes)
    sorts = args.sort or SORTS
    jobs = [(args.seed * 1000 + 10 * SORTS.index(sort) + part, sort, share, args.ours, args.reference)
            for sort in sorts for part in range(args.processes)]
    seen, differing, missed = collections.defaultdict(collections.Counter), [], []
    with multiprocessing.Pool(args.processes) as pool:
        for sort, counts, found in pool.imap_unordered(work, jobs):
            seen[sort].update(counts)
            differing += found
    for sort in sorts:
        counts, total = seen[sort], share * args.processes
        count = sum(d[0] == sort for d in differing)
        print("  %-9s %d of %d the same; %d requests, %d refused, %d conflicts, %d asked again, "
              "%d end the reference" % (sort, total - count, total, counts["steps"], counts["refused"],
                                        counts["conflicts"], counts["retried"], counts["panics"]))
        # A run in which everything is refused would show nothing.
        if not 0 < counts["refused"] < 0.6 * counts["steps"] and sort != "merge" and total >= 1000:
            missed.append("%s: refused requests" % sort)
    if differing:
        report(differing, args.show)
    for name in missed:
        print("quota missed: " + name)
    print("patches: %d answers differ, %.0f s" % (len(differing), time.time() - started))
    return 1 if differing or missed else 0


if __name__ == "__main__":
    sys.exit(main())
