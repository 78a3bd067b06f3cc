// How the protobuf messages of the built-in kinds become JSON: data/protobuf/messages.txt as a table. The rules are
// those of the structs in Kubernetes' Go packages k8s.io/api and apimachinery: numbers from their protobuf tags, names
// and what is left out from their json tags.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace kumiko::api::internal {

struct Message;

struct MessageMember {
  enum class Absent : std::uint8_t {
    kZero,        // written with the zero value of its type
    kNull,        // a pointer: written as null
    kLeftOut,     // a pointer: a zero value is one that somebody chose
    kOrZeroLeft,  // left out, and so is a zero value
  };
  enum class Nesting : std::uint8_t { kNone, kList, kMap };  // keys of maps are strings
  enum class Leaf : std::uint8_t {
    kMessage,
    kString,
    kBool,
    kInt32,
    kInt64,
    kDouble,
    kBytes,
    kQuantity,
    kIntOrString,
    kTime,
    kMicroTime,
    kRaw,  // JSON text
  };

  std::string_view name;  // "" when the members of the message stand in the object itself
  Absent absent = Absent::kOrZeroLeft;
  Nesting nesting = Nesting::kNone;
  Leaf leaf = Leaf::kMessage;
  std::uint8_t number = 0;
  const Message* message = nullptr;  // of Leaf::kMessage
};

struct Message {
  std::string_view name;                     // "v1.PodSpec", "apps/v1.DeploymentSpec"
  bool is_kind = false;                      // has apiVersion and kind
  bool is_one = false;                       // written as the first member that is written, without its name
  std::vector<MessageMember> members = {};   // in the order in which they are written
  std::vector<std::uint8_t> by_number = {};  // index into members + 1, or 0

  // Or null.
  const MessageMember* FindMember(std::uint32_t number) const {
    if (number >= by_number.size() || by_number[number] == 0) return nullptr;
    return &members[by_number[number] - 1U];
  }
};

// The message of a kind, or null when it is not known. DeleteOptions exist in every group version. Thread safe; the
// first call reads the table, 1 ms. Lives as long as the program.
const Message* FindMessage(std::string_view api_version, std::string_view kind);

}  // namespace kumiko::api::internal
