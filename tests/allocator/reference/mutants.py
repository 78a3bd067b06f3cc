#!/usr/bin/env python3
"""Counts how many cases it takes until each planted mistake of the allocator shows as a difference from the reference.

  mutants.py --programs FOLDER --reference BIN/dra-oracle [--count 10000] [--seed N]

FOLDER has kumiko-1, kumiko-2 ... built with KUMIKO_MUTANT set to the number, and kumiko-0 without a mistake, which must
not be found. Fails when one is not found within the cases.
"""
import multiprocessing
import pathlib
import sys
import time

import case_generator as generator
import compare
import known_defects
import programs


def first_found(job):
    """Number and kind of the first difference of one program, or None."""
    path, cases, theirs = job
    for number, (case, own, other) in enumerate(zip(cases, programs.kumiko(path).ask_all(cases), theirs)):
        what = compare.difference(own, other)
        if what and not known_defects.excuse(case, what):
            return number, what
    return None


def main():
    options = compare.arguments(__doc__)
    options.add_argument("--programs", required=True, type=pathlib.Path)
    args = options.parse_args()
    started = time.time()
    compare.say_seed(args)
    left = {int(p.name.partition("-")[2]): p for p in args.programs.glob("kumiko-*")}
    if len(left) < 2 or 0 not in left:
        print("mutants: no programs in %s" % args.programs)
        return 1
    planted, found = len(left) - 1, {}
    reference = programs.reference(args.reference, args.channel)
    with multiprocessing.Pool(args.processes) as pool:
        for _, first, count in compare.shares(args):
            if not left.keys() - {0}:
                break
            cases = [generator.Maker(args.seed, i, args.channel).case() for i in range(first, first + count)]
            theirs = reference.ask_all(cases)
            numbers = sorted(left)
            for number, hit in zip(numbers, pool.map(first_found, [(left[n], cases, theirs) for n in numbers])):
                if hit:
                    found[number] = (first + hit[0] + 1, hit[1])
                    del left[number]
    for number in sorted(found.keys() | left.keys()):
        print("  mutant %2d  %s" % (number, "after %5d cases: %s" % found[number] if number in found else "not found"))
    missed = sorted(left.keys() - {0})
    if 0 in found:
        print("the program without a mistake differs too")
    print("mutants: %d of %d found, %.0f s" % (planted - len(missed), planted, time.time() - started))
    return 1 if missed or 0 in found else 0


if __name__ == "__main__":
    sys.exit(main())
