// The form in which the API server writes objects: which empty members it writes, which it leaves out, and the defaults
// of absent ones. Facts from Kubernetes' Go types and their json tags (data/object-forms.txt, scripts/gen-object-forms)
// and from the defaulting functions of pkg/apis/*/v1 of Kubernetes 1.37; the published schemas do not tell them.
#pragma once

#include <string_view>
#include <vector>

#include "base/json.h"

namespace kumiko::api {

struct Form;

struct FormMember {
  enum class Empty {
    kWritten,  // an absent member is written with its zero value
    kLeftOut,  // a zero value is as good as absent
    kKept,     // a zero value is one that somebody chose
    kNull,     // the same, and an absent member is written as null
  };
  enum class Leaf { kStruct, kString, kInteger, kNumber, kBool, kQuantity, kIntOrString, kTime, kAny };

  std::string_view name;
  Empty empty = Empty::kLeftOut;
  std::string_view nesting;  // "" for one value, "[]" for a list, "{}" for a map, "{}[]" for a map of lists
  Leaf leaf = Leaf::kAny;
  const Form* form = nullptr;  // of Leaf::kStruct
  Json default_value = {};     // null when there is none
};

// One Go struct. Immutable once the table is read; lives as long as the program.
struct Form {
  std::string_view name;                  // "PodSpec", "apps.DeploymentSpec"
  std::vector<FormMember> members = {};   // ordered by name
  std::vector<std::size_t> filled = {};   // indices of those that are written when absent
  void (*before)(JsonObject&) = nullptr;  // defaults that depend on other members, written first
};

// Of a built-in kind in its stored version, or null. Thread safe; the first call reads the table, 1 ms.
const Form* FormOf(std::string_view group, std::string_view kind);

// An object with nothing set and no defaults: the members that are written when absent, with their zero values.
JsonObject EmptyObject(const Form& form);

// Brings `object` into its form, with defaults. Members that the form does not know, and those of a wrong type, stay as
// they are.
void Complete(const Form& form, JsonObject& object);

}  // namespace kumiko::api
