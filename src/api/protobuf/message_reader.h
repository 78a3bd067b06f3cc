// Reads messages of the wire format as the JSON that Go's encoding/json would write of the same struct.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "api/protobuf/leaf_values.h"
#include "api/protobuf/message_table.h"
#include "base/json.h"
#include "base/result.h"

namespace kumiko::api::internal {

// A body may hold no more fields and values than this together; without a bound, two bytes make an object of several
// hundred.
inline constexpr std::size_t kMaxProtobufValues = 1'000'000;

// One body. Work is linear in its size; memory is bounded by kMaxProtobufValues.
class MessageReader {
 public:
  // `body` is what offsets in errors count from; it must outlive the reader.
  explicit MessageReader(std::string_view body) : body_(body) {}

  // The members of the message in `bytes`, a part of the body, added to `object`. Fails with kInvalidArgument, naming
  // the message, the number of the field and its offset.
  Result<void> Read(const Message& message, std::string_view bytes, JsonObject& object);

 private:
  // Indices into occurrences_: all occurrences of one member. Those of a message add up.
  struct Range {
    std::size_t begin = 0;
    std::size_t end = 0;
    bool Empty() const { return begin == end; }
  };
  struct Place {
    const Message& message;
    const MessageMember& member;
    int depth;  // of the object that the member belongs to
  };

  Result<void> AppendMembers(const Message& message, Range parts, JsonObject& object, int depth);
  Result<void> Collect(const Message& message, std::string_view part);
  Result<void> AppendMember(const Place& place, Range found, JsonObject& object);
  Result<Json> ReadNested(const Place& place, Range found);
  Result<Json> ReadList(const Place& place, Range found);
  Result<Json> ReadMap(const Place& place, Range found);
  Result<Json> ReadValue(const Place& place, Range found);
  Result<void> ReadPacked(const Place& place, const Occurrence& packed, JsonArray& list);
  Result<std::pair<std::string_view, Occurrence>> ReadMapEntry(const Place& place, const Occurrence& entry) const;

  const char* At(Range found) const;
  Result<void> CountValue(const Message& message, std::uint32_t number, const char* at);
  tl::unexpected<Error> Wrong(const Message& message, std::uint32_t number, const char* at,
                              std::string_view what) const;

  std::string_view body_;
  std::vector<Occurrence> occurrences_;  // of the messages that are being read, the innermost last
  std::size_t values_ = 0;
};

}  // namespace kumiko::api::internal
