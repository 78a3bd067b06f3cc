#include "node/claim_preparer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <thread>

#include "tests/node/node.h"

namespace kumiko::node {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

class ClaimPreparerTest : public ::testing::Test {
 protected:
  ClaimPreparerTest() { Restart(); }

  // As a process that starts anew; with another boot id, after a reboot.
  void Restart(const std::string& boot = "boot-1") {
    preparer_.reset();
    journal_.reset();
    auto opened = ClaimJournal::Open(node_.folder("journal"), boot);
    ASSERT_TRUE(opened.has_value()) << opened.error().message;
    journal_ = std::move(opened->journal);
    preparer_ = std::make_unique<ClaimPreparer>(node_.api(), *journal_,
                                                PreparerOptions{.node_name = "node-0", .cdi_root = node_.folder("cdi")},
                                                opened->origin);
    preparer_->SetInventory(inventory_);
  }
  void LoseJournal() {
    preparer_.reset();
    journal_.reset();
    fs::remove(node_.folder("journal"));
  }

  Result<std::vector<PreparedDevice>> Prepare(const ClaimReference& claim) {
    const auto results = preparer_->Prepare({claim});
    if (!results) return tl::unexpected<Error>(results.error());
    return results->at(claim.uid);
  }
  Status Unprepare(const ClaimReference& claim) { return preparer_->Unprepare({claim}).at(claim.uid); }
  static std::string Refusal(const Result<std::vector<PreparedDevice>>& result) {
    return result ? "prepared" : result.error().message;
  }

  Node node_;
  std::shared_ptr<const Inventory> inventory_ = node_.GetInventory();
  std::unique_ptr<ClaimJournal> journal_;
  std::unique_ptr<ClaimPreparer> preparer_;
};

TEST_F(ClaimPreparerTest, WholeGpusArePreparedAndEverythingIsUndone) {
  const ClaimReference claim = node_.Allocate("train", {"gpu-1", "gpu-0"});
  const auto devices = Prepare(claim);
  ASSERT_TRUE(devices.has_value()) << devices.error().message;
  const std::string id = "k8s.gpu.nvidia.com/claim=" + claim.uid + "-";
  EXPECT_THAT(*devices, ElementsAre(PreparedDevice{{"r0"}, "node-0", "gpu-1", {id + "gpu-1"}},
                                    PreparedDevice{{"r1"}, "node-0", "gpu-0", {id + "gpu-0"}}));
  const auto file = ReadFile(node_.CdiFile(claim));
  ASSERT_TRUE(file.has_value());
  EXPECT_THAT(*file, AllOf(HasSubstr("- name: " + claim.uid + "-gpu-1"), HasSubstr("path: /dev/nvidia1"),
                           HasSubstr("hostPath: /host/driver/dev/nvidia1"), HasSubstr("NVIDIA_VISIBLE_DEVICES=void"),
                           HasSubstr("/libnvidia-ml.so.1"), HasSubstr("libnvidia-fakeboards.so.580.95.05"),
                           HasSubstr("containerPath: /usr/bin/nvidia-smi")));
  ASSERT_TRUE(Unprepare(claim).has_value());
  EXPECT_FALSE(fs::exists(node_.CdiFile(claim)));
  EXPECT_TRUE(journal_->All().empty());
  EXPECT_TRUE(Unprepare(claim).has_value()) << "once more, as the kubelet does";
}

TEST_F(ClaimPreparerTest, SecondCallIsAnsweredAlikeWithoutTheApi) {
  const ClaimReference claim = node_.Allocate("train", {"gpu-0"});
  const auto first = Prepare(claim);
  ASSERT_TRUE(first.has_value());
  node_.DeleteClaim("train");
  EXPECT_EQ(Prepare(claim), first);
  fs::remove(node_.CdiFile(claim));
  EXPECT_EQ(Prepare(claim), first);
  EXPECT_TRUE(fs::exists(node_.CdiFile(claim))) << "somebody had cleared the folder";
}

TEST_F(ClaimPreparerTest, PreparedClaimsOutliveTheProcessAndItsApiServer) {
  const ClaimReference claim = node_.Allocate("train", {"gpu-0"});
  const auto first = Prepare(claim);
  ASSERT_TRUE(first.has_value());
  Restart();
  node_.DeleteClaim("train");
  EXPECT_EQ(Prepare(claim), first);
  EXPECT_THAT(Refusal(Prepare(node_.Allocate("other", {"gpu-0"}))), HasSubstr("already allocated to different claim"));
  EXPECT_TRUE(Unprepare(claim).has_value());
  EXPECT_FALSE(fs::exists(node_.CdiFile(claim)));
}

TEST_F(ClaimPreparerTest, OneDeviceIsNeverGivenToTwoClaims) {
  const ClaimReference first = node_.Allocate("first", {"gpu-0"});
  const ClaimReference second = node_.Allocate("second", {"gpu-1", "gpu-0"});
  ASSERT_TRUE(Prepare(first).has_value());
  EXPECT_THAT(Refusal(Prepare(second)), AllOf(HasSubstr("requested device gpu-0"), HasSubstr("ml/second"),
                                              HasSubstr("different claim ml/first")));
  EXPECT_FALSE(fs::exists(node_.CdiFile(second)));
  ASSERT_TRUE(Prepare(node_.Allocate("third", {"gpu-1"})).has_value()) << "the refused claim took nothing";
  ASSERT_TRUE(Unprepare(first).has_value());
  const ClaimReference fourth = node_.Allocate("fourth", {"gpu-0"});
  EXPECT_TRUE(Prepare(fourth).has_value());
}

TEST_F(ClaimPreparerTest, OfManyCallsForOneGpuOneClaimGetsIt) {
  std::vector<ClaimReference> claims;
  for (int i = 0; i < 8; ++i) claims.push_back(node_.Allocate(fmt::format("claim-{}", i), {"gpu-0"}));
  std::atomic<int> prepared = 0;
  {
    std::vector<std::jthread> threads;
    for (const ClaimReference& claim : claims) {
      threads.emplace_back([&, claim] {
        if (Prepare(claim)) ++prepared;
      });
    }
  }
  EXPECT_EQ(prepared, 1);
  EXPECT_EQ(journal_->All().size(), 1u);
}

TEST_F(ClaimPreparerTest, ClaimThatCannotBeUsedFailsTheWholeCall) {
  const ClaimReference unallocated = node_.CreateClaim("waits");
  EXPECT_THAT(preparer_->Prepare({unallocated}).error().message, HasSubstr("is not allocated"));
  ClaimReference old = node_.Allocate("again", {"gpu-0"});
  old.uid = "00000000-0000-0000-0000-000000000000";
  EXPECT_THAT(preparer_->Prepare({old}).error().message, HasSubstr("got replaced"));
  const auto missing = preparer_->Prepare({{"ml", "nobody", "uid"}});
  ASSERT_FALSE(missing.has_value());
  EXPECT_EQ(missing.error().code, Code::kNotFound);
}

TEST_F(ClaimPreparerTest, OtherFailuresAreTheClaimsOwn) {
  const ClaimReference wrong = node_.Allocate("wrong", {"gpu-7"});
  const ClaimReference right = node_.Allocate("right", {"gpu-0"});
  const auto results = preparer_->Prepare({wrong, right});
  ASSERT_TRUE(results.has_value());
  EXPECT_THAT(Refusal(results->at(wrong.uid)), HasSubstr("this node, node-0, has no device gpu-7 in pool node-0"));
  EXPECT_TRUE(results->at(right.uid).has_value());
}

TEST_F(ClaimPreparerTest, SharingThatIsNotThereIsRefusedByItsGate) {
  const std::string config =
      R"(, "config": [{"source": "FromClaim", "requests": ["r0"], "opaque": {"driver": "gpu.nvidia.com",
    "parameters": {"apiVersion": "resource.nvidia.com/v1beta1", "kind": "GpuConfig", "sharing": {"strategy": "MPS"}}}}])";
  EXPECT_THAT(Refusal(Prepare(node_.Allocate("mps", {"gpu-0"}, config))), HasSubstr("feature gate MPSSupport"));
  EXPECT_TRUE(journal_->All().empty());
}

