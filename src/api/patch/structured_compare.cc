#include <algorithm>
#include <string_view>
#include <vector>

#include "api/patch/structured_merge.h"

namespace kumiko::api {
namespace {

// What differs at a value and below it.
struct Difference {
  Comparison below;
  bool removed = false;
  bool modified = false;
  bool added = false;
};

Difference Compare(const Json* before, const Json* after, const Structure& structure);

void Append(Comparison& all, const PathElement& element, Difference difference) {
  if (difference.removed) all.removed.AppendMember(element);
  if (difference.modified) all.modified.AppendMember(element);
  if (difference.added) all.added.AppendMember(element);
  all.removed.AppendChild(element, std::move(difference.below.removed));
  all.modified.AppendChild(element, std::move(difference.below.modified));
  all.added.AppendChild(element, std::move(difference.below.added));
}

std::vector<std::string_view> AllNames(const JsonObject* left, const JsonObject* right) {
  std::vector<std::string_view> names;
  for (const JsonObject* object : {left, right}) {
    if (object == nullptr) continue;
    for (const auto& member : *object) names.push_back(member.key());
  }
  std::ranges::sort(names);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

void CompareMaps(const JsonObject* before, const JsonObject* after, const Forms& forms, Comparison& all) {
  for (const std::string_view name : AllNames(before, after)) {
    const Json* old = before == nullptr ? nullptr : before->if_contains(name);
    const Json* now = after == nullptr ? nullptr : after->if_contains(name);
    // Most of two versions of an object is the same.
    if (old != nullptr && now != nullptr && ValuesEqual(*old, *now)) continue;
    Append(all, PathElement::Field(name), Compare(old, now, forms.Member(name)));
  }
}

struct Item {
  PathElement element;
  const Json* before = nullptr;  // or
  const Json* after = nullptr;
};

std::vector<Item> ItemsByElement(const JsonArray* before, const JsonArray* after, const Forms& forms) {
  std::vector<Item> items;
  const auto add = [&](const JsonArray* list, const Json* Item::* side) {
    if (list == nullptr) return;
    for (const Json& value : *list) {
      auto element = ItemElement(forms, value);
      if (!element) continue;
      Item item{std::move(*element)};
      item.*side = &value;
      items.push_back(std::move(item));
    }
  };
  add(before, &Item::before);
  add(after, &Item::after);
  std::ranges::stable_sort(items,
                           [](const Item& a, const Item& b) { return kumiko::api::Compare(a.element, b.element) < 0; });
  return items;
}

// Items that occur several times in one list are one thing that is there or not.
Difference CompareItems(const std::vector<const Json*>& before, const std::vector<const Json*>& after,
                        const Structure& structure) {
  if (before.size() <= 1 && after.size() <= 1) {
    return Compare(before.empty() ? nullptr : before[0], after.empty() ? nullptr : after[0], structure);
  }
  Difference difference;
  if (before.size() >= 2 && after.size() >= 2) {
    difference.modified =
        !std::ranges::equal(before, after, [](const Json* a, const Json* b) { return ValuesEqual(*a, *b); });
  } else if (before.size() >= 2) {
    if (!after.empty()) difference = Compare(nullptr, after[0], structure);
    difference.removed = true;
  } else {
    if (!before.empty()) difference = Compare(before[0], nullptr, structure);
    difference.added = true;
  }
  return difference;
}

void CompareLists(const JsonArray* before, const JsonArray* after, const Forms& forms, Comparison& all) {
  const std::vector<Item> items = ItemsByElement(before, after, forms);
  for (std::size_t begin = 0; begin < items.size();) {
    std::vector<const Json*> old;
    std::vector<const Json*> now;
    std::size_t end = begin;
    for (; end < items.size() && kumiko::api::Compare(items[end].element, items[begin].element) == 0; ++end) {
      if (items[end].before != nullptr) old.push_back(items[end].before);
      if (items[end].after != nullptr) now.push_back(items[end].after);
    }
    Append(all, items[begin].element, CompareItems(old, now, forms.item));
    begin = end;
  }
}

// True when the value was compared as a whole.
bool CompareAs(const Json* before, const Json* after, const Forms& forms, Difference& difference) {
  const auto as_a_whole = [&] {
    if (before == nullptr) {
      difference.added = true;
    } else if (after == nullptr) {
      difference.removed = true;
    } else if (!ValuesEqual(*before, *after)) {
      difference.modified = true;
    }
    return true;
  };
  if (forms.map) {
    const JsonObject* old = before == nullptr ? nullptr : before->if_object();
    const JsonObject* now = after == nullptr ? nullptr : after->if_object();
    if (forms.atomic_map || ((old == nullptr || old->empty()) && (now == nullptr || now->empty()))) {
      return as_a_whole();
    }
    CompareMaps(old, now, forms, difference.below);
    return false;
  }
  if (forms.scalar == Forms::Scalar::kNone && forms.list) {
    const JsonArray* old = before == nullptr ? nullptr : before->if_array();
    const JsonArray* now = after == nullptr ? nullptr : after->if_array();
    if (forms.list_type == ListType::kAtomic ||
        ((old == nullptr || old->empty()) && (now == nullptr || now->empty()))) {
      return as_a_whole();
    }
    CompareLists(old, now, forms, difference.below);
    return false;
  }
  return as_a_whole();
}

Difference Compare(const Json* before, const Json* after, const Structure& structure) {
  Difference difference;
  const Forms forms = FormsOf(structure);
  const Forms old = Fitting(forms, before);
  const Forms now = Fitting(forms, after);
  bool whole = false;
  if (after == nullptr) {
    whole = CompareAs(before, after, old, difference);
  } else if (before == nullptr || old.SameForms(now)) {
    whole = CompareAs(before, after, now, difference);
  } else {
    // A value that may be anything became something else.
    CompareAs(before, after, old, difference);
    Difference second;
    whole = CompareAs(before, after, now, second);
    difference.modified = difference.modified || second.modified;
    difference.below.removed = Union(difference.below.removed, second.below.removed);
    difference.below.modified = Union(difference.below.modified, second.below.modified);
    difference.below.added = Union(difference.below.added, second.below.added);
  }
  if (!whole) {
    difference.added = difference.added || before == nullptr;
    difference.removed = difference.removed || (before != nullptr && after == nullptr);
  }
  return difference;
}

}  // namespace

Comparison CompareStructured(const Json& before, const Json& after, const Structure& structure) {
  return Compare(&before, &after, structure).below;
}

bool ValuesEqual(const Json& left, const Json& right) {
  if (left.is_number() && right.is_number()) return CompareValues(left, right) == 0;
  if (left.kind() != right.kind()) return false;
  if (const JsonArray* items = left.if_array()) {
    return std::ranges::equal(*items, right.get_array(), ValuesEqual);
  }
  if (const JsonObject* members = left.if_object()) {
    const JsonObject& other = right.get_object();
    if (members->size() != other.size()) return false;
    return std::ranges::all_of(*members, [&](const auto& member) {
      const Json* value = other.if_contains(member.key());
      return value != nullptr && ValuesEqual(member.value(), *value);
    });
  }
  return left == right;
}

}  // namespace kumiko::api
