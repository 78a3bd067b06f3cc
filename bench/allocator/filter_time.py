"""Times the filter of Kubernetes' allocator over all nodes of one case that allocator_cluster wrote."""

import argparse
import json
import os
import subprocess
import sys
import time


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--reference", required=True)
    parser.add_argument("--case", required=True)
    arguments = parser.parse_args()
    size = os.path.getsize(arguments.case) / 2**20
    print(f"the reference reads the same cluster ({size:.0f} MiB of JSON) ...", flush=True)
    start = time.monotonic()
    with open(arguments.case, "rb") as case:
        done = subprocess.run([arguments.reference, "-timeout", "500s"], stdin=case, stdout=subprocess.PIPE,
                              timeout=550, check=False)
    if done.returncode != 0:
        sys.exit(f"the reference ended with {done.returncode}")
    answer = json.loads(done.stdout.splitlines()[0])
    if answer.get("error"):
        sys.exit(f"the reference: {answer['error']}")
    fits = sum(1 for node in answer["answers"] if node["allocated"])
    print(f"reference: filter over {len(answer['answers'])} nodes for one pod {answer['ns'] / 1e6:.0f} ms, "
          f"fits {fits}; with reading the case {time.monotonic() - start:.0f} s")
    os.remove(arguments.case)


if __name__ == "__main__":
    main()
