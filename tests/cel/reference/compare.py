#!/usr/bin/env python3
"""Asks kumiko's CEL engine and the one of Kubernetes the same random questions and compares every part of the answers.

  compare.py --ours build/release/bin/cel_reference_server --reference BIN/celoracle [--count 20000] [--seed N]

A question is an expression and a device. Compared: whether it compiles, output type, estimated cost, match or value,
cost of the run, kind of error, and position and text of type errors. Prints what was asked, fails when a quota is
missed or an answer differs, and then prints the shortest question that still differs.
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

import expression_generator as generator


# What must be asked, of 20,000 questions; smaller runs in proportion.
QUOTAS = {"refused when compiled": 0.30, "failed when run": 0.20, "at least 4 levels": 0.30, "new": 0.25,
          "stored": 0.25,
          "derived": 0.10, "ConsumableCapacity on": 0.25, "ListTypeAttributes on": 0.25}
CALLS_OF_EACH = 50
# Costs have 63 bits here; those of the reference that need one more belong to runs that ended for their cost.
LARGEST_COST = 9 * 10**18

# Errors that come from the parsers of Go, which kumiko words its own way.
OWN_WORDS = re.compile(
    "error parsing regexp|quantities must match|unable to parse quantity|No Major.Minor.Patch|Invalid character|"
    "must not contain leading zeroes|Version string empty|Short version|Prerelease|Build meta|Numeric PreRelease|"
    "Numeric Prerelease|Could not parse|strconv|value out of range|URL parse error|network address parse error|"
    "unknown time zone|invalid UTF-8|cannot convert value to integer")
PLAIN = re.compile("no such|index out of|division by|modulus by|overflow|dereference|recursion|cost limit")
VARIABLE = re.compile(r"_var\d+")
MAPS = re.compile(r"\{|transformMap|getQuery|device\.(attributes|capacity)")
POSITION = re.compile(r"ERROR: <input>:(-?\d+):(\d+): (.*)")


def error_kind(text):
    return "own words" if OWN_WORDS.search(text) and not PLAIN.search(text) else text


def own_error_fits(ours, reference):
    """For errors in Go's words: ours must be an error of no other kind."""
    # The reference goes on in words about types of Go.
    for end in (" could not be converted to bool", "unsupported CEL return type: ", "unsupported list element type: ",
                "expected list element at index", "insert failed: key "):
        if end in reference:
            return end in ours and ours.split(end)[0] == reference.split(end)[0]
    # Type variables are numbered as they are made.
    ours, reference = VARIABLE.sub("_var", ours), VARIABLE.sub("_var", reference)
    # The kind of these is what stands before the types, which the reference names by its own.
    for kind in ("no such overload", "invalid qualifier type"):
        if ours.startswith(kind) and reference.startswith(kind):
            return True
    return ours == reference or error_kind(reference) == "own words" and not PLAIN.search(ours)


def difference(ours, reference):
    """Names what differs between two answers; "" when nothing does."""
    if reference.get("error", "").startswith("internal error: "):
        return ""  # a panic of Go
    mine, other = ours.get("compileError", ""), reference.get("compileError", "")
    if bool(mine) != bool(other):
        return "compiles only here" if other else "does not compile here"
    if other:
        if "Syntax error" in other or mine == other:
            return ""
        # Several errors at one place come in any order.
        places, expected = sorted(POSITION.findall(mine)), sorted(POSITION.findall(other))
        if not expected or not places:
            return "" if not expected and own_error_fits(mine, other) else "kind of compile error"
        if [p[:2] for p in places] != [p[:2] for p in expected]:
            return "position of type errors"
        if all(own_error_fits(a[2], b[2]) for a, b in zip(places, expected)):
            return ""
        return "text of type errors"
    for field, name in (("outputType", "output type"), ("maxCost", "estimated cost")):
        if ours.get(field) != reference.get(field):
            return name
    if bool(ours.get("error")) != bool(reference.get("error")):
        return "fails only here" if ours.get("error") else "does not fail here"
    if ours.get("error") and not own_error_fits(ours["error"], reference["error"]):
        return "kind of run-time error"
    for field, name in (("match", "match"), ("value", "value")):
        if ours.get(field) != reference.get(field):
            return name
    cost, expected = ours.get("actualCost"), reference.get("actualCost")
    if cost != expected and not (expected or 0) > LARGEST_COST <= (cost or 0):
        return "cost of the run"
    return ""


