"""The two API servers that are measured: `kumiko up` and a kube-apiserver with etcd."""

import base64
import http.client
import json
import os
import signal
import socket
import ssl
import subprocess
import time


class Server:
    """What clients need of a server; `kubeconfig` is a file."""

    def __init__(self, name, kubectl, kubeconfig, folder):
        self.name = name
        self.kubectl_binary = kubectl
        self.kubeconfig = kubeconfig
        self.folder = folder
        config = json.loads(self.kubectl("config", "view", "--raw", "--flatten", "-o", "json"))
        self.address = config["clusters"][0]["cluster"]["server"].removeprefix("https://")
        user = config["users"][0]["user"]
        self.files = {"ca": self._pem(config["clusters"][0]["cluster"]["certificate-authority-data"], "ca")}
        self.token = user.get("token", "")
        if self.token:
            self.files["token"] = self._keep(self.token.encode(), "token")
        else:
            self.files["cert"] = self._pem(user["client-certificate-data"], "cert")
            self.files["key"] = self._pem(user["client-key-data"], "key")

    def _keep(self, data, what):
        path = os.path.join(self.folder, f"{self.name}-{what}")
        with open(os.open(path, os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o600), "wb") as file:
            file.write(data)
        return path

    def _pem(self, base64_text, what):
        return self._keep(base64.b64decode(base64_text), what)

    def kubectl_command(self, *arguments):
        return [self.kubectl_binary, "--kubeconfig", self.kubeconfig,
                "--cache-dir", os.path.join(self.folder, self.name + "-cache"), *arguments]

    def kubectl(self, *arguments):
        return subprocess.run(self.kubectl_command(*arguments), check=True, capture_output=True, text=True).stdout

    def client(self):
        """A kept connection; use `get`."""
        host, port = self.address.split(":")
        tls = ssl.create_default_context(cafile=self.files["ca"])
        if not self.token:
            tls.load_cert_chain(self.files["cert"], self.files["key"])
        return http.client.HTTPSConnection(host, int(port), context=tls)

    def get(self, client, path, accept="application/json"):
        headers = {"Accept": accept}
        if self.token:
            headers["Authorization"] = "Bearer " + self.token
        client.request("GET", path, headers=headers)
        response = client.getresponse()
        body = response.read()
        if response.status != 200:
            raise SystemExit(f"{self.name}: GET {path}: {response.status} {body[:300]}")
        return body

    def load(self, program, lines, **options):
        """Runs apiserver_load with these requests; its report. `watches` is a list of paths."""
        command = [program, "--server", self.address, "--ca", self.files["ca"]]
        if self.token:
            command += ["--token-file", self.files["token"]]
        else:
            command += ["--cert", self.files["cert"], "--key", self.files["key"]]
        watches = options.pop("watches", None)
        if watches:
            command += ["--watches", self._keep("".join(path + "\n" for path in watches).encode(), "watches")]
        for name, value in options.items():
            command += ["--" + name, str(value)]
        done = subprocess.run(command, input="".join(lines), capture_output=True, text=True)
        if done.stderr:
            print(f"{self.name}: {done.stderr.strip()[:1000]}")
        if done.returncode == 2:
            raise SystemExit(f"{self.name}: the load did not run")
        return json.loads(done.stdout)


class Kumiko(Server):
    def __init__(self, binary, kubectl, cluster_file, examples, folder):
        kubeconfig = os.path.join(folder, "kumiko.kubeconfig")
        self.log = os.path.join(folder, "kumiko.log")
        started = time.monotonic()
        with open(self.log, "w") as log:
            self.process = subprocess.Popen([binary, "up", "--cluster", cluster_file, "--kubeconfig", kubeconfig,
                                             "--examples", examples], stdout=log, stderr=log)
        while "The cluster is up" not in open(self.log).read():
            if self.process.poll() is not None:
                raise SystemExit(f"kumiko up ended; see {self.log}:\n" + open(self.log).read()[-2000:])
            time.sleep(0.1)
        self.seconds_to_start = time.monotonic() - started
        super().__init__("kumiko", kubectl, kubeconfig, folder)

    def cpu_seconds(self):
        """Of all its threads, in nanoseconds where the kernel counts them."""
        tasks = f"/proc/{self.process.pid}/task"
        nanoseconds = 0
        for task in os.listdir(tasks):
            with open(f"{tasks}/{task}/schedstat") as file:
                nanoseconds += int(file.read().split()[0])
        return nanoseconds / 1e9

    def memory_mib(self, what):
        """VmRSS, or VmHWM: the most it ever was."""
        with open(f"/proc/{self.process.pid}/status") as file:
            for line in file:
                if line.startswith(what + ":"):
                    return int(line.split()[1]) / 1024
        return 0

    def stop(self):
        self.process.send_signal(signal.SIGINT)
        try:
            self.process.wait(30)
        except subprocess.TimeoutExpired:
            self.process.kill()


class KubeApiserver(Server):
    def __init__(self, testbed, kubectl, folder):
        self.testbed = testbed
        self.run = os.path.join(folder, "testbed")
        environment = dict(os.environ, NODES="0", CONTROLLERS="0", API_PORT=str(free_port()),
                           ETCD_PORT=str(free_port()))
        done = subprocess.run([os.path.join(testbed, "up"), self.run], env=environment, capture_output=True, text=True)
        if done.returncode != 0:
            raise SystemExit(done.stdout + done.stderr)
        super().__init__("kube-apiserver", kubectl, os.path.join(self.run, "admin.kubeconfig"), folder)

    def stop(self):
        subprocess.run([os.path.join(self.testbed, "down"), self.run], capture_output=True)


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]
