#include "node/unix_listener.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <stop_token>

#include "base/files.h"
#include "node/plugin_lock.h"

namespace kumiko::node {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

bool CanConnect(const std::string& path) {
  struct sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path.data(), path.size());
  const int socket = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const bool connected = ::connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0;
  ::close(socket);
  return connected;
}

class UnixListenerTest : public ::testing::Test {
 protected:
  std::unique_ptr<UnixListener> Listen() {
    auto listener = UnixListener::Start(path(), [this](int connection) {
      ::close(connection);
      const std::scoped_lock lock(mutex_);
      ++accepted_;
      changed_.notify_all();
    });
    EXPECT_TRUE(listener.has_value()) << listener.error().message;
    return *std::move(listener);
  }
  bool AwaitAccepted(int count) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::seconds(10), [&] { return accepted_ >= count; });
  }
  // Looks every 20 ms, at most 2 s and a bit for a loaded machine.
  static bool AwaitLost(const UnixListener& listener, int times) {
    std::mutex mutex;
    std::condition_variable never;
    std::unique_lock lock(mutex);
    for (int i = 0; i < 250 && listener.times_lost() < times; ++i) never.wait_for(lock, std::chrono::milliseconds(20));
    return listener.times_lost() == times;
  }
  std::string path() const { return folder_.path() + "/a.sock"; }
  const std::string& folder() const { return folder_.path(); }

 private:
  TemporaryDirectory folder_ = *TemporaryDirectory::Create();
  std::mutex mutex_;
  std::condition_variable changed_;
  int accepted_ = 0;
};

TEST_F(UnixListenerTest, TakesConnectionsAndLeavesNothingBehind) {
  {
    const auto listener = Listen();
    EXPECT_TRUE(CanConnect(path()));
    EXPECT_TRUE(CanConnect(path()));
    EXPECT_TRUE(AwaitAccepted(2));
  }
  EXPECT_TRUE(fs::is_empty(folder()));
}

TEST_F(UnixListenerTest, StaleFileIsReplaced) {
  std::ofstream(path()) << "left behind";
  const auto listener = Listen();
  EXPECT_TRUE(CanConnect(path()));
}

TEST_F(UnixListenerTest, RemovedSocketIsMadeAnew) {
  const auto listener = Listen();
  fs::remove(path());
  EXPECT_TRUE(AwaitLost(*listener, 1));
  EXPECT_TRUE(CanConnect(path()));
}

TEST_F(UnixListenerTest, StolenSocketIsNoticedAndTakenBack) {
  const auto listener = Listen();
  fs::remove(path());
  std::ofstream(path()) << "a thief's";
  EXPECT_TRUE(AwaitLost(*listener, 1));
  EXPECT_TRUE(CanConnect(path()));
  EXPECT_TRUE(AwaitAccepted(1));
}

TEST_F(UnixListenerTest, AtTheEndAnothersFileStays) {
  {
    const auto listener = Listen();
    fs::remove(path());
    std::ofstream(path()) << "another's";
  }
  EXPECT_EQ(ReadFile(path()).value_or(""), "another's");
}

TEST_F(UnixListenerTest, PathThatIsTooLongIsTold) {
  const auto listener = UnixListener::Start(folder() + "/" + std::string(100, 'x'), [](int) {});
  ASSERT_FALSE(listener.has_value());
  EXPECT_THAT(listener.error().message, HasSubstr("at most 106 bytes"));
}

using PluginLockTest = UnixListenerTest;

TEST_F(PluginLockTest, SecondWaitsUntilTheFirstHasEnded) {
  auto first = PluginLock::Take(folder(), {});
  ASSERT_TRUE(first.has_value() && first->has_value());
  std::atomic<bool> taken = false;
  std::jthread second([&] {
    const auto lock = PluginLock::Take(folder(), {});
    taken = lock.has_value() && lock->has_value();
  });
  std::stop_source stop;
  std::jthread third([&] { stop.request_stop(); });
  const auto stopped = PluginLock::Take(folder(), stop.get_token());
  ASSERT_TRUE(stopped.has_value());
  EXPECT_FALSE(stopped->has_value()) << "stopped while it waited";
  EXPECT_FALSE(taken);
  first->reset();
  second.join();
  EXPECT_TRUE(taken);
}

}  // namespace
}  // namespace kumiko::node
