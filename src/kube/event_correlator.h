// Events kept few (client-go, tools/record): equal ones are counted in one object, many that differ only in their
// message become one, and a source that says too much about an object is not heard. Pure; kube/event_recorder.h writes.
#pragma once

#include <cstdint>
#include <list>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>

#include "base/json.h"
#include "base/time.h"
#include "kube/token_bucket.h"

namespace kumiko::kube {

// The entries used last, at most `limit`.
template <class Value>
class LatestMap {
 public:
  explicit LatestMap(std::size_t limit) : limit_(limit) {}
  // Null when it is not there.
  Value* Find(const std::string& key) {
    const auto found = places_.find(key);
    if (found == places_.end()) return nullptr;
    entries_.splice(entries_.begin(), entries_, found->second);
    return &entries_.front().second;
  }
  Value& Put(const std::string& key, Value value) {
    if (Value* known = Find(key)) {
      *known = std::move(value);
      return *known;
    }
    entries_.emplace_front(key, std::move(value));
    places_[key] = entries_.begin();
    if (entries_.size() > limit_) {
      places_.erase(entries_.back().first);
      entries_.pop_back();
    }
    return entries_.front().second;
  }

 private:
  using Entries = std::list<std::pair<std::string, Value>>;
  std::size_t limit_;
  Entries entries_;
  std::unordered_map<std::string, typename Entries::iterator> places_;
};

// client-go's.
struct EventLimits {
  std::size_t remembered = 4096;  // of each sort of thing
  std::size_t similar = 10;       // so many messages of one reason about one object become one event,
  Duration similar_within{std::chrono::minutes(10)};  // unless they are so far apart
  double burst = 25;                                  // events of a source about one object
  Duration refill{std::chrono::minutes(5)};           // after which there may be one more
};

// One occurrence.
struct EventText {
  std::string type;  // Normal or Warning
  std::string reason;
  std::string message;
  bool operator==(const EventText&) const = default;
};

struct EventWrite {
  std::string key;  // for Written
  std::string name;
  std::string namespace_;
  Json event;                 // to be created, or to be created when `patch` finds nothing
  std::optional<Json> patch;  // merge patch of the event of this name
};

// Used by one thread.
class EventCorrelator {
 public:
  // `component` and `host` are the source.
  EventCorrelator(std::string component, std::string host, EventLimits limits = {});

  // What to write for an occurrence at `now` about `object`, a whole object or a reference to one; nothing when its
  // source says too much.
  std::optional<EventWrite> Add(const Json& object, const EventText& text, Time now);
  // The server has the event now, under this name.
  void Written(const EventWrite& write, std::string name);

 private:
  struct Similar {
    std::set<std::string> messages;
    Time last;
  };
  struct Seen {
    std::int64_t count = 0;
    std::string name;
    std::string first;  // time
  };

  Json Make(const Json& reference, const EventText& text, std::string_view name, Time now) const;

  std::string component_;
  std::string host_;
  EventLimits limits_;
  LatestMap<Similar> similar_;
  LatestMap<Seen> seen_;
  LatestMap<TokenBucket> buckets_;
};

}  // namespace kumiko::kube
