#include "api/protobuf/wire.h"

namespace kumiko::api::internal {

namespace {
constexpr std::uint64_t kMaxFieldNumber = (1U << 29) - 1;
constexpr unsigned kMaxVarintBits = 64;
}  // namespace

// Ten bytes at most; what exceeds 64 bits in the tenth is dropped, as Kubernetes does.
Result<std::uint64_t> WireReader::NextVarint() {
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift < kMaxVarintBits; shift += 7) {
    if (rest_.empty()) return Fail(Code::kInvalidArgument, "the bytes end inside a number");
    const auto byte = static_cast<unsigned char>(rest_.front());
    rest_.remove_prefix(1);
    value |= std::uint64_t{byte & 0x7FU} << shift;
    if (byte < 0x80) return value;
  }
  return Fail(Code::kInvalidArgument, "a number of more than ten bytes");
}

Result<std::uint64_t> WireReader::NextFixed(std::size_t size) {
  if (rest_.size() < size) return Fail(Code::kInvalidArgument, "the bytes end inside a number");
  std::uint64_t value = 0;
  for (std::size_t i = size; i-- > 0;) value = value << 8 | static_cast<unsigned char>(rest_[i]);
  rest_.remove_prefix(size);
  return value;
}

Result<WireField> WireReader::NextPart() {
  KU_TRY(const std::uint64_t tag, NextVarint());
  const std::uint64_t number = tag >> 3;
  if (number == 0 || number > kMaxFieldNumber) return Fail(Code::kInvalidArgument, "{} is no field number", number);
  WireField field{.number = static_cast<std::uint32_t>(number), .type = static_cast<WireType>(tag & 7)};
  switch (field.type) {
    case WireType::kVarint: {
      KU_TRY(field.value, NextVarint());
      return field;
    }
    case WireType::kFixed64: {
      KU_TRY(field.value, NextFixed(8));
      return field;
    }
    case WireType::kFixed32: {
      KU_TRY(field.value, NextFixed(4));
      return field;
    }
    case WireType::kBytes: {
      KU_TRY(const std::uint64_t length, NextVarint());
      if (length > rest_.size()) {
        return Fail(Code::kInvalidArgument, "a length of {} bytes, but only {} follow", length, rest_.size());
      }
      field.bytes = rest_.substr(0, static_cast<std::size_t>(length));
      rest_.remove_prefix(field.bytes.size());
      return field;
    }
    case WireType::kGroup:
    case WireType::kGroupEnd:
      return field;
  }
  return Fail(Code::kInvalidArgument, "{} is no wire type", tag & 7);
}

Result<void> WireReader::PassGroup(std::uint32_t number) {
  for (std::size_t open = 1; open > 0;) {
    if (AtEnd()) return Fail(Code::kInvalidArgument, "the bytes end inside group {}", number);
    KU_TRY(const WireField part, NextPart());
    if (part.type == WireType::kGroup) ++open;
    if (part.type == WireType::kGroupEnd) --open;
  }
  return {};
}

Result<WireField> WireReader::Next() {
  KU_TRY(WireField field, NextPart());
  if (field.type == WireType::kGroupEnd) return Fail(Code::kInvalidArgument, "the end of a group that was not begun");
  if (field.type == WireType::kGroup) KU_TRY_OK(PassGroup(field.number));
  return field;
}

}  // namespace kumiko::api::internal
