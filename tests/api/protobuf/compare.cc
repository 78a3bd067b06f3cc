// Compares objects read from protobuf with what Go made of the same bytes.
//   api_protobuf_compare --kinds        prints the kinds whose bodies clients may send, "APIVERSION KIND" a line
//   api_protobuf_compare [--damaged]    reads the lines of oracle/main.go from standard input
// Exit status 1: an object differs or is refused by one side only, or more than 1 % of the members of messages were
// never met. With --damaged most are refused, and not every member need be met.
#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <map>
#include <set>
#include <string>

#include "api/kinds.h"
#include "api/protobuf/message_table.h"
#include "api/protobuf/protobuf_object.h"
#include "api/protobuf/wire.h"
#include "base/base64.h"
#include "base/json.h"

namespace kumiko::api {
namespace {

using internal::Message;
using internal::MessageMember;
using internal::WireReader;

constexpr int kShownDifferences = 5;

std::set<std::pair<std::string, std::string>> SentKinds() {
  std::set<std::pair<std::string, std::string>> kinds = {{"v1", "DeleteOptions"}, {"apps/v1", "DeleteOptions"}};
  const auto add = [&](const KindInfo& info) {
    kinds.emplace(info.ApiVersion(), info.kind);
    for (const GroupVersion& served : info.served_as) kinds.emplace(served.Text(), info.kind);
    for (const SubresourceInfo& subresource : info.subresources) {
      // Options of exec and the like are parameters of the query.
      if (subresource.kind.ends_with("Options")) continue;
      const bool same_group = subresource.of.version.empty();
      kinds.emplace(same_group ? info.ApiVersion() : subresource.of.Text(), subresource.kind);
    }
  };
  for (const KindInfo& info : AllKinds()) add(info);
  for (const KindInfo& info : ReviewKinds()) add(info);
  return kinds;
}

// Which members of which messages were met.
class Coverage {
 public:
  void Note(const Message& message, std::string_view bytes) {
    Reached(message);
    for (WireReader reader(bytes); !reader.AtEnd();) {
      const auto field = reader.Next();
      if (!field) return;
      const MessageMember* const member = message.FindMember(field->number);
      if (member == nullptr) continue;
      seen_.insert(member);
      if (member->message == nullptr) continue;
      Note(*member->message, member->nesting == MessageMember::Nesting::kMap ? MapValue(field->bytes) : field->bytes);
    }
  }

  // Prints what was not met. Some members are so deep that a short run misses them.
  bool Report() const {
    std::size_t members = 0;
    for (const Message* message : reached_) {
      for (const MessageMember& member : message->members) {
        ++members;
        if (!seen_.contains(&member)) fmt::print("never met: {} of {}\n", member.name, message->name);
      }
    }
    fmt::print("{} of {} members of {} messages met\n", seen_.size(), members, reached_.size());
    return seen_.size() * 100 >= members * 99;
  }

 private:
  void Reached(const Message& message) {
    if (!reached_.insert(&message).second) return;
    for (const MessageMember& member : message.members) {
      if (member.message != nullptr) Reached(*member.message);
    }
  }

  static std::string_view MapValue(std::string_view entry) {
    for (WireReader reader(entry); !reader.AtEnd();) {
      const auto field = reader.Next();
      if (!field) break;
      if (field->number == 2) return field->bytes;
    }
    return {};
  }

