"""Words and shapes that our sources do without, file names that say nothing, and lines that are too long."""

import re

from checker import source, tables

# (rule, pattern over code without comments and literals, what to write instead, files that may)
_CODE_BANS = [
    ("new-delete", r"\bnew\b(?!\s*\])", "own it: std::make_unique, a value or a container", ()),
    ("new-delete", r"(?<!=)(?<!= )(?<!operator )\bdelete\b", "own it: std::make_unique, a value or a container", ()),
    ("regex", r"\bstd::w?regex\b|#\s*include\s*<regex>", "parse by hand or use RE2 in its owning folder", ()),
    ("endl", r"\bstd::endl\b", "write '\\n'; flush where the reader must see it now", ()),
    ("clock", r"\b(?:system_clock|high_resolution_clock)\s*::\s*now\b", "take the time from a Clock& that is passed in",
     ("src/base/clock.cc",)),
    ("clock", r"(?<![\w.>:])(?:std::)?(?:time|gettimeofday|clock_gettime)\s*\(\s*(?:NULL|nullptr|0|&|CLOCK_)",
     "take the time from a Clock& that is passed in", ("src/base/clock.cc",)),
    ("random", r"\bstd::random_device\b|\bs?rand\s*\(\s*\)", "take a Random& that is passed in",
     ("src/base/random.cc",)),
    ("detach", r"(?:\.|->)detach\s*\(", "keep the std::jthread as a member; its destructor stops and joins it", ()),
    ("sleep", r"\b(?:sleep_for|sleep_until|usleep|nanosleep)\s*\(",
     "wait on a condition variable with a stop_token, or let the Clock run on", ()),
    ("using-namespace", r"\busing\s+namespace\b(?!\s+std::(?:string_view_|chrono_)?literals)",
     "name what is used: using other::Name, or a namespace alias", ()),
]
_CODE_BANS = [(rule, re.compile(pattern), advice, files) for rule, pattern, advice, files in _CODE_BANS]

_TOPIC = re.compile(r"\b(?:" + "TO" + r"DO)\b(?!\([\w./#-]+\):)")
_LEFTOVER = re.compile(r"\b(?:" + "FIX" + "ME|XX" + r"X)\b")
_MACHINE_PATH = re.compile(r"(?<![\w.}$*-])/(?:" + "work|home/" + r"\w+)/")
_CATCH_ALL = re.compile(r"\bcatch\s*\(\s*\.\.\.\s*\)\s*\{")
_HANDLED = re.compile(r"\breturn\b|\bthrow\b|=|\bKU_|\babort\b|\bFail\b|\bexit\b|\brethrow")
_LONG_LINE_FILES = (".h", ".cc", ".c", ".py")
# Tests of the checker show it what it must find.
_EXEMPT = "scripts/checker/"


def _block(code, start):
    """The text of the braces that open just before `start`."""
    depth, at = 1, start
    while at < len(code) and depth:
        depth += {"{": 1, "}": -1}.get(code[at], 0)
        at += 1
    return code[start:at - 1]


def check_code(path, text):
    if not source.is_cpp(path):
        return
    code = source.code_only(text)
    for rule, pattern, advice, files in _CODE_BANS:
        if path in files:
            continue
        for match in pattern.finditer(code):
            yield source.Finding(path, source.line_of(code, match.start()), rule, advice)
    for match in _CATCH_ALL.finditer(code):
        if not _HANDLED.search(_block(code, match.end())):
            yield source.Finding(path, source.line_of(code, match.start()), "swallow",
                                 "catch (...) must turn the exception into an Error: return Fail(...)")


def check_header(path, text):
    if not path.endswith(".h"):
        return
    if not re.search(r"^#pragma once$", text, re.MULTILINE):
        yield source.Finding(path, 1, "header", "put #pragma once after the opening comment")
    if not re.match(r"(?:#pragma once\s*)?//", text):
        yield source.Finding(path, 1, "header", "open with a // paragraph that says what the file is for")


def check_text(path, text):
    if path.startswith(_EXEMPT) or path == "LICENSE":
        return
    unbreakable = source.raw_literal_lines(text) if source.is_cpp(path) else ()
    for number, line in enumerate(text.split("\n"), 1):
        if path.endswith(_LONG_LINE_FILES) and len(line) > tables.LINE_LENGTH and number not in unbreakable:
            yield source.Finding(path, number, "line-length", f"{len(line)} columns: break it at {tables.LINE_LENGTH}")
        if _MACHINE_PATH.search(line):
            yield source.Finding(path, number, "machine-path", "use a path relative to the repository")
        if source.is_cpp(path) or path.endswith((".py", ".md", ".cmake")):
            if _TOPIC.search(line) or _LEFTOVER.search(line):
                yield source.Finding(path, number, "todo",
                                     "finish it, or write TO" + "DO(topic): with a decision or issue number")


def check_name(path):
    parts = path.split("/")
    for index, part in enumerate(parts):
        stem = part.split(".")[0] if index == len(parts) - 1 else part
        for word in re.split(r"[_\-.]", stem.lower()):
            if word in tables.EMPTY_NAMES:
                yield source.Finding(path, 1, "name",
                                     f'"{word}" says nothing: name the file or folder for the idea that it holds')
    if source.is_cpp(path) and not re.fullmatch(r"[a-z0-9_]+\.(?:h|cc)", parts[-1]):
        yield source.Finding(path, 1, "name", "name C++ files snake_case.h or snake_case.cc")
