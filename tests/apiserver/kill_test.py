#!/usr/bin/env python3
"""`kumiko up --state DIR`, killed with -9 at random times while clients write and watch.

  tests/apiserver/kill_test.py --bin build/dev/bin [--rounds 30] [--long] [--seed N]      --long: 1,000 rounds

After each kill the cluster is started again and asked: every acknowledged write must be there, every object must be
what some write made it, and a watch must go on where it stood or get 410.
Exit status: 0, or 3 when something was lost.
"""

import argparse
import http.client
import json
import os
import pathlib
import random
import ssl
import sys
import threading
import time

sys.dont_write_bytecode = True

from local_cluster import Folder, LocalCluster, config_map  # noqa: E402

MAPS = "/api/v1/namespaces/default/configmaps"
SELECTOR = "labelSelector=written"
WRITERS = 4
NAMES = 40  # of each writer
LONGEST_ROUND_S = 1.0


class Lost(Exception):
    pass


class Writer(threading.Thread):
    """Writes its own names, one at a time. `acknowledged` is what each holds (None: deleted); `asked` is the one write
    that was sent and not answered."""

    def __init__(self, number, seed, acknowledged):
        super().__init__()
        self.source = random.Random(f"{seed} {number}")
        self.prefix, self.acknowledged, self.asked = f"w{number}-", acknowledged, None
        self.count, self.failure = 0, None

    def attach(self, cluster):
        self.cluster = cluster

    def run(self):
        connection = self.cluster.client()
        try:
            while True:
                self.write(connection)
        except (OSError, ssl.SSLError, http.client.HTTPException):
            pass  # killed
        except Lost as lost:
            self.failure = lost

    def write(self, connection):
        name = f"{self.prefix}{self.source.randrange(NAMES)}"
        value = str(self.source.getrandbits(60))
        held = self.acknowledged.get(name)
        body = config_map(name, value=value)
        body["metadata"]["labels"] = {"written": "yes"}
        if held is None:
            method, path, wanted = "POST", MAPS, 201
        elif self.source.random() < 0.3:
            method, path, body, value, wanted = "DELETE", f"{MAPS}/{name}", None, None, 200
        elif self.source.random() < 0.5:
            method, path, wanted = "PUT", f"{MAPS}/{name}", 200
        else:
            method, path, body, wanted = "PATCH", f"{MAPS}/{name}", {"data": {"value": value}}, 200
        self.asked = (name, value)
        kind = "application/merge-patch+json" if method == "PATCH" else "application/json"
        status, answer = self.cluster.request(method, path, body, connection, kind)
        if status != wanted:
            raise Lost(f"{method} {name}, which is {held}: {status} {answer[:300]}")
        self.acknowledged[name] = value
        self.asked = None
        self.count += 1


class Watcher(threading.Thread):
    """Follows the same objects; `held` is what it knows, `version` how far it has seen."""

    def __init__(self, held, version):
        super().__init__()
        self.held, self.version, self.gone, self.events = held, version, False, 0

    def attach(self, cluster):
        self.connection = cluster.client(timeout=60)
        self.connection.request("GET", f"{MAPS}?watch=1&{SELECTOR}&resourceVersion={self.version}"
                                "&allowWatchBookmarks=true", headers=cluster.headers())
        self.answer = self.connection.getresponse()
        self.gone = self.answer.status == 410

    def run(self):
        try:
            while not self.gone:
                line = self.answer.readline()
                if not line.endswith(b"\n"):
                    return
                self.take(json.loads(line))
        except (OSError, ssl.SSLError, http.client.HTTPException):
            pass

    def take(self, event):
        if event["type"] == "ERROR":
            self.gone = event["object"]["code"] == 410
            return
        metadata = event["object"]["metadata"]
        self.version = metadata["resourceVersion"]
        if event["type"] == "BOOKMARK":
            return
        self.events += 1
        self.held[metadata["name"]] = None if event["type"] == "DELETED" else event["object"]["data"]["value"]


