#include "report/placement_page.h"

#include <gtest/gtest.h>

#include <sstream>

#include "report/text.h"

namespace kumiko::report {
namespace {

constexpr std::int64_t kGi = 1LL << 30;

PlacementPage Page() {
  PlacementPage page;
  page.title = "2 pods on 1 GPU";
  page.pods = {{"demo/a", "part 3g.40gb", "n", "gpu-0-mig-3g40gb-9-0", "3g.40gb"}};
  page.gpus = {{.node = "n",
                .gpu = "gpu-0",
                .model = "A100",
                .strip = {.slots = 8, .parts = {{0, 4, PartState::kPart, ProfileLabels("3g.40gb")}}},
                .memory_used_bytes = 20 * kGi,
                .memory_bytes = 80 * kGi,
                .pods = 1}};
  page.totals = {.pods_running = 1,
                 .pods = 2,
                 .gpus_held = 1,
                 .gpus = 1,
                 .memory_bytes = {20 * kGi, 40 * kGi, 80 * kGi},
                 .multiprocessors = {42, 42, 108}};
  page.whole_gpus = WholeGpuRun{page.totals, {{"Job demo/b", "demo/b", 2, "", ""}, {"", "demo/c", 0, "", ""}}};
  page.waiting = {{"Job demo/b", "demo/b", 2, "part 7g.80gb", "no GPU is whole"}};
  return page;
}

TEST(PlacementPage, ShowsPodsGpusTotalsAndWhatWaits) {
  EXPECT_EQ(Draw(Page(), {}),
            "2 pods on 1 GPU\n\n"
            "POD      ASKED FOR      NODE   DEVICE                 PROFILE\n"
            "demo/a   part 3g.40gb   n      gpu-0-mig-3g40gb-9-0   3g.40gb\n\n"
            "NODE   GPU     MODEL   STRIP                       MEMORY USED        PODS\n"
            "n      gpu-0   A100    │3g.40gb    │···········│   20 GiB of 80 GiB      1\n\n"
            "PLACED ON         PODS RUN   GPUS HELD   MEMORY USED                  COMPUTE USED\n"
            "GPUs and parts    1 of 2     1 of 1      █████▒▒▒▒▒··········  25 %   ████████············  39 %\n"
            "whole GPUs only   1 of 2     1 of 1      █████▒▒▒▒▒··········  25 %   ████████············  39 %\n"
            "█ used   ▒ held by a pod, not used   · free\n"
            "On whole GPUs these would wait: demo/b and 2 more, demo/c\n\n"
            "WAITING\n"
            "demo/b and 2 more ask for part 7g.80gb\n"
            "   no GPU is whole\n");
}

TEST(PlacementPage, SumsUpRowsBeyondTheLimit) {
  PlacementPage page = Page();
  page.pods.resize(5, page.pods.front());
  page.max_pods = 2;
  EXPECT_NE(Draw(page, {}).find("and 3 more pods\n"), std::string::npos);
}

TEST(PlacementPage, ShowsFailedPodsAndWhy) {
  PlacementPage page = Page();
  page.failed = {{"demo/c", "the program ended with 1"}};
  EXPECT_NE(Draw(page, {}).find("\nFAILED\ndemo/c\n   the program ended with 1\n"), std::string::npos);
}

TEST(PlacementPage, KeepsToTheWidth) {
  PlacementPage page = Page();
  page.pods.front().name = std::string(150, 'x');
  page.waiting.front().reason =
      "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
      "sixteen seventeen";
  Style style;
  style.width = 100;
  std::istringstream lines(Draw(page, style));
  for (std::string line; std::getline(lines, line);) EXPECT_LE(Cells(line), 100U) << line;
}

}  // namespace
}  // namespace kumiko::report
