import os
import subprocess
import tempfile
import unittest

from checker import __main__ as program
from checker import document_rules


def findings(files):
    return [(finding.path, finding.advice) for finding in document_rules.check_documents(set(files), files.get)]


class Documents(unittest.TestCase):
    def setUp(self):
        self.files = {"docs/ARCHITECTURE.md": "`src/base/`: the ground floor\n",
                      "src/base/README.md": "x\n", "src/base/a.h": ""}

    def test_a_described_folder_passes(self):
        self.assertEqual(findings(self.files), [])

    def test_a_folder_that_the_architecture_does_not_name_fails(self):
        self.files.update({"src/gpu/a.h": "", "src/gpu/README.md": "x\n"})
        self.assertEqual([path for path, _ in findings(self.files)], ["docs/ARCHITECTURE.md"])

    def test_a_named_folder_that_does_not_exist_fails(self):
        self.files["docs/ARCHITECTURE.md"] += "`src/gone/`\n"
        self.assertEqual([path for path, _ in findings(self.files)], ["docs/ARCHITECTURE.md"])

    def test_every_folder_has_a_short_readme(self):
        self.files["src/base/README.md"] = "x\n" * 61
        self.assertEqual([path for path, _ in findings(self.files)], ["src/base/README.md"])
        del self.files["src/base/README.md"]
        self.assertEqual([path for path, _ in findings(self.files)], ["src/base/README.md"])

    def test_links_lead_somewhere(self):
        def lines(text):
            found = document_rules.check_links("docs/A.md", text, {"README.md", "docs/b/c.md"})
            return [finding.line for finding in found]
        self.assertEqual(lines("[x](../README.md) [y](b/) [z](b/c.md#part) [w](https://example.org) [v](#here)\n"), [])
        self.assertEqual(lines("\n[x](README.md)\n"), [2])

    def test_commands_and_files_that_newcomers_are_told_of_exist(self):
        def lines(text):
            found = document_rules.check_paths("docs/HACKING.md", text, {"scripts/test", "src/a/b.h"})
            return [finding.line for finding in found]
        self.assertEqual(lines("`./scripts/test a`, src/a/, src/a/b.h.\n"), [])
        self.assertEqual(lines("\n./scripts/gone x\nsrc/b/\n"), [2, 3])


class WholeTree(unittest.TestCase):
    def test_findings_of_a_tree_are_printed_with_rule_place_and_advice(self):
        with tempfile.TemporaryDirectory() as root:
            subprocess.run(["git", "init", "-q", root], check=True)
            os.makedirs(os.path.join(root, "src/base"))
            with open(os.path.join(root, "src/base/a.cc"), "w", encoding="utf-8") as file:
                file.write('#include "cli/x.h"\nint* a = new int;\n')
            found, count = program.findings(root)
        self.assertEqual(count, 1)
        texts = [str(finding) for finding in found]
        self.assertIn("src/base/a.cc:1: [arrow] base may include base; not cli", "\n".join(texts))
        self.assertIn("src/base/a.cc:2: [new-delete] own it", "\n".join(texts))


if __name__ == "__main__":
    unittest.main()
