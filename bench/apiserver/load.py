#!/usr/bin/env python3
"""Measures the API of `kumiko up` under load, each part against its bar.

  --nodes N, --pods N, --namespaces N
                       the cluster: 5,000 nodes of eight H100 in dynamic MIG, 20,000 pods in 20 namespaces
  --only PART ...      pages, kubectl, watches; default: all
  --rate N, --seconds N   status patches a second, and for how long (watches)
  --no-reference       without the kube-apiserver beside it
  --save               keep the table in bench/results/apiserver-load.txt
  --bin DIR            kumiko and apiserver_load
Exit status: 0 within all bars, 3 one is missed, 1 it could not be measured.
"""

import argparse
import json
import os
import pathlib
import platform
import statistics
import subprocess
import sys
import tempfile
import time

import servers

ROOT = pathlib.Path(__file__).resolve().parents[2]
TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io"
PAGE = 500
ROUNDS = 5
MERGE_PATCH = "application/merge-patch+json"
STRATEGIC_PATCH = "application/strategic-merge-patch+json"
WATCHES_OF_ALL = 20
WATCHES_OF_ONE = 80

CLUSTER = """kind: Cluster
nodes:
- name: gpu
  count: {nodes}
  gpus:
  - {{model: H100, count: 8, mig: dynamic}}
"""


def pod(index, namespace, node):
    """A pod of a training job, as a job controller writes it."""
    return {
        "apiVersion": "v1", "kind": "Pod",
        "metadata": {"name": f"train-{index:05}", "namespace": namespace,
                     "labels": {"app": "train", "job": f"train-{index // 8}", "team": namespace,
                                "index": str(index % 8)}},
        "spec": {"nodeName": node, "restartPolicy": "Never", "containers": [{
            "name": "worker", "image": "registry.example/train:1.4", "command": ["sleep", "100000"],
            "env": [{"name": "WORLD_SIZE", "value": "8"}, {"name": "RANK", "value": str(index % 8)}],
            "resources": {"requests": {"cpu": "1", "memory": "1Gi"}, "limits": {"memory": "1Gi"}}}]}}


def line(method, path, content_type, body):
    return f"{method} {path} {content_type} {json.dumps(body, separators=(',', ':'))}\n"


