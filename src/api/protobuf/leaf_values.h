// The values of members that are no object: how they stand on the wire, and as JSON.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "api/protobuf/message_table.h"
#include "api/protobuf/wire.h"
#include "base/json.h"
#include "base/result.h"

namespace kumiko::api::internal {

// A member as it was met on the wire.
struct Occurrence {
  const char* at = nullptr;  // where the field begins
  std::string_view bytes = {};
  std::uint64_t value = 0;
  std::uint8_t member = 0;  // index into Message::members
  WireType type = WireType::kBytes;
};

// How one value of `leaf` stands on the wire.
WireType WireTypeOf(MessageMember::Leaf leaf);

// The value of a member that occurred, all its occurrences given: as everywhere in protobuf the last one counts, and
// parts of a message add up. Not for Leaf::kMessage. Fails with kInvalidArgument; the message says what is wrong, and
// not where.
Result<Json> ReadLeaf(MessageMember::Leaf leaf, std::span<const Occurrence> occurrences);

// What is written for a member that did not occur.
Json ZeroOf(MessageMember::Leaf leaf);
// Whether Go takes the value for empty.
bool IsZero(const Json& value);

// Bytes that are no UTF-8 become U+FFFD, one each, as in encoding/json.
std::string ValidText(std::string_view bytes);

}  // namespace kumiko::api::internal
