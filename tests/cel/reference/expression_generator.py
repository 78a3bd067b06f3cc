"""Typed random expressions over a device, built as trees so that a failing one can be made smaller."""
import collections

import texts
from function_table import FUNCTIONS, MACROS

SCALARS = ("int", "uint", "double", "bool", "string", "bytes", "timestamp", "duration")
WEIGHTED = ("int",) * 5 + ("string",) * 5 + ("bool",) * 2 + ("double",) * 2 + ("dyn",) * 2 + SCALARS
OPAQUE = ("quantity", "semver", "ip", "cidr", "url", "format")
AUTHORIZATION = ("authorizer", "path check", "group check", "resource check", "decision")
CHOICES = {"A": WEIGHTED, "B": WEIGHTED, "K": ("string", "string", "int", "uint", "bool"),
           "O": ("int", "int", "string", "string", "double", "uint", "bool", "bytes", "timestamp", "duration"),
           "N": ("int", "int", "uint", "double", "duration"), "number": ("int", "uint", "double")}
DERIVABLE = ("bool", "int", "string", "semver", "dyn", ("list", "int"), ("list", "string"), ("list", "bool"), ("list",
                                                                      "semver"))
OPERATORS = {"+", "-", "*", "/", "%", "-x", "!", "&&", "||", "?:", "==", "!=", "<", "<=", ">", ">=", "in", "domain in"}

VARIABLES = ("x", "y", "z", "item", "k", "v", "e")

Node = collections.namedtuple("Node", "key template children names type")


def leaf(text, kind, key="literal"):
    return Node(key, text, (), None, kind)


def parse_type(text):
    """'map:K:list:A' as nested tuples."""
    words = text.split(":")

    def take():
        word = words.pop(0)
        if word in ("list", "opt"):
            return (word, take())
        if word == "map":
            return (word, take(), take())
        return word
    return take()


def unify(pattern, kind, found):
    """Whether `kind` is an instance of `pattern`; fills `found` with what the letters stand for."""
    if isinstance(pattern, str):
        if pattern in CHOICES:
            if pattern not in ("A", "B") and kind not in CHOICES[pattern]:
                return False
            return found.setdefault(pattern, kind) == kind
        return pattern == kind
    return (isinstance(kind, tuple) and len(kind) == len(pattern) and kind[0] == pattern[0] and
            all(unify(p, k, found) for p, k in zip(pattern[1:], kind[1:])))


Row = collections.namedtuple("Row", "key template args binds result")


def make_row(key, template, args, result):
    plain, binds = [], []
    for arg in args:
        kind, _, bound = arg.partition("<")
        plain.append(parse_type(kind))
        binds.append([tuple(b.split(":", 1)) for b in bound.split(",")] if bound else [])
    return Row(key, template, plain, [[(n, parse_type(t)) for n, t in b] for b in binds], parse_type(result))


ROWS = [make_row(*row) for row in FUNCTIONS + MACROS]
KEYS = sorted({row.key for row in ROWS} | {"list", "map literal", "literal", "message"})


def type_depth(kind):
    return 1 + max(map(type_depth, kind[1:])) if isinstance(kind, tuple) else 0


def depth(node):
    return 1 + max(map(depth, node.children), default=0)


def keys_of(node):
    found = [node.key]
    for child in node.children:
        found += keys_of(child)
    return found


def render(node, loose=False):
    """Text of a tree. `loose` leaves the parentheses of operators out: still an expression, though another one."""
    if not node.children and node.names is None:
        return node.template
    texts = []
    for i, child in enumerate(node.children):
        text = render(child, loose)
        slot = "{%d}" % i
        at = node.template.find(slot)
        before, after = node.template[:at], node.template[at + len(slot):]
        enclosed = before[-1:] in ("(", "[") or before[-2:] in (", ", "[?") or before == "" and after == ""
        bare_number = text[:1].isdigit() or text[:1] == "-" or text[:1] == "."
        if not enclosed and (child.key in OPERATORS and not loose or bare_number and after[:1] in (".", "[")):
            text = "(" + text + ")"
        texts.append(text)
    return node.template.format(*texts, **(node.names or {}))


