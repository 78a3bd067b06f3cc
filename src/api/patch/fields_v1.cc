#include <algorithm>
#include <iterator>

#include "api/patch/field_set.h"
#include "api/patch/go_text.h"
#include "base/text.h"

namespace kumiko::api {
namespace {

enum class Known { kNo, kYes };

// Reads "f:spec", `k:{"name":"web"}`, `v:"x"`, "i:3" into `element`.
Result<Known> ReadElement(std::string_view text, PathElement& element) {
  if (text.size() < 2) return Fail(Code::kInvalidArgument, "key must be 2 characters long: {}", text);
  if (text[1] != ':') return Fail(Code::kInvalidArgument, "missing colon: {}", text);
  const std::string_view content = text.substr(2);
  switch (text[0]) {
    case 'f':
      element.kind = PathElement::Kind::kField;
      element.name = content;
      return Known::kYes;
    case 'k': {
      KU_TRY(auto json, ParseJson(content), "{}", text);
      const JsonObject* fields = json.if_object();
      if (fields == nullptr) return Fail(Code::kInvalidArgument, "a key is a map: {}", text);
      element.kind = PathElement::Kind::kKey;
      for (const auto& field : *fields) element.key.push_back({field.key(), field.value()});
      std::ranges::sort(element.key, {}, &PathElement::KeyField::name);
      return Known::kYes;
    }
    case 'v': {
      KU_TRY(element.value, ParseJson(content), "{}", text);
      element.kind = PathElement::Kind::kValue;
      return Known::kYes;
    }
    case 'i': {
      const auto index = GoAtoi(content);
      if (!index) return Fail(Code::kInvalidArgument, "{}", index.error());
      element.kind = PathElement::Kind::kIndex;
      element.index = *index;
      return Known::kYes;
    }
    default:
      return Known::kNo;
  }
}

struct Read {
  FieldSet below;
  bool is_member = false;
};

Result<Read> ReadSet(const Json& fields) {
  const JsonObject* entries = fields.if_object();
  if (entries == nullptr) return Fail(Code::kInvalidArgument, "a set of fields is a map, got {}", JsonTypeName(fields));
  Read read;
  for (const auto& entry : *entries) {
    if (entry.key() == ".") {
      read.is_member = true;
      continue;
    }
    PathElement element;
    KU_TRY(const Known known, ReadElement(entry.key(), element));
    if (known == Known::kNo) continue;
    KU_TRY(Read child, ReadSet(entry.value()));
    if (child.is_member) read.below.AppendMember(element);
    read.below.AppendChild(element, std::move(child.below));
  }
  // Sets that an API server has written are in order already.
  read.below.Sort();
  const auto same = [](const PathElement& left, const PathElement& right) { return Compare(left, right) == 0; };
  auto& members = read.below.members;
  members.erase(std::unique(members.begin(), members.end(), same), members.end());
  auto& children = read.below.children;
  children.erase(std::unique(children.begin(), children.end(),
                             [](const FieldSetNode& left, const FieldSetNode& right) {
                               return Compare(left.element, right.element) == 0;
                             }),
                 children.end());
  if (read.below.Empty()) read.is_member = true;
  return read;
}

std::string ElementText(const PathElement& element) {
  switch (element.kind) {
    case PathElement::Kind::kField:
      return "f:" + element.name;
    case PathElement::Kind::kKey: {
      std::string out = "k:{";
      for (const PathElement::KeyField& field : element.key) {
        if (out.size() > 3) out += ',';
        out += GoJson(Json(field.name)) + ":" + GoJson(field.value);
      }
      return out + "}";
    }
    case PathElement::Kind::kValue:
      return "v:" + GoJson(element.value);
    case PathElement::Kind::kIndex:
      return fmt::format("i:{}", element.index);
  }
  return {};
}

void WriteSet(const FieldSet& set, JsonObject& out) {
  auto member = set.members.begin();
  auto child = set.children.begin();
  while (member != set.members.end() || child != set.children.end()) {
    const int order = child == set.children.end()   ? -1
                      : member == set.members.end() ? 1
                                                    : Compare(*member, child->element);
    if (order < 0) {
      out[ElementText(*member++)] = JsonObject();
      continue;
    }
    JsonObject below;
    if (order == 0) {
      below["."] = JsonObject();
      ++member;
    }
    WriteSet(child->set, below);
    out[ElementText(child->element)] = std::move(below);
    ++child;
  }
}

}  // namespace

Result<FieldSet> ParseFieldsV1(const Json& fields) {
  KU_TRY(Read read, ReadSet(fields));
  return std::move(read.below);
}

Json WriteFieldsV1(const FieldSet& set) {
  JsonObject out;
  WriteSet(set, out);
  return out;
}

}  // namespace kumiko::api
