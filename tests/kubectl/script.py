"""Reads command files and manifests, and fills in what the seed draws.

A line of a command file is a shell command:
    kubectl get pods -l tier={l.tier}      compared
    ~ kubectl wait ...                     brings both sides to the same point; must succeed on both, output not
                                           compared
    [sorted own] kubectl get ns            tags: `sorted`, the API promises no order of lines; `own`, needs a
                                           cluster of its own; `served`, lines of kinds that only the real
                                           side serves are hidden
Lines that end in a backslash go on. {n.x} is a name, {l.x} a label value, {c.x} a count, {p.x} a port, each the same
wherever it stands.
"""

import dataclasses
import random
import re
import subprocess

WORDS = """amber anvil basin birch brook cedar cinder cobalt copper coral delta dune ember fjord garnet glade granite
harbor hazel heron indigo island ivory jasper juniper kelp lagoon larch linen lupine maple meadow mica nectar oak
ochre olive onyx opal orchid osprey otter pebble pine plover quartz quill raven reed ridge river robin rowan russet
sable saffron sage sienna slate spruce stone tansy teal thistle timber topaz tulip umber vale velvet violet walnut
willow yarrow zephyr""".split()
TAGS = {"sorted", "own", "served"}


class Values:
    """What the seed draws, by kind and key."""

    def __init__(self, seed):
        self.seed = seed
        self.drawn = {}
        self.names = set()

    def name(self, key):
        return self.value("n", key)

    def value(self, kind, key):
        if (kind, key) not in self.drawn:
            self.drawn[kind, key] = self.draw(kind, random.Random(f"{self.seed} {kind} {key}"))
        return self.drawn[kind, key]

    def draw(self, kind, source):
        if kind == "c":
            return str(source.randint(2, 5))
        if kind == "p":
            return str(source.randint(1024, 29999))
        while True:
            value = f"{source.choice(WORDS)}{source.randint(10, 99)}"
            if value not in self.names:
                self.names.add(value)
                return value

    def fill(self, text):
        return re.sub(r"\{([nlcp])\.(\w+)\}", lambda found: self.value(*found.groups()), text)


@dataclasses.dataclass
class Line:
    template: str  # as in the file: what deviations.txt names
    text: str
    tags: frozenset
    settle: bool = False


def read_line(source, values, where):
    tags = frozenset()
    settle = source.startswith("~ ")
    found = re.match(r"\[([a-z ]+)\] ", source)
    text = source
    if settle:
        text = source[2:]
    elif found:
        tags, text = frozenset(found.group(1).split()), source[found.end():]
        if tags - TAGS:
            raise SystemExit(f"{where}: no tag {', '.join(sorted(tags - TAGS))}; there are {', '.join(sorted(TAGS))}")
    return Line(text, values.fill(text), tags, settle)


def read_files(folder, only, values):
    """[(name, lines)] in the order of the file names."""
    wanted = [name for name in only.split(",") if name]
    paths = sorted(folder.glob("*.txt"))
    unknown = [name for name in wanted if not any(path.stem.endswith(name) for path in paths)]
    if unknown:
        raise SystemExit(f"run: no command file {unknown[0]}; there are {', '.join(path.stem for path in paths)}")
    files = []
    for path in paths:
        if wanted and not any(path.stem.endswith(name) for name in wanted):
            continue
        source = path.read_text(encoding="utf-8").replace("\\\n", "")
        lines = [read_line(line.strip(), values, path) for line in source.splitlines()
                 if line.strip() and not line.startswith("#")]
        files.append((path.stem, lines))
    return files


def write_manifests(source, target, values):
    target.mkdir()
    for path in sorted(source.iterdir()):
        (target / path.name).write_text(values.fill(path.read_text(encoding="utf-8")), encoding="utf-8")
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=example.invalid",
                    "-keyout", target / "tls.key", "-out", target / "tls.crt"], check=True, capture_output=True)
    return target
