import unittest

from checker import ban_rules


def rules(found):
    return [(finding.rule, finding.line) for finding in found]


def code(text, path="src/base/a.cc"):
    return rules(ban_rules.check_code(path, text))


class Bans(unittest.TestCase):
    def test_new_and_delete_are_found_as_expressions_only(self):
        self.assertEqual(code("auto* a = new Foo;\ndelete a;\ndelete[] b;\n"), [("new-delete", n) for n in (1, 2, 3)])
        self.assertEqual(code("Foo(const Foo&) = delete;\nFoo& operator=(Foo&&)=delete;\nint newer = renew;\n"), [])

    def test_comments_and_literals_do_not_count(self):
        self.assertEqual(code('// new Foo\n/* delete\n x */ auto s = "new std::endl";\n'
                              'auto r = R"x(delete "y)x";\n'), [])

    def test_code_after_literals_still_counts(self):
        self.assertEqual(code("char q = '\"';\nauto n = 1'000'000;\nout << std::endl;\n"), [("endl", 3)])

    def test_regex(self):
        self.assertEqual(code("#include <regex>\nstd::regex r;\n"), [("regex", 1), ("regex", 2)])

    def test_only_the_clock_reads_the_time(self):
        line = "auto t = std::chrono::system_clock::now();\n"
        self.assertEqual(code(line), [("clock", 1)])
        self.assertEqual(code(line, "src/base/clock.cc"), [])
        self.assertEqual(code("auto t = std::time(nullptr);\n"), [("clock", 1)])
        self.assertEqual(code("auto t = object.time(0);\n"), [])

    def test_detach_and_sleep(self):
        self.assertEqual(code("t.detach();\nstd::this_thread::sleep_for(1s);\n"), [("detach", 1), ("sleep", 2)])

    def test_catch_all_must_end_in_an_error(self):
        self.assertEqual(code("try { f(); } catch (...) {\n}\n"), [("swallow", 1)])
        self.assertEqual(code("try { f(); } catch (...) {\n  return Fail(Code::kInternal, x);\n}\n"), [])

    def test_using_namespace(self):
        self.assertEqual(code("using namespace std;\n"), [("using-namespace", 1)])
        self.assertEqual(code("using namespace std::chrono_literals;\n"), [])


class Headers(unittest.TestCase):
    def test_a_header_opens_with_its_purpose_and_has_a_guard(self):
        self.assertEqual(rules(ban_rules.check_header("src/a/b.h", "// What it is for.\n#pragma once\n")), [])
        self.assertEqual(rules(ban_rules.check_header("src/a/b.h", "#pragma once\n\n// What it is for.\n")), [])
        self.assertEqual(rules(ban_rules.check_header("src/a/b.h", "#include <map>\n")), [("header", 1), ("header", 1)])


class Text(unittest.TestCase):
    def check(self, text, path="src/base/a.cc"):
        return rules(ban_rules.check_text(path, text))

    def test_long_lines(self):
        self.assertEqual(self.check("x" * 120), [])
        self.assertEqual(self.check("\n" + "x" * 121), [("line-length", 2)])

    def test_a_raw_literal_may_be_long(self):
        self.assertEqual(self.check('auto a = R"(' + "x" * 121 + ')";\n'), [])

    def test_a_todo_needs_a_topic(self):
        self.assertEqual(self.check("// TODO: later\n// TODO(0007): moves\n// FIXME\n"), [("todo", 1), ("todo", 3)])

    def test_paths_of_one_machine(self):
        self.assertEqual(self.check("cd /work/main\ncd /home/someone/x\n", "scripts/a"),
                         [("machine-path", 1), ("machine-path", 2)])
        self.assertEqual(self.check("src/work/a\n$dir/work/a\nhttp://x/work/a\n", "scripts/a"), [])


class Names(unittest.TestCase):
    def test_names_that_say_nothing(self):
        for path in ("src/util/a.h", "src/base/string_util.h", "src/base/common.cc", "scripts/helpers/a"):
            self.assertEqual(rules(ban_rules.check_name(path)), [("name", 1)], path)
        self.assertEqual(rules(ban_rules.check_name("src/gpu/utilization.cc")), [])

    def test_cpp_files_are_snake_case(self):
        self.assertEqual(rules(ban_rules.check_name("src/gpu/Board.cc")), [("name", 1)])


if __name__ == "__main__":
    unittest.main()
