#include "base/term.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>

#include "base/files.h"

namespace kumiko {
namespace {

TEST(Term, EscapesWhatCouldTakeOverATerminal) {
  EXPECT_EQ(EscapeControls("a\x1b[31mb\n\t"), "a\\x1b[31mb\\x0a\\x09");
  EXPECT_EQ(EscapeControls("\xff"), "\\xff");
  EXPECT_EQ(EscapeControls("a\u202Eb"), "a\\u202eb");
  EXPECT_EQ(EscapeControls("\u0085"), "\\x85");
  EXPECT_EQ(EscapeControls("größe 日本 😀"), "größe 日本 😀");
}

TEST(Term, CountsCells) {
  EXPECT_EQ(DisplayWidth("abc"), 3);
  EXPECT_EQ(DisplayWidth("日本"), 4);
  EXPECT_EQ(DisplayWidth("😀"), 2);
  EXPECT_EQ(DisplayWidth("e\u0301"), 1);
  EXPECT_EQ(DisplayWidth(Colored("abc", Color::kRed, Coloring::kOn)), 3);
}

TEST(Term, CutsAtCells) {
  EXPECT_EQ(Truncate("abcdef", 4), "abc…");
  EXPECT_EQ(Truncate("日本語", 4), "日…");
  EXPECT_EQ(Truncate("abc", 3), "abc");
  EXPECT_EQ(Truncate("abc", 0), "");
}

TEST(Term, ColoursOnlyWhenOn) {
  EXPECT_EQ(Colored("x", Color::kRed, Coloring::kOn), "\x1b[31mx\x1b[0m");
  EXPECT_EQ(Colored("x", Color::kBrightBlack, Coloring::kOn), "\x1b[90mx\x1b[0m");
  EXPECT_EQ(Colored("x", Color::kRed, Coloring::kOff), "x");
  EXPECT_EQ(DecideColoring(ColorChoice::kAlways, -1), Coloring::kOn);
  EXPECT_EQ(DecideColoring(ColorChoice::kNever, -1), Coloring::kOff);
  EXPECT_EQ(DecideColoring(ColorChoice::kAuto, -1), Coloring::kOff);
}

TEST(Files, WriteThenReadGivesTheContent) {
  const auto directory = TemporaryDirectory::Create();
  ASSERT_TRUE(directory.has_value());
  EXPECT_LT(directory->path().size(), 60u);
  const std::string path = directory->path() + "/a.yaml";
  ASSERT_TRUE(WriteFileAtomically(path, "one"));
  ASSERT_TRUE(WriteFileAtomically(path, "two"));
  EXPECT_EQ(*ReadFile(path), "two");
  ASSERT_TRUE(WriteFileAtomically(directory->path() + "/b.txt", ""));
  EXPECT_EQ(*ListFiles(directory->path(), ".yaml"), std::vector<std::string>{path});
  EXPECT_EQ(ListFiles(directory->path(), "")->size(), 2u);
}

TEST(Files, ErrorsNameTheFileAndTheReason) {
  const auto directory = TemporaryDirectory::Create();
  ASSERT_TRUE(directory.has_value());
  const std::string path = directory->path() + "/x";
  EXPECT_EQ(ReadFile(path).error(), (Error{Code::kNotFound, path + ": no such file or directory"}));
  EXPECT_EQ(ReadFile(directory->path()).error().code, Code::kInvalidArgument);
  ASSERT_TRUE(WriteFileAtomically(path, "12345"));
  EXPECT_EQ(ReadFile(path, 4).error().message, path + ": larger than 4 bytes");
  EXPECT_EQ(ListFiles(directory->path() + "/none", "").error().code, Code::kNotFound);
  EXPECT_EQ(WriteFileAtomically(directory->path() + "/none/x", "").error().code, Code::kNotFound);
}

TEST(TemporaryDirectory, DisappearsWithItsContent) {
  std::string path;
  {
    auto directory = TemporaryDirectory::Create();
    ASSERT_TRUE(directory.has_value());
    const TemporaryDirectory moved = *std::move(directory);
    path = moved.path();
    ASSERT_TRUE(WriteFileAtomically(path + "/x", "1"));
  }
  EXPECT_NE(::access(path.c_str(), F_OK), 0);
}

}  // namespace
}  // namespace kumiko
