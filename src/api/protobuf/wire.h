// The wire format of protobuf: fields out of bytes, and nothing of what they mean.
// https://protobuf.dev/programming-guides/encoding/
#pragma once

#include <cstdint>
#include <string_view>

#include "base/result.h"

namespace kumiko::api::internal {

enum class WireType : std::uint8_t { kVarint, kFixed64, kBytes, kGroup, kGroupEnd, kFixed32 };

struct WireField {
  std::uint32_t number = 0;
  WireType type = WireType::kVarint;
  std::uint64_t value = 0;      // of kVarint, kFixed64 and kFixed32
  std::string_view bytes = {};  // of kBytes
};

// Walks over the fields of a message. Borrows the bytes.
class WireReader {
 public:
  explicit WireReader(std::string_view bytes) : rest_(bytes) {}

  bool AtEnd() const { return rest_.empty(); }
  // Where the next field begins.
  const char* at() const { return rest_.data(); }

  // The next field; a group, which Kubernetes has none of, is passed over whole. Needs !AtEnd(). Fails with
  // kInvalidArgument on bytes that are no field; the message says what is wrong, and not where.
  Result<WireField> Next();
  // A varint without a field number, as packed lists have them.
  Result<std::uint64_t> NextVarint();
  Result<std::uint64_t> NextFixed(std::size_t size);

 private:
  Result<WireField> NextPart();
  Result<void> PassGroup(std::uint32_t number);

  std::string_view rest_;
};

}  // namespace kumiko::api::internal
