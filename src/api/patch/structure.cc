#include "api/patch/structure.h"

#include <algorithm>
#include <functional>

#include "api/patch/go_text.h"
#include "base/text.h"

namespace kumiko::api {
namespace {

constexpr std::string_view kRawExtension = "io.k8s.apimachinery.pkg.runtime.RawExtension";

constexpr Structure kUntyped{Structure::Kind::kUntyped};
constexpr Structure kDeduced{Structure::Kind::kDeduced};

void AllowAnyScalarAndList(Forms& forms) {
  forms.scalar = Forms::Scalar::kAny;
  forms.list = true;
  forms.item = kUntyped;
}

void FillMap(const Schema& schema, bool keeps_unknown, Forms& forms) {
  forms.map = true;
  forms.atomic_map = schema.atomic_map;
  if (!schema.members.empty()) forms.members = &schema;
  const bool named_values = schema.type == Schema::Type::kObject && schema.items != nullptr;
  if (named_values) {
    forms.values = StructureOf(*schema.items, keeps_unknown);
  } else if (keeps_unknown || schema.members.empty()) {
    forms.values = kDeduced;
  }
}

Forms FormsOfSchema(const Schema& schema, bool keeps_unknown) {
  Forms forms;
  switch (schema.type) {
    case Schema::Type::kInteger:
    case Schema::Type::kNumber:
      forms.scalar = Forms::Scalar::kNumber;
      break;
    case Schema::Type::kBoolean:
      forms.scalar = Forms::Scalar::kBoolean;
      break;
    case Schema::Type::kString:
      // Any other format, like a time, may be written in several ways.
      forms.scalar = schema.format.empty() || schema.format == "byte" ? Forms::Scalar::kString : Forms::Scalar::kAny;
      break;
    case Schema::Type::kArray:
      forms.list = true;
      forms.list_type = schema.list_type;
      forms.keys = &schema.list_map_keys;
      forms.item = schema.items == nullptr ? kUntyped : StructureOf(*schema.items, keeps_unknown);
      break;
    case Schema::Type::kObject:
      FillMap(schema, keeps_unknown, forms);
      break;
    case Schema::Type::kIntOrString:
      if (schema.format == "quantity") {
        forms.scalar = Forms::Scalar::kAny;
        break;
      }
      AllowAnyScalarAndList(forms);
      FillMap(schema, keeps_unknown, forms);
      break;
    case Schema::Type::kAny:
      AllowAnyScalarAndList(forms);
      FillMap(schema, keeps_unknown, forms);
      break;
  }
  return forms;
}

// Findings come without their place; whoever descends puts its step before those that were added meanwhile.
class Checker {
 public:
  explicit Checker(Duplicates duplicates) : duplicates_(duplicates) {}

  void Check(const Json& value, const Structure& structure) {
    const Forms forms = Fitting(FormsOf(structure), &value);
    if (forms.map) {
      CheckMap(value, forms);
    } else if (forms.scalar != Forms::Scalar::kNone) {
      CheckScalar(value, forms.scalar);
    } else if (forms.list) {
      CheckList(value, forms);
    }
  }

  std::vector<std::string> Findings() const {
    std::vector<std::string> findings;
    for (const auto& [path, message] : findings_) {
      findings.push_back(path.empty() ? message : fmt::format("{}: {}", path, message));
    }
    return findings;
  }

 private:
  struct Finding {
    std::string path;
    std::string message;
  };

  void Say(std::string message) { findings_.push_back({{}, std::move(message)}); }

  // Says where the findings since there were `before` of them belong.
  template <class ElementOf>
  void Place(std::size_t before, ElementOf element_of) {
    for (std::size_t at = before; at < findings_.size(); ++at) {
      findings_[at].path.insert(0, element_of().ToString());
    }
  }

  void CheckMap(const Json& value, const Forms& forms) {
    if (value.is_null()) return;
    const JsonObject* members = value.if_object();
    if (members == nullptr) return Say(fmt::format("expected map, got &{{{}}}", GoValue(value)));
    for (const auto& member : *members) {
      const Structure structure = forms.Member(member.key());
      const std::size_t before = findings_.size();
      const bool known = structure.kind != Structure::Kind::kNone;
      if (known) {
        Check(member.value(), structure);
      } else {
        Say("field not declared in schema");
      }
      Place(before, [&] { return PathElement::Field(member.key()); });
      if (!known) return;
    }
  }

  void CheckScalar(const Json& value, Forms::Scalar scalar) {
    if (value.is_null()) return;
    const bool is_scalar = value.is_number() || value.is_string() || value.is_bool();
    if (scalar == Forms::Scalar::kNumber && !value.is_number()) {
      Say(fmt::format("expected numeric (int or float), got {}", GoTypeName(value)));
    } else if (scalar == Forms::Scalar::kString && !value.is_string()) {
      Say(fmt::format("expected string, got &value.valueUnstructured{{Value:{}}}", GoSyntax(value)));
    } else if (scalar == Forms::Scalar::kBoolean && !value.is_bool()) {
      Say(fmt::format("expected boolean, got &{{{}}}", GoValue(value)));
    } else if (scalar == Forms::Scalar::kAny && !is_scalar) {
      Say(fmt::format("expected any scalar, got &{{{}}}", GoValue(value)));
    }
  }

