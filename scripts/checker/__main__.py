"""Runs every rule over the tree: python3 -m checker [ROOT]. Exit 1 when something was found."""

import sys

from checker import ban_rules, document_rules, include_rules, source


def findings(root):
    files = source.list_files(root)
    known = set(files)
    found = []
    for path in files:
        found.extend(ban_rules.check_name(path))
        text = source.read_text(root, path)
        if text is None:
            continue
        if source.is_cpp(path):
            found.extend(include_rules.check_arrows(path, text))
            found.extend(include_rules.check_third_party(path, text))
            found.extend(ban_rules.check_code(path, text))
            found.extend(ban_rules.check_header(path, text))
        found.extend(include_rules.check_cmake_arrows(path, text))
        found.extend(ban_rules.check_text(path, text))
        found.extend(document_rules.check_links(path, text, known))
        found.extend(document_rules.check_paths(path, text, known))
    found.extend(document_rules.check_documents(known, lambda path: source.read_text(root, path)))
    return sorted(set(found)), len(files)


def main(arguments):
    found, count = findings(arguments[0] if arguments else ".")
    for finding in found:
        print(finding)
    print(f"{len(found)} findings in {count} files")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
