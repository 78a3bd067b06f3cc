"""Python's kubernetes client under a storm of changes: a cache kept by list and watch, whose connections are cut,
equals a fresh list at the end, and no object goes back to an older version.

    python_client.py --kubeconfig FILE [--changes N] [--cuts N] [--seed N]

Needs the package kubernetes. Exit 3 when something differs.
"""

import argparse
import random
import socket
import sys
import threading
import time

import kubernetes
import urllib3
from kubernetes.client.rest import ApiException

NAMESPACE = "clients-python"


class Cache:
    """What a controller in Python keeps of config maps: list, then watch from there, again on every end."""

    def __init__(self, api):
        self.api = api
        self.objects = {}
        self.newest = {}
        self.wrong = []
        self.events = 0
        self.lists = 0
        self.ended = False

    def see(self, item):
        self.events += 1
        key = (item.metadata.name, item.metadata.uid)
        version = int(item.metadata.resource_version)
        if version < self.newest.get(key, 0):
            self.wrong.append(f"{key}: {version} after {self.newest[key]}")
        self.newest[key] = version

    def run(self):
        version = None
        while not self.ended:
            try:
                if version is None:
                    found = self.api.list_namespaced_config_map(NAMESPACE)
                    self.objects = {item.metadata.name: item for item in found.items}
                    version = found.metadata.resource_version
                    self.lists += 1
                watch = kubernetes.watch.Watch()
                for event in watch.stream(self.api.list_namespaced_config_map, NAMESPACE, resource_version=version,
                                          timeout_seconds=5, allow_watch_bookmarks=True):
                    item = event["object"]
                    version = item.metadata.resource_version
                    if event["type"] == "BOOKMARK":
                        continue
                    self.see(item)
                    if event["type"] == "DELETED":
                        self.objects.pop(item.metadata.name, None)
                    else:
                        self.objects[item.metadata.name] = item
            except ApiException as error:
                if error.status == 410:
                    version = None
            except Exception:  # a cut connection comes in many forms
                time.sleep(0.01)


class Connections:
    """The sockets that one thread opens, so that they can be cut."""

    def __init__(self):
        self.thread = None
        self.open = []
        self.connect = urllib3.util.connection.create_connection
        urllib3.util.connection.create_connection = self.create

    def create(self, *arguments, **named):
        connection = self.connect(*arguments, **named)
        if threading.current_thread() is self.thread:
            self.open.append(connection.dup())  # TLS takes the socket itself over
        return connection

    def cut(self):
        count = 0
        while self.open:
            connection = self.open.pop()
            try:
                connection.shutdown(socket.SHUT_RDWR)
                count += 1
            except OSError:
                pass  # the server was faster
            connection.close()
        return count


def change(api, draw, count):
    for index in range(count):
        name = f"c{draw.randrange(200)}"
        try:
            kind = draw.randrange(4)
            if kind == 0:
                api.create_namespaced_config_map(NAMESPACE, {"metadata": {"name": name}})
            elif kind == 1:
                api.delete_namespaced_config_map(name, NAMESPACE)
            else:
                api.patch_namespaced_config_map(name, NAMESPACE, {"data": {"i": str(index)}})
        except ApiException as error:
            if error.status not in (404, 409):
                raise


def differences(cached, fresh):
    found = []
    for item in fresh:
        known = cached.pop(item.metadata.name, None)
        if known is None:
            found.append(f"{item.metadata.name} is missing")
        elif known.metadata.resource_version != item.metadata.resource_version or known.data != item.data:
            found.append(f"{item.metadata.name} differs")
    return found + [f"{name} is gone, but cached" for name in cached]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--kubeconfig", required=True)
    parser.add_argument("--changes", type=int, default=10000)
    parser.add_argument("--cuts", type=int, default=20)
    parser.add_argument("--seed", type=int, default=time.time_ns() % 2**32)
    options = parser.parse_args()
    print(f"python, {options.changes} changes, {options.cuts} cuts, seed {options.seed}")
    kubernetes.config.load_kube_config(options.kubeconfig)
    writer = kubernetes.client.CoreV1Api()
    watcher = kubernetes.client.CoreV1Api(kubernetes.config.new_client_from_config(options.kubeconfig))
    try:
        writer.create_namespace({"metadata": {"name": NAMESPACE}})
    except ApiException as error:
        if error.status != 409:
            raise
    cache = Cache(watcher)
    connections = Connections()
    connections.thread = threading.Thread(target=cache.run, daemon=True)
    connections.thread.start()
    cut = 0
    draw = random.Random(options.seed)
    for _ in range(options.cuts):
        change(writer, draw, options.changes // options.cuts)
        cut += connections.cut()
    found = ["not compared"]
    deadline = time.monotonic() + 60
    while found and time.monotonic() < deadline:
        time.sleep(0.2)
        found = differences(dict(cache.objects), writer.list_namespaced_config_map(NAMESPACE).items)
    cache.ended = True
    print(f"{cut} connections cut, {cache.events} events, {cache.lists} lists, {len(cache.wrong)} out of order, "
          f"{len(found)} differences to a fresh list")
    if found or cache.wrong or cache.events == 0 or cut == 0:
        print(found[:5], cache.wrong[:5], file=sys.stderr)
        return 3
    return 0


if __name__ == "__main__":
    sys.exit(main())