def text_of(node, style):
    """Text of a tree. Styles: 1 without parentheses, 2 over several lines with comments, 3 both."""
    text = render(node, style in (1, 3))
    if style >= 2:
        text = text.replace(", ", ", // é\n  ").replace(" && ", "\n\t&& ").replace(" == ", " ==\r\n ")
    return text


class Generator:
    def __init__(self, random):
        self.random = random
        self.counts = collections.Counter()  # of functions asked for
        self.producers = {}
        self.consumers = {}

    # ---- literals

    def quoted(self, text):
        roll = self.random.random()
        if roll < 0.8 or "\\" in text or '"' in text:
            return '"' + text + '"'
        return self.random.choice(["'%s'", "r'%s'", "'''%s'''", 'r"%s"', '"""%s"""']) % text

    def text(self, kind):
        return leaf(self.quoted(self.random.choice(texts.ARGUMENTS[kind])), "string")

    def literal(self, kind):
        pick, random = self.random.choice, self.random
        if kind in texts.MESSAGES and random.random() < 0.02:
            return leaf(pick(texts.MESSAGES[kind]), kind, "message")
        if kind == "int":
            return leaf(pick(["0", "1", "2", "3", "7", "-1", "10", "42", "0x1F", "9223372036854775807",
                              "-9223372036854775808",
                              str(random.randrange(-100, 1000))]), kind)
        if kind == "index":
            return leaf(pick(["0", "0", "1", "1", "2", "3", "-1", "5", "100"]), "int")
        if kind == "uint":
            return leaf(pick(["0u", "1u", "2u", "7u", "0x10u", "18446744073709551615u", "42U"]), kind)
        if kind == "double":
            return leaf(pick(["0.0", "1.0", "1.5", "-2.25", "1e3", ".5", "1e-7", "123456789.125", "1e308", "-0.0",
                              "3.0"]), kind)
        if kind == "bool":
            return leaf(pick(["true", "false"]), kind)
        if kind == "bytes":
            return leaf(pick(["b'abc'", "b''", "b'\\xff\\x00'", "b\"hé\"", "br'a\\b'", "b'\\101'"]), kind)
        if kind == "null":
            return leaf("null", kind)
        if kind == "type":
            return leaf(pick(["int", "string", "bool", "list", "map", "double", "type", "null_type",
                              "google.protobuf.Timestamp"]), kind)
        if kind == "timestamp":
            return leaf("timestamp(%s)" % self.quoted(pick(texts.ARGUMENTS["timestamp_text"][:6])), kind, "timestamp")
        if kind == "duration":
            return leaf("duration(%s)" % self.quoted(pick(texts.ARGUMENTS["duration_text"][:7])), kind, "duration")
        if kind in ("quantity", "semver", "ip", "cidr", "url"):
            good = {"quantity": 9, "semver": 4, "ip": 9, "cidr": 5, "url": 4}[kind]
            return leaf("%s(%s)" % (kind, self.quoted(pick(texts.ARGUMENTS[kind + "_text"][:good]))), kind, kind)
        if kind == "format":
            return leaf("format.%s()" % pick(["dns1123Label", "uuid", "date", "labelValue"]), kind)
        if kind in AUTHORIZATION:
            return leaf("dyn(%s)" % render(self.literal(pick(SCALARS + OPAQUE))), kind, "dyn")
        if kind == "dyn":
            return pick([self.attribute, lambda: leaf("dyn(%s)" % render(self.literal(pick(SCALARS))), kind, "dyn")])()
        if kind in texts.ARGUMENTS:
            return self.text(kind)
        if kind == ("list", "int") and random.random() < 0.02:
            return leaf("lists.range(%d)" % random.choice([0, 50, 200]), kind, "lists.range")
        if kind[0] == "list":
            return self.list_of(kind, [self.literal(kind[1]) for _ in range(random.choice([0, 1, 1, 2, 2, 3, 5]))])
        if kind[0] == "map":
            # One entry in most: the reference iterates in no order.
            size = random.choice([0, 1, 1, 1, 1, 1, 2])
            keys = ["a", "b"] if kind[1] == "string" else []
            items = []
            for i in range(size):
                key = leaf('"%s"' % keys[i], "string") if keys else self.literal(kind[1])
                if random.random() < 0.03:
                    key = leaf(pick(texts.ODD_KEYS), kind[1], "odd key")
                items += [key, self.literal(kind[2])]
            return self.map_of(kind, items)
        if kind[0] == "opt":
            if random.random() < 0.3:
                return leaf("optional.none()", kind, "optional.none")
            return Node("optional.of", "optional.of({0})", (self.literal(kind[1]),), None, kind)
        raise ValueError(kind)

    def list_of(self, kind, items):
        marks = ["?" if item.type == ("opt", kind[1]) else "" for item in items]
        slots = ", ".join("%s{%d}" % (mark, i) for i, mark in enumerate(marks))
        return Node("list", "[" + slots + "]", tuple(items), {}, kind)

    def map_of(self, kind, items):
        marks = ["?" if item.type == ("opt", kind[2]) else "" for item in items[1::2]]
        pairs = ", ".join("%s{%d}: {%d}" % (mark, 2 * i, 2 * i + 1) for i, mark in enumerate(marks))
        return Node("map literal", "{{" + pairs + "}}", tuple(items), {}, kind)

    def items(self, kinds, levels, scope):
        """Items of a literal, an optional now and then."""
        return [self.tree(("opt", kind) if i == len(kinds) - 1 and self.random.random() < 0.1 else kind, levels, scope)
                for i, kind in enumerate(kinds)]

    def attribute(self, kind=None):
        """A read of an attribute; most exist on most devices, see random_device."""
        name = {None: self.random.choice(["i", "s", "b", "v", "l", "n"]), "int": self.random.choice("in"),
                "string": "s", "bool": "b",
                "semver": "v", ("list", "int"): "l", ("list", "string"): "ls"}[kind]
        domain = self.random.choice(["drv.io"] * 6 + ["other.com"])
        form = self.random.choice(['device.attributes["%s"].%s'] * 4 + ['device.attributes["%s"]["%s"]'])
        return leaf(form % (domain, name), "dyn", "device.attributes")

    # ---- trees

    def fill(self, found, pattern):
        if isinstance(pattern, str):
            if pattern == "number":
                return self.random.choice(CHOICES[pattern])
            if pattern in CHOICES:
                if pattern not in found:
                    found[pattern] = self.random.choice(CHOICES[pattern])
                return found[pattern]
            return pattern
        return (pattern[0], *(self.fill(found, part) for part in pattern[1:]))

    def call(self, row, found, levels, scope, given=None):
        """A call of `row`, its letters as in `found`; `given` is (position, tree) of an argument that exists."""
        self.counts[row.key] += 1
        names, inner = {}, scope
        if any(row.binds) or "{x}" in row.template:
            x, y = self.random.sample(VARIABLES, 2)
            names = {"x": x, "y": y}
        children = []
        for i, (pattern, binds) in enumerate(zip(row.args, row.binds)):
            if given and given[0] == i:
                children.append(given[1])
                continue
            inner = scope + [(names[n], self.fill(found, t)) for n, t in binds] if binds else scope
            children.append(self.tree(self.fill(found, pattern), levels - 1, inner))
        return Node(row.key, row.template, tuple(children), names if children else None, self.fill(found, row.result))

    def producing(self, kind):
        if kind not in self.producers:
            rows = [row for row in ROWS if unify(row.result, kind, {})]
            self.producers[kind] = rows if type_depth(kind) < 3 else []
        return self.producers[kind]

    def tree(self, kind, levels, scope):
        random = self.random
        seen = [name for name, t in scope if t == kind]
        if seen and random.random() < 0.6:
            return leaf(random.choice(seen), kind, "variable")
        if kind in ("int", "string", "bool", "semver", ("list", "int"), ("list", "string")) and random.random() < 0.08:
            return self.attribute(kind)
        if kind in texts.ARGUMENTS and kind != "string":
            return self.text(kind) if levels < 2 or random.random() < 0.9 else self.tree("string", levels, scope)
        if kind == "index":
            kind = "int" if levels > 1 and random.random() < 0.15 else kind
        if kind == "dyn" and random.random() < 0.5:
            return self.attribute()
        if levels > 0 and kind not in ("index", "dyn") and random.random() < 0.05:
            # Overloads found when it runs.
            return Node("dyn", "dyn({0})", (self.tree(kind, levels - 1, scope),), {}, kind)
        if levels <= 0 or kind in ("index", "null") or random.random() < 0.25:
            if not isinstance(kind, tuple) or kind[0] not in ("list", "map") or levels <= 0:
                return self.literal(kind)
            if kind[0] == "list":
                return self.list_of(kind, self.items([kind[1]] * random.choice([0, 1, 2, 3]), levels - 1, scope))
            return self.map_of(kind, self.items(kind[1:], levels - 1, scope))
        rows = self.producing(kind)
        if not rows:
            return self.literal(kind)
        row = random.choice(rows)
        found = {}
        unify(row.result, kind, found)
        return self.call(row, found, levels, scope)

    def consuming(self, kind):
        if kind not in self.consumers:
            rows = []
            for row in ROWS:
                for i, pattern in enumerate(row.args):
                    if not row.binds[i] and unify(pattern, kind, {}):
                        rows.append((row, i))
            self.consumers[kind] = rows if type_depth(kind) < 3 else []
        return self.consumers[kind]

    def wrap(self, node, levels):
        """A call that takes `node`."""
        rows = self.consuming(node.type)
        if not rows:
            return Node("dyn", "dyn({0})", (node,), {}, "dyn")
        row, i = min(self.random.sample(rows, min(4, len(rows))), key=lambda r: self.counts[r[0].key])
        found = {}
        unify(row.args[i], node.type, found)
        return self.call(row, found, levels, [], (i, node))

    def to_bool(self, node):
        if node.type == "bool":
            return node
        if node.type == "dyn":
            return Node("==", "{0} == {1}", (node, self.literal(self.random.choice(SCALARS))), {}, "bool")
        if isinstance(node.type, tuple) and node.type[0] != "opt" and self.random.random() < 0.4:
            size = Node("size", "{0}.size()", (node,), {}, "int")
            return Node(">", "{0} > {1}", (size, self.literal("int")), {}, "bool")
        operator = self.random.choice(["==", "!="])
        return Node(operator, "{0} %s {1}" % operator, (node, self.tree(node.type, 1, [])), {}, "bool")

    def expression(self, row, derived):
        """An expression around a call of `row`."""
        levels = self.random.choice([1, 2, 2, 3, 3, 4])
        node = self.call(row, {}, levels, [])
        for _ in range(self.random.choice([0, 0, 1, 1, 2, 3])):
            node = self.wrap(node, self.random.choice([1, 2]))
        if derived and (node.type in DERIVABLE or self.random.random() < 0.05) or self.random.random() < 0.02:
            return node
        return self.to_bool(node)

    # ---- mistakes

    def replace_somewhere(self, node, change):
        """Replaces a random descendant; None when `change` refuses."""
        if not node.children or self.random.random() < 0.3:
            return change(node)
        i = self.random.randrange(len(node.children))
        changed = self.replace_somewhere(node.children[i], change)
        if changed is None:
            return change(node)
        return node._replace(children=node.children[:i] + (changed,) + node.children[i + 1:])

    def other_kind(self, kind):
        return self.random.choice([k for k in SCALARS + OPAQUE + ("null", ("list", "int"), ("map", "string", "int"),
                                                                  ("opt", "int"))
                                   if k != kind])

    def misuse(self, node):
        """What the checker (or now and then the parser) refuses, mostly."""
        pick, kind = self.random.choice, self.random.random()
        if kind < 0.5:
            return self.replace_somewhere(node, lambda n: self.tree(self.other_kind(n.type), 1, []))
        if kind < 0.6:
            return self.replace_somewhere(node, lambda n: leaf(pick(texts.UNDECLARED), n.type, "undeclared"))
        if kind < 0.68:
            return self.replace_somewhere(node, lambda n: leaf(pick(texts.DEVICE_MISUSES), n.type, "undeclared"))
        if kind < 0.76:
            return self.replace_somewhere(node, self.misspelled) or node
        if kind < 0.86:
            return self.replace_somewhere(node, self.with_one_more) or node
        if kind < 0.94:
            return self.replace_somewhere(node, lambda n: leaf(pick(texts.MIXED_TYPES), n.type, "mixed"))
        text = render(node)
        at = self.random.randrange(len(text) + 1)
        return leaf(text[:at] + pick(texts.SYNTAX_ERRORS) + text[at + 1:], node.type, "syntax")

    def misspelled(self, node):
        if not node.children or "(" not in node.template:
            return None
        return node._replace(template=node.template.replace("(", "X(", 1), key="undeclared")

    def with_one_more(self, node):
        """A call with an argument too many."""
        if not node.children or not node.template.endswith(")") or node.key in OPERATORS:
            return None
        extra = render(self.literal(self.random.choice(SCALARS))).replace("{", "{{").replace("}", "}}")
        comma = "" if node.template.endswith("()") else ", "
        return node._replace(template=node.template[:-1] + comma + extra + ")", key="arity")

    def failing(self, kind):
        """Passes the checker as `kind` and fails when it runs."""
        wrong = "dyn(%s)"
        options = ['device.attributes["drv.io"].missing', 'device.attributes["nope.org"].i',
                   *(wrong % render(self.literal(self.other_kind(kind))) for _ in range(2))]
        return leaf(self.random.choice(options + texts.FAILING.get(kind, [])), kind, "failing")

    def detour(self, node):
        """Takes the type of a part from the checker: what it is shows when it runs."""
        return self.replace_somewhere(node, lambda n: Node("dyn", self.random.choice(texts.DETOURS), (n,), {}, n.type)
                                      if n.key not in ("undeclared",) else None) or node

    def sabotage(self, node):
        def change(n):
            return self.failing(n.type) if n.key not in ("undeclared",) else None
        return self.replace_somewhere(node, change) or node

    def question(self, row):
        """(tree, style of its text, mode fields of the question)."""
        random = self.random
        derived = random.random() < 0.25
        node = self.expression(row, derived)
        intent = random.random()
        if intent < 0.34:
            node = self.misuse(node)
        elif intent < 0.64:
            node = self.sabotage(node)
        if intent >= 0.34 and random.random() < 0.15:
            node = self.detour(node)
        mode = {"derived": derived, "new": random.random() < 0.4,
                "features": {"EnableConsumableCapacity": random.random() < 0.6,
                             "EnableListTypeAttributes": random.random() < 0.6}}
        return node, random.choice([0] * 16 + [1, 1, 2, 3]), mode


