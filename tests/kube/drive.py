"""The checks behind tests/kube/run."""

import argparse
import json
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

from control_plane import ControlPlane
from proxy import Proxy
from writer import KINDS, NAMESPACES, Writer, prepare

STARTED = time.monotonic()


def say(text):
    print(f"[{time.monotonic() - STARTED:5.1f} s] {text}", flush=True)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Informers:
    """The program that keeps informers."""

    def __init__(self, program, kubeconfig, seed, count):
        kinds = sorted(KINDS)
        self._process = subprocess.Popen(
            [program, "--kubeconfig", kubeconfig, "--namespaces", ",".join(NAMESPACES), "--kinds", ",".join(kinds),
             "--count", str(count), "--seed", str(seed), "--watch-seconds", "1:9"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, command):
        self._process.stdin.write(command + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        if not line:
            raise SystemExit(f"kube_informers ended with {self._process.wait()}")
        return json.loads(line)

    def wait_until_synced(self):
        for _ in range(300):
            if (state := self.ask("state"))["synced"] == state["informers"]:
                return state
            time.sleep(0.2)
        raise SystemExit(f"the informers do not get started: {state}")

    def wait_until_equal(self, seconds):
        """Fails unless within the time all hear the server again and every cache equals a fresh list."""
        deadline = time.monotonic() + seconds
        while True:
            answer, state = self.ask("compare"), self.ask("state")
            if (answer["equal"] and not state["troubled"]) or time.monotonic() > deadline:
                break
            time.sleep(0.5)
        say(f"caches: {answer['objects']} objects in {state['informers']} informers, {state['changes']} changes seen, "
            f"equal {answer['equal']}, in trouble {state['troubled']}, backwards {state['backwards']}")
        if not answer["equal"]:
            raise SystemExit(f"FAILED: caches differ from the server: {answer['different']}")
        if state["troubled"]:
            raise SystemExit(f"FAILED: informers are still in trouble: {state['troubles']}")
        if state["backwards"]:
            raise SystemExit("FAILED: an older version of an object came after a newer one")
        return state

    def end(self):
        self._process.stdin.close()
        return self._process.wait(timeout=20)


def finish(writer):
    writer.join(timeout=300)
    if writer.left:
        raise SystemExit(f"FAILED: {writer.left} changes are not written: {writer.failure or 'it takes too long'}")


def check_informers(plane, program, draw, seed, reduced):
    changes, informers = (1200, 50) if reduced else (6000, 50)
    proxy = Proxy(plane.port)
    kubeconfig = plane.write_kubeconfig("through-proxy", proxy.port, "admin")
    client = Informers(program, kubeconfig, seed, informers)
    client.wait_until_synced()
    say(f"{informers} informers are synced over {proxy.connections} connections")
    # Slow enough that the informers are back before the next cut.
    writers = [Writer(plane.api, random.Random(draw.random()), changes // 2, f"w{i}", pause=0.03) for i in range(2)]
    for writer in writers:
        writer.start()

    # Ten cuts and one kill, at moments of the writing that the seed draws.
    moments = sorted(draw.uniform(0.02, 0.98) for _ in range(10))
    kill_after = draw.randrange(3, 7)
    cuts = 0
    for index, moment in enumerate(moments):
        while sum(writer.done for writer in writers) < moment * changes:
            if failed := [writer.failure for writer in writers if writer.failure]:
                raise SystemExit(f"FAILED: {failed[0]}")
            time.sleep(0.05)
        cuts += proxy.cut()
        if index == kill_after:
            plane.kill_api_server()
            say(f"killed the API server after {sum(w.done for w in writers)} changes")
            plane.start_api_server()
            say("the API server is back")
    for writer in writers:
        finish(writer)
    say(f"{changes} changes written, {cuts} cuts, {proxy.connections} connections")
    state = client.wait_until_equal(120)
    if cuts < 10 or proxy.connections < 10 or not state["troubles"]:
        raise SystemExit("FAILED: the cuts and the kill were not noticed, so nothing was tested")
    return client


def check_rotation(plane, program, draw, seed, reduced):
    changes, informers = (400, 20) if reduced else (2000, 50)
    plane.make_certificate("next-ca", "/CN=next-ca")
    plane.make_certificate("next", "/O=system:masters/CN=next", "next-ca")
    for end in ("crt", "key"):
        shutil.copy(plane.path("pki", "admin." + end), plane.path("pki", "rotating." + end))
    client = Informers(program, plane.write_kubeconfig("rotating", plane.port, "rotating"), seed, informers)
    client.wait_until_synced()

    before = Writer(plane.api, random.Random(draw.random()), changes // 2, "before")
    before.start()
    finish(before)
    plane.kill_api_server()
    plane.start_api_server(client_authority="pki/next-ca.crt", certificate="next")
    refused = plane.api("admin").status("GET", "/api/v1/namespaces")
    say(f"the server trusts the next authority only; the old certificate gets {refused}")
    if refused != 401:
        raise SystemExit("FAILED: the old certificate is not refused, so nothing is tested")
    after = Writer(lambda: plane.api("next"), random.Random(draw.random()), changes // 2, "after")
    after.start()
    # Long enough for the informers to be refused.
    for _ in range(100):
        state = client.ask("state")
        if any("nauthorized" in trouble for trouble in state["troubles"]):
            break
        time.sleep(0.2)
    else:
        raise SystemExit(f"FAILED: the informers were not refused: {state}")
    say(f"{state['troubled']} of {state['informers']} informers are in trouble; replacing the certificate")
    # As people do it: one file after the other.
    for end in ("crt", "key"):
        shutil.copy(plane.path("pki", "next." + end), plane.path("pki", "rotating." + end))
    replaced = time.monotonic()
    finish(after)
    client.wait_until_equal(120)
    say(f"caught up {time.monotonic() - replaced:.1f} s after the certificate was replaced")
    return client


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("part", choices=["informers", "rotation"])
    parser.add_argument("--program", required=True)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 31))
    parser.add_argument("--reduced", action="store_true")
    arguments = parser.parse_args()
    # Killed by a time limit, it still stops what it started.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("stopped"))
    say(f"seed {arguments.seed}")
    draw = random.Random(arguments.seed)
    folder = tempfile.mkdtemp(prefix="kube-check-")
    plane = None
    try:
        plane = ControlPlane(folder, free_port(), free_port())
        say("the control plane is up")
        prepare(plane.api())
        check = check_informers if arguments.part == "informers" else check_rotation
        client = check(plane, arguments.program, draw, arguments.seed, arguments.reduced)
        if (status := client.end()) != 0:
            raise SystemExit(f"FAILED: kube_informers ended with {status}")
        say("passed")
    finally:
        if plane is not None:
            plane.stop()
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    main()
