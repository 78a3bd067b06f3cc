import unittest

from checker import include_rules


def rules(check, path, text):
    return [(finding.rule, finding.line) for finding in check(path, text)]


class Arrows(unittest.TestCase):
    def test_an_include_along_an_arrow_passes(self):
        self.assertEqual(rules(include_rules.check_arrows, "src/allocator/a.cc",
                               '#include "cel/x.h"\n#include "allocator/a.h"\n'), [])

    def test_an_include_against_the_arrows_fails(self):
        self.assertEqual(rules(include_rules.check_arrows, "src/cel/a.cc", '\n#include "api/x.h"\n'), [("arrow", 2)])

    def test_an_arrow_is_not_followed_through_another_folder(self):
        self.assertEqual(rules(include_rules.check_arrows, "src/gpu/a.h", '#include "cel/x.h"\n'), [("arrow", 1)])

    def test_a_commented_include_does_not_count(self):
        self.assertEqual(rules(include_rules.check_arrows, "src/base/a.h",
                               '// #include "cli/x.h"\n/*\n#include "api/x.h"\n*/\n'), [])

    def test_includes_start_at_src(self):
        self.assertEqual(rules(include_rules.check_arrows, "src/base/a.cc", '#include "a.h"\n#include "../cel/x.h"\n'),
                         [("arrow", 1), ("arrow", 2)])

    def test_an_unknown_folder_fails(self):
        self.assertEqual(rules(include_rules.check_arrows, "src/novel/a.cc", ""), [("arrow", 1)])

    def test_tests_and_commands_may_include_anything(self):
        self.assertEqual(rules(include_rules.check_arrows, "tests/a.cc", '#include "cli/x.h"\n'), [])

    def test_cmake_links_follow_the_arrows_too(self):
        text = "kumiko_folder(gpu DEPENDS base api cel LIBRARIES fmt::fmt)\n"
        self.assertEqual(rules(include_rules.check_cmake_arrows, "src/gpu/CMakeLists.txt", text), [("arrow", 1)])
        text = "kumiko_folder(gpu DEPENDS base api)\n"
        self.assertEqual(rules(include_rules.check_cmake_arrows, "src/gpu/CMakeLists.txt", text), [])


class ThirdParty(unittest.TestCase):
    def check(self, path, header):
        return rules(include_rules.check_third_party, path, f"#include <{header}>\n")

    def test_the_owner_may(self):
        self.assertEqual(self.check("src/base/yaml.cc", "yaml-cpp/yaml.h"), [])
        self.assertEqual(self.check("src/api/core/codec.cc", "simdjson.h"), [])
        self.assertEqual(self.check("src/base/json.h", "boost/json.hpp"), [])

    def test_others_may_not(self):
        self.assertEqual(self.check("src/api/yaml.cc", "yaml-cpp/yaml.h"), [("third-party", 1)])
        self.assertEqual(self.check("src/cel/a.cc", "boost/json.hpp"), [("third-party", 1)])
        self.assertEqual(self.check("src/cel/a.cc", "boost/algorithm/string.hpp"), [("third-party", 1)])

    def test_an_owner_keeps_it_out_of_its_headers(self):
        self.assertEqual(self.check("src/cel/a.h", "re2/re2.h"), [("third-party", 1)])
        self.assertEqual(self.check("src/cel/a.cc", "re2/re2.h"), [])

    def test_fmt_may_stand_anywhere(self):
        self.assertEqual(self.check("src/cli/a.h", "fmt/core.h"), [])

    def test_test_frameworks_stay_in_tests(self):
        self.assertEqual(self.check("src/cel/a_test.cc", "gtest/gtest.h"), [])
        self.assertEqual(self.check("tests/scenarios/runner.cc", "gtest/gtest.h"), [])
        self.assertEqual(self.check("src/cel/testing/a.h", "gtest/gtest.h"), [])
        self.assertEqual(self.check("src/cel/a.cc", "gtest/gtest.h"), [("third-party", 1)])


if __name__ == "__main__":
    unittest.main()
