#include "localcluster/state_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/clock.h"
#include "base/files.h"
#include "localcluster/store.h"

namespace kumiko::localcluster {
namespace {

using ::testing::HasSubstr;

Json ConfigMap(const std::string& name, std::size_t bytes = 1) {
  return {{"apiVersion", "v1"},
          {"kind", "ConfigMap"},
          {"metadata", {{"name", name}, {"namespace", "default"}}},
          {"data", {{"text", std::string(bytes, 'x')}}}};
}

class StateFileTest : public ::testing::Test {
 protected:
  // A store on the directory, as a process that starts has it.
  struct Opened {
    std::unique_ptr<StateFile> file;
    std::unique_ptr<Store> store;
  };
  Opened Open() {
    Opened opened;
    opened.file = StateFile::Open(directory_.path() + "/state").value();
    opened.store = std::make_unique<Store>(
        clock_, StoreOptions{.seed = 1, .state = opened.file.get(), .content = opened.file->Read().value()});
    return opened;
  }

  TemporaryDirectory directory_ = TemporaryDirectory::Create().value();
  ManualClock clock_{Time{1'700'000'000'000'000}};
};

TEST_F(StateFileTest, ObjectsAndRevisionOutliveTheStore) {
  std::shared_ptr<const Json> small;
  std::shared_ptr<const Json> large;
  std::uint64_t revision = 0;
  {
    const Opened first = Open();
    small = first.store->Create(ConfigMap("small")).value();
    large = first.store->Create(ConfigMap("large", 100'000)).value();
    ASSERT_TRUE(first.store->Create(ConfigMap("gone")));
    ASSERT_TRUE(first.store->Delete({"ConfigMap", "default", "gone"}, {}));
    ASSERT_TRUE(first.store->AwaitWritten());
    revision = first.store->Revision();
  }
  const Opened second = Open();
  const std::uint64_t after = second.store->Revision();
  EXPECT_GT(after, revision) << "what a kill took may have been seen, so it is not given again";
  EXPECT_EQ(*second.store->Get({"ConfigMap", "default", "small"}).value(), *small);
  EXPECT_EQ(*second.store->Get({"ConfigMap", "default", "large"}).value(), *large);
  EXPECT_EQ(second.store->Get({"ConfigMap", "default", "gone"}).error().code, Code::kNotFound);
  const auto fresh = second.store->Create(ConfigMap("fresh")).value();
  EXPECT_NE(StringAt(*fresh, {"metadata", "uid"}), StringAt(*small, {"metadata", "uid"}));
  EXPECT_EQ(StringAt(*fresh, {"metadata", "resourceVersion"}), std::to_string(after + 1));
}

TEST_F(StateFileTest, AWatchFromBeforeListsAgain) {
  std::string version;
  {
    const Opened first = Open();
    version = first.store->List({"ConfigMap", "", ""}).value().resource_version;
    ASSERT_TRUE(first.store->Create(ConfigMap("later")));
  }
  const Opened second = Open();
  EXPECT_EQ(second.store->StartWatch({"ConfigMap", "", ""}, version).error().code, Code::kConflict);
  const std::string now = second.store->List({"ConfigMap", "", ""}).value().resource_version;
  EXPECT_TRUE(second.store->StartWatch({"ConfigMap", "", ""}, now));
}

TEST_F(StateFileTest, OneProcessAtATime) {
  const Opened first = Open();
  const auto second = StateFile::Open(directory_.path() + "/state");
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, Code::kAlreadyExists);
  EXPECT_THAT(second.error().message, HasSubstr("--state"));
}

TEST_F(StateFileTest, RefusesWhatIsNotItsOwn) {
  ASSERT_TRUE(StateFile::Open(directory_.path() + "/state"));
  ASSERT_TRUE(WriteFileAtomically(directory_.path() + "/state/state.db", "hello, this is no database at all, is it?"));
  EXPECT_THAT(StateFile::Open(directory_.path() + "/state").error().message, HasSubstr("state.db"));
  EXPECT_EQ(StateFile::Open("/nowhere/below").error().code, Code::kPermission);
}

}  // namespace
}  // namespace kumiko::localcluster
