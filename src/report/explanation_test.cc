#include "report/explanation.h"

#include <gtest/gtest.h>

namespace kumiko::report {
namespace {

Explanation Example() {
  Explanation explanation;
  explanation.kind = "Pod";
  explanation.namespace_ = "ml";
  explanation.name = "train-7";
  explanation.verdict = Verdict::kWaitingForRoom;
  explanation.because = "no node has 8 free H100 GPUs; the nearest has 7";
  explanation.asked = {"8 × gpu.nvidia.com, on one node (claim train-7-gpus, request gpus)"};
  explanation.place = Place{.unit = "node",
                            .total = 12,
                            .where = "",
                            .rows = {{6, "SelectorFalse", "productName is A100, needs H100", {}},
                                     {5, "DeviceTaken", "free GPUs: 0 of 8 needed", {}},
                                     {1, "DeviceTaint", "taint xid=79 not tolerated, 7 of 8 free", {"gpu-09"}}}};
  explanation.changes = {{true, "ask for 4 instead of 8", "starts now on gpu-04"},
                         {false, "wait for others to end", "does not help"}};
  explanation.when = "no estimate: ml/eval-3 declares no end";
  explanation.seen.age = std::chrono::milliseconds(800);
  explanation.seen.resource_version = "48213";
  return explanation;
}

TEST(ExplanationText, StandsInTheOrderOfTheSpecification) {
  EXPECT_EQ(Draw(Example(), {}, false),
            "ml/train-7 is waiting for room: no node has 8 free H100 GPUs; the nearest has 7.\n"
            "\n"
            "Asked    8 × gpu.nvidia.com, on one node (claim train-7-gpus, request gpus)\n"
            "Place    none of 12 nodes\n"
            "         6   productName is A100, needs H100\n"
            "         5   free GPUs: 0 of 8 needed\n"
            "         1   taint xid=79 not tolerated, 7 of 8 free   gpu-09\n"
            "Change   ● ask for 4 instead of 8   starts now on gpu-04\n"
            "         ○ wait for others to end   does not help\n"
            "When     no estimate: ml/eval-3 declares no end\n"
            "Seen     0.8 s ago, resourceVersion 48213\n");
}

TEST(ExplanationText, GivesWayToNarrowTerminalsWithoutUnicode) {
  Style narrow;
  narrow.width = 44;
  narrow.unicode = false;
  EXPECT_EQ(Draw(Example(), narrow, false),
            "ml/train-7 is waiting for room: no node has\n"
            "8 free H100 GPUs; the nearest has 7.\n"
            "\n"
            "Asked    8 x gpu.nvidia.com, on one node\n"
            "           (claim train-7-gpus, request\n"
            "           gpus)\n"
            "Place    none of 12 nodes\n"
            "         6   productName is A100, needs H100\n"
            "         5   free GPUs: 0 of 8 needed\n"
            "         1   taint xid=79 not tolerated, 7\n"
            "             of 8 free: gpu-09\n"
            "Change   * ask for 4 instead of 8: starts\n"
            "           now on gpu-04\n"
            "         o wait for others to end: does not\n"
            "           help\n"
            "When     no estimate: ml/eval-3 declares no\n"
            "           end\n"
            "Seen     0.8 s ago, resourceVersion 48213\n");
}

TEST(ExplanationText, ManyRowsStillAddUp) {
  Explanation explanation = Example();
  explanation.place->rows.clear();
  for (std::size_t i = 1; i <= 10; ++i)
    explanation.place->rows.push_back({i, "Host", "reason " + std::to_string(i), {}});
  explanation.place->total = 55;
  const std::string text = Draw(explanation, {}, false);
  EXPECT_NE(text.find("         6   for 3 other reasons; -v lists them\n         4   reason 4\n"), std::string::npos)
      << text;
  EXPECT_EQ(Draw(explanation, {}, true).find("other reasons"), std::string::npos);
}

TEST(ExplanationText, NamesCannotDriveTheTerminal) {
  Explanation explanation = Example();
  explanation.name = "a\x1b[2Jb";
  EXPECT_NE(Draw(explanation, {}, false).find("ml/a\\x1b[2Jb is waiting"), std::string::npos);
}

}  // namespace
}  // namespace kumiko::report
