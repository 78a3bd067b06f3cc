#include "localcluster/apiserver/watch_stream.h"

#include <utility>

#include "base/check.h"

namespace kumiko::localcluster {
namespace {

using EventType = kube::WatchEvent::Type;

constexpr Duration kBookmarkInterval = std::chrono::minutes(1);
constexpr std::string_view kInitialEventsEnd = "k8s.io/initial-events-end";
// One portion of a body; what is left comes with the next.
constexpr std::size_t kPortionBytes = 256 * 1024;

std::string_view NameOf(EventType type) {
  switch (type) {
    case EventType::kAdded:
      return "ADDED";
    case EventType::kModified:
      return "MODIFIED";
    case EventType::kDeleted:
      return "DELETED";
  }
  return "";
}

class WatchStream final : public BodyStream {
 public:
  WatchStream(std::unique_ptr<ChangeReader> changes, WatchOptions options, RecentTexts& texts, const Clock& clock)
      : changes_(std::move(changes)),
        options_(std::move(options)),
        texts_(texts),
        clock_(clock),
        started_(clock.Now()) {
    last_bookmark_ = started_;
  }

  std::optional<std::string> Next() override {
    if (ended_) return std::nullopt;
    const Time now = clock_.Now();
    std::string out;
    WriteInitial(out);
    if (out.size() >= kPortionBytes) return out;
    WriteChanges(out);
    if (now - started_ >= options_.timeout) ended_ = true;
    if (options_.bookmarks && !ended_ && now - last_bookmark_ >= kBookmarkInterval) {
      last_bookmark_ = now;
      WriteBookmark(out, false);
    }
    if (ended_ && out.empty()) return std::nullopt;
    return out;
  }

 private:
  bool Selects(const kube::Object& object) const {
    return options_.labels.Matches(object.outline()) && options_.fields.Matches(object.outline());
  }

  void WriteInitial(std::string& out) {
    while (next_initial_ < options_.initial.size() && out.size() < kPortionBytes) {
      WriteEvent(out, "ADDED", options_.initial[next_initial_++]);
    }
    if (next_initial_ < options_.initial.size()) return;
    if (!options_.initial.empty()) {
      options_.initial = {};
      next_initial_ = 0;
    }
    if (std::exchange(options_.marks_initial_end, false)) WriteBookmark(out, true);
  }

  void WriteChanges(std::string& out) {
    const auto changes = changes_->Read();
    if (!changes) {
      WriteLine(
          out, "ERROR",
          WriteJson(kube::StatusOf({.reason = kube::StatusReason::kExpired,
                                    .message = "too old resource version: " + std::to_string(changes_->revision())})));
      ended_ = true;
      return;
    }
    for (const StoredChange& change : *changes) WriteChange(out, change);
  }

  // With a selector an object appears when it comes to be selected, whatever happened to it.
  void WriteChange(std::string& out, const StoredChange& change) {
    const kube::Object& object = change.event.object;
    const bool is = change.event.type != EventType::kDeleted && Selects(object);
    const bool was = change.before && Selects(change.before);
    if (is) {
      WriteEvent(out, was ? "MODIFIED" : "ADDED", object);
    } else if (was) {
      WriteEvent(out, NameOf(EventType::kDeleted), object);
    }
  }

  void WriteEvent(std::string& out, std::string_view type, const kube::Object& object) {
    if (options_.writing.form != Form::kTable) return WriteLine(out, type, *texts_.Of(options_.writing, object));
    const ListPosition position{.resource_version =
                                    std::string(StringAt(object.outline(), {"metadata", "resourceVersion"}))};
    options_.writing.table.now = clock_.Now();
    WriteLine(out, type, WriteList(options_.writing, position, std::span(&object, 1)));
    options_.writing.table.with_columns = false;
  }

  void WriteBookmark(std::string& out, bool initial_end) {
    JsonObject metadata{{"resourceVersion", std::to_string(changes_->revision())}, {"creationTimestamp", nullptr}};
    if (initial_end) metadata["annotations"] = JsonObject{{kInitialEventsEnd, "true"}};
    const Json object{{"metadata", std::move(metadata)}};
    ObjectWriting writing = options_.writing;
    if (writing.form == Form::kTable) writing.form = Form::kMetadata;
    WriteLine(out, "BOOKMARK", WriteObject(writing, object));
  }

  static void WriteLine(std::string& out, std::string_view type, std::string_view object) {
    out += R"({"type":")";
    out += type;
    out += R"(","object":)";
    if (object.ends_with('\n')) object.remove_suffix(1);
    out += object;
    out += "}\n";
  }

  std::unique_ptr<ChangeReader> changes_;
  WatchOptions options_;
  RecentTexts& texts_;
  const Clock& clock_;
  Time started_;
  Time last_bookmark_;
  std::size_t next_initial_ = 0;
  bool ended_ = false;
};

}  // namespace

std::unique_ptr<BodyStream> MakeWatchStream(std::unique_ptr<ChangeReader> changes, WatchOptions options,
                                            RecentTexts& texts, const Clock& clock) {
  return std::make_unique<WatchStream>(std::move(changes), std::move(options), texts, clock);
}

}  // namespace kumiko::localcluster
