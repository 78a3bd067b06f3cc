#!/usr/bin/env python3
"""The HTTP face of `kumiko up`, asked over real sockets: who may come in, and what hostile or slow clients can do.

  tests/apiserver/http_test.py --bin build/dev/bin [--long] [NAME...]     names as unittest takes them

--long: 10,000 connections that are idle or slow instead of 1,000, and the bounds of time that a machine with nothing
else to do keeps. --sanitized: memory is not measured.
"""

import argparse
import json
import os
import pathlib
import random
import select
import socket
import ssl
import statistics
import subprocess
import sys
import time
import unittest

sys.dont_write_bytecode = True

from local_cluster import (Folder, LocalCluster, allow_open_files, config_map, read_response)  # noqa: E402

MAPS = "/api/v1/namespaces/default/configmaps"
NOBODY = 65534
BODY_LIMIT = 3 << 20
options = argparse.Namespace(bin="build/dev/bin", long=False, sanitized=False, seed=1)


def binary():
    return pathlib.Path(options.bin) / "kumiko"


class OneCluster(unittest.TestCase):
    """Tests that share a cluster, and must leave it able to answer."""

    @classmethod
    def setUpClass(cls):
        cls.folder = Folder()
        cls.cluster = LocalCluster(binary(), cls.folder, "--state", cls.folder.path / "state")
        assert cls.cluster.started, cls.cluster.output()

    @classmethod
    def tearDownClass(cls):
        ended = cls.cluster.stop()
        gone = not cls.cluster.kubeconfig.exists()
        cls.folder.cleanup()
        assert ended == 0 and gone, f"exit status {ended}, kubeconfig {'gone' if gone else 'still there'}"

    def tearDown(self):
        self.assertIsNone(self.cluster.process.poll(), self.cluster.output())
        self.assertEqual(self.cluster.request("GET", MAPS)[0], 200)


class Access(OneCluster):
    PATHS = ["/", "/api", "/api/v1", "/apis", "/apis/apps/v1", "/openapi/v3", "/openapi/v3/apis/apps/v1", "/version",
             "/healthz", "/metrics", "/nothing", MAPS, MAPS + "/none", "/api/v1/pods?watch=1", "/api/v1/secrets",
             "/livezz", "/livez/../api/v1/secrets", "/readyz/../../api/v1/secrets", "//api/v1/secrets", "/LIVEZ"]

    def ask(self, method, path, authorization):
        headers = {"Authorization": authorization} if authorization is not None else {}
        connection = self.cluster.client()
        connection.request(method, path, headers=headers)
        answer = connection.getresponse()
        body = answer.read()
        connection.close()
        return answer.status, body

    def test_401_without_the_token_on_everything_but_the_probes(self):
        token = self.cluster.token
        wrong = [None, "", "Bearer", "Bearer ", f"Basic {token}", f"Bearer {token}x", f"Bearer {token[:-1]}", token,
                 f"Bearer {token[:-1]}{'a' if token[-1] != 'a' else 'b'}", f"Bearer {token},", "Bearer " + "x" * 5000]
        for path in self.PATHS:
            status, body = self.ask("GET", path, None)
            self.assertEqual(status, 401, path)
            self.assertEqual(json.loads(body)["reason"], "Unauthorized")
        for method in ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"]:
            self.assertEqual(self.ask(method, MAPS, None)[0], 401, method)
        for authorization in wrong:
            self.assertEqual(self.ask("GET", MAPS, authorization)[0], 401, authorization)
        self.assertEqual(self.ask("GET", f"{MAPS}?token={token}&access_token={token}", None)[0], 401)
        for path in ["/livez", "/readyz"]:
            self.assertEqual(self.ask("GET", path, None)[0], 200, path)
        self.assertEqual(self.ask("GET", MAPS, f"Bearer {token}")[0], 200)

    def test_the_token_stands_in_the_kubeconfig_only(self):
        token = self.cluster.token.encode()
        process = pathlib.Path(f"/proc/{self.cluster.process.pid}")
        for shown in ["cmdline", "environ"]:
            self.assertNotIn(token, (process / shown).read_bytes(), shown)
        self.assertNotIn(token.decode(), self.cluster.output())
        for path in (self.folder.path / "state").iterdir():
            self.assertNotIn(token, path.read_bytes(), path)

    def test_kubeconfig_and_state_are_the_owners(self):
        self.assertEqual(self.cluster.kubeconfig.stat().st_mode & 0o777, 0o600)
        state = self.folder.path / "state"
        self.assertEqual(state.stat().st_mode & 0o077, 0, oct(state.stat().st_mode))
        if os.getuid() != 0:
            self.skipTest("asking as another user needs root")
        os.chmod(self.folder.path, 0o755)  # what is tried is the files, not the folder they happen to lie in
        try:
            for path in [self.cluster.kubeconfig, *state.iterdir()]:
                tried = subprocess.run(["cat", path], user=NOBODY, group=NOBODY, extra_groups=[], capture_output=True,
                                       check=False)
                self.assertNotEqual(tried.returncode, 0, path)
                self.assertEqual(tried.stdout, b"")
        finally:
            os.chmod(self.folder.path, 0o700)


