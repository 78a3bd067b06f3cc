// What an expression may name: variables with their types and sizes, object types with their fields, libraries of
// functions, and switches of the language. Immutable once built; shared by any number of compilations.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "cel/overload.h"
#include "cel/type.h"

namespace kumiko::cel {

// How large the values below a variable can be; what a cost estimate rests on.
struct Shape {
  std::uint64_t max_elements = 0;  // of a list or map: entries; of a string: code points; scalars: as the reference
  const Shape* element = nullptr;  // of list items and map values
  const Shape* key = nullptr;
  std::vector<std::pair<std::string_view, const Shape*>> fields;
  bool any_field = false;  // every field name leads to `element`: the attributes of a domain
};

struct Variable {
  std::string name;
  TypeRef type = nullptr;
  const Shape* shape = nullptr;  // null: nothing is known
};

struct ObjectField {
  std::string name;
  TypeRef type = nullptr;
};

// Kubernetes' gates that change what `device` looks like to new expressions.
struct DraFeatures {
  bool consumable_capacity = false;
  bool list_type_attributes = false;
  bool operator==(const DraFeatures&) const = default;
};

// New expressions are checked as the API server does when an object is written: libraries up to the compatibility
// version, the device according to the gates. Stored ones as the scheduler does: everything ever released.
enum class Mode { kStored, kNew };

class Environment {
 public:
  // The device selectors of resource.k8s.io; shared, built once for each combination.
  static const Environment& Dra(Mode mode, DraFeatures features);

  explicit Environment(Dialect dialect = Dialect::kKubernetes);
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

  // ---- building

  TypePool& pool() { return pool_; }
  Shape& NewShape() { return shapes_.emplace_back(); }
  // The overloads must outlive the environment.
  void AddLibrary(std::span<const Overload> overloads);
  void AddType(std::string name, TypeRef type);
  void AddVariable(Variable variable);
  // Fields of an object type; a second call for the same type adds fields.
  void AddObject(TypeRef type, std::vector<ObjectField> fields);
  void set_container(std::string container) { container_ = std::move(container); }

  bool homogeneous_literals = true;
  bool cross_type_comparison = true;
  bool macros = true;
  bool two_variable_macros = true;
  bool list_macros = true;  // sortBy
  bool optional_syntax = true;
  bool presence_test_has_cost = false;
  // Whether a literal of a declared object type is the map of its fields. Kubernetes has no such values: the type
  // checks and the run fails.
  bool object_literals = false;

  // ---- asking

  Dialect dialect() const { return dialect_; }
  const std::string& container() const { return container_; }
  const std::vector<Variable>& variables() const { return variables_; }
  std::optional<std::size_t> FindVariable(std::string_view name) const;
  // All overloads of a name, in order of declaration; null when there is none.
  const std::vector<const Overload*>* FindFunction(std::string_view name) const;
  // The type that an identifier such as `int` or google.protobuf.Duration names; null when it names none.
  TypeRef FindType(std::string_view name) const;
  bool HasObject(std::string_view type_name) const;
  TypeRef FindField(std::string_view type_name, std::string_view field) const;
  // Names to try for `name` inside the container, the longest first: a.b.c.x, a.b.x, a.x, x. A leading dot means: only
  // x.
  std::vector<std::string> CandidateNames(std::string_view name) const;
  // Whether some dotted name (optional.of, google.protobuf.Duration) begins with the part `first`.
  bool MayBeginName(std::string_view first) const;

  // Of the DRA environments: the type of an attribute, which a selector may also result in.
  TypeRef attribute_type = nullptr;

 private:
  Dialect dialect_;
  TypePool pool_;
  std::deque<Shape> shapes_;
  std::string container_;
  std::vector<Variable> variables_;
  std::unordered_map<std::string_view, std::vector<const Overload*>> functions_;
  std::map<std::string, TypeRef, std::less<>> types_;
  std::map<std::string, std::vector<ObjectField>, std::less<>> objects_;
  std::set<std::string, std::less<>> first_parts_;
};

}  // namespace kumiko::cel
