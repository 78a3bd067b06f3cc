#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>
#include <vector>

#include "api/patch/structured_merge.h"

namespace kumiko::api {
namespace {

struct Fields {
  FieldSet below;
  bool is_field = false;  // the value itself is one that can be owned
};

Fields Collect(const Json& value, const Structure& structure);

FieldSet CollectMembers(const JsonObject& members, const Forms& forms) {
  FieldSet set;
  for (const auto& member : members) {
    const PathElement element = PathElement::Field(member.key());
    Fields fields = Collect(member.value(), forms.Member(member.key()));
    const JsonObject* object = member.value().if_object();
    const bool empty = member.value().is_null() || (object != nullptr && object->empty());
    if (fields.is_field || empty || !forms.Names(member.key())) set.AppendMember(element);
    set.AppendChild(element, std::move(fields.below));
  }
  set.Sort();
  return set;
}

// An item that has lost all its members while a list is pruned: nothing can name it, but the list is not empty.
PathElement Unidentified() {
  PathElement element;
  element.kind = PathElement::Kind::kIndex;
  element.index = std::numeric_limits<std::int64_t>::max();
  return element;
}

FieldSet CollectItems(const JsonArray& items, const Forms& forms) {
  struct Entry {
    PathElement element;
    const Json* item;
  };
  const auto before = [](const Entry& a, const Entry& b) { return Compare(a.element, b.element) < 0; };
  std::vector<Entry> entries;
  for (const Json& item : items) {
    auto element = ItemElement(forms, item);
    entries.push_back({element ? std::move(*element) : Unidentified(), &item});
  }
  std::ranges::stable_sort(entries, before);
  FieldSet set;
  for (std::size_t begin = 0; begin < entries.size();) {
    std::size_t end = begin + 1;
    while (end < entries.size() && !before(entries[begin], entries[end])) ++end;
    set.AppendMember(entries[begin].element);
    // Of an item that is there several times only the presence is a field.
    if (end == begin + 1) {
      set.AppendChild(entries[begin].element, Collect(*entries[begin].item, forms.item).below);
    }
    begin = end;
  }
  return set;
}

Fields Collect(const Json& value, const Structure& structure) {
  const Forms forms = Fitting(FormsOf(structure), &value);
  if (forms.map) {
    if (forms.atomic_map) return {{}, true};
    const JsonObject* members = value.if_object();
    return members == nullptr ? Fields() : Fields{CollectMembers(*members, forms), false};
  }
  if (forms.scalar != Forms::Scalar::kNone) return {{}, true};
  if (forms.list) {
    if (forms.list_type == ListType::kAtomic) return {{}, true};
    const JsonArray* items = value.if_array();
    return items == nullptr ? Fields() : Fields{CollectItems(*items, forms), false};
  }
  return {};
}

Json RemoveMembers(const JsonObject& members, const FieldSet& fields, const Forms& forms) {
  JsonObject kept;
  for (const auto& member : members) {
    const PathElement element = PathElement::Field(member.key());
    if (fields.HasMember(element)) continue;
    const FieldSet* below = fields.Below(element);
    kept[member.key()] =
        below == nullptr ? member.value() : RemoveFields(member.value(), *below, forms.Member(member.key()));
  }
  return kept.empty() ? Json() : Json(std::move(kept));
}

Json RemoveItems(const JsonArray& items, const FieldSet& fields, const Forms& forms) {
  JsonArray kept;
  for (const Json& item : items) {
    const auto element = ItemElement(forms, item);
    if (element && fields.HasMember(*element)) continue;
    const FieldSet* below = element ? fields.Below(*element) : nullptr;
    kept.push_back(below == nullptr ? item : RemoveFields(item, *below, forms.item));
  }
  return kept.empty() ? Json() : Json(std::move(kept));
}

Structure Below(const Forms& forms, const PathElement& element) {
  if (element.kind == PathElement::Kind::kField && forms.map) return forms.Member(element.name);
  if (element.kind == PathElement::Kind::kKey && forms.list) return forms.item;
  return {};
}

bool IsDeduced(const Forms& forms) {
  return forms.members == nullptr && forms.values.kind == Structure::Kind::kDeduced;
}

bool IsAtomic(const Forms& forms) {
  if (forms.map) return forms.atomic_map && !IsDeduced(forms);
  return forms.scalar == Forms::Scalar::kNone && forms.list && forms.list_type == ListType::kAtomic;
}

void Reconcile(FieldSet& fields, const Structure& structure) {
  const Forms forms = FormsOf(structure);
  if (forms.map ? IsDeduced(forms) : forms.scalar != Forms::Scalar::kNone || !forms.list) return;
  std::vector<PathElement> whole;
  std::erase_if(fields.children, [&](FieldSetNode& child) {
    Structure below = forms.item;
    if (forms.map) {
      below = child.element.kind == PathElement::Kind::kField ? forms.Member(child.element.name) : forms.values;
    }
    if (below.kind == Structure::Kind::kNone) return false;
    if (IsAtomic(FormsOf(below))) {
      whole.push_back(child.element);
      return true;
    }
    Reconcile(child.set, below);
    return false;
  });
  for (const PathElement& element : whole) fields.Insert(FieldPath{element});
}

}  // namespace

FieldSet FieldsOf(const Json& value, const Structure& structure) {
  return Collect(value, structure).below;
}

Json RemoveFields(const Json& value, const FieldSet& fields, const Structure& structure) {
  const Forms forms = Fitting(FormsOf(structure), &value);
  if (forms.map) {
    const JsonObject* members = value.if_object();
    if (members == nullptr || forms.atomic_map) return nullptr;
    return RemoveMembers(*members, fields, forms);
  }
  if (forms.scalar != Forms::Scalar::kNone) return value;
  const JsonArray* items = value.if_array();
  if (!forms.list || items == nullptr || forms.list_type == ListType::kAtomic) return nullptr;
  return RemoveItems(*items, fields, forms);
}

FieldSet WithNamedMembers(const FieldSet& fields, const Structure& structure) {
  const Forms forms = FormsOf(structure);
  FieldSet named;
  for (const FieldSetNode& child : fields.children) {
    const bool is_field = child.element.kind == PathElement::Kind::kField;
    if (is_field && forms.map && forms.Names(child.element.name)) named.AppendMember(child.element);
  }
  FieldSet all;
  std::set_union(fields.members.begin(), fields.members.end(), named.members.begin(), named.members.end(),
                 std::back_inserter(all.members),
                 [](const PathElement& a, const PathElement& b) { return Compare(a, b) < 0; });
  for (const FieldSetNode& child : fields.children) {
    all.children.push_back({child.element, WithNamedMembers(child.set, Below(forms, child.element))});
  }
  return all;
}

FieldSet FieldsUnderSchema(FieldSet fields, const Structure& structure) {
  Reconcile(fields, structure);
  return fields;
}

}  // namespace kumiko::api
