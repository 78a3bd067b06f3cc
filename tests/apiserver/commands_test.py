#!/usr/bin/env python3
"""`kumiko explain`, `top`, `version` and completion, as a person uses them: through a kubeconfig, on a terminal or not.

  tests/apiserver/commands_test.py --bin build/dev/bin [NAME...]     from the root of the repository; names as unittest
                                                                    takes them
"""

import argparse
import fcntl
import json
import os
import pathlib
import pty
import select
import signal
import struct
import subprocess
import sys
import termios
import time
import unittest

sys.dont_write_bytecode = True

from local_cluster import Folder, LocalCluster  # noqa: E402

DEAD = """apiVersion: v1
kind: Config
current-context: dead
contexts: [{name: dead, context: {cluster: c, user: u}}]
clusters: [{name: c, cluster: {server: "https://127.0.0.1:1"}}]
users: [{name: u, user: {token: x}}]
"""
ENTER, LEAVE = "\x1b[?1049h", "\x1b[?1049l"
PATIENCE_S = 20
options = argparse.Namespace(bin="build/dev/bin")


class Terminal:
    """A command on a pseudo terminal of 100 columns and 30 lines."""

    def __init__(self, command, environment):
        self.ours, self.theirs = pty.openpty()
        fcntl.ioctl(self.theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 30, 100, 0, 0))
        self.before = termios.tcgetattr(self.theirs)
        self.text = ""
        self.process = subprocess.Popen(command, stdin=self.theirs, stdout=self.theirs, stderr=self.theirs,
                                        env=dict(environment, TERM="xterm"))

    def screen(self):
        """What was drawn last."""
        return self.text.split("\x1b[H")[-1]

    def wait_until(self, shows):
        end = time.monotonic() + PATIENCE_S
        while not shows(self.screen()):
            left = end - time.monotonic()
            if left <= 0 or not select.select([self.ours], [], [], left)[0]:
                raise AssertionError(f"still {self.screen()!r}")
            self.text += os.read(self.ours, 65536).decode()

    def close(self):
        code = self.process.wait(PATIENCE_S)
        while select.select([self.ours], [], [], 0)[0]:
            self.text += os.read(self.ours, 65536).decode()
        restored = termios.tcgetattr(self.theirs) == self.before
        os.close(self.ours)
        os.close(self.theirs)
        return code, restored