class Messages(OneCluster):
    def test_requests_in_a_row_and_in_one_piece(self):
        first, second = json.dumps(config_map("row-1")).encode(), json.dumps(config_map("row-2")).encode()
        head = self.cluster.head
        with self.cluster.connect() as connection:
            connection.sendall(
                head("POST", MAPS, "Content-Type: application/json", f"Content-Length: {len(first)}") + first +
                head("GET", f"{MAPS}/row-1") +
                head("POST", MAPS, "Content-Type: application/json", f"Content-Length: {len(second)}") + second +
                head("HEAD", f"{MAPS}/row-2") + head("GET", "/version"))
            self.assertEqual(read_response(connection)[0], 201)
            status, _, body = read_response(connection)
            self.assertEqual((status, json.loads(body)["metadata"]["name"]), (200, "row-1"))
            self.assertEqual(read_response(connection)[0], 201)
            status, headers, body = read_response(connection, "HEAD")
            self.assertEqual((status, body), (200, b""))
            self.assertGreater(int(headers["content-length"]), 100)
            self.assertIn("gitVersion", json.loads(read_response(connection)[2]))
            for _ in range(100):
                connection.sendall(head("GET", f"{MAPS}/row-1"))
                self.assertEqual(read_response(connection)[0], 200)

    def test_http_1_0_and_connection_close(self):
        for data in [self.cluster.head("GET", "/version").replace(b"HTTP/1.1", b"HTTP/1.0"),
                     self.cluster.head("GET", "/version", "Connection: close")]:
            started = time.monotonic()
            said = self.cluster.exchange(data)
            self.assertIn(b" 200 ", said.split(b"\r\n")[0])
            self.assertIn(b"gitVersion", said)
            self.assertLess(time.monotonic() - started, 20, "the server did not close")

    def test_continue_before_the_body(self):
        body = json.dumps(config_map("expected")).encode()
        with self.cluster.connect() as connection:
            connection.sendall(self.cluster.head("POST", MAPS, "Content-Type: application/json",
                                                 f"Content-Length: {len(body)}", "Expect: 100-continue"))
            self.assertEqual(connection.recv(100), b"HTTP/1.1 100 Continue\r\n\r\n")
            connection.sendall(body)
            self.assertEqual(read_response(connection)[0], 201)
        said = self.cluster.exchange(self.cluster.head("POST", MAPS, f"Content-Length: {BODY_LIMIT + 1}",
                                                       "Expect: 100-continue"))
        self.assertIn(b" 413 ", said.split(b"\r\n")[0])

    def test_large_bodies(self):
        self.assertEqual(self.cluster.request("POST", MAPS, config_map("large", a="x" * 1_000_000))[0], 201)
        status, body = self.cluster.request("GET", MAPS + "/large")
        self.assertEqual((status, len(json.loads(body)["data"]["a"])), (200, 1_000_000))
        for size in [BODY_LIMIT + 1, 64 << 20]:
            said = self.cluster.exchange(self.cluster.head("POST", MAPS, f"Content-Length: {size}") + b"x" * 100)
            self.assertIn(b" 413 ", said.split(b"\r\n")[0], size)
        chunk = b"100000\r\n" + b" " * (1 << 20) + b"\r\n"
        said = self.cluster.exchange(self.cluster.head("POST", MAPS, "Transfer-Encoding: chunked") + chunk * 5)
        self.assertTrue(said == b"" or b" 413 " in said.split(b"\r\n")[0], said[:100])
        self.assertEqual(self.cluster.request("DELETE", MAPS + "/large")[0], 200)

    def chunked(self, body):
        return self.cluster.head("POST", MAPS, "Content-Type: application/json", "Transfer-Encoding: chunked",
                                 "Connection: close") + body

    def test_chunked_bodies(self):
        body = json.dumps(config_map("chunked")).encode()
        pieces = b"".join(b"%x;note=\"a b\"\r\n%s\r\n" % (len(body[i:i + 7]), body[i:i + 7])
                          for i in range(0, len(body), 7))
        said = self.cluster.exchange(self.chunked(pieces + b"0\r\nTrailer: x\r\n\r\n"))
        self.assertIn(b" 201 ", said.split(b"\r\n")[0])
        for broken in [b"zz\r\n{}\r\n0\r\n\r\n", b"-1\r\n{}\r\n0\r\n\r\n", b"ffffffffffffffff1\r\n{}\r\n",
                       b"2\r\n{}xx0\r\n\r\n", b"\r\n\r\n"]:
            said = self.cluster.exchange(self.chunked(broken), timeout=5)
            self.assertIn(said.split(b"\r\n")[0].split(b" ")[1:2], ([], [b"400"], [b"413"]), broken)

    def test_bytes_that_are_no_http(self):
        head = self.cluster.head
        body = json.dumps(config_map("smuggled")).encode()
        refused = [
            b"\r\n" * 10 + b"GET\r\n\r\n", b"GET /version\r\n\r\n", b"GET /version HTTP/2.0\r\n\r\n",
            b"GET /version HTTP/9\r\n\r\n", b"get version HTTP/1.1\r\n\r\n", b"\x00\x01\x02\x03\r\n\r\n",
            b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", head("GET", "/version", "Bad Header: x"),
            head("GET", "/version", "X: a\0b"), head("GET", "/version", "X"), head("GET", "/ver sion"),
            head("POST", MAPS, "Content-Length: 5", "Content-Length: 6") + b"abcdef",
            head("POST", MAPS, "Content-Length: -5") + b"abcde", head("POST", MAPS, "Content-Length: 5x") + b"abcde",
            head("POST", MAPS, "Content-Length: 99999999999999999999") + b"abcde",
            head("POST", MAPS, f"Content-Length: {len(body)}", "Transfer-Encoding: chunked") + body,
            head("GET", "/version", "X: " + "y" * 100_000),
            head("GET", "/version", *[f"X-{i}: y" for i in range(20_000)]),
            head("GET", "/" + "y" * 100_000), bytes(random.Random(options.seed).randbytes(2000)) + b"\r\n\r\n"]
        for data in refused:
            said = self.cluster.exchange(data, timeout=5)
            self.assertIn(said.split(b"\r\n")[0].split(b" ")[1:2],
                          ([], [b"400"], [b"413"], [b"414"], [b"431"], [b"505"]), (data[:90], said[:90]))
        self.assertEqual(self.cluster.request("GET", MAPS + "/smuggled")[0], 404)

    def test_what_is_not_tls_is_hung_up_on(self):
        for data in [b"GET /version HTTP/1.1\r\nHost: localhost\r\n\r\n", os.urandom(1000)]:
            with socket.create_connection(("127.0.0.1", self.cluster.port), timeout=20) as plain:
                plain.sendall(data)
                try:
                    while plain.recv(4096):
                        pass
                except ConnectionError:
                    pass


