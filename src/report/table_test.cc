#include "report/table.h"

#include <gtest/gtest.h>

#include "report/text.h"

namespace kumiko::report {
namespace {

Table Small() {
  return {.columns = {{"NAME", Fit::kCutMiddle, false}, {"GPUS", Fit::kWhole, true}, {"REASON", Fit::kCutEnd, false}},
          .rows = {{{"training-llama-large-worker-7"}, {"8"}, {"no node has 8 free GPUs"}}, {{"a"}, {"12"}, {""}}}};
}

TEST(Table, AlignsColumnsAsKubectlDoes) {
  EXPECT_EQ(Draw(Small(), {}),
            "NAME                            GPUS   REASON\n"
            "training-llama-large-worker-7      8   no node has 8 free GPUs\n"
            "a                                 12   <none>\n");
}

TEST(Table, ShortensNamesInTheMiddleAndSentencesAtTheEndWhenNarrow) {
  Style narrow;
  narrow.width = 44;
  EXPECT_EQ(Draw(Small(), narrow),
            "NAME                GPUS   REASON\n"
            "training…worker-7      8   no node has 8 fr…\n"
            "a                     12   <none>\n");
}

TEST(Table, EscapesControlCharactersOfNames) {
  const Table table{.columns = {{"NAME", Fit::kWhole, false}}, .rows = {{{"a\x1b[2Jb"}}}};
  EXPECT_EQ(Draw(table, {}), "NAME\na\\x1b[2Jb\n");
}

TEST(Text, CutsByCellsNotBytes) {
  EXPECT_EQ(CutEnd("héllo wörld", 6, {}), "héllo…");
  EXPECT_EQ(CutMiddle("日本語のノード", 9, {}), "日本…ード");
  EXPECT_EQ(Wrap("one two three", 7), (std::vector<std::string>{"one two", "three"}));
}

TEST(Text, PrintsSharesAndSizes) {
  EXPECT_EQ(Percent(1, 3), "33 %");
  EXPECT_EQ(Percent(0, 0), "-");
  EXPECT_EQ(BinarySize(16LL << 30), "16 GiB");
  EXPECT_EQ(BinarySize(81559LL << 20), "79.6 GiB");
  EXPECT_EQ(BinarySize(400LL << 30), "400 GiB");
  EXPECT_EQ(BinarySize(1536LL << 30), "1.5 TiB");
}

}  // namespace
}  // namespace kumiko::report
