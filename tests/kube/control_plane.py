"""A real control plane of our own: etcd and kube-apiserver, started by tests/testbed, killed and restarted at will."""

import os
import signal
import subprocess
import time

from api import Api

HERE = os.path.dirname(os.path.abspath(__file__))
TESTBED = os.path.join(HERE, "..", "testbed")


class ControlPlane:
    def __init__(self, folder, api_port, etcd_port):
        self.folder = os.path.realpath(folder)
        self.port = api_port
        # Nobody else is to change objects.
        environment = dict(os.environ, NODES="0", CONTROLLERS="0", API_PORT=str(api_port), ETCD_PORT=str(etcd_port))
        started = subprocess.run([os.path.join(TESTBED, "up"), self.folder], env=environment, stdout=subprocess.DEVNULL,
                                 check=False)
        if started.returncode != 0:
            self.stop()
            raise SystemExit("the control plane does not start")
        self._restarted = None
        with open(f"/proc/{self._pid('apiserver')}/cmdline", "rb") as file:
            self._command = [word.decode() for word in file.read().split(b"\0") if word]
        self._executable = os.readlink(f"/proc/{self._pid('apiserver')}/exe")

    def _pid(self, name):
        with open(os.path.join(self.folder, "pid", name)) as file:
            return int(file.read())

    def path(self, *parts):
        return os.path.join(self.folder, *parts)

    def api(self, certificate="admin"):
        return Api(self.port, self.path("pki", "ca.crt"), self.path("pki", certificate + ".crt"),
                   self.path("pki", certificate + ".key"))

    def kill_api_server(self):
        os.kill(self._pid("apiserver"), signal.SIGKILL)
        if self._restarted is not None:
            self._restarted.wait()

    def start_api_server(self, client_authority="pki/ca.crt", certificate="admin"):
        command = [word if not word.startswith("--client-ca-file=") else "--client-ca-file=" + client_authority
                   for word in self._command]
        with open(self.path("log", "apiserver.log"), "ab") as log:
            self._restarted = subprocess.Popen(command, executable=self._executable, cwd=self.folder, stdout=log,
                                               stderr=log, stdin=subprocess.DEVNULL)
        with open(self.path("pid", "apiserver"), "w") as file:
            file.write(str(self._restarted.pid))
        api = self.api(certificate)
        for _ in range(600):
            if self._restarted.poll() is not None:
                with open(self.path("log", "apiserver.log"), errors="replace") as log:
                    raise SystemExit("the API server ended at once: " + "".join(log.readlines()[-4:]))
            if api.status("GET", "/readyz") == 200:
                return
            time.sleep(0.2)
        raise SystemExit("the API server does not get ready")

    def make_certificate(self, name, subject, authority=None):
        """A key and a certificate in pki/; without an authority it is one itself."""
        key, certificate = self.path("pki", name + ".key"), self.path("pki", name + ".crt")
        command = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                   "-keyout", key, "-out", certificate, "-days", "2", "-subj", subject]
        if authority is not None:
            command += ["-CA", self.path("pki", authority + ".crt"), "-CAkey", self.path("pki", authority + ".key")]
        subprocess.run(command, check=True, stderr=subprocess.DEVNULL)

    def write_kubeconfig(self, name, port, certificate):
        path = self.path(name + ".kubeconfig")
        with open(path, "w") as file:
            file.write(f"""apiVersion: v1
kind: Config
current-context: test
clusters: [{{name: test, cluster: {{server: "https://127.0.0.1:{port}", certificate-authority: pki/ca.crt}}}}]
users: [{{name: test, user: {{client-certificate: pki/{certificate}.crt, client-key: pki/{certificate}.key}}}}]
contexts: [{{name: test, context: {{cluster: test, user: test}}}}]
""")
        return path

    def stop(self):
        subprocess.run([os.path.join(TESTBED, "down"), self.folder, "--delete"], check=False)