def random_device(random):
    """A device in the form of resource.k8s.io/v1; most attributes that expressions read are there."""
    values = {
        "i": lambda: {"int": random.choice([0, 1, 7, -3, 1 << 40])},
        "n": lambda: {"int": random.randrange(10)},
        "s": lambda: {"string": random.choice(["H200", "", "a", "héllo", "abc"])},
        "b": lambda: {"bool": random.random() < 0.5},
        "v": lambda: {"version": random.choice(["1.2.3", "0.1.0-rc.1", "10.0.0+b"])},
        "l": lambda: {"ints": random.choice([[1, 2, 2], [7], [3, 1]])},
        "ls": lambda: {"strings": random.choice([["a", "b"], ["x"]])},
        "lb": lambda: {"bools": [True, False]},
        "lv": lambda: {"versions": ["1.0.0", "2.0.0"]},
    }
    attributes = {}
    for name, make in values.items():
        if random.random() < 0.85:
            attributes[random.choice(["", "", "", "drv.io/"]) + name] = make()
        if random.random() < 0.4:
            attributes["other.com/" + name] = random.choice(list(values.values()))()
    capacity = {}
    for name in ("memory", "other.com/memory", "cores"):
        if random.random() < 0.8:
            capacity[name] = {"value": random.choice(["80Gi", "1500m", "0", "16Gi", "1e3", "7"])}
    device = {"name": "d", "attributes": attributes, "capacity": capacity}
    if random.random() < 0.5:
        device["allowMultipleAllocations"] = random.random() < 0.5
    return device