def stored(cluster):
    """({name: value}, version) as a fresh list has it."""
    status, body = cluster.request("GET", f"{MAPS}?{SELECTOR}")
    if status != 200:
        raise Lost(f"list: {status} {body[:300]}")
    listed = json.loads(body)
    return ({item["metadata"]["name"]: item["data"]["value"] for item in listed["items"]},
            listed["metadata"]["resourceVersion"])


def compare(there, acknowledged, asked):
    """The write that was under way may have happened; `acknowledged` learns whether it did."""
    for name in sorted(set(acknowledged) | set(there) | set(asked)):
        possible = [acknowledged.get(name)] + ([asked[name]] if name in asked else [])
        found = there.get(name)
        if found not in possible:
            raise Lost(f"configmap {name} is {found}, and was acknowledged as {possible[0]}"
                       + (f" with {possible[1]} under way" if len(possible) > 1 else ""))
        acknowledged[name] = found


def catch_up(watcher, cluster, there, version):
    """The watch must bring what the list has."""
    end = time.monotonic() + 30
    while not watcher.gone and time.monotonic() < end:
        known = {name: value for name, value in watcher.held.items() if value is not None}
        if known == there:
            return
        time.sleep(0.01)
    if not watcher.gone:
        raise Lost(f"a watch from version {watcher.version} does not bring what the list of version {version} has")


def run_rounds(options, folder):
    source = random.Random(options.seed)
    acknowledged, asked, held, version = {}, {}, {}, None
    writes = events = gone = 0
    starts = []
    for round_number in range(options.rounds + 1):  # the last one asks what became of the one before
        started = time.monotonic()
        cluster = LocalCluster(pathlib.Path(options.bin) / "kumiko", folder, "--state", folder.path / "state")
        starts.append(time.monotonic() - started)
        if not cluster.started:
            raise Lost(f"round {round_number}: kumiko up does not start again: {cluster.output()}")
        try:
            there, now = stored(cluster)
            compare(there, acknowledged, asked)
            watcher = Watcher(held, version or now)
            watcher.attach(cluster)
            watcher.start()
            catch_up(watcher, cluster, there, now)
            if watcher.gone:
                gone += 1
                watcher.join()
                watcher = Watcher(dict(there), now)
                watcher.attach(cluster)
                watcher.start()
            writers = [Writer(number, f"{options.seed} {round_number}", acknowledged) for number in range(WRITERS)]
            for writer in writers:
                writer.attach(cluster)
                writer.start()
            time.sleep(source.uniform(0.01, LONGEST_ROUND_S))
        finally:
            cluster.kill()
        for thread in [*writers, watcher]:
            thread.join()
        for writer in writers:
            if writer.failure:
                raise writer.failure
        writes += sum(writer.count for writer in writers)
        events += watcher.events
        held, version = watcher.held, watcher.version
        asked = {writer.asked[0]: writer.asked[1] for writer in writers if writer.asked}
    starts.sort()
    print(f"{options.rounds} kills, {writes} acknowledged writes, none lost; {events} watch events, {gone} watches got "
          f"410; started within {starts[len(starts) // 2]:.2f} s (median)")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", default="build/dev/bin", help="folder of the kumiko binary")
    parser.add_argument("--rounds", type=int, default=30)
    parser.add_argument("--long", action="store_true", default=bool(os.environ.get("KUMIKO_LONG")), help="1,000 rounds")
    parser.add_argument("--sanitized", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--seed", type=int,
                        default=int(os.environ.get("KUMIKO_SEED") or random.SystemRandom().randrange(1_000_000)))
    options = parser.parse_args()
    if options.long:
        options.rounds = 1000
    print(f"seed {options.seed}", flush=True)
    folder = Folder()
    try:
        run_rounds(options, folder)
    except Lost as lost:
        print(f"lost: {lost}")
        return 3
    finally:
        folder.cleanup()
    return 0


if __name__ == "__main__":
    sys.exit(main())
