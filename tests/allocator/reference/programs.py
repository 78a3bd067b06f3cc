"""Allocators behind the line protocol of ../oracle: kumiko, and the reference of Kubernetes."""
import json
import os
import select
import subprocess

import case_generator as generator

# What the reference may take for one case, all nodes together.
REFERENCE_TIMEOUT = "2s"
LINE_LIMIT_S = 30


class Program:
    """A command that answers one JSON line with another. `prepare` makes its question of a case."""

    def __init__(self, command, prepare=lambda case: case, environment=None):
        self.command, self.prepare = command, prepare
        self.environment = {**os.environ, **(environment or {})}
        self.process = None

    def ask_all(self, cases):
        """Answers in order; {"crash": ...} for a case that ended the program."""
        lines = [json.dumps(self.prepare(c)) + "\n" for c in cases]
        answers = []
        while len(answers) < len(cases):
            text = "".join(lines[len(answers):]).encode()
            try:
                done = subprocess.run(self.command, input=text, capture_output=True, env=self.environment,
                                      timeout=600)
                output = done.stdout
                why = "exit %d: %s" % (done.returncode, done.stderr.decode(errors="replace")[-500:])
            except subprocess.TimeoutExpired as late:
                output, why = late.stdout or b"", "no answer in 600 s"
            answers += [json.loads(line) for line in output.split(b"\n")[:-1]]
            if len(answers) < len(cases):
                answers.append({"crash": why})
        return answers

    def ask(self, case):
        for _ in range(2):
            if self.process is None:
                self.process = subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                                stderr=subprocess.DEVNULL, env=self.environment)
            try:
                self.process.stdin.write((json.dumps(self.prepare(case)) + "\n").encode())
                self.process.stdin.flush()
                if select.select([self.process.stdout], [], [], LINE_LIMIT_S)[0]:
                    if line := self.process.stdout.readline():
                        return json.loads(line)
            except BrokenPipeError:
                pass
            self.close()
        return {"crash": "ended, or no answer in %d s" % LINE_LIMIT_S}

    def close(self):
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process.stdin.close()
            self.process.stdout.close()
            self.process = None


def kumiko(path, policy="first-fit", keep_share_ids=False):
    return Program([path, "allocate", "--policy", policy] + ["--keep-share-ids"] * keep_share_ids)


def reference(path, channel, keep_share_ids=False):
    """Its pauses for garbage are a third of its time unless they are rarer."""
    command = [path, "-warm-cel", "-timeout", REFERENCE_TIMEOUT] + ["-keep-share-ids"] * keep_share_ids
    return Program(command, lambda case: generator.for_reference(case, channel), {"GOGC": "600", "GOMAXPROCS": "2"})


def outcome(answer):
    """What an allocator says of one node."""
    if answer.get("error"):
        if "filter operation aborted" in answer["error"]:
            return "time-out"
        return "error of this node" if answer.get("onlyThisNode") else "fatal error"
    return "fit" if answer.get("allocated") else "no fit"
