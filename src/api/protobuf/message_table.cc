#include "api/protobuf/message_table.h"

#include <algorithm>
#include <deque>
#include <string>
#include <utility>

#include "base/check.h"
#include "base/compression.h"
#include "base/flat_map.h"
#include "base/text.h"

namespace kumiko::api::internal {

// The text as the program carries it; written by embed_compressed.cmake.
std::string_view CompressedMessages();

namespace {

using Absent = MessageMember::Absent;
using Leaf = MessageMember::Leaf;
using Nesting = MessageMember::Nesting;

constexpr std::size_t kMaxTableBytes = 1 << 20;

constexpr std::pair<std::string_view, Leaf> kLeaves[] = {
    {"string", Leaf::kString}, {"bool", Leaf::kBool},           {"int32", Leaf::kInt32},
    {"int64", Leaf::kInt64},   {"double", Leaf::kDouble},       {"bytes", Leaf::kBytes},
    {"raw", Leaf::kRaw},       {"quantity", Leaf::kQuantity},   {"intstr", Leaf::kIntOrString},
    {"time", Leaf::kTime},     {"microtime", Leaf::kMicroTime},
};

constexpr std::pair<char, Absent> kMarks[] = {
    {'+', Absent::kZero}, {'?', Absent::kNull}, {'*', Absent::kLeftOut}, {'-', Absent::kOrZeroLeft}};

class MessageTable {
 public:
  MessageTable() : text_(*Decompress(CompressedMessages(), kMaxTableBytes)) {
    Message* current = nullptr;
    for (const std::string_view line : Split(text_, '\n')) {
      if (line.empty()) continue;
      if (line.front() == ' ') {
        AddMember(*current, line.substr(1));
        continue;
      }
      const std::vector<std::string_view> words = Split(line, ' ');
      current = Named(words[0]);
      if (words.size() > 1) (words[1] == "kind" ? current->is_kind : current->is_one) = true;
    }
  }

  const Message* Find(std::string_view name) const {
    const auto found = by_name_.find(name);
    return found == by_name_.end() ? nullptr : found->second;
  }

 private:
  Message* Named(std::string_view name) {
    const auto [at, added] = by_name_.try_emplace(name, nullptr);
    if (added) {
      at->second = &messages_.emplace_back();
      at->second->name = name;
    }
    return at->second;
  }

  // "2 - containers []v1.Container"
  void AddMember(Message& message, std::string_view line) {
    const std::vector<std::string_view> words = Split(line, ' ');
    KU_CHECK(words.size() == 4) << line;
    MessageMember member;
    member.number = static_cast<std::uint8_t>(*ParseInt64(words[0]));
    member.absent = std::ranges::find(kMarks, words[1].front(), &std::pair<char, Absent>::first)->second;
    if (words[2] != ".") member.name = words[2];
    std::string_view type = words[3];
    if (type.starts_with("[]") || type.starts_with("{}")) {
      member.nesting = type.front() == '[' ? Nesting::kList : Nesting::kMap;
      type.remove_prefix(2);
    }
    const auto leaf = std::ranges::find(kLeaves, type, &std::pair<std::string_view, Leaf>::first);
    if (leaf != std::end(kLeaves)) {
      member.leaf = leaf->second;
    } else {
      member.message = Named(type);
    }
    message.members.push_back(member);
    if (member.number >= message.by_number.size()) message.by_number.resize(member.number + 1U);
    message.by_number[member.number] = static_cast<std::uint8_t>(message.members.size());
  }

  std::string text_;  // names borrow from it
  std::deque<Message> messages_;
  FlatMap<std::string_view, Message*> by_name_;
};

}  // namespace

const Message* FindMessage(std::string_view api_version, std::string_view kind) {
  static const MessageTable table;
  if (kind == "DeleteOptions") api_version = "meta.k8s.io/v1";
  std::string name(api_version);
  name += '.';
  name += kind;
  const Message* message = table.Find(name);
  return message != nullptr && message->is_kind ? message : nullptr;
}

}  // namespace kumiko::api::internal
