// What validation of every kind is made of: the list of errors in Kubernetes' wording, and the formats of names.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/codec.h"
#include "api/meta/object_meta.h"

namespace kumiko::api {

// A field path that is built on the way down: path.Member("spec").Index(0).Key("nvidia.com/gpu").
class FieldPath {
 public:
  FieldPath() = default;
  explicit FieldPath(std::string text) : text_(std::move(text)) {}
  FieldPath Member(std::string_view name) const;
  FieldPath Index(std::size_t index) const;
  FieldPath Key(std::string_view key) const;
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

// Collects what is wrong; each call adds one error in the words of the API server (apimachinery,
// util/validation/field): `Invalid value: "x": why`. A reason that is empty leaves its colon away.
class FieldErrors {
 public:
  void Required(const FieldPath& path, std::string_view why = "");
  void Invalid(const FieldPath& path, std::string_view value, std::string_view why);
  void Invalid(const FieldPath& path, std::int64_t value, std::string_view why);
  // The value as JSON; null when there is none.
  void InvalidJson(const FieldPath& path, const Json* value, std::string_view why);
  void Unsupported(const FieldPath& path, std::string_view value, std::span<const std::string_view> allowed);
  void Unsupported(const FieldPath& path, std::string_view value, std::initializer_list<std::string_view> allowed) {
    Unsupported(path, value, std::span(allowed.begin(), allowed.size()));
  }
  void TooMany(const FieldPath& path, std::size_t count, std::size_t limit);
  void TooLong(const FieldPath& path, std::size_t limit_bytes);
  void Duplicate(const FieldPath& path, std::string_view value);
  void DuplicateJson(const FieldPath& path, const Json& value);
  void NotFound(const FieldPath& path, std::string_view value, std::string_view why = "");
  void Forbidden(const FieldPath& path, std::string_view why);
  void Add(FieldError error) { errors_.push_back(std::move(error)); }

  bool empty() const { return errors_.empty(); }
  std::vector<FieldError> Take() { return std::move(errors_); }

 private:
  std::vector<FieldError> errors_;
};

// A value in a tree, and where it stands. Borrows from the tree.
class Field {
 public:
  Field(const Json* value, FieldPath path) : value_(value), path_(std::move(path)) {}

  // Absent and null are the same.
  bool present() const { return value_ != nullptr && !value_->is_null(); }
  const Json* json() const { return value_; }
  const FieldPath& path() const { return path_; }
  // "" and 0 and false when absent or of another type.
  std::string_view text() const;
  std::int64_t number() const;
  bool flag() const;
  // Items of a list; nothing when there is none.
  std::size_t size() const;
  Field operator[](std::string_view member) const;
  Field operator[](std::size_t index) const;
  // The members of a map, as they stand.
  const JsonObject& members() const;

 private:
  const Json* value_;
  FieldPath path_;
};

// Each returns "" when `text` has the format, else the reason, as apimachinery's util/validation words it.
std::string CheckDnsLabel(std::string_view text);
std::string CheckDnsSubdomain(std::string_view text);
// [prefix/]name as label keys have it.
std::string CheckQualifiedName(std::string_view text);
std::string CheckLabelValue(std::string_view text);
// `id` or `domain/id` of device attributes and capacities: a C identifier of at most 32 bytes.
std::string CheckAttributeName(std::string_view text);
// The same, the domain required.
std::string CheckFullAttributeName(std::string_view text);

// A name of a port: letters, digits and single hyphens, at most 15.
std::string CheckPortName(std::string_view text);
// A key of a ConfigMap or Secret.
std::string CheckConfigKey(std::string_view text);
std::string CheckIp(std::string_view text);
std::string CheckCidr(std::string_view text);
// RBAC names: anything that is one segment of a path.
std::string CheckPathSegment(std::string_view text);

// One error for each reason that `check` gives, at the field.
void CheckFormat(const Field& field, const std::function<std::string(std::string_view)>& check, FieldErrors& errors);
void CheckNotNegative(const Field& field, FieldErrors& errors);
void CheckPortNumber(const Field& field, FieldErrors& errors);
// Of a field that is present.
void CheckOneOf(const Field& field, std::initializer_list<std::string_view> allowed, FieldErrors& errors);
// Keys and values of labels.
void CheckLabels(const Field& labels, FieldErrors& errors);
// A LabelSelector. Whether it is one.
bool CheckLabelSelector(const Field& selector, FieldErrors& errors);
// A number that is not negative, or a percentage of at most 100.
void CheckCountOrPercent(const Field& field, FieldErrors& errors);

// Names, labels, annotations and owners; `check_name` is the format that the kind's names have.
void ValidateMeta(const ObjectMeta& meta, const FieldPath& path, bool namespaced,
                  const std::function<std::string(std::string_view)>& check_name, FieldErrors& errors);

}  // namespace kumiko::api
