// What an MPS control daemon knows and answers: limits of clients, servers. Pure but for the servers, which the daemon
// starts and ends.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace kumiko::fakenvml {

struct MpsAnswer {
  bool ok = true;
  std::string text;  // lines, each with its end
};

class MpsDaemon {
 public:
  // `devices`: UUIDs of the devices that the daemon serves, in the order of their ordinals. `start_server` starts a
  // server for a user and gives its process id, 0 when that fails.
  MpsDaemon(std::vector<std::string> devices, std::function<int(unsigned uid)> start_server)
      : devices_(std::move(devices)), start_server_(std::move(start_server)) {}

  // Carries out one line that a control program sent:
  //   get_default_active_thread_percentage, set_default_active_thread_percentage N
  //   get_default_device_pinned_mem_limit DEVICE, set_default_device_pinned_mem_limit DEVICE LIMIT
  //   get_active_thread_percentage PID, get_device_pinned_mem_limit PID DEVICE       of a server
  //   get_device_list, get_server_list, start_server -uid N, quit [-t SECONDS]
  // DEVICE is a UUID or an ordinal, LIMIT a number with K, M or G, or UNLIMITED.
  MpsAnswer Run(std::string_view line);

  bool quit() const { return quit_; }
  void ServerEnded(int pid) { servers_.erase(pid); }
  std::vector<int> servers() const;

 private:
  struct Limits {
    std::string thread_percentage = "100.0";
    std::map<std::string, std::string> pinned_memory;  // by UUID; absent: no limit
  };

  MpsAnswer SetPercentage(const std::string& text);
  MpsAnswer SetPinnedMemory(const std::string& device, const std::string& limit);
  MpsAnswer PinnedMemory(const Limits& limits, const std::string& device) const;
  MpsAnswer StartServer(const std::string& uid);
  MpsAnswer OfServer(const std::string& pid, const std::function<MpsAnswer(const Limits&)>& answer) const;
  // The device's UUID; empty when the daemon does not serve it.
  std::string FindDevice(const std::string& text) const;

  std::vector<std::string> devices_;
  std::function<int(unsigned)> start_server_;
  Limits defaults_;
  std::map<int, Limits> servers_;  // what the defaults were when each was started
  bool quit_ = false;
};

}  // namespace kumiko::fakenvml
