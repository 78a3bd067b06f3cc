#!/usr/bin/env python3
"""Time kumiko's allocator and the one of Kubernetes on the same cases, in turns, and compare their answers.

  compare.py --ours KUMIKO --reference ORACLE --cases ordinary|hard [--rounds 3] [--seed N] [--limit-s 2]

Each round gives every case to both programs, one after the other, seven runs each, of which the median counts. Of hard
cases ours runs 21 times, so that what takes microseconds is not timed with cold caches, the reference once. Compiled
selectors are kept on both sides. Cold is from typed objects to the answer (the reference's time), warm is with the
inventory in place."""
import argparse
import json
import math
import os
import statistics
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
HARD_AMONG_ORDINARY = "single requests"


class Program:
    """A process that answers one line with one line."""

    def __init__(self, command):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def ask(self, line):
        self.process.stdin.write(line)
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def end(self):
        self.process.stdin.close()
        self.process.wait()


def without_configuration(answer):
    """What a decision is: fit or not, where, with which devices."""
    rows = []
    for node in answer.get("answers") or []:
        devices = [[(d["request"], d["driver"], d["pool"], d["device"]) for d in r["devices"].get("results") or []]
                   for r in node.get("results") or []]
        rows.append((node["node"], node["allocated"], devices, bool(node.get("error"))))
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ours", required=True)
    parser.add_argument("--reference", required=True)
    parser.add_argument("--cases", choices=("ordinary", "hard"), default="ordinary")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seed", type=int, default=time.time_ns() % 1_000_000)
    parser.add_argument("--limit-s", type=float, default=2, help="time-out of the reference for a case")
    options = parser.parse_args()
    hard = options.cases == "hard"
    command = [sys.executable, "-B", os.path.join(HERE, f"{options.cases}_cases.py")]
    if hard:
        command += ["--seed", str(options.seed)]
        print(f"seed {options.seed}")
    lines = subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout.splitlines(keepends=True)

    # A turn is several runs in a row, so that what is timed is not how cold the processor's caches are after a switch.
    runs = "21" if hard else "7"
    cold = Program([options.ours, "allocate", "--repeat", runs])
    warm = Program([options.ours, "allocate", "--warm", "--repeat", runs])
    reference = Program([options.reference, "-warm-cel", "-repeat", "1" if hard else "7",
                         "-timeout", f"{options.limit_s}s"])
    times = {}
    wrong = []
    rounds = 1 if hard else options.rounds
    for _ in range(rounds):
        for line in lines:
            ours, kept, theirs = cold.ask(line), warm.ask(line), reference.ask(line)
            row = times.setdefault(line, {"cold": [], "warm": [], "reference": [], "timed out": False, "first": 0})
            row["cold"].append(ours["nsMedian"])
            row["first"] = max(row["first"], ours["ns"])
            row["warm"].append(kept["nsMedian"])
            row["reference"].append(theirs["ns" if hard else "nsMedian"])
            row["timed out"] = any("deadline" in a.get("error", "") for a in theirs.get("answers") or [])
            if not row["timed out"] and without_configuration(ours) != without_configuration(theirs):
                wrong.append(json.loads(line)["name"])
    for program in (cold, warm, reference):
        program.end()

    print(f"{'case':64} {'reference us':>13} {'cold us':>10} {'x':>8} {'warm us':>10} {'x':>8}")
    ratios = {"cold": [], "warm": []}
    failed = bool(wrong)
    for line, row in times.items():
        name = json.loads(line)["name"]
        median = {k: statistics.median(row[k]) for k in ("cold", "warm", "reference")}
        cells = [median["reference"] / median[k] for k in ("cold", "warm")]
        note = "  reference timed out" if row["timed out"] else ""
        print(f"{name[:64]:64} {median['reference'] / 1e3:13.1f} {median['cold'] / 1e3:10.1f} {cells[0]:8.1f} "
              f"{median['warm'] / 1e3:10.1f} {cells[1]:8.1f}{note}")
        if hard:
            slow = row["first"] > 10e6
            short = cells[0] < 1000 and not row["timed out"]
            failed = failed or slow or short
            if slow or short:
                print(f"  ^ {'over 10 ms' if slow else 'under 1,000 x'}")
        elif HARD_AMONG_ORDINARY not in name:
            ratios["cold"].append(cells[0])
            ratios["warm"].append(cells[1])
    for kind, wanted in (("cold", 5), ("warm", 20)):
        if not ratios[kind]:
            continue
        mean = math.exp(statistics.fmean(math.log(x) for x in ratios[kind]))
        print(f"{kind}: geometric mean {mean:.1f} x (wanted {wanted}), worst {min(ratios[kind]):.1f} x")
        failed = failed or mean < wanted or (kind == "cold" and min(ratios[kind]) < 1)
    for name in sorted(set(wrong)):
        print(f"answers differ: {name}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
