"""A `kumiko up` of its own for a test, and requests to it: whole ones, or bytes as they are."""

import base64
import http.client
import json
import os
import pathlib
import re
import resource
import socket
import ssl
import subprocess
import tempfile
import time

STARTED = "Ctrl-C stops it"
START_TIMEOUT_S = 60


class Folder(tempfile.TemporaryDirectory):
    """A temporary folder that other users cannot look into, with the small cluster file."""

    def __init__(self):
        super().__init__(prefix="apiserver-")
        self.path = pathlib.Path(self.name)
        self.cluster_file = self.path / "cluster.yaml"
        self.cluster_file.write_text("kind: Cluster\nnodes:\n- name: node-0\n")


class LocalCluster:
    """Runs until stop() or kill()."""

    def __init__(self, binary, folder, *arguments, name="kumiko", environment=None):
        self.kubeconfig = folder.path / f"{name}.kubeconfig"
        self.log = folder.path / f"{name}.log"
        command = [str(binary), "up", "--cluster", str(folder.cluster_file), *map(str, arguments)]
        if "--kubeconfig" not in arguments and environment is None:
            command += ["--kubeconfig", str(self.kubeconfig)]
        with open(self.log, "w", encoding="utf-8") as log:
            self.process = subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
                                            env=dict(os.environ, **(environment or {})))
        self.started = self.wait_for_start()
        if self.started:
            self.read_kubeconfig()

    def wait_for_start(self):
        end = time.monotonic() + START_TIMEOUT_S
        while time.monotonic() < end:
            if STARTED in self.output():
                return True
            if self.process.poll() is not None:
                return False
            time.sleep(0.01)
        raise AssertionError(f"kumiko up did not start within {START_TIMEOUT_S} s: {self.output()}")

    def output(self):
        return self.log.read_text(encoding="utf-8")

    def read_kubeconfig(self):
        shown = re.search(r"export KUBECONFIG=(\S+)", self.output())
        self.kubeconfig = pathlib.Path(shown.group(1))
        text = self.kubeconfig.read_text(encoding="utf-8")
        self.port = int(re.search(r"server: \"?https://127\.0\.0\.1:(\d+)", text).group(1))
        self.token = re.search(r"token: \"?([^\s\"]+)", text).group(1)
        authority = base64.b64decode(re.search(r"certificate-authority-data: \"?([^\s\"]+)", text).group(1))
        self.tls = ssl.create_default_context(cadata=authority.decode())

    def stop(self):
        self.process.terminate()
        return self.process.wait(30)

    def kill(self):
        self.process.kill()
        self.process.wait(30)

    def rss_mb(self):
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text(encoding="utf-8")
        return int(re.search(r"VmRSS:\s+(\d+) kB", status).group(1)) / 1024

    def open_files(self):
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def connect(self, timeout=30):
        plain = socket.create_connection(("127.0.0.1", self.port), timeout=timeout)
        plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return self.tls.wrap_socket(plain, server_hostname="127.0.0.1")

    def client(self, timeout=30):
        return http.client.HTTPSConnection("127.0.0.1", self.port, context=self.tls, timeout=timeout)

    def headers(self, **more):
        return {"Authorization": f"Bearer {self.token}", **more}

    def request(self, method, path, body=None, connection=None, content_type="application/json", timeout=30):
        """(status, body). With a connection, that one is used again."""
        used = connection or self.client(timeout)
        headers = self.headers()
        if body is not None:
            headers["Content-Type"] = content_type
            body = body if isinstance(body, bytes) else json.dumps(body).encode()
        try:
            used.request(method, path, body=body, headers=headers)
            answer = used.getresponse()
            return answer.status, answer.read()
        finally:
            if connection is None:
                used.close()

    def head(self, method, target, *lines):
        """The bytes of a request head with the token."""
        text = "\r\n".join([f"{method} {target} HTTP/1.1", "Host: localhost", f"Authorization: Bearer {self.token}",
                            *lines, "", ""])
        return text.encode("utf-8", "surrogateescape")

    def exchange(self, data, timeout=30):
        """All that the server says to these bytes until it closes or is silent for `timeout` s."""
        with self.connect(timeout) as connection:
            said = b""
            try:
                connection.sendall(data)
                while True:
                    part = connection.recv(65536)
                    if not part:
                        return said
                    said += part
            except TimeoutError:
                return said
            except (ConnectionError, ssl.SSLError):
                return said


def read_response(connection, method="GET"):
    """(status, headers, body) of the next response of a connection."""
    response = http.client.HTTPResponse(connection, method=method)
    response.begin()
    return response.status, dict((name.lower(), text) for name, text in response.getheaders()), response.read()


def config_map(name, **data):
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": data}


def allow_open_files(count):
    """As many as the system lets this process have; returns how many of `count` that is."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = count if most == resource.RLIM_INFINITY else min(count, most)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
    return most
