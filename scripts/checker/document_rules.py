"""docs/ARCHITECTURE.md and the folders' README.md files against what is on the disk."""

import re

from checker import source, tables

ARCHITECTURE = "docs/ARCHITECTURE.md"


def check_documents(files, read):
    """`files`: every path of the tree; `read(path)`: its text."""
    folders = sorted({path.split("/")[1] for path in files if path.startswith("src/") and path.count("/") >= 2})
    architecture = read(ARCHITECTURE) if ARCHITECTURE in files else None
    if architecture is None:
        yield source.Finding(ARCHITECTURE, 1, "documents", "write it: one paragraph per folder of src/")
    for folder in folders:
        if architecture is not None and not re.search(rf"(?<![\w/]){folder}/|src/{folder}\b", architecture):
            yield source.Finding(ARCHITECTURE, 1, "documents", f"add a paragraph on src/{folder}/")
        readme = f"src/{folder}/README.md"
        if readme not in files:
            yield source.Finding(readme, 1, "documents",
                                 "write it: purpose, main types, threads, what it deliberately does not do")
            continue
        length = read(readme).count("\n")
        if length > tables.README_LINES:
            yield source.Finding(readme, tables.README_LINES + 1, "documents",
                                 f"{length} lines: keep to {tables.README_LINES}")
    for match in re.finditer(r"(?<![\w./])src/([a-z_]+)\b", architecture or ""):
        if match.group(1) not in folders:
            yield source.Finding(ARCHITECTURE, source.line_of(architecture, match.start()), "documents",
                                 f"src/{match.group(1)} does not exist: remove it here")


_NEWCOMER_PAGES = ("README.md", "docs/HACKING.md")
_PATH = re.compile(r"(?<![\w/.<-])(?:\./)?((?:scripts|examples|src|docs|data)/[\w./-]+)")


def _in_tree(target, files):
    return target in files or any(name.startswith(target + "/") for name in files)


def check_paths(path, text, files):
    """What the pages for newcomers tell to run or open must be there."""
    if path not in _NEWCOMER_PAGES:
        return
    for match in _PATH.finditer(text):
        target = match.group(1).rstrip("./")
        if not _in_tree(target, files):
            yield source.Finding(path, source.line_of(text, match.start()), "link", f"{target} is not in the tree")


_LINK = re.compile(r"\]\((?!https?:|#|mailto:)([^)#\s]+)(?:#[^)]*)?\)")


def check_links(path, text, files):
    """Relative links in Markdown must lead to a file or folder of the tree."""
    if not path.endswith(".md"):
        return
    here = path.split("/")[:-1]
    for match in _LINK.finditer(text):
        parts = list(here)
        for part in match.group(1).rstrip("/").split("/"):
            if part == "..":
                parts = parts[:-1]
            elif part != ".":
                parts.append(part)
        target = "/".join(parts)
        if not _in_tree(target, files):
            yield source.Finding(path, source.line_of(text, match.start()), "link",
                                 f"{match.group(1)} is not in the tree")