class Hostile(OneCluster):
    """Targets and bodies that are HTTP, and nothing that the API knows."""

    FRAGMENTS = ["..", ".", "%2e%2e", "%00", "%", "%zz", "%2f", "\\", "api", "apis", "v1", "namespaces", "default",
                 "configmaps", "pods", "%f0%9f%92%a9", "%ff%fe", "log", "status", "x" * 300, "", ";", "'", "\"", "{}"]
    QUERIES = ["limit=-1", "limit=99999999999999999999", "limit=x", "resourceVersion=-1", "resourceVersion=x",
               "continue=" + "A" * 2000, "continue=%00", "timeoutSeconds=-5&watch=1", "labelSelector=%28%28%28",
               "labelSelector=" + ",".join(f"a{i}=b" for i in range(3000)), "labelSelector=a%20in%20%28", "&&&=&=",
               "fieldSelector==", "fieldSelector=a%3D%3D%3Db", "fieldSelector=" + "%5C" * 500, "watch=maybe",
               "resourceVersionMatch=Sometimes", "sendInitialEvents=true", "dryRun=Never", "fieldValidation=Loose",
               "labelSelector=" + "!" * 1000, "gracePeriodSeconds=-9223372036854775809", "propagationPolicy=Sideways"]

    def check(self, method, target, body=None, content_type="application/json"):
        try:
            status, answer = self.cluster.request(method, target, body, content_type=content_type)
        except TimeoutError:
            self.fail(f"no answer to {method} {target[:200]} {(body or b'')[:100]}")
        # A real API server has an internal error as well when a member is not in the schema of what is applied.
        if b"failed to create typed patch object" not in answer:
            self.assertLess(status, 500, f"{method} {target[:200]} {(body or b'')[:200]}: {answer[:500]}")

    def test_targets(self):
        source = random.Random(options.seed)
        connection = self.cluster.client()
        for method in ["GET", "POST", "PUT", "PATCH", "DELETE"]:
            for query in self.QUERIES:
                name = "" if method in ("GET", "POST") else "/none"
                self.check(method, f"{MAPS}{name}?{query}&timeoutSeconds=1", b"{}" if method != "GET" else None)
        for _ in range(2000):
            target = "/" + "/".join(source.choice(self.FRAGMENTS) for _ in range(source.randint(0, 9)))
            status, answer = self.cluster.request(source.choice(["GET", "GET", "DELETE", "OPTIONS", "TRACE"]), target,
                                                  connection=connection)
            self.assertLess(status, 500, f"{target}: {answer[:300]}")
        connection.close()

    def test_bodies(self):
        bombs = b"a: &a [x,x,x,x,x,x,x,x,x]\n" + b"".join(
            b"%c: &%c [%s]\n" % (c, c, b",".join([b"*%c" % (c - 1)] * 9)) for c in range(ord("b"), ord("k")))
        valid = json.dumps(config_map("body")).encode()
        bodies = [b"", b"{", b"[]", b"null", b"1", b"\"x\"", b"[" * 100_000, b"{\"a\":" * 100_000, b"\xff\xfe{}",
                  b"\0" * 99,
                  b"{\"apiVersion\":1,\"kind\":[]}", b"{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":7}",
                  b"{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":1e999999}}",
                  b"{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"\\ud800\"}}",
                  b"{\"metadata\":{\"labels\":{\"a\":{}}}}", bombs, b"&a [*a]", b"k8s\0" + b"\xff" * 200, b"k8s\0",
                  valid + valid, valid[:-2], b"- " * 50_000, b"? " * 50_000, b"!!python/object:os.system x"]
        before = self.cluster.rss_mb()
        kinds = ["application/json", "application/yaml", "application/vnd.kubernetes.protobuf", "text/plain", ""]
        for content_type in kinds:
            for body in bodies:
                self.check("POST", MAPS, body, content_type)
        if not options.sanitized:
            self.assertLess(self.cluster.rss_mb() - before, 200)

    def test_patches(self):
        self.assertEqual(self.cluster.request("POST", MAPS, config_map("patched", a="b"))[0], 201)
        deep = b"{\"data\":" + b"{\"a\":" * 20_000 + b"1" + b"}" * 20_001
        many = json.dumps([{"op": "add", "path": f"/data/k{i}", "value": "v"} for i in range(20_000)]).encode()
        grow = json.dumps([{"op": "copy", "from": "/data", "path": "/data/a"} for _ in range(60)]).encode()
        patches = [b"", b"{}", b"[]", b"null", b"[{}]", b"[{\"op\":\"add\"}]", b"[null]", b"{\"$patch\":\"delete\"}",
                   deep, many, grow, b"{\"metadata\":null}", b"{\"metadata\":{\"managedFields\":[{}]}}",
                   b"[{\"op\":\"remove\",\"path\":\"\"}]", b"[{\"op\":\"test\",\"path\":\"/~2\",\"value\":1}]",
                   b"[{\"op\":\"replace\",\"path\":\"/data/-1\",\"value\":null}]", b"{\"data\":{\"$retainKeys\":[1]}}"]
        kinds = ["json-patch+json", "merge-patch+json", "strategic-merge-patch+json", "apply-patch+yaml", "nothing"]
        for kind in kinds:
            for patch in patches:
                self.check("PATCH", MAPS + "/patched?fieldManager=t", patch, f"application/{kind}")
        self.assertEqual(self.cluster.request("DELETE", MAPS + "/patched")[0], 200)


