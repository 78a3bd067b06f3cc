// Sets of fields of an object, as server-side apply keeps for each manager. A field is a path of elements; a set is a
// tree of them. On the wire a set is FieldsV1: {"f:spec":{"f:ports":{"k:{\"port\":80}":{".":{},"f:port":{}}}}}.
// Source: structured-merge-diff v6 (fieldpath); metav1.FieldsV1.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json.h"
#include "base/result.h"

namespace kumiko::api {

// The order of values in keys and sets: numbers by value, strings, booleans, lists, maps, null. Below, at or above 0.
int CompareValues(const Json& left, const Json& right);

// One step from an object or list to what is in it.
struct PathElement {
  enum class Kind : std::uint8_t {
    kField,  // a member of an object: `name`
    kKey,    // the item of a list whose members have these values: `key`, by name
    kValue,  // the item of a list that is this scalar: `value`
    kIndex,  // the item at a position: `index`
  };
  struct KeyField {
    std::string name;
    Json value;
  };

  Kind kind = Kind::kField;
  std::string name;
  std::vector<KeyField> key;
  Json value;
  std::int64_t index = 0;

  static PathElement Field(std::string_view name);

  // As in messages: .spec, [name="web"], [="finalizer"], [3].
  std::string ToString() const;
};

using FieldPath = std::vector<PathElement>;
std::string PathText(const FieldPath& path);

// Fields by name, then keys, values and indices. Below, at or above 0.
int Compare(const PathElement& left, const PathElement& right);

struct FieldSetNode;

// Both lists are ordered by Compare. A child is never empty; being a child does not make it a member.
struct FieldSet {
  std::vector<PathElement> members;
  std::vector<FieldSetNode> children;

  bool Empty() const { return members.empty() && children.empty(); }
  void Insert(std::span<const PathElement> path);  // an empty path is ignored: nobody owns the object as such
  bool Has(std::span<const PathElement> path) const;
  bool HasMember(const PathElement& element) const;
  // The set below `element`, or null.
  const FieldSet* Below(const PathElement& element) const;
  // Adds a member, or a set below `element`, that comes after all there are.
  void AppendMember(const PathElement& element) { members.push_back(element); }
  void AppendChild(const PathElement& element, FieldSet below);
  // Brings what was appended in any order into order. No element may have been appended twice to the same list.
  void Sort();

  void ForEach(const std::function<void(const FieldPath&)>& visit) const;  // members before children
};

struct FieldSetNode {
  PathElement element;
  FieldSet set;
};

// FieldsAt({{"status"}, {"metadata", "labels"}})
FieldSet FieldsAt(std::initializer_list<std::initializer_list<std::string_view>> paths);

FieldSet Union(const FieldSet& left, const FieldSet& right);
FieldSet Intersection(const FieldSet& left, const FieldSet& right);
// Without the members of `right`; a member of `right` does not take what is below it along.
FieldSet Difference(const FieldSet& left, const FieldSet& right);
// Without the members of `right` and all that is below them.
FieldSet RecursiveDifference(const FieldSet& left, const FieldSet& right);

// FieldsV1. Elements of kinds that are not known are left out. Errors: kInvalidArgument, names the element.
Result<FieldSet> ParseFieldsV1(const Json& fields);
Json WriteFieldsV1(const FieldSet& set);

}  // namespace kumiko::api
