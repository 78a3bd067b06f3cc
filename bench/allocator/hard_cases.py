#!/usr/bin/env python3
"""Write cases, one JSON a line, on which a search that neither counts nor remembers explodes.

  hard_cases.py --seed N [--rounds 20]

Five families a round, sizes and places drawn from the seed."""
import argparse
import json
import random

from ordinary_cases import DRIVER, FEATURES, claim, klass, node, request, slice_


def gpu(i, **attributes):
    return {"name": f"gpu-{i:02}", "attributes": {k: {"int": v} for k, v in {"index": i, **attributes}.items()}}


def attribute(name, value):
    return f'device.attributes["{DRIVER}"].{name} == {value}'


def constraint(kind, name):
    return [{kind: f"{DRIVER}/{name}"}]


def one_too_many(draw):
    n = draw.randint(8, 32)
    devices = [gpu(i) for i in range(n)]
    if n == 32:
        claims = [claim([request("r")]) for _ in range(33)]
    else:
        claims = [claim([request(f"r{j}") for j in range(n + 1)])]
    return f"{n} devices, {n + 1} requests", [slice_("n0", devices)], claims


def one_combination(draw):
    """Each request may take devices of several sizes of one card; only the smallest of each fit together."""
    requests = draw.randint(15, 20)
    least = [draw.randint(2, 9) for _ in range(requests)]
    sizes = [(j, w + more) for j, w in enumerate(least) for more in draw.sample(range(1, 9), 2) + [0]]
    draw.shuffle(sizes)
    sizes.sort(key=lambda entry: entry[1] == least[entry[0]])
    devices = [{"name": f"part-{i:02}", "attributes": {"group": {"int": j}},
                "consumesCounters": [{"counterSet": "card", "counters": {"memory": {"value": str(w)}}}]}
               for i, (j, w) in enumerate(sizes)]
    counters = [{"name": "card", "counters": {"memory": {"value": str(sum(least))}}}]
    slices = [slice_("n0", None, count=2, name="a-counters", sharedCounters=counters),
              slice_("n0", devices, count=2, name="b-devices")]
    return (f"{requests} parts that fit in one combination only", slices,
            [claim([request(f"r{j}", 1, attribute("group", j)) for j in range(requests)])])


def too_few_values(draw):
    values = 3
    devices = [gpu(i, rack=i // 8) for i in range(values * 8)]
    draw.shuffle(devices)
    wanted = values + draw.randint(1, 4)
    return (f"{wanted} distinct of {values} values on {values * 8} devices", [slice_("n0", devices)],
            [claim([request(f"r{j}") for j in range(wanted)], constraint("distinctAttribute", "rack"))])


def wrong_early_pick(draw):
    n = draw.randint(12, 24)
    devices = [gpu(i) for i in range(n)]
    special = draw.sample(range(n // 2), draw.randint(1, 3))
    general = [request(f"r{j}") for j in range(n - len(special))]
    exact = [request(f"x{j}", 1, attribute("index", i)) for j, i in enumerate(special)]
    if draw.random() < 0.5:
        return f"{n} devices, the last requests name theirs", [slice_("n0", devices)], [claim(general + exact)]
    return f"{n} devices, a later claim names its", [slice_("n0", devices)], [claim(general), claim(exact)]


def value_too_few(draw):
    groups, size = draw.randint(3, 4), draw.randint(8, 11)
    devices = [gpu(i, numa=i % groups) for i in range(groups * size)]
    draw.shuffle(devices)
    requests = [request(f"r{j}") for j in range(size + 1)]
    return (f"{size + 1} of {groups} x {size} devices in one NUMA node", [slice_("n0", devices)],
            [claim(requests, constraint("matchAttribute", "numa"))])


FAMILIES = (one_too_many, one_combination, too_few_values, wrong_early_pick, value_too_few)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--rounds", type=int, default=20)
    options = parser.parse_args()
    draw = random.Random(options.seed)
    for round_ in range(options.rounds):
        for family in FAMILIES:
            name, slices, claims = family(draw)
            for number, entry in enumerate(claims):
                entry["metadata"] = {"name": f"claim-{number}", "namespace": "default", "uid": str(number)}
            print(json.dumps({"name": f"{family.__name__} {round_}: {name}", "features": FEATURES, "classes": klass(),
                              "slices": slices, "claims": claims, "allocated": {}, "nodes": [node("n0")]}))


if __name__ == "__main__":
    main()
