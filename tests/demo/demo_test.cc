// The demo's numbers come from the store: a changed example changes them by what was changed.
#include "cli/demo.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <sstream>
#include <string>

#include "base/clock.h"
#include "base/files.h"
#include "cli/manifests.h"
#include "cli/up.h"
#include "localcluster/cluster.h"

namespace kumiko::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::int64_t kGi = std::int64_t{1} << 30;

// A copy of examples/ that a test may edit.
class Demo : public ::testing::Test {
 protected:
  Demo() : directory_(*TemporaryDirectory::Create()) {
    std::filesystem::copy(std::string(KUMIKO_SOURCE_DIR) + "/examples", examples(),
                          std::filesystem::copy_options::recursive);
  }

  std::string examples() const { return directory_.path() + "/examples"; }

  std::string Run() const {
    UpOptions options;
    options.examples = examples();
    options.demo = true;
    options.ascii = true;
    std::ostringstream out;
    std::ostringstream err;
    EXPECT_EQ(RunUp(options, out, err), ExitCode::kDone) << err.str();
    return out.str();
  }

  // The values that Run draws.
  report::PlacementPage Page() const {
    const auto file = localcluster::ReadClusterFile(examples() + "/clusters/demo.yaml");
    EXPECT_TRUE(file) << file.error().message;
    const ManualClock clock;
    auto cluster = localcluster::Cluster::Create(*file, {}, clock);
    EXPECT_TRUE(cluster) << cluster.error().message;
    const auto documents = ReadManifests({examples() + "/demo"});
    EXPECT_TRUE((*cluster)->Apply(*documents));
    EXPECT_TRUE((*cluster)->RunUntilIdle());
    auto page = PageOf(**cluster);
    EXPECT_TRUE(page) << page.error().message;
    page->whole_gpus = *RunOnWholeGpus(**cluster, *file, {});
    return *page;
  }

  void Replace(const std::string& file, const std::string& from, const std::string& to) const {
    const std::string path = examples() + "/demo/" + file;
    std::string text = *ReadFile(path);
    const std::size_t at = text.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    text.replace(at, from.size(), to);
    ASSERT_TRUE(WriteFileAtomically(path, text));
  }

  TemporaryDirectory directory_;
};

TEST_F(Demo, GivesEachPodWhatItAskedFor) {
  const report::PlacementPage page = Page();
  for (const report::PlacedPod& pod : page.pods) {
    if (pod.name.starts_with("chat-")) {
      EXPECT_EQ(pod.node, "h100");
      EXPECT_EQ(pod.profiles, "1g.20gb");
    }
    if (pod.name.starts_with("evaluate-")) {
      EXPECT_EQ(pod.profiles, "1g.10gb");
    }
    if (pod.name.starts_with("detect-")) {
      EXPECT_EQ(pod.node, "t4");
    }
    if (pod.name == "tune") {
      EXPECT_EQ(pod.profiles, "3g.40gb");
    }
    if (pod.name == "train") {
      EXPECT_EQ(pod.node, "h100");
      EXPECT_THAT(pod.devices, ::testing::AnyOf("gpu-0 gpu-1", "gpu-2 gpu-3"));
    }
  }
  EXPECT_EQ(page.totals.pods_running, 13);
  EXPECT_EQ(page.totals.pods, 14);
  ASSERT_EQ(page.waiting.size(), 1U);
  EXPECT_EQ(page.waiting.front().name, "next-generation");
  EXPECT_THAT(page.waiting.front().reason, HasSubstr("Blackwell"));
  // The two A100 are in MIG mode, where an Ampere board publishes no whole GPU.
  EXPECT_THAT(page.waiting.front().reason, HasSubstr("2 more boards give parts only"));
}

TEST_F(Demo, ComparesWithASecondRunOnWholeGpus) {
  const report::PlacementPage page = Page();
  ASSERT_TRUE(page.whole_gpus);
  EXPECT_EQ(page.whole_gpus->totals.pods, page.totals.pods);
  EXPECT_EQ(page.whole_gpus->totals.gpus, page.totals.gpus);
  // Eight GPUs: train takes two, so at most seven pods run.
  EXPECT_LE(page.whole_gpus->totals.pods_running, 7);
  EXPECT_LT(page.whole_gpus->totals.memory_bytes.used, page.totals.memory_bytes.used);
  EXPECT_EQ(page.whole_gpus->totals.memory_bytes.total, page.totals.memory_bytes.total);
}

TEST_F(Demo, AChangedCountChangesTheNumbersByThatMuch) {
  const report::PlacementPage before = Page();
  Replace("2-a-small-part.yaml", "parallelism: 6", "parallelism: 4");
  const report::PlacementPage after = Page();
  EXPECT_EQ(after.totals.pods_running, before.totals.pods_running - 2);
  EXPECT_EQ(after.totals.memory_bytes.used, before.totals.memory_bytes.used - 2 * 8 * kGi);
  EXPECT_THAT(Run(), HasSubstr("11 of 12 pods run"));
}

TEST_F(Demo, ADeletedPodIsGoneFromEveryNumber) {
  const report::PlacementPage before = Page();
  ASSERT_TRUE(std::filesystem::remove(examples() + "/demo/3-two-gpus-on-one-pcie-root.yaml"));
  const report::PlacementPage after = Page();
  EXPECT_EQ(after.totals.pods_running, before.totals.pods_running - 1);
  EXPECT_EQ(after.totals.memory_bytes.used, before.totals.memory_bytes.used - 140 * kGi);
  EXPECT_GT(after.whole_gpus->totals.pods_running, before.whole_gpus->totals.pods_running);
  EXPECT_THAT(Run(), Not(HasSubstr("train ")));
}

TEST_F(Demo, TheSameFilesGiveTheSameBytes) {
  EXPECT_EQ(Run(), Run());
}

TEST_F(Demo, FitsOnAScreen) {
  std::istringstream lines(Run());
  int count = 0;
  for (std::string line; std::getline(lines, line); ++count) {
    EXPECT_LE(line.size(), 100U) << line;
    EXPECT_EQ(line.find('\x1b'), std::string::npos) << "colour, though this is no terminal: " << line;
  }
  EXPECT_LE(count, 45);
}

}  // namespace
}  // namespace kumiko::cli
