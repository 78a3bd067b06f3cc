// Why something waits, runs or can never start: one typed record, of which terminal and JSON take the same words
// (spec interface §2.4). The caller gathers it (cli/explain); nothing is decided here.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "report/strip.h"
#include "report/style.h"

namespace kumiko::report {

// The first that holds.
enum class Verdict {
  kNeverAsWritten,
  kNeverInCluster,
  kHeld,  // by a gate, or by an object that is missing
  kWaitingForRoom,
  kPromised,
  kStarting,
  kRuns,
  kEnded,
};

// The code of the row that could take it now.
inline constexpr std::string_view kRoomCode = "Room";

struct PlaceRow {
  std::size_t count = 0;
  std::string code;                // "SelectorFalse"
  std::string text;                // "productName is A100, needs H100"
  std::vector<std::string> names;  // of what is counted, as far as known
};

// Where it could go, counted: every node, device or board stands in exactly one row, the nearest to success last.
struct Place {
  std::string unit;  // "node", "device", "board"
  std::size_t total = 0;
  std::string where;  // "1 node"; empty when nodes are counted
  std::vector<PlaceRow> rows;
};

struct NearestBoard {
  std::string name;  // "gpu-5"
  Strip strip;
  std::string text;  // "3 of the 4 slots free; dev/nb-4 holds 1g.10gb"
};

// Tried with the allocator on the same snapshot.
struct CheckedChange {
  bool helps = true;
  std::string text;    // "ask for 4 instead of 8"
  std::string effect;  // "starts now on gpu-04", "does not help: …"
};

struct Seen {
  Time time;                     // of the first list
  Duration age{};                // when it was drawn
  std::string resource_version;  // of the object
};

struct Explanation {
  std::string kind;  // "Pod", "ResourceClaim"
  std::string namespace_;
  std::string name;
  Verdict verdict = Verdict::kHeld;
  std::string because;             // what it lacks, where: follows the verdict, without a full stop
  std::vector<std::string> asked;  // one line a request
  std::vector<std::string> holds;  // one line a device
  std::optional<Place> place;
  std::vector<NearestBoard> nearest;
  std::vector<CheckedChange> changes;
  std::string when;
  Seen seen;
};

// "WaitingForRoom".
std::string_view VerdictName(Verdict verdict);
// "ml/train-7 is waiting for room: no node has 8 free H100 GPUs; the nearest has 7."
std::string Sentence(const Explanation& explanation);
// "none of 12 nodes", "none of 56 devices (1 node)".
std::string PlaceHead(const Place& place);

// Sections in the order of the specification; empty ones are left out. Unless `all_names`, rows that are farthest from
// success share one when there are more than eight, and only few names are written.
std::string Draw(const Explanation& explanation, const Style& style, bool all_names);

}  // namespace kumiko::report