class Server:
    """A program that answers one JSON line with another."""

    def __init__(self, path):
        self.path = path
        self.process = None

    def ask_all(self, questions, limit_s=600):
        """Answers in order; {"crash": ...} for those that ended the program."""
        answers = []
        while len(answers) < len(questions):
            text = "".join(json.dumps(q) + "\n" for q in questions[len(answers):])
            try:
                done = subprocess.run([self.path], input=text.encode(), capture_output=True, timeout=limit_s)
                output, why = done.stdout, "exit %d: %s" % (done.returncode,
                                                            done.stderr.decode(errors="replace")[-500:])
            except subprocess.TimeoutExpired as late:
                output, why = late.stdout or b"", "no answer in %d s" % limit_s
            lines = output.decode(errors="surrogateescape").split("\n")
            answers += [json.loads(line) for line in lines[:-1]]
            if len(answers) < len(questions):
                answers.append({"crash": why})
        return answers

    def ask(self, question):
        for _ in range(2):
            if self.process is None:
                self.process = subprocess.Popen([self.path], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                                stderr=subprocess.DEVNULL)
            try:
                self.process.stdin.write((json.dumps(question) + "\n").encode())
                self.process.stdin.flush()
                line = self.process.stdout.readline()
                if line:
                    return json.loads(line)
            except BrokenPipeError:
                pass
            self.close()
        return {"crash": "the program ended"}

    def close(self):
        if self.process:
            self.process.kill()
            try:
                self.process.stdin.close()
            except BrokenPipeError:
                pass
            self.process.wait()
            self.process.stdout.close()
            self.process = None


class Pair:
    """Both programs, for questions one at a time."""

    def __init__(self, ours, reference):
        self.ours, self.reference = Server(ours), Server(reference)

    def difference(self, question):
        """The reference iterates maps in random order: a question that it answers in several ways differs only when no
        way is ours."""
        mine = self.ours.ask(question)
        first = self.reference.ask(question)
        if "crash" in first:
            return "", mine, first
        if "crash" in mine:
            return "crash", mine, first
        what = difference(mine, first)
        if not what:
            return "", mine, first
        # Of two entries the reference gives the second one first in one of eight runs.
        for _ in range(300 if MAPS.search(question["expression"]) else 2):
            other = self.reference.ask(question)
            if not difference(mine, other):
                return "", mine, other
        return what, mine, first

    def close(self):
        self.ours.close()
        self.reference.close()


LEAVES = {"int": "1", "uint": "1u", "double": "1.5", "bool": "true", "string": '"a"', "bytes": "b'a'", "null": "null",
          "dyn": "dyn(1)",
          "quantity": 'quantity("1")', "semver": 'semver("1.2.3")', "index": "0"}


def smaller_trees(node, top=True):
    """Trees that say less than `node`, the smallest first."""
    if top:
        for child in node.children:
            yield child
            if child.type != "bool":
                yield generator.Node("dyn", "dyn({0})", (child,), {}, "dyn")
    elif node.children:
        if node.type in LEAVES:
            yield generator.leaf(LEAVES[node.type], node.type)
        yield from (child for child in node.children if child.type == node.type)
        if node.key in ("list", "map literal"):
            yield generator.leaf("[]" if node.key == "list" else "{}", node.type)
            step = 1 if node.key == "list" else 2
            if len(node.children) > step:
                maker = generator.Generator.list_of if step == 1 else generator.Generator.map_of
                for i in range(0, len(node.children), step):
                    yield maker(None, node.type, list(node.children[:i] + node.children[i + step:]))
    for i, child in enumerate(node.children):
        for smaller in smaller_trees(child, top=False):
            yield node._replace(children=node.children[:i] + (smaller,) + node.children[i + 1:])


def shrink(pair, node, style, question, what, attempts=300):
    """The shortest question found that differs in the same way."""
    improved = True
    while improved and attempts > 0:
        improved = False
        for candidate in smaller_trees(node):
            attempts -= 1
            if attempts <= 0:
                break
            text = generator.text_of(candidate, style)
            if len(text) < len(question["expression"]) and pair.difference({**question, "expression": text})[0] == what:
                node, question, improved = candidate, {**question, "expression": text}, True
                break
    return question


