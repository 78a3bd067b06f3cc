#include "api/patch/field_set.h"

#include <algorithm>
#include <compare>

#include "api/patch/go_text.h"

namespace kumiko::api {
namespace {

// Numbers, strings, booleans, lists, maps, null.
int RankOf(const Json& value) {
  if (value.is_number()) return 0;
  if (value.is_string()) return 1;
  if (value.is_bool()) return 2;
  if (value.is_array()) return 3;
  return value.is_object() ? 4 : 5;
}

template <class T>
int ThreeWay(const T& left, const T& right) {
  return left < right ? -1 : (right < left ? 1 : 0);
}

int CompareNumbers(const Json& left, const Json& right) {
  const std::int64_t* whole_left = left.if_int64();
  const std::int64_t* whole_right = right.if_int64();
  if (whole_left != nullptr && whole_right != nullptr) return ThreeWay(*whole_left, *whole_right);
  return ThreeWay(left.to_number<double>(), right.to_number<double>());
}

int CompareLists(const JsonArray& left, const JsonArray& right) {
  for (std::size_t at = 0; at < std::min(left.size(), right.size()); ++at) {
    if (const int order = CompareValues(left[at], right[at]); order != 0) return order;
  }
  return ThreeWay(left.size(), right.size());
}

int CompareMaps(const JsonObject& left, const JsonObject& right) {
  std::vector<std::string_view> names;
  for (const auto& member : left) names.push_back(member.key());
  for (const auto& member : right) {
    if (!left.contains(member.key())) names.push_back(member.key());
  }
  std::ranges::sort(names);
  for (std::size_t at = 0; at < names.size(); ++at) {
    if (at == left.size()) return -1;
    if (at == right.size()) return 1;
    const Json* mine = left.if_contains(names[at]);
    const Json* other = right.if_contains(names[at]);
    if (mine == nullptr) return 1;
    if (other == nullptr) return -1;
    if (const int order = CompareValues(*mine, *other); order != 0) return order;
  }
  return 0;
}

int CompareKeys(const std::vector<PathElement::KeyField>& left, const std::vector<PathElement::KeyField>& right) {
  for (std::size_t at = 0; at < std::min(left.size(), right.size()); ++at) {
    if (const int order = left[at].name.compare(right[at].name); order != 0) return order;
    if (const int order = CompareValues(left[at].value, right[at].value); order != 0) return order;
  }
  return ThreeWay(left.size(), right.size());
}

std::string ValueText(const Json& value) {
  if (value.is_null()) return "null";
  if (value.is_string()) return GoQuoted(value.get_string());
  if (const JsonArray* items = value.if_array()) {
    std::string out = "[";
    for (const Json& item : *items) out += (out.size() > 1 ? "," : "") + ValueText(item);
    return out + "]";
  }
  if (const JsonObject* members = value.if_object()) {
    std::string out;
    for (const auto& member : *members) out += std::string(member.key()) + "=" + ValueText(member.value());
    return out;
  }
  return GoValue(value);
}

bool Before(const PathElement& left, const PathElement& right) {
  return Compare(left, right) < 0;
}

bool NodeBefore(const FieldSetNode& node, const PathElement& element) {
  return Compare(node.element, element) < 0;
}

FieldSet& Descend(FieldSet& set, const PathElement& element) {
  const auto at = std::lower_bound(set.children.begin(), set.children.end(), element, NodeBefore);
  if (at != set.children.end() && Compare(at->element, element) == 0) return at->set;
  return set.children.insert(at, FieldSetNode{element, {}})->set;
}

void AddMember(FieldSet& set, const PathElement& element) {
  const auto at = std::lower_bound(set.members.begin(), set.members.end(), element, Before);
  if (at == set.members.end() || Compare(*at, element) != 0) set.members.insert(at, element);
}

void Visit(const FieldSet& set, FieldPath& path, const std::function<void(const FieldPath&)>& visit) {
  for (const PathElement& member : set.members) {
    path.push_back(member);
    visit(path);
    path.pop_back();
  }
  for (const FieldSetNode& child : set.children) {
    path.push_back(child.element);
    Visit(child.set, path, visit);
    path.pop_back();
  }
}

}  // namespace

int CompareValues(const Json& left, const Json& right) {
  if (const int order = ThreeWay(RankOf(left), RankOf(right)); order != 0) return order;
  switch (RankOf(left)) {
    case 0:
      return CompareNumbers(left, right);
    case 1:
      return left.get_string().compare(right.get_string());
    case 2:
      return ThreeWay(left.get_bool(), right.get_bool());
    case 3:
      return CompareLists(left.get_array(), right.get_array());
    case 4:
      return CompareMaps(left.get_object(), right.get_object());
    default:
      return 0;
  }
}

PathElement PathElement::Field(std::string_view name) {
  PathElement element;
  element.name = name;
  return element;
}

std::string PathElement::ToString() const {
  switch (kind) {
    case Kind::kField:
      return "." + name;
    case Kind::kKey: {
      std::string out = "[";
      for (const KeyField& field : key) {
        out += fmt::format("{}{}={}", out.size() > 1 ? "," : "", field.name, ValueText(field.value));
      }
      return out + "]";
    }
    case Kind::kValue:
      return "[=" + ValueText(value) + "]";
    case Kind::kIndex:
      return fmt::format("[{}]", index);
  }
  return {};
}

std::string PathText(const FieldPath& path) {
  std::string text;
  for (const PathElement& element : path) text += element.ToString();
  return text;
}

int Compare(const PathElement& left, const PathElement& right) {
  if (left.kind != right.kind) return ThreeWay(left.kind, right.kind);
  switch (left.kind) {
    case PathElement::Kind::kField:
      return left.name.compare(right.name);
    case PathElement::Kind::kKey:
      return CompareKeys(left.key, right.key);
    case PathElement::Kind::kValue:
      return CompareValues(left.value, right.value);
    case PathElement::Kind::kIndex:
      return ThreeWay(left.index, right.index);
  }
  return 0;
}

void FieldSet::Insert(std::span<const PathElement> path) {
  FieldSet* set = this;
  for (; path.size() > 1; path = path.subspan(1)) set = &Descend(*set, path.front());
  if (!path.empty()) AddMember(*set, path.front());
}

bool FieldSet::Has(std::span<const PathElement> path) const {
  const FieldSet* set = this;
  for (; path.size() > 1 && set != nullptr; path = path.subspan(1)) set = set->Below(path.front());
  return set != nullptr && !path.empty() && set->HasMember(path.front());
}

bool FieldSet::HasMember(const PathElement& element) const {
  return std::binary_search(members.begin(), members.end(), element, Before);
}

const FieldSet* FieldSet::Below(const PathElement& element) const {
  const auto at = std::lower_bound(children.begin(), children.end(), element, NodeBefore);
  return at == children.end() || Compare(at->element, element) != 0 ? nullptr : &at->set;
}

void FieldSet::AppendChild(const PathElement& element, FieldSet below) {
  if (!below.Empty()) children.push_back({element, std::move(below)});
}

void FieldSet::Sort() {
  std::sort(members.begin(), members.end(), Before);
  std::sort(children.begin(), children.end(), [](const FieldSetNode& left, const FieldSetNode& right) {
    return Compare(left.element, right.element) < 0;
  });
}

void FieldSet::ForEach(const std::function<void(const FieldPath&)>& visit) const {
  FieldPath path;
  Visit(*this, path, visit);
}

FieldSet FieldsAt(std::initializer_list<std::initializer_list<std::string_view>> paths) {
  FieldSet set;
  for (const auto& names : paths) {
    FieldPath path;
    for (const std::string_view name : names) path.push_back(PathElement::Field(name));
    set.Insert(path);
  }
  return set;
}

FieldSet Union(const FieldSet& left, const FieldSet& right) {
  FieldSet all;
  all.members.reserve(left.members.size() + right.members.size());
  std::set_union(left.members.begin(), left.members.end(), right.members.begin(), right.members.end(),
                 std::back_inserter(all.members), Before);
  auto mine = left.children.begin();
  auto other = right.children.begin();
  while (mine != left.children.end() && other != right.children.end()) {
    const int order = Compare(mine->element, other->element);
    if (order == 0) {
      all.children.push_back({mine->element, Union(mine->set, other->set)});
      ++mine;
      ++other;
    } else {
      all.children.push_back(order < 0 ? *mine++ : *other++);
    }
  }
  all.children.insert(all.children.end(), mine, left.children.end());
  all.children.insert(all.children.end(), other, right.children.end());
  return all;
}

FieldSet Intersection(const FieldSet& left, const FieldSet& right) {
  FieldSet shared;
  std::set_intersection(left.members.begin(), left.members.end(), right.members.begin(), right.members.end(),
                        std::back_inserter(shared.members), Before);
  for (const FieldSetNode& child : left.children) {
    if (const FieldSet* other = right.Below(child.element)) {
      shared.AppendChild(child.element, Intersection(child.set, *other));
    }
  }
  return shared;
}

FieldSet Difference(const FieldSet& left, const FieldSet& right) {
  FieldSet rest;
  std::set_difference(left.members.begin(), left.members.end(), right.members.begin(), right.members.end(),
                      std::back_inserter(rest.members), Before);
  for (const FieldSetNode& child : left.children) {
    const FieldSet* other = right.Below(child.element);
    rest.AppendChild(child.element, other == nullptr ? child.set : Difference(child.set, *other));
  }
  return rest;
}

FieldSet RecursiveDifference(const FieldSet& left, const FieldSet& right) {
  FieldSet rest;
  std::set_difference(left.members.begin(), left.members.end(), right.members.begin(), right.members.end(),
                      std::back_inserter(rest.members), Before);
  for (const FieldSetNode& child : left.children) {
    if (right.HasMember(child.element)) continue;
    const FieldSet* other = right.Below(child.element);
    rest.AppendChild(child.element, other == nullptr ? child.set : RecursiveDifference(child.set, *other));
  }
  return rest;
}

}  // namespace kumiko::api