class Watches(OneCluster):
    def test_a_watch_that_nobody_reads_ends(self):
        before = self.cluster.open_files()
        opened = []
        for _ in range(200):
            connection = self.cluster.connect()
            connection.sendall(self.cluster.head("GET", MAPS + "?watch=1"))
            opened.append(connection)
        for connection in opened:
            self.assertIn(b" 200 ", connection.recv(100))
        self.assertGreaterEqual(self.cluster.open_files(), 200)
        for connection in opened:
            connection.close()
        end = time.monotonic() + 30
        while self.cluster.open_files() > before + 5 and time.monotonic() < end:
            time.sleep(0.1)
        self.assertLessEqual(self.cluster.open_files(), before + 5)

    def test_a_watch_ends_at_its_time_in_good_order(self):
        connection = self.cluster.client()
        connection.request("GET", MAPS + "?watch=1&timeoutSeconds=1", headers=self.cluster.headers())
        answer = connection.getresponse()
        self.assertEqual(answer.status, 200)
        answer.read()  # fails when the last chunk is missing
        connection.close()

    def test_changes_arrive_in_order(self):
        connection = self.cluster.client()
        version = json.loads(self.cluster.request("GET", MAPS)[1])["metadata"]["resourceVersion"]
        connection.request("GET", f"{MAPS}?watch=1&resourceVersion={version}", headers=self.cluster.headers())
        answer = connection.getresponse()
        self.assertEqual(self.cluster.request("POST", MAPS, config_map("seen", a="0"))[0], 201)
        for i in range(1, 50):
            self.assertEqual(self.cluster.request("PUT", MAPS + "/seen", config_map("seen", a=str(i)))[0], 200)
        self.assertEqual(self.cluster.request("DELETE", MAPS + "/seen")[0], 200)
        events = [json.loads(answer.readline()) for _ in range(51)]
        self.assertEqual([event["type"] for event in events], ["ADDED"] + ["MODIFIED"] * 49 + ["DELETED"])
        self.assertEqual([event["object"]["data"]["a"] for event in events[:50]], [str(i) for i in range(50)])
        versions = [int(event["object"]["metadata"]["resourceVersion"]) for event in events]
        self.assertEqual(versions, sorted(set(versions)))
        connection.close()


