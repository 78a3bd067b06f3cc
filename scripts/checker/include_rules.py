"""Arrows between the folders of src/, in includes and in CMake, and where third-party headers may stand."""

import re

from checker import source, tables


def folder_of(path):
    """The folder of src/ that `path` lies in, or None."""
    parts = path.split("/")
    return parts[1] if len(parts) > 2 and parts[0] == "src" else None


def check_arrows(path, text):
    folder = folder_of(path)
    if folder is None:
        return
    if folder not in tables.ARROWS:
        yield source.Finding(path, 1, "arrow", f"src/{folder}/ has no line in ARROWS of "
                             "scripts/checker/tables.py: add it there and to docs/ARCHITECTURE.md, "
                             "or move the file into a folder that is there")
        return
    allowed = [folder] + tables.ARROWS[folder]
    for line, header, quoted in source.includes(text):
        if not quoted:
            continue
        target = header.split("/")[0]
        if "/" not in header or header.startswith("."):
            yield source.Finding(path, line, "arrow",
                                 f'write the include from the root of src/: "{folder}/…", not "{header}"')
        elif target in tables.ARROWS and target not in allowed:
            yield source.Finding(path, line, "arrow", f"{folder} may include {', '.join(allowed)}; not {target}: "
                                 f"move what is needed down to one of these, or the user of it up")


_LINKED = re.compile(r"DEPENDS\s+([a-z\s]+?)(?:LIBRARIES|\))")


def check_cmake_arrows(path, text):
    folder = folder_of(path)
    if folder not in tables.ARROWS or not path.endswith("/CMakeLists.txt"):
        return
    for match in _LINKED.finditer(text):
        for target in match.group(1).split():
            if target not in tables.ARROWS[folder]:
                yield source.Finding(path, source.line_of(text, match.start()), "arrow",
                                     f"{folder} links {target}, which its arrows do not name: remove it from DEPENDS")


def _matches(path, patterns):
    inside = path[len("src/"):] if path.startswith("src/") else path
    for pattern in patterns:
        if pattern == "*_test":
            if path.startswith("tests/") or re.search(r"_test\.(cc|h)$|/testing/", path):
                return True
        elif inside == pattern or (pattern.endswith("/") or pattern == "") and inside.startswith(pattern):
            return True
    return False


def check_third_party(path, text):
    if not source.is_cpp(path):
        return
    for line, header, _ in source.includes(text):
        for prefix, owners in tables.THIRD_PARTY:
            if not header.startswith(prefix):
                continue
            if not _matches(path, owners):
                where = ", ".join(owners) or "no file"
                yield source.Finding(path, line, "third-party", f"<{header}> belongs in {where}: use what that offers "
                                     "(owners: scripts/checker/tables.py)")
            elif path.endswith(".h") and not _matches(path, tables.IN_HEADERS.get(prefix, [])):
                yield source.Finding(path, line, "third-party",
                                     f"include <{header}> in the .cc file and keep its types out of the header")
            break
