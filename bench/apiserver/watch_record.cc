#include "watch_record.h"

#include <charconv>

namespace kumiko::bench {

std::optional<std::uint64_t> VersionIn(std::string_view object) {
  constexpr std::string_view kMember = R"("resourceVersion":")";
  const std::size_t at = object.find(kMember);
  if (at == std::string_view::npos) return std::nullopt;
  std::uint64_t version = 0;
  const char* begin = object.data() + at + kMember.size();
  if (std::from_chars(begin, object.data() + object.size(), version).ec != std::errc()) return std::nullopt;
  return version;
}

void WatchRecord::Take(std::string_view part, Moment now) {
  for (;;) {
    const std::size_t newline = part.find('\n');
    if (newline == std::string_view::npos) break;
    if (line_.empty()) {
      TakeLine(part.substr(0, newline), now);
    } else {
      line_ += part.substr(0, newline);
      TakeLine(line_, now);
      line_.clear();
    }
    part.remove_prefix(newline + 1);
  }
  line_ += part;
}

void WatchRecord::TakeLine(std::string_view line, Moment now) {
  if (line.starts_with(R"({"type":"BOOKMARK")")) return;
  const auto version = VersionIn(line);
  if (!version || line.starts_with(R"({"type":"ERROR")")) {
    ++unreadable_;
    return;
  }
  if (*version <= last_) ++disordered_;
  last_ = *version;
  events_.push_back({*version, now});
}

WatchRecord::Verdict WatchRecord::Judge(const Writes& writes) const {
  Verdict verdict{.disordered = disordered_, .unreadable = unreadable_};
  std::map<std::uint64_t, Moment> told;
  for (const Event& event : events_) told.emplace(event.version, event.came);
  for (const auto& [version, write] : writes) {
    if (!Covers(write)) continue;
    const auto found = told.find(version);
    if (found == told.end()) {
      ++verdict.missing;
      continue;
    }
    verdict.lags_ms.push_back(std::chrono::duration<double, std::milli>(found->second - write.sent).count());
  }
  verdict.others = told.size() - verdict.lags_ms.size();
  return verdict;
}

}  // namespace kumiko::bench