TEST_F(ClaimPreparerTest, WithoutADriverPrepareWaitsAndUnprepareDoesNot) {
  const ClaimReference claim = node_.Allocate("train", {"gpu-0"});
  ASSERT_TRUE(Prepare(claim).has_value());
  Restart();
  preparer_->SetInventory(nullptr);
  preparer_->SetWhyNot("no libnvidia-ml.so.1");
  EXPECT_THAT(Refusal(Prepare(node_.Allocate("next", {"gpu-1"}))),
              HasSubstr("the NVIDIA driver of this node cannot be used yet: no libnvidia-ml.so.1"));
  EXPECT_TRUE(Unprepare(claim).has_value());
}

TEST_F(ClaimPreparerTest, IntentOfAKilledProcessIsUndoneAtTheNextStart) {
  const ClaimReference claim = node_.Allocate("train", {"gpu-0"});
  const ClaimEntry intent{claim.uid, "ml", "train", false, {{{"r0"}, "node-0", "gpu-0", "GPU-x", false}}};
  ASSERT_TRUE(journal_->Put(intent).has_value());
  fs::create_directories(node_.folder("cdi"));
  ASSERT_TRUE(WriteFileAtomically(node_.CdiFile(claim), "half").has_value());
  Restart();
  EXPECT_TRUE(journal_->All().empty());
  EXPECT_FALSE(fs::exists(node_.CdiFile(claim)));
  EXPECT_TRUE(Prepare(claim).has_value());
}

TEST_F(ClaimPreparerTest, LostJournalIsRebuiltFromFilesAndClaims) {
  const ClaimReference runs = node_.Allocate("runs", {"gpu-0"});
  const ClaimReference gone = node_.Allocate("gone", {"gpu-1"});
  ASSERT_TRUE(Prepare(runs).has_value());
  ASSERT_TRUE(Prepare(gone).has_value());
  node_.DeleteClaim("gone");
  LoseJournal();
  Restart();
  EXPECT_THAT(Refusal(Prepare(node_.Allocate("thief", {"gpu-0"}))), HasSubstr("different claim ml/runs"));
  EXPECT_FALSE(fs::exists(node_.CdiFile(gone)));
  EXPECT_TRUE(Prepare(node_.Allocate("next", {"gpu-1"})).has_value());
  EXPECT_TRUE(Unprepare(runs).has_value());
}

TEST_F(ClaimPreparerTest, RebootClearsWhatWasPrepared) {
  const ClaimReference claim = node_.Allocate("train", {"gpu-0"});
  ASSERT_TRUE(Prepare(claim).has_value());
  Restart("boot-2");
  EXPECT_FALSE(fs::exists(node_.CdiFile(claim)));
  EXPECT_TRUE(Prepare(claim).has_value());
}

}  // namespace
}  // namespace kumiko::node