class Bench:
    def __init__(self, options, folder):
        self.options = options
        self.folder = folder
        self.rows = []  # (what, measured, bar, holds)
        self.namespaces = [f"team-{i:02}" for i in range(options.namespaces)]
        self.pods = [(i, self.namespaces[i % options.namespaces]) for i in range(options.pods)]
        self.program = os.path.join(options.bin, "apiserver_load")
        self.kumiko = None
        self.reference = None

    def say(self, text):
        print(f"[{time.monotonic() - self.options.began:4.0f} s] {text}", flush=True)

    def row(self, what, measured, bar="", holds=None):
        self.rows.append((what, measured, bar, holds))
        self.say(f"{what}: {measured}" + (f" (wanted: {bar})" if bar else ""))

    def start(self):
        cluster = os.path.join(self.folder, "cluster.yaml")
        with open(cluster, "w") as file:
            file.write(CLUSTER.format(nodes=self.options.nodes))
        self.say(f"starting kumiko up with {self.options.nodes} nodes")
        self.kumiko = servers.Kumiko(os.path.join(self.options.bin, "kumiko"), self.options.kubectl, cluster,
                                     str(ROOT / "examples"), self.folder)
        self.row("start", f"{self.kumiko.seconds_to_start:.1f} s")
        self.row("memory with the nodes", f"{self.kumiko.memory_mib('VmRSS'):,.0f} MiB")

    def namespace_lines(self):
        return [line("POST", "/api/v1/namespaces", "application/json", {"metadata": {"name": name}})
                for name in self.namespaces]

    def fill_kumiko(self):
        nodes = self.options.nodes
        self.kumiko.load(self.program, self.namespace_lines(), connections=1)
        self.await_service_accounts()
        lines = [line("POST", f"/api/v1/namespaces/{namespace}/pods", "application/json",
                      pod(i, namespace, f"gpu-{i % nodes}")) for i, namespace in self.pods]
        report = self.kumiko.load(self.program, lines, connections=4)
        self.row("pods created", f"{report['requests'] / report['seconds']:,.0f} a second")
        client = self.kumiko.client()
        began = time.monotonic()
        while b'"items":[]' not in self.kumiko.get(client, "/api/v1/pods?limit=1&fieldSelector=status.phase!=Running"):
            if time.monotonic() - began > 300:
                raise SystemExit("the pods do not come to run within 300 s")
            time.sleep(1)
        self.settle()
        self.row("memory with the pods", f"{self.kumiko.memory_mib('VmRSS'):,.0f} MiB")

    def await_service_accounts(self):
        client = self.kumiko.client()
        for name in self.namespaces:
            for _ in range(100):
                if b'"name":"default"' in self.kumiko.get(client, f"/api/v1/namespaces/{name}/serviceaccounts"):
                    break
                time.sleep(0.1)

    def settle(self):
        """Until the server has little to do; the CPU seconds a second that it takes when nobody asks."""
        for _ in range(60):
            before = self.kumiko.cpu_seconds()
            time.sleep(1)
            idle = self.kumiko.cpu_seconds() - before
            if idle < 0.2:
                break
        return idle

    def pages(self):
        idle = self.settle()
        seconds, sizes = [], 0
        for _ in range(ROUNDS):
            client = self.kumiko.client()
            token, count, sizes = "", 0, 0
            before = self.kumiko.cpu_seconds()
            while True:
                path = f"/api/v1/pods?limit={PAGE}" + (f"&continue={token}" if token else "")
                body = self.kumiko.get(client, path, TABLE)
                count, sizes = count + 1, sizes + len(body)
                at = body.find(b'"continue":"', 0, 500)
                if at < 0:
                    break
                token = body[at + 12:body.index(b'"', at + 12)].decode()
            seconds.append(self.kumiko.cpu_seconds() - before)
        pages = -(-self.options.pods // PAGE)
        if count != pages:
            raise SystemExit(f"{count} pages, expected {pages}")
        taken = statistics.median(seconds)
        self.row(f"pod table in {pages} pages", f"{taken:.3f} s of the server's CPU for {sizes / 1e6:.0f} MB "
                 f"({idle:.3f} s a second when nobody asks)", "<= 0.3 s", taken <= 0.3)

    def kubectl(self):
        def once(server):
            began = time.monotonic()
            subprocess.run(server.kubectl_command("get", "pods", "-A", "--chunk-size=0"), check=True,
                           stdout=subprocess.DEVNULL)
            return time.monotonic() - began

        sides = [self.kumiko] + ([self.reference] if self.reference else [])
        for side in sides:
            lines = side.kubectl("get", "pods", "-A", "--chunk-size=0", "--no-headers").count("\n")
            if lines != self.options.pods:
                raise SystemExit(f"{side.name} lists {lines} pods")
        self.settle()
        times = {side.name: [] for side in sides}
        for _ in range(ROUNDS):
            for side in sides:
                times[side.name].append(once(side))
        ours = statistics.median(times["kumiko"])
        if not self.reference:
            return self.row("kubectl get pods -A --chunk-size=0", f"{ours:.2f} s")
        theirs = statistics.median(times["kube-apiserver"])
        self.row("kubectl get pods -A --chunk-size=0", f"{ours:.2f} s", f"<= {theirs:.2f} s (kube-apiserver)",
                 ours <= theirs)

    def fill_reference(self):
        self.say("starting kube-apiserver and giving it the same pods")
        self.reference = servers.KubeApiserver(str(ROOT / "tests/testbed"), self.options.kubectl, self.folder)
        self.reference.load(self.program, self.namespace_lines(), connections=1)
        account = {"metadata": {"name": "default"}}
        self.reference.load(self.program, [
            line("POST", f"/api/v1/namespaces/{name}/serviceaccounts", "application/json", account)
            for name in self.namespaces], connections=1)
        lines = [line("POST", f"/api/v1/namespaces/{namespace}/pods", "application/json",
                      pod(i, namespace, f"gpu-{i % self.options.nodes}")) for i, namespace in self.pods]
        self.reference.load(self.program, lines, connections=8)
        items = json.loads(self.kumiko.get(self.kumiko.client(), "/api/v1/pods"))["items"]
        lines = []
        for item in items:
            meta = item["metadata"]
            lines.append(line("PATCH", f"/api/v1/namespaces/{meta['namespace']}/pods/{meta['name']}/status",
                              MERGE_PATCH, {"status": item["status"]}))
        self.reference.load(self.program, lines, connections=8)

    def patch_lines(self, count):
        """Conditions of pods, in turns; each about 200 bytes."""
        lines = []
        for n in range(count):
            i, namespace = self.pods[(n * 7919) % len(self.pods)]
            body = {"status": {"conditions": [{
                "type": "example.com/Healthy", "status": "True", "reason": "LossDecreases",
                "lastTransitionTime": "2026-01-01T00:00:00Z",
                "message": f"step {n:08}: loss 2.0712, 41312 tokens/s"}]}}
            path = f"/api/v1/namespaces/{namespace}/pods/train-{i:05}/status"
            lines.append(line("PATCH", path, STRATEGIC_PATCH, body))
        return lines

    def watches(self):
        self.settle()
        first = json.loads(self.kumiko.get(self.kumiko.client(), "/api/v1/pods?limit=1"))["metadata"]["resourceVersion"]
        query = f"watch=1&resourceVersion={first}&timeoutSeconds=600"
        paths = [f"/api/v1/pods?{query}"] * WATCHES_OF_ALL
        for i in range(WATCHES_OF_ONE):
            paths.append(f"/api/v1/namespaces/{self.namespaces[i % len(self.namespaces)]}/pods?{query}")
        rate = self.options.rate
        lines = self.patch_lines(rate * self.options.seconds)
        before = self.kumiko.cpu_seconds()
        report = self.kumiko.load(self.program, lines, watches=paths, rate=rate, connections=16)
        cpu = self.kumiko.cpu_seconds() - before
        with open(os.path.join(self.folder, "watches.json"), "w") as file:
            json.dump(report, file)
        wrong = {name: report[name] for name in ("refused", "missing", "disordered", "unreadable") if report[name]}
        reached = report["requests"] / report["seconds"]
        self.row(f"status patches with {len(paths)} watches",
                 f"{reached:,.0f} a second, P99 {report['p99_ms']:.0f} ms; {report['events']:,} events checked, "
                 f"told after {report['lag_p50_ms']:.0f} ms, P99 {report['lag_p99_ms']:.0f} ms; {wrong or 'none lost'}",
                 f"{rate:,} a second, none lost", reached >= 0.99 * rate and not wrong)
        self.row("CPU meanwhile", f"server {cpu / report['seconds']:.2f}, client "
                 f"{report['client_cpu_seconds'] / report['seconds']:.2f} s a second")

    def run(self):
        parts = self.options.only
        self.start()
        self.fill_kumiko()
        if "pages" in parts:
            self.pages()
        if "watches" in parts:
            self.watches()
        if "kubectl" in parts:
            if self.options.reference:
                self.fill_reference()
            self.kubectl()
        most = self.kumiko.memory_mib("VmHWM")
        self.row("memory at most", f"{most:,.0f} MiB", "<= 1,536 MiB", most <= 1536)

    def stop(self):
        for server in (self.kumiko, self.reference):
            if server:
                server.stop()


def machine():
    model = next((text.split(":")[1].strip() for text in open("/proc/cpuinfo") if text.startswith("model name")), "")
    return f"{os.cpu_count()} x {model or platform.machine()}, {platform.system()}"


def commit():
    def git(*arguments):
        return subprocess.run(["git", "-C", str(ROOT), *arguments], capture_output=True, text=True).stdout.strip()

    return git("rev-parse", "--short", "HEAD") + ("+" if git("status", "--porcelain", "src") else "")


def write_table(bench, out):
    options = bench.options
    print(f"commit {commit()}; {machine()}; {options.nodes:,} nodes of 8 GPUs in dynamic MIG, {options.pods:,} pods",
          file=out)
    for what, measured, bar, holds in bench.rows:
        mark = {None: "  ", True: "ok", False: "NO"}[holds]
        print(f"{mark}  {what}: {measured}" + (f"; wanted: {bar}" if bar else ""), file=out)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", default=str(ROOT / "build/release/bin"))
    parser.add_argument("--kubectl", default=os.path.expanduser("~/.cache/kumiko-testbed/bin-1.37.2/kubectl"))
    parser.add_argument("--nodes", type=int, default=5000)
    parser.add_argument("--pods", type=int, default=20000)
    parser.add_argument("--namespaces", type=int, default=20)
    parser.add_argument("--rate", type=int, default=2000)
    parser.add_argument("--seconds", type=int, default=15)
    parser.add_argument("--only", nargs="+", choices=["pages", "kubectl", "watches"],
                        default=["pages", "kubectl", "watches"])
    parser.add_argument("--no-reference", dest="reference", action="store_false")
    parser.add_argument("--save", action="store_true")
    options = parser.parse_args()
    options.began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="kumiko-load-") as folder:
        bench = Bench(options, folder)
        try:
            bench.run()
        finally:
            bench.stop()
        print()
        write_table(bench, sys.stdout)
        if options.save:
            results = ROOT / "bench/results"
            results.mkdir(exist_ok=True)
            with open(results / "apiserver-load.txt", "w") as file:
                write_table(bench, file)
    return 3 if any(holds is False for *_, holds in bench.rows) else 0


if __name__ == "__main__":
    sys.exit(main())
