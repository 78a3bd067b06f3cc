#include "api/protobuf/message_reader.h"

#include <algorithm>
#include <iterator>

namespace kumiko::api::internal {

namespace {

using Absent = MessageMember::Absent;
using Leaf = MessageMember::Leaf;
using Nesting = MessageMember::Nesting;

// Lists of numbers may also stand packed in one field.
bool Accepts(const MessageMember& member, WireType type) {
  const WireType wanted = member.nesting == Nesting::kMap ? WireType::kBytes : WireTypeOf(member.leaf);
  return type == wanted || (type == WireType::kBytes && member.nesting == Nesting::kList);
}

Json ObjectOrOne(const Message& message, JsonObject object) {
  if (!message.is_one) return Json(std::move(object));
  return object.empty() ? Json() : std::move(object.begin()->value());
}

}  // namespace

tl::unexpected<Error> MessageReader::Wrong(const Message& message, std::uint32_t number, const char* at,
                                           std::string_view what) const {
  return Fail(Code::kInvalidArgument, "{}, field {} at byte {}: {}", message.name, number, at - body_.data(), what);
}

const char* MessageReader::At(Range found) const {
  return found.Empty() ? body_.data() + body_.size() : occurrences_[found.begin].at;
}

Result<void> MessageReader::CountValue(const Message& message, std::uint32_t number, const char* at) {
  if (++values_ <= kMaxProtobufValues) return {};
  return Wrong(message, number, at, fmt::format("more than {} fields and values in one object", kMaxProtobufValues));
}

Result<void> MessageReader::Read(const Message& message, std::string_view bytes, JsonObject& object) {
  occurrences_.push_back({.at = bytes.data(), .bytes = bytes});
  return AppendMembers(message, {occurrences_.size() - 1, occurrences_.size()}, object, 1);
}

Result<void> MessageReader::Collect(const Message& message, std::string_view part) {
  for (WireReader reader(part); !reader.AtEnd();) {
    const char* const at = reader.at();
    Result<WireField> field = reader.Next();
    if (!field) {
      return Fail(Code::kInvalidArgument, "{} at byte {}: {}", message.name, at - body_.data(), field.error().message);
    }
    const MessageMember* const member = message.FindMember(field->number);
    if (member == nullptr) continue;
    if (!Accepts(*member, field->type)) {
      return Wrong(message, field->number, at,
                   fmt::format("wire type {} where {} has another", static_cast<int>(field->type),
                               member->name.empty() ? member->message->name : member->name));
    }
    KU_TRY_OK(CountValue(message, field->number, at));
    occurrences_.push_back({.at = at,
                            .bytes = field->bytes,
                            .value = field->value,
                            .member = static_cast<std::uint8_t>(member - message.members.data()),
                            .type = field->type});
  }
  return {};
}

Result<void> MessageReader::AppendMembers(const Message& message, Range parts, JsonObject& object, int depth) {
  const std::size_t begin = occurrences_.size();
  for (std::size_t i = parts.begin; i < parts.end; ++i) {
    const std::string_view part = occurrences_[i].bytes;
    KU_TRY_OK(Collect(message, part));
  }
  const std::size_t end = occurrences_.size();
  const auto found = std::span(occurrences_).subspan(begin);
  if (!std::ranges::is_sorted(found, {}, &Occurrence::member)) {
    std::ranges::stable_sort(found, {}, &Occurrence::member);
  }
  std::size_t next = begin;
  for (std::size_t i = 0; i < message.members.size(); ++i) {
    const std::size_t first = next;
    while (next < end && occurrences_[next].member == i) ++next;
    KU_TRY_OK(AppendMember({message, message.members[i], depth}, {first, next}, object));
  }
  occurrences_.resize(begin);
  return {};
}

Result<void> MessageReader::AppendMember(const Place& place, Range found, JsonObject& object) {
  const MessageMember& member = place.member;
  if (member.name.empty()) return AppendMembers(*member.message, found, object, place.depth);
  Json value;
  if (!found.Empty()) {
    KU_TRY(value, member.nesting == Nesting::kNone ? ReadValue(place, found) : ReadNested(place, found));
    if (member.absent == Absent::kOrZeroLeft && IsZero(value)) return {};
  } else if (member.absent == Absent::kLeftOut || member.absent == Absent::kOrZeroLeft) {
    return {};
  } else if (member.absent == Absent::kZero && member.nesting == Nesting::kList && place.message.is_one) {
    value = JsonArray();  // a list that is a message of its own, as ExtraValue, is never nil
  } else if (member.absent == Absent::kZero && member.nesting == Nesting::kNone) {
    KU_TRY(value, member.leaf == Leaf::kMessage ? ReadValue(place, found) : Result<Json>(ZeroOf(member.leaf)));
  }
  object.emplace(member.name, std::move(value));
  return CountValue(place.message, member.number, At(found));
}

// Null when nothing is in it, as nothing tells an empty list from none.
Result<Json> MessageReader::ReadNested(const Place& place, Range found) {
  if (place.depth >= kMaxJsonDepth) {
    return Wrong(place.message, place.member.number, At(found),
                 fmt::format("nested deeper than {} levels", kMaxJsonDepth));
  }
  const Place inner{place.message, place.member, place.depth + 1};
  return place.member.nesting == Nesting::kList ? ReadList(inner, found) : ReadMap(inner, found);
}

Result<Json> MessageReader::ReadList(const Place& place, Range found) {
  JsonArray list;
  list.reserve(found.end - found.begin);
  for (std::size_t i = found.begin; i < found.end; ++i) {
    if (occurrences_[i].type != WireTypeOf(place.member.leaf)) {
      KU_TRY_OK(ReadPacked(place, occurrences_[i], list));
      continue;
    }
    KU_TRY_OK(CountValue(place.message, place.member.number, occurrences_[i].at));
    KU_TRY(Json value, ReadValue(place, {i, i + 1}));
    list.push_back(std::move(value));
  }
  return list.empty() ? Json() : Json(std::move(list));
}

Result<void> MessageReader::ReadPacked(const Place& place, const Occurrence& packed, JsonArray& list) {
  for (WireReader reader(packed.bytes); !reader.AtEnd();) {
    const char* const at = reader.at();
    KU_TRY_OK(CountValue(place.message, place.member.number, at));
    const Result<std::uint64_t> number = place.member.leaf == Leaf::kDouble ? reader.NextFixed(8) : reader.NextVarint();
    if (!number) return Wrong(place.message, place.member.number, at, number.error().message);
    const Occurrence one{.at = at, .value = *number};
    Result<Json> value = ReadLeaf(place.member.leaf, std::span(&one, 1));
    if (!value) return Wrong(place.message, place.member.number, at, value.error().message);
    list.push_back(std::move(*value));
  }
  return {};
}

// An entry is a message with key = 1 and value = 2; what is absent of it is empty.
Result<std::pair<std::string_view, Occurrence>> MessageReader::ReadMapEntry(const Place& place,
                                                                            const Occurrence& entry) const {
  const WireType type = WireTypeOf(place.member.leaf);
  std::string_view key;
  Occurrence value{.at = entry.at, .member = entry.member, .type = type};
  for (WireReader reader(entry.bytes); !reader.AtEnd();) {
    const char* const at = reader.at();
    const Result<WireField> field = reader.Next();
    if (!field) return Wrong(place.message, place.member.number, at, "map entry: " + field.error().message);
    if (field->number > 2) continue;
    if (field->type != (field->number == 1 ? WireType::kBytes : type)) {
      return Wrong(place.message, place.member.number, at, "map entry: a wrong wire type");
    }
    if (field->number == 1) {
      key = field->bytes;
    } else {
      value.bytes = field->bytes;
      value.value = field->value;
    }
  }
  return std::pair(key, value);
}

// Ordered by key, as Go writes maps; the last of equal keys counts.
Result<Json> MessageReader::ReadMap(const Place& place, Range found) {
  std::vector<std::pair<std::string_view, Occurrence>> entries;
  entries.reserve(found.end - found.begin);
  for (std::size_t i = found.begin; i < found.end; ++i) {
    KU_TRY(auto entry, ReadMapEntry(place, occurrences_[i]));
    entries.push_back(entry);
  }
  const auto key = &std::pair<std::string_view, Occurrence>::first;
  if (!std::ranges::is_sorted(entries, {}, key)) std::ranges::stable_sort(entries, {}, key);
  JsonObject map;
  map.reserve(entries.size());
  for (const auto& [name, occurrence] : entries) {
    KU_TRY_OK(CountValue(place.message, place.member.number, occurrence.at));
    const std::size_t at = occurrences_.size();
    occurrences_.push_back(occurrence);
    KU_TRY(Json value, ReadValue(place, {at, at + 1}));
    occurrences_.pop_back();
    map.insert_or_assign(ValidText(name), std::move(value));
  }
  return Json(std::move(map));
}

Result<Json> MessageReader::ReadValue(const Place& place, Range found) {
  const MessageMember& member = place.member;
  if (member.leaf != Leaf::kMessage) {
    Result<Json> value = ReadLeaf(member.leaf, std::span(occurrences_).subspan(found.begin, found.end - found.begin));
    if (!value) return Wrong(place.message, member.number, At(found), value.error().message);
    return value;
  }
  const int depth = member.message->is_one ? place.depth : place.depth + 1;
  if (depth > kMaxJsonDepth) {
    return Wrong(place.message, member.number, At(found), fmt::format("nested deeper than {} levels", kMaxJsonDepth));
  }
  JsonObject object;
  KU_TRY_OK(AppendMembers(*member.message, found, object, depth));
  return ObjectOrOne(*member.message, std::move(object));
}

}  // namespace kumiko::api::internal