  std::set<const Message*> reached_;
  std::set<const MessageMember*> seen_;
};

void NoteObject(std::string_view body, const Json& object, Coverage& coverage) {
  const Message* const message = internal::FindMessage(StringAt(object, {"apiVersion"}), StringAt(object, {"kind"}));
  for (WireReader reader(body.substr(4)); !reader.AtEnd();) {
    const auto field = reader.Next();
    if (field && field->number == 2) coverage.Note(*message, field->bytes);
  }
}

struct Counts {
  int equal = 0;
  int refused_by_both = 0;
  int different = 0;
  int by_design = 0;
};

// Whether ten or more digits follow an `e`.
bool HasLongExponent(std::string_view text) {
  constexpr std::size_t kDigits = 10;
  for (std::size_t at = text.find_first_of("eE"); at != std::string_view::npos; at = text.find_first_of("eE", at + 1)) {
    std::size_t digits = at + 1;
    if (digits < text.size() && (text[digits] == '+' || text[digits] == '-')) ++digits;
    const std::size_t end = std::min(text.find_first_not_of("0123456789", digits), text.size());
    if (end - digits >= kDigits) return true;
  }
  return false;
}

// What kumiko does not take and Go does: years that no reader of JSON takes, field numbers beyond those of protobuf,
// wire types of map entries, which Go does not look at, text that is not quite JSON where JSON is due, and exponents of
// quantities beyond 32 bits, of which Go keeps the lower ones.
bool IsByDesign(const std::string& message) {
  if (message.find("quantity \"") != std::string::npos && HasLongExponent(message)) return true;
  for (const std::string_view part :
       {"are not in the years 0 to 9999", "is no field number", "map entry: ", "line 1, column "}) {
    if (message.find(part) != std::string::npos) return true;
  }
  return false;
}

// DeleteOptions are read in every version, as nothing in them depends on it.
bool IsOnlyGos(std::string_view error) {
  return error.starts_with("no kind \"DeleteOptions\"");
}

void Show(Counts& counts, std::string_view what, std::string_view ours, std::string_view theirs) {
  if (counts.different++ >= kShownDifferences) return;
  fmt::print("{}\n  ours:   {}\n  theirs: {}\n", what, ours, theirs);
}

void CompareLine(const std::string& text, Counts& counts, Coverage& coverage) {
  const Result<Json> parsed = ParseJson(text);
  if (!parsed) {
    // Go's answer quotes the text that is not quite JSON; the body alone can still be read.
    constexpr std::string_view kStart = R"({"protobuf":")";
    const std::string_view rest = std::string_view(text).substr(text.starts_with(kStart) ? kStart.size() : 0);
    const auto refused = ReadProtobufObject(DecodeBase64(rest.substr(0, rest.find('"'))).value_or(""));
    if (refused || !IsByDesign(refused.error().message)) {
      return Show(counts, "a line that is no JSON", parsed.error().message, text);
    }
    ++counts.by_design;
    return;
  }
  const Json& line = *parsed;
  const std::string body = DecodeBase64(StringAt(line, {"protobuf"})).value_or("");
  const Result<Json> ours = ReadProtobufObject(body);
  const Json* const theirs = Find(line, "json");
  const std::string mine = ours ? WriteJson(*ours) : ours.error().message;
  if (theirs == nullptr) {
    const std::string_view error = StringAt(line, {"error"});
    if (ours && !IsOnlyGos(error)) return Show(counts, "only Go refuses this", mine, error);
    ++(ours ? counts.by_design : counts.refused_by_both);
    return;
  }
  const std::string reference = WriteJson(*theirs);
  if (!ours) {
    if (IsByDesign(mine)) {
      ++counts.by_design;
    } else {
      Show(counts, "only kumiko refuses this", mine, reference);
    }
    return;
  }
  if (mine != reference) return Show(counts, "the objects differ", mine, reference);
  ++counts.equal;
  NoteObject(body, *ours, coverage);
}

int Compare(bool damaged) {
  Counts counts;
  Coverage coverage;
  int lines = 0;
  for (std::string line; std::getline(std::cin, line); ++lines) CompareLine(line, counts, coverage);
  fmt::print("{} objects: {} equal, {} refused by both, {} refused by one by design, {} different\n", lines,
             counts.equal, counts.refused_by_both, counts.by_design, counts.different);
  if (counts.equal == 0 || counts.different > 0) return 1;
  if (damaged) return counts.refused_by_both > 0 ? 0 : 1;
  return coverage.Report() && counts.equal == lines ? 0 : 1;
}

int Run(int count, char** arguments) {
  const std::string_view option = count > 1 ? arguments[1] : "";
  if (option != "--kinds") return Compare(option == "--damaged");
  for (const auto& [api_version, kind] : SentKinds()) fmt::print("{} {}\n", api_version, kind);
  return 0;
}

}  // namespace
}  // namespace kumiko::api

int main(int argc, char** argv) {
  return kumiko::api::Run(argc, argv);
}