class Commands(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.binary = (pathlib.Path(options.bin) / "kumiko").resolve()
        cls.folder = Folder()
        cls.folder.cluster_file = pathlib.Path("examples/clusters/demo.yaml")
        cls.cluster = LocalCluster(cls.binary, cls.folder, "--apply", "examples/demo")
        assert cls.cluster.started, cls.cluster.output()
        cls.environment = {"PATH": os.environ["PATH"], "HOME": cls.folder.name, "LC_ALL": "C.UTF-8",
                           "KUBECONFIG": str(cls.cluster.kubeconfig)}
        cls.wait_until_settled()

    @classmethod
    def tearDownClass(cls):
        cls.cluster.stop()
        cls.folder.cleanup()

    @classmethod
    def wait_until_settled(cls):
        end = time.monotonic() + PATIENCE_S
        while time.monotonic() < end:
            items = json.loads(cls.cluster.request("GET", "/api/v1/pods")[1])["items"]
            if sorted(pod["status"].get("phase") for pod in items) == ["Pending"] + ["Running"] * 13:
                return
            time.sleep(0.05)
        raise AssertionError("the demo does not come to rest")

    def kumiko(self, *words, code=0, **environment):
        """stdout and stderr."""
        done = subprocess.run([self.binary, *words], capture_output=True, text=True, check=False, timeout=60,
                              stdin=subprocess.DEVNULL, env={**self.environment, **environment})
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout, done.stderr

    def a_pod(self, prefix):
        names = [name.removeprefix("pod/") for name in self.kumiko("top", "pods", "-o", "name")[0].split()]
        return next(name for name in names if name.startswith(prefix))

    def test_explains_what_waits_and_what_runs(self):
        text, _ = self.kumiko("explain", "pod", "next-generation")
        self.assertIn("default/next-generation can never start as written: its selector is true for none of 6 devices",
                      text)
        rows = [line.split() for line in text[text.index("Place"):text.index("Change")].splitlines()[1:]]
        self.assertEqual(sum(int(row[0]) for row in rows), 3, text)
        record = json.loads(self.kumiko("explain", "pod/next-generation", "-o", "json")[0])
        self.assertEqual(record["text"], text.splitlines()[0])
        self.assertEqual(record["place"]["total"], 3)
        text, _ = self.kumiko("explain", "pod", "train", "--check")
        self.assertTrue(text.startswith("default/train runs on h100 with 2 devices"), text)
        self.kumiko("explain", "pod", "next-generation", "--check", code=3)
        self.assertIn("did you mean train?", self.kumiko("explain", "pod", "trian", code=1)[1])

    def test_top_shows_each_view(self):
        for view, header in {"nodes": "NODE ", "gpus": "NODE ", "pods": "NAMESPACE ", "pending": "POS "}.items():
            text, err = self.kumiko("top", view)
            self.assertIn(header, text)
            self.assertEqual(err, "")
            listed = json.loads(self.kumiko("top", view, "-o", "json")[0])
            rows = text.splitlines()[2 if view == "nodes" else 1:]
            self.assertEqual(len(listed["items"]), len(rows), view)
            self.assertNotIn(header, self.kumiko("top", view, "--no-headers")[0])
        self.assertIn("3 nodes, 8 GPUs   allocated 6.0 (75 %)", self.kumiko("top")[0])
        self.assertEqual(self.kumiko("top", "pods", "-n", "kube-system"), ("", "No pods with devices found in "
                                                                              "kube-system namespace.\n"))
        self.assertEqual(len(self.kumiko("top", "gpus", "t4", "--no-headers")[0].splitlines()), 2)

    def test_top_on_a_terminal_is_live_and_leaves_it_as_it_was(self):
        name = self.a_pod("chat-")
        terminal = Terminal([self.binary, "top", "pods", "-w"], self.environment)
        terminal.wait_until(lambda screen: name in screen)
        self.assertIn(ENTER, terminal.text)
        status, _ = self.cluster.request("DELETE", f"/api/v1/namespaces/default/pods/{name}?gracePeriodSeconds=0")
        self.assertEqual(status, 200)
        terminal.wait_until(lambda screen: name not in screen and screen.count("chat-") == 3 and "q quits" in screen)
        os.write(terminal.ours, b"q")
        self.assertEqual(terminal.close(), (0, True))
        self.assertTrue(terminal.text.rstrip().endswith(LEAVE), terminal.text[-40:])
        self.wait_until_settled()

    def test_ctrl_c_ends_top(self):
        terminal = Terminal([self.binary, "top", "-w"], self.environment)
        terminal.wait_until(lambda screen: "STRIPS" in screen)
        terminal.process.send_signal(signal.SIGINT)
        self.assertEqual(terminal.close(), (0, True))
        self.assertIn(LEAVE, terminal.text)

    def test_watching_into_a_pipe_appends_what_changes(self):
        watch = subprocess.Popen([self.binary, "top", "pods", "-w", "-o", "json"], stdout=subprocess.PIPE, text=True,
                                 env=self.environment, stdin=subprocess.DEVNULL)
        first = [json.loads(watch.stdout.readline())["name"] for _ in range(13)]
        name = next(name for name in first if name.startswith("chat-"))
        self.cluster.request("DELETE", f"/api/v1/namespaces/default/pods/{name}?gracePeriodSeconds=0")
        another = json.loads(watch.stdout.readline())
        self.assertNotIn(another["name"], first)
        self.assertEqual(another["allocatedMilliGpu"], 250)
        watch.terminate()
        self.assertEqual(watch.wait(PATIENCE_S), 0)
        watch.stdout.close()
        self.wait_until_settled()

    def test_version_names_both_sides(self):
        dead = self.folder.path / "dead"
        dead.write_text(DEAD)
        client, server = self.kumiko("version")[0].splitlines()
        self.assertRegex(client, r"^kumiko \d+\.\d+\.\d+$")
        self.assertRegex(server, r"^server v1\.\d+\.\d+ \(context \"kumiko\"\)$")
        self.assertEqual(json.loads(self.kumiko("version", "-o", "json")[0])["serverVersion"]["major"], "1")
        for words, environment in ((["--client"], {}), ([], {"KUBECONFIG": "/none"})):
            self.assertEqual(self.kumiko("version", *words, **environment), (client + "\n", ""))
        out, err = self.kumiko("version", "--kubeconfig", dead, code=2)
        self.assertEqual(out, client + "\n")
        self.assertIn("is the API server of this kubeconfig running?", err)

    def test_says_what_to_do_about_a_cluster_that_is_not_there(self):
        wrong = self.folder.path / "wrong"
        wrong.write_text(self.cluster.kubeconfig.read_text().replace(self.cluster.token, "x" * 20))
        self.assertIn("kumiko up", self.kumiko("top", code=1, KUBECONFIG="/none")[1])
        self.assertIn("no context", self.kumiko("top", "--context", "other", code=1)[1])
        for command in (["top"], ["explain", "pod", "train"]):
            err = self.kumiko(*command, "--kubeconfig", wrong, code=1)[1]
            self.assertIn("Unauthorized", err)
            self.assertEqual(len(err.splitlines()), 1, err)

    def completed(self, *words, **environment):
        script = ("source <(kumiko completion bash); compopt() { echo files; }; "
                  "COMP_WORDS=(kumiko \"$@\"); COMP_CWORD=$#; _kumiko; printf '%s\\n' \"${COMPREPLY[@]}\"")
        path = f"{self.binary.parent}:{os.environ['PATH']}"
        done = subprocess.run(["bash", "-c", script, "bash", *words], capture_output=True, text=True, check=True,
                              env={**self.environment, "PATH": path, **environment})
        self.assertEqual(done.stderr, "")
        return done.stdout.split()

    def test_bash_completes_commands_flags_and_names(self):
        self.assertEqual(self.completed("ex"), ["explain"])
        self.assertEqual(self.completed("top", "--req"), ["--request-timeout"])
        self.assertEqual(self.completed("explain", "pod", "next"), ["next-generation"])
        self.assertEqual(self.completed("explain", "claim", "two"), ["two-gpus-on-one-pcie-root"])
        self.assertEqual(self.completed("explain", "pod", "-n", "kube-s"), ["kube-system"])
        self.assertEqual(self.completed("explain", "-n", "kube-system", "pod", ""), [])
        self.assertEqual(self.completed("top", "gpus", ""), ["a100", "h100", "t4"])
        self.assertEqual(self.completed("top", "--context", ""), ["kumiko"])
        self.assertEqual(self.completed("up", "--cluster", ""), ["files"])
        self.assertEqual(self.completed("explain", "pod", "", KUBECONFIG="/none"), [])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", default="build/dev/bin", help="folder of the kumiko binary")
    parser.add_argument("--sanitized", action="store_true", help=argparse.SUPPRESS)
    _, rest = parser.parse_known_args(namespace=options)
    unittest.main(argv=[sys.argv[0], *rest], verbosity=2, warnings="ignore")


if __name__ == "__main__":
    main()
