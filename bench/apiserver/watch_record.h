// What one watch has told, as resourceVersions and the times at which they came, and whether that is what happened.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kumiko::bench {

using Moment = std::chrono::steady_clock::time_point;

// The number of the first `"resourceVersion":"N"` in the text of an object, which is that of its metadata.
std::optional<std::uint64_t> VersionIn(std::string_view object);

// A write that the server has acknowledged.
struct Write {
  std::string namespace_;
  Moment sent;
};
using Writes = std::map<std::uint64_t, Write>;  // by resourceVersion

class WatchRecord {
 public:
  // Of the writes in namespace `covered`; empty: in all.
  explicit WatchRecord(std::string covered) : namespace_(std::move(covered)) {}

  // A part of the body, which came at `now`.
  void Take(std::string_view part, Moment now);

  bool Covers(const Write& write) const { return namespace_.empty() || namespace_ == write.namespace_; }
  std::uint64_t last() const { return last_; }
  std::uint64_t events() const { return events_.size(); }

  struct Verdict {
    std::uint64_t missing = 0;     // writes that it did not tell
    std::uint64_t disordered = 0;  // events whose version is not above that of the event before
    std::uint64_t unreadable = 0;  // lines that are no event of an object
    std::uint64_t others = 0;      // events of what somebody else wrote
    std::vector<double> lags_ms = {};  // from the sending of each write until it was told
  };
  Verdict Judge(const Writes& writes) const;

 private:
  void TakeLine(std::string_view line, Moment now);

  struct Event {
    std::uint64_t version;
    Moment came;
  };
  std::string namespace_;
  std::string line_;  // what has come of it
  std::vector<Event> events_;
  std::uint64_t last_ = 0;
  std::uint64_t disordered_ = 0;
  std::uint64_t unreadable_ = 0;
};

}  // namespace kumiko::bench
