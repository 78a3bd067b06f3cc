"""Files of the tree, and C++ text with comments and literals blanked out."""

import dataclasses
import os
import re
import subprocess


@dataclasses.dataclass(frozen=True, order=True)
class Finding:
    path: str
    line: int
    rule: str
    advice: str

    def __str__(self):
        return f"{self.path}:{self.line}: [{self.rule}] {self.advice}"


def list_files(root):
    """Paths of the tree's own files below `root`: tracked, or new and not ignored."""
    out = subprocess.run(
        ["git", "-C", root, "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        check=True, capture_output=True, text=True).stdout
    return sorted(path for path in set(out.split("\0")) if path and os.path.isfile(os.path.join(root, path)))


def read_text(root, path):
    """The file's text, or None for a binary file."""
    with open(os.path.join(root, path), "rb") as file:
        data = file.read()
    if b"\0" in data[:8000]:
        return None
    return data.decode("utf-8", errors="replace")


def is_cpp(path):
    return path.endswith((".h", ".cc"))


_TOKEN = re.compile(
    r'//[^\n]*'
    r'|/\*.*?\*/'
    r'|R"(?P<tag>[^(\s\\)]{0,16})\(.*?\)(?P=tag)"'
    r'|"(?:\\.|[^"\\\n])*"'
    r"|(?<![0-9A-Fa-f])'(?:\\.|[^'\\\n])+'",
    re.DOTALL)


def code_only(text):
    """`text` with comments and literals replaced by blanks; line breaks stay, so line numbers do too."""
    def blank(match):
        token = match.group(0)
        kept = re.sub(r"[^\n]", " ", token)
        if token.startswith(("/", " ")) or len(kept) < 2:
            return kept
        return '"' + kept[1:-1] + '"'
    return _TOKEN.sub(blank, text)


def raw_literal_lines(text):
    """Numbers of the lines that raw string literals touch; a formatter cannot break these."""
    lines = set()
    for match in _TOKEN.finditer(text):
        if match.group(0).startswith('R"'):
            lines.update(range(line_of(text, match.start()), line_of(text, match.end()) + 1))
    return lines


_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"\n]+)[>"]', re.MULTILINE)


def includes(text):
    """(line, header, quoted) of every include directive that is not commented out."""
    code = code_only(text)
    for match in _INCLUDE.finditer(text):
        if "#" in code[match.start():match.end()]:
            yield line_of(text, match.start()), match.group(2), match.group(1) == '"'


def line_of(text, offset):
    return text.count("\n", 0, offset) + 1