def work(job):
    """One process's share: questions by property, calls by function, differing pairs, how many questions the reference
    answers in several ways, how many end it."""
    seed, count, ours, reference, limit = job
    source = random.Random(seed)
    maker = generator.Generator(source)
    asked = []
    for _ in range(count):
        row = min(source.sample(generator.ROWS, 6), key=lambda r: maker.counts[r.key])
        node, style, mode = maker.question(row)
        text = generator.text_of(node, style)
        asked.append((node, style, {"expression": text, "driver": "drv.io", "device": generator.random_device(source),
                                    **mode}))
    # The reference keeps one compiler, for the features asked last.
    asked.sort(key=lambda a: sorted(a[2]["features"].items()))
    questions = [a[2] for a in asked]
    theirs = Server(reference).ask_all(questions)
    mine = Server(ours).ask_all(questions)

    seen, calls = collections.Counter(), collections.Counter()
    differing, several, ended = [], 0, 0
    pair = Pair(ours, reference)
    for (node, style, question), own, other in zip(asked, mine, theirs):
        seen["at least 4 levels"] += generator.depth(node) >= 4
        seen["new" if question["new"] else "stored"] += 1
        seen["derived"] += question["derived"]
        seen["ConsumableCapacity on"] += question["features"]["EnableConsumableCapacity"]
        seen["ListTypeAttributes on"] += question["features"]["EnableListTypeAttributes"]
        if "crash" in other:
            ended += 1  # bytes as map keys end the reference
            continue
        if "compileError" in other:
            seen["refused when compiled"] += 1
        else:
            seen["failed when run"] += "error" in other
            calls.update(set(generator.keys_of(node)))
        if "crash" in own:
            differing.append(("crash", node, style, question, own, other))
        elif difference(own, other):
            what, own, other = pair.difference(question) if len(differing) < limit else (difference(own, other), own,
                                                                      other)
            if not what:
                several += 1
            else:
                differing.append((what, node, style, question, own, other))
    pair.close()
    return seen, calls, differing, several, ended


def report(differing, args):
    by_kind = collections.Counter(d[0] for d in differing)
    print("\n%d answers differ:" % len(differing))
    for what, count in by_kind.most_common():
        print("  %6d %s" % (count, what))
    pair = Pair(args.ours, args.reference)
    shown, per_kind, until = set(), collections.Counter(), time.time() + args.shrink_s
    for what, node, style, question, own, other in differing:
        if len(shown) >= args.show or time.time() > until:
            break
        if per_kind[what] >= max(2, args.show // len(by_kind)):
            continue
        question = shrink(pair, node, style, question, what)
        if question["expression"] in shown:
            continue
        per_kind[what] += 1
        shown.add(question["expression"])
        _, own, other = pair.difference(question)
        other.pop("ns", None)
        own.pop("ns", None)
        if "device." not in question["expression"]:
            question = {**question, "device": {"name": "d"}}
        print("\n%s: %s" % (what, question["expression"]))
        print("  kumiko    " + json.dumps(own, ensure_ascii=False))
        print("  reference " + json.dumps(other, ensure_ascii=False))
        print("  question  " + json.dumps(question, ensure_ascii=False))
    pair.close()


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--ours", required=True, help="build/PRESET/bin/cel_reference_server")
    options.add_argument("--reference", required=True, help="the program of ../oracle")
    options.add_argument("--count", type=int, default=20000)
    options.add_argument("--seed", type=int, default=int(os.environ.get("KUMIKO_SEED") or time.time_ns() % (1 << 32)))
    options.add_argument("--processes", type=int, default=2)
    options.add_argument("--show", type=int, default=12, help="differing questions to print")
    options.add_argument("--shrink-s", type=int, default=60, help="seconds for making them shorter")
    args = options.parse_args()
    started = time.time()
    print("seed %d, %d questions (replay: --seed %d --count %d)" % (args.seed, args.count, args.seed, args.count),
          flush=True)

    share = -(-args.count // args.processes)
    jobs = [(args.seed * 1000 + i, share, args.ours, args.reference, 200) for i in range(args.processes)]
    seen, calls = collections.Counter(), collections.Counter()
    differing, several, ended = [], 0, 0
    with multiprocessing.Pool(args.processes) as pool:
        for part in pool.map(work, jobs):
            seen.update(part[0])
            calls.update(part[1])
            differing += part[2]
            several += part[3]
            ended += part[4]

    total, missed = share * args.processes, []
    for name, wanted in QUOTAS.items():
        print("  %-24s %5.1f %% (at least %.0f)" % (name, 100 * seen[name] / total, 100 * wanted))
        if seen[name] < wanted * total:
            missed.append(name)
    # Chance makes small runs uneven: half of their part is enough.
    least = max(1, CALLS_OF_EACH * total // (20000 if total >= 20000 else 40000))
    rare = [key for key in generator.KEYS if calls[key] < least]
    print("  %d functions, operators and macros, each in at least %d expressions that compile (at least %d)" % (
        len(generator.KEYS), min(calls[key] for key in generator.KEYS), least))
    if rare:
        missed.append("calls of " + ", ".join(rare))
    if several or ended:
        print("  %d questions that the reference answers in several ways, %d that end it" % (several, ended))
    if differing:
        report(differing, args)
    for name in missed:
        print("quota missed: " + name)
    print("reference: %d of %d answers are the same, %.0f s" % (total - len(differing), total, time.time() - started))
    return 1 if differing or missed else 0


if __name__ == "__main__":
    sys.exit(main())