  void CheckList(const Json& value, const Forms& forms) {
    if (value.is_null()) return;
    const JsonArray* items = value.if_array();
    if (items == nullptr) return Say(fmt::format("expected list, got &{{{}}}", GoValue(value)));
    FieldSet seen;
    for (std::size_t at = 0; at < items->size(); ++at) {
      const Json& item = (*items)[at];
      PathElement element;
      element.kind = PathElement::Kind::kIndex;
      element.index = static_cast<std::int64_t>(at);
      if (forms.list_type != ListType::kAtomic) {
        auto identified = ItemElement(forms, item);
        // Without its identity nothing in the item can be named.
        if (!identified) return Say(fmt::format("element {}: {}", at, identified.error().message));
        element = std::move(*identified);
        if (duplicates_ == Duplicates::kRefused) NoteItem(element, seen);
      }
      const std::size_t before = findings_.size();
      Check(item, forms.item);
      Place(before, [&] { return element; });
    }
  }

  void NoteItem(const PathElement& element, FieldSet& seen) {
    const FieldPath path{element};
    if (seen.Has(path)) Say(fmt::format("duplicate entries for key {}", element.ToString()));
    seen.Insert(path);
  }

  Duplicates duplicates_;
  std::vector<Finding> findings_;
};

Result<PathElement> KeyedElement(const Forms& list, const Json& item) {
  if (item.is_null()) {
    return Fail(Code::kInvalidArgument, "associative list with keys may not have a null element");
  }
  const JsonObject* members = item.if_object();
  if (members == nullptr) {
    return Fail(Code::kInvalidArgument, "associative list with keys may not have non-map elements");
  }
  PathElement element;
  element.kind = PathElement::Kind::kKey;
  const Forms forms = FormsOf(list.item);
  for (const std::string& name : *list.keys) {
    const Schema* schema = forms.members == nullptr ? nullptr : forms.members->Find(name);
    if (const Json* value = members->if_contains(name)) {
      element.key.push_back({name, *value});
    } else if (schema != nullptr && schema->default_value && !schema->default_value->is_null()) {
      element.key.push_back({name, *schema->default_value});
    }
  }
  if (element.key.empty()) {
    std::string names;
    for (const std::string& name : *list.keys) names += (names.empty() ? "" : " ") + GoQuoted(name);
    return Fail(Code::kInvalidArgument,
                "associative list with keys has an element that omits all key fields [{}] (and doesn't have default "
                "values for any key fields)",
                names);
  }
  std::ranges::sort(element.key, {}, &PathElement::KeyField::name);
  return element;
}

}  // namespace

Structure StructureOf(const Schema& schema, bool keeps_unknown) {
  if (schema.name == kRawExtension) return kUntyped;
  // What keeps unknown members by its type alone has none that are known, so that nothing below inherits it.
  return {Structure::Kind::kSchema, &schema, keeps_unknown || (schema.keeps_unknown && !schema.members.empty())};
}

Structure Forms::Member(std::string_view name) const {
  if (members != nullptr) {
    if (const Schema* member = members->Find(name))
      return StructureOf(*member, values.kind == Structure::Kind::kDeduced);
  }
  return values;
}

Forms FormsOf(const Structure& structure) {
  Forms forms;
  switch (structure.kind) {
    case Structure::Kind::kNone:
      break;
    case Structure::Kind::kSchema:
      return FormsOfSchema(*structure.schema, structure.keeps_unknown);
    case Structure::Kind::kUntyped:
    case Structure::Kind::kDeduced:
      AllowAnyScalarAndList(forms);
      forms.map = true;
      forms.atomic_map = structure.kind == Structure::Kind::kUntyped;
      forms.values = structure;
      break;
  }
  return forms;
}

Forms Fitting(Forms forms, const Json* value) {
  if (value == nullptr || value->is_null()) return forms;
  if (value->is_array()) {
    if (!forms.list) return forms;
    forms.map = false;
    forms.scalar = Forms::Scalar::kNone;
  } else if (value->is_object()) {
    if (!forms.map) return forms;
    forms.list = false;
    forms.scalar = Forms::Scalar::kNone;
  } else if (forms.scalar != Forms::Scalar::kNone) {
    forms.map = false;
    forms.list = false;
  }
  return forms;
}

Result<PathElement> ItemElement(const Forms& list, const Json& item) {
  if (list.list_type == ListType::kMap) return KeyedElement(list, item);
  if (item.is_object()) {
    return Fail(Code::kInvalidArgument, "associative list without keys has an element that's a map type");
  }
  if (item.is_array()) {
    return Fail(Code::kInvalidArgument, "not supported: associative list with lists as elements");
  }
  if (item.is_null()) {
    return Fail(Code::kInvalidArgument, "associative list without keys has an element that's an explicit null");
  }
  PathElement element;
  element.kind = PathElement::Kind::kValue;
  element.value = item;
  return element;
}

Status CheckStructure(const Json& value, const Structure& structure, Duplicates duplicates) {
  Checker checker(duplicates);
  checker.Check(value, structure);
  const std::vector<std::string> findings = checker.Findings();
  if (findings.empty()) return {};
  if (findings.size() == 1) return Fail(Code::kInvalidArgument, "{}", findings[0]);
  return Fail(Code::kInvalidArgument, "errors:\n  {}", Join(findings, "\n  "));
}

}  // namespace kumiko::api
