"""What two outputs of one command have in common, and the report of all of them.

Hidden before comparing, because two clusters cannot agree on it: times and ages, uids, resource versions, generated
suffixes of names, addresses and their ports, node ports, what built the server, server URLs, tokens and the
cluster's own certificate, folders that kubectl makes; the width of columns, which follows from ages; the order of
members in an object that a message quotes, that of managers which follows from the second in which each wrote last,
and how often and in which order events of one reason came. Of `kubectl explain` the field names, types and what is
required are compared.
"""

import dataclasses
import difflib
import itertools
import json
import re

SUFFIX = "[bcdfghjklmnpqrstvwxz2456789]"
RULES = [(re.compile(pattern, re.M), text) for pattern, text in [
    (r"-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----", "CERTIFICATE"),
    (r"eyJ[\w-]+\.[\w-]+\.[\w-]+", "TOKEN"),
    (r"https://(127\.0\.0\.1|localhost):\d+", "SERVER"),
    (r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)", "TIME"),
    (r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d+)?( [+-]\d{4})?( UTC)?", "TIME"),
    (r"\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d [+-]\d{4}", "TIME"),
    (r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", "UID"),
    (r"(resourceVersion\\*\"?: ?\\*\")\d+", r"\1VERSION"),
    (r"(Resource Version: +)\d+", r"\1VERSION"),
    (r"(?<![\d.])\d{1,3}(\.\d{1,3}){3}(?![\d.])", "ADDRESS"),
    (r"((?:nodePort\"?: ?)|(?:NodePort: +\S+ +)|(?:\d+:))3[0-2]\d{3}\b", r"\1NODEPORT"),
    (r"((?:pod-template-hash|controller-revision-hash)(?:[=:]|\"?: ?)\"?)" + SUFFIX + r"{8,10}", r"\1HASH"),
    (r"/\S*/(LIVE|MERGED)-\d+", r"\1"),
    (r"kube-api-access-" + SUFFIX + r"{5}", "kube-api-access-SUFFIX"),
    (r"kubectl-edit-\d+\.yaml", "kubectl-edit.yaml"),
    (r"(ADDRESS):\d+", r"\1:PORT"),
    (r"(\"(?:gitCommit|gitTreeState|goVersion|compiler)\": )\".*\"", r"\1BUILD"),
    (r"^[IWE]\d{4} .*very short watch.*\n", ""),  # when the time of a wait is over: which is seen first is chance
    (r"^[IWE]\d{4} [\d:.]+ +\d+ ", "LOG "),
]]
SPAN = r"(\d+[smhd]){1,2}"
AGE = re.compile(rf"(?<=  ){SPAN}(?=  |$| \(x)|(?<=\(x)\d+ over {SPAN}(?=\))|^{SPAN}(?=  )", re.M)
QUOTED_OBJECT = re.compile(r"Invalid value: (\"\{.*\}\"): ")
OWNERS = re.compile(r"^( *)managedFields:\n((?:\1(?:- |  ).*\n)+)", re.M)
# Event lines of one reason, as `kubectl describe` prints them.
EVENTS = re.compile(r"^(?P<said>  (?:Normal|Warning)  \S+  ).*\n(?:(?P=said).*\n)+", re.M)
EXPLAINED = re.compile(r"^(GROUP|KIND|VERSION|FIELD|FIELDS|RESOURCE)\b|^\s*\S+\t<")
# Printed for kinds that are kept but do nothing here: the local cluster says so, a real one has nothing to say.
INERT = re.compile(r"^Warning: .*local cluster.*\n", re.M)


@dataclasses.dataclass
class Output:
    status: int
    out: str
    err: str


def hide(text, values):
    for pattern, replacement in RULES:
        text = pattern.sub(replacement, text)
    text = OWNERS.sub(reordered_owners, QUOTED_OBJECT.sub(reordered, text))
    names = "|".join(sorted(values.names, key=len, reverse=True))
    text = re.sub(rf"\b({names})-{SUFFIX}{{8,10}}-{SUFFIX}{{5}}\b", r"\1-HASH-SUFFIX", text)
    text = re.sub(rf"\b({names})-{SUFFIX}{{8,10}}\b", r"\1-HASH", text)
    text = re.sub(rf"\b((?:{names})(?:-\d+)?)-{SUFFIX}{{5}}\b", r"\1-SUFFIX", text)
    text = re.sub(rf"\b({names})\.[0-9a-f]{{16}}\b", r"\1.EVENT", text)
    text = re.sub(r"(?<=\S)[ \t]{2,}(?=\S)", "  ", text)
    text = re.sub(r"^(.*\S)[ \t]+$", r"\1", text, flags=re.M)
    return EVENTS.sub(settled_events, AGE.sub("AGE", text))


def reordered(found):
    """The object that a message quotes, with its members by name: the API promises no order."""
    try:
        value = json.loads(json.loads(found.group(1)))
    except ValueError:
        return found.group()
    owners = (value.get("metadata") or {}).get("managedFields")
    if owners:
        value["metadata"]["managedFields"] = by_operation(owners, lambda owner: owner["operation"], json.dumps)
    return f"Invalid value: {json.dumps(value, sort_keys=True)}: "


def by_operation(owners, operation, text):
    """Those of one operation in a row stand by time, which is hidden: here by their text."""
    return [owner for _, group in itertools.groupby(owners, operation) for owner in sorted(group, key=text)]


def reordered_owners(found):
    entries = re.split(rf"^(?={found.group(1)}- )", found.group(2), flags=re.M)[1:]
    ordered = by_operation(entries, lambda entry: re.search(r"^ *operation: (\w+)", entry, re.M).group(1), str)
    return f"{found.group(1)}managedFields:\n{''.join(ordered)}"


def settled_events(found):
    """Once, and by name: how often a scheduler tried again and which of two pods went first is up to each cluster."""
    return "".join(sorted(set(found.group().splitlines(True))))


def explained(text):
    return "".join(line for line in text.splitlines(True) if EXPLAINED.match(line))


def shown(line, output, values):
    """The lines to be compared."""
    out = output.out
    if " explain " in line.text and output.status == 0:
        out = explained(out)
    lines = hide(out, values).splitlines()
    errors = hide(INERT.sub("", output.err), values).splitlines()
    if "sorted" in line.tags:
        lines.sort()
        errors.sort()
    return lines + [f"stderr: {error}" for error in errors] + [f"exit status {output.status}"]


def served_only(ours, real):
    """`real` without the lines whose first word `ours` does not have."""
    known = {line.split()[0] for line in ours if line.split()}
    return [line for line in real if not line.split() or line.split()[0] in known]


class Report:
    def __init__(self, deviations, values, quiet):
        self.values, self.quiet = values, quiet
        self.allowed = read_deviations(deviations)
        self.same, self.differing, self.deviating = 0, [], []

    def section(self, name):
        print(f"== {name}", flush=True)

    def add(self, line, ours, real):
        if line.settle:
            if ours.status == 0 and real.status == 0:
                return
            difference = [f"{name}: exit status {output.status}: {(output.err or output.out).strip()}"
                          for name, output in (("kumiko", ours), ("real", real)) if output.status != 0]
        else:
            left, right = shown(line, ours, self.values), shown(line, real, self.values)
            if "served" in line.tags:
                right = served_only(left, right)
            difference = list(difflib.unified_diff(right, left, "real", "kumiko", lineterm="", n=2))
        if not difference:
            self.same += 1
            if not self.quiet:
                print(f"same     {line.text}")
            return
        reason = self.allowed.get(line.template)
        (self.deviating if reason else self.differing).append(line)
        print(f"{'DEVIATES' if reason else 'DIFFERS '} {line.text}" + (f"    ({reason})" if reason else ""))
        for text in difference[2:] if difference[0].startswith("---") else difference:
            print(f"         {text}")

    def finish(self):
        known = {line.template for line in self.deviating}
        print(f"\n{self.same} same, {len(self.differing)} differ, {len(self.deviating)} deviate as listed")
        for line in self.differing:
            print(f"differs: {line.text}")
        for template in self.allowed:
            if template not in known:
                print(f"note: deviations.txt lists what did not differ or did not run: {template}")
        return 3 if self.differing else 0


def read_deviations(path):
    """{command as in its file: reason}: a line with the command, then an indented line with the reason."""
    found, command = {}, None
    for line in path.read_text(encoding="utf-8").splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        if line[0] != " ":
            command = line.strip()
        elif command is not None:
            found[command] = line.strip()
    return found