class SlowClients(OneCluster):
    def test_half_a_request_is_hung_up_on(self):
        """The server gives a request 30 s."""
        halves = [self.cluster.head("POST", MAPS, "Content-Length: 100") + b"{",
                  self.cluster.head("POST", MAPS, "Transfer-Encoding: chunked") + b"5\r\n{"]
        opened = []
        for half in halves:
            connection = self.cluster.connect(timeout=60)
            connection.sendall(half)
            opened.append(connection)
        silent = socket.create_connection(("127.0.0.1", self.cluster.port), timeout=60)  # and no TLS handshake
        started = time.monotonic()
        for connection in [*opened, silent]:
            try:
                while connection.recv(4096):
                    pass
            except (ConnectionError, ssl.SSLError):
                pass
            connection.close()
        self.assertLess(time.monotonic() - started, 50)

    def test_many_connections_that_are_idle_or_slow(self):
        count = 10_000 if options.long else 1_000
        self.assertGreaterEqual(allow_open_files(count + 1000), count + 1000, "open files (ulimit -n)")
        holder = subprocess.Popen(
            [sys.executable, __file__, "--bin", options.bin, "--hold", str(count), str(self.cluster.kubeconfig)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        try:
            self.assertEqual(holder.stdout.readline().strip(), f"{count} open")
            connection, taken = self.cluster.client(), []
            for i in range(1000):
                started = time.monotonic()
                if i % 2 == 0:
                    status = self.cluster.request("GET", MAPS + "?limit=10", connection=connection)[0]
                else:
                    status = self.cluster.request("PATCH", "/api/v1/namespaces/default",
                                                  {"metadata": {"annotations": {"i": str(i)}}}, connection,
                                                  "application/merge-patch+json")[0]
                taken.append((time.monotonic() - started) * 1000)
                self.assertEqual(status, 200)
            p99, rss = statistics.quantiles(taken, n=100)[98], self.cluster.rss_mb()
            print(f"{count} connections: 1,000 other requests P50 {statistics.median(taken):.1f} ms, P99 {p99:.1f} ms, "
                  f"RSS {rss:.0f} MB", flush=True)
            if not options.sanitized:
                self.assertLess(rss, 300)
            if options.long:
                self.assertLess(p99, 50)
            connection.close()
        finally:
            holder.communicate(timeout=60)


class Starting(unittest.TestCase):
    """What `up` says when something is in the way, and that clusters do not get in each other's."""

    def setUp(self):
        self.folder = Folder()
        self.addCleanup(self.folder.cleanup)

    def start(self, *arguments, **more):
        cluster = LocalCluster(binary(), self.folder, *arguments, **more)
        if cluster.started:
            self.addCleanup(lambda: cluster.process.poll() is None and cluster.stop())
        return cluster

    def test_two_clusters_side_by_side(self):
        runtime = self.folder.path / "runtime"
        runtime.mkdir(mode=0o700)
        one = self.start(name="one", environment={"XDG_RUNTIME_DIR": str(runtime)})
        two = self.start(name="two", environment={"XDG_RUNTIME_DIR": str(runtime)})
        self.assertTrue(one.started and two.started)
        self.assertNotEqual(one.port, two.port)
        self.assertNotEqual(one.kubeconfig, two.kubeconfig)
        self.assertNotEqual(one.token, two.token)
        self.assertEqual(one.request("POST", MAPS, config_map("only-one"))[0], 201)
        self.assertEqual(two.request("GET", MAPS + "/only-one")[0], 404)
        one.token, two.token = two.token, one.token
        self.assertEqual(one.request("GET", MAPS)[0], 401)
        two.tls = one.tls
        with self.assertRaises(ssl.SSLError):
            two.request("GET", MAPS)

    def test_a_busy_port_is_named_with_what_to_do(self):
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            port = taken.getsockname()[1]
            second = self.start("--api-port", port)
        self.assertFalse(second.started)
        self.assertEqual(second.process.returncode, 1)
        self.assertIn(f"port {port}", second.output())
        self.assertIn("--api-port", second.output())
        self.assertFalse((self.folder.path / "kumiko.kubeconfig").exists())

    def test_a_state_in_use_is_named_with_what_to_do(self):
        state = self.folder.path / "state"
        first = self.start("--state", state, name="first")
        second = self.start("--state", state, name="second")
        self.assertTrue(first.started)
        self.assertFalse(second.started)
        self.assertEqual(second.process.returncode, 1)
        self.assertIn(str(state), second.output())
        self.assertEqual(first.request("GET", MAPS)[0], 200)

    def test_a_kubeconfig_that_is_not_ours_is_left_alone(self):
        mine = self.folder.path / "mine"
        mine.write_text("mine")
        refused = self.start("--kubeconfig", mine)
        self.assertFalse(refused.started)
        self.assertEqual(refused.process.returncode, 1)
        self.assertEqual(mine.read_text(), "mine")
        self.assertIn("--kubeconfig", refused.output())


def hold(count, kubeconfig):
    """The other process: opens connections, nine in ten idle or with a request that comes a byte at a time."""
    cluster = LocalCluster.__new__(LocalCluster)
    cluster.log = pathlib.Path(kubeconfig).with_suffix(".held")
    cluster.log.write_text(f"export KUBECONFIG={kubeconfig}")
    cluster.read_kubeconfig()
    allow_open_files(count + 1000)
    opened, slow = [], []
    for i in range(count):
        connection = cluster.connect()
        opened.append(connection)
        if i % 10 == 0:
            connection.sendall(cluster.head("GET", MAPS + "?watch=1"))
        elif i % 2 == 0:
            connection.sendall(b"GET /ver")
            slow.append(connection)
    print(f"{count} open", flush=True)
    while not select.select([sys.stdin], [], [], 1)[0]:
        for connection in slow:
            try:
                connection.sendall(b"x")
            except OSError:
                pass


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", default="build/dev/bin", help="folder of the kumiko binary")
    parser.add_argument("--long", action="store_true", default=bool(os.environ.get("KUMIKO_LONG")))
    parser.add_argument("--sanitized", action="store_true")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--hold", nargs=2, default=None, help=argparse.SUPPRESS)
    parser.parse_known_args(namespace=options)
    if options.hold:
        hold(int(options.hold[0]), options.hold[1])
        return
    rest = parser.parse_known_args()[1]
    unittest.main(argv=[sys.argv[0], *rest], verbosity=2, warnings="ignore")


if __name__ == "__main__":
    main()
