#include "fakenvml/mps/mps_commands.h"

#include <algorithm>
#include <charconv>
#include <optional>

namespace kumiko::fakenvml {
namespace {

std::vector<std::string> Words(std::string_view line) {
  std::vector<std::string> words;
  while (true) {
    const std::size_t start = line.find_first_not_of(" \t\r\n");
    if (start == std::string_view::npos) return words;
    const std::size_t end = std::min(line.find_first_of(" \t\r\n", start), line.size());
    words.emplace_back(line.substr(start, end - start));
    line.remove_prefix(end);
  }
}

template <class Number>
std::optional<Number> Parse(std::string_view text) {
  Number number{};
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failure != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

MpsAnswer Line(std::string text) {
  return {true, std::move(text) + "\n"};
}
MpsAnswer Wrong(std::string text) {
  return {false, std::move(text) + "\n"};
}

// Tenths, as the daemon prints percentages.
std::optional<unsigned> Tenths(std::string_view text) {
  const std::size_t dot = text.find('.');
  const auto whole = Parse<unsigned>(text.substr(0, dot));
  if (!whole || *whole > 100) return std::nullopt;
  if (dot == std::string_view::npos) return *whole * 10;
  const auto tenth = Parse<unsigned>(text.substr(dot + 1, 1));
  if (!tenth) return std::nullopt;
  return *whole * 10 + *tenth;
}

bool IsLimit(std::string_view text) {
  if (text == "UNLIMITED") return true;
  if (text.size() < 2 || std::string_view("KMG").find(text.back()) == std::string_view::npos) return false;
  return Parse<std::uint64_t>(text.substr(0, text.size() - 1)).value_or(0) > 0;
}

}  // namespace

MpsAnswer MpsDaemon::Run(std::string_view line) {
  const std::vector<std::string> words = Words(line);
  if (words.empty()) return {};
  const auto is = [&](std::string_view command, std::size_t arguments) {
    return words[0] == command && words.size() == arguments + 1;
  };
  if (is("get_default_active_thread_percentage", 0)) return Line(defaults_.thread_percentage);
  if (is("set_default_active_thread_percentage", 1)) return SetPercentage(words[1]);
  if (is("get_default_device_pinned_mem_limit", 1)) return PinnedMemory(defaults_, words[1]);
  if (is("set_default_device_pinned_mem_limit", 2)) return SetPinnedMemory(words[1], words[2]);
  if (is("get_active_thread_percentage", 1)) {
    return OfServer(words[1], [](const Limits& limits) { return Line(limits.thread_percentage); });
  }
  if (is("get_device_pinned_mem_limit", 2)) {
    return OfServer(words[1], [&](const Limits& limits) { return PinnedMemory(limits, words[2]); });
  }
  if (is("get_device_list", 0)) {
    MpsAnswer answer;
    for (const std::string& device : devices_) answer.text += device + "\n";
    return answer;
  }
  if (is("get_server_list", 0)) {
    MpsAnswer answer;
    for (const auto& [pid, limits] : servers_) answer.text += std::to_string(pid) + "\n";
    return answer;
  }
  if (is("start_server", 2) && words[1] == "-uid") return StartServer(words[2]);
  if (is("quit", 0) || (is("quit", 2) && words[1] == "-t")) {
    quit_ = true;
    return {};
  }
  return Wrong("Unknown command or wrong arguments: " + words[0]);
}

std::vector<int> MpsDaemon::servers() const {
  std::vector<int> pids;
  for (const auto& [pid, limits] : servers_) pids.push_back(pid);
  return pids;
}

MpsAnswer MpsDaemon::SetPercentage(const std::string& text) {
  const auto tenths = Tenths(text);
  if (!tenths || *tenths == 0 || *tenths > 1000) return Wrong("Invalid percentage " + text + ": above 0, up to 100");
  defaults_.thread_percentage = std::to_string(*tenths / 10) + "." + std::to_string(*tenths % 10);
  return Line(defaults_.thread_percentage);
}

MpsAnswer MpsDaemon::SetPinnedMemory(const std::string& device, const std::string& limit) {
  const std::string uuid = FindDevice(device);
  if (uuid.empty()) return Wrong("Invalid device " + device);
  if (!IsLimit(limit)) return Wrong("Invalid limit " + limit + ": a number with K, M or G");
  defaults_.pinned_memory[uuid] = limit;
  return {};
}

MpsAnswer MpsDaemon::PinnedMemory(const Limits& limits, const std::string& device) const {
  const std::string uuid = FindDevice(device);
  if (uuid.empty()) return Wrong("Invalid device " + device);
  const auto limit = limits.pinned_memory.find(uuid);
  return Line(limit == limits.pinned_memory.end() ? "UNLIMITED" : limit->second);
}

MpsAnswer MpsDaemon::StartServer(const std::string& uid) {
  const auto user = Parse<unsigned>(uid);
  if (!user) return Wrong("Invalid user " + uid);
  const int pid = start_server_(*user);
  if (pid == 0) return Wrong("The server could not be started");
  servers_[pid] = defaults_;
  return {};
}

MpsAnswer MpsDaemon::OfServer(const std::string& pid, const std::function<MpsAnswer(const Limits&)>& answer) const {
  const auto server = servers_.find(Parse<int>(pid).value_or(0));
  if (server == servers_.end()) return Wrong("No server " + pid);
  return answer(server->second);
}

std::string MpsDaemon::FindDevice(const std::string& text) const {
  if (std::ranges::find(devices_, text) != devices_.end()) return text;
  const auto ordinal = Parse<std::size_t>(text);
  return ordinal && *ordinal < devices_.size() ? devices_[*ordinal] : "";
}

}  // namespace kumiko::fakenvml
