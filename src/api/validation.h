// What validation of every kind is made of: the list of errors in Kubernetes' wording, and the formats of names.
#pragma once

#include <cstddef>
#include <functional>
#include <initializer_list>
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

// Collects what is wrong; each call adds one error in the form `Invalid value: "x": why; what to write`.
class FieldErrors {
 public:
  void Required(const FieldPath& path, std::string_view what);
  void Invalid(const FieldPath& path, std::string_view value, std::string_view why);
  void Unsupported(const FieldPath& path, std::string_view value, std::initializer_list<std::string_view> allowed);
  void TooMany(const FieldPath& path, std::size_t count, std::size_t limit);
  void Duplicate(const FieldPath& path, std::string_view value);
  void Forbidden(const FieldPath& path, std::string_view why);

  void Add(FieldError error) { errors_.push_back(std::move(error)); }

  std::vector<FieldError> Take() { return std::move(errors_); }

 private:
  std::vector<FieldError> errors_;
};

// Each returns "" when `text` has the format, else the reason with an example of what is right.
std::string CheckDnsLabel(std::string_view text);
std::string CheckDnsSubdomain(std::string_view text);
// [prefix/]name as label keys have it.
std::string CheckQualifiedName(std::string_view text);
std::string CheckLabelValue(std::string_view text);
// `id` or `domain/id` of device attributes and capacities: a C identifier of at most 32 bytes.
std::string CheckAttributeName(std::string_view text);
// The same, the domain required.
std::string CheckFullAttributeName(std::string_view text);

// Names, labels, annotations and owners; `check_name` is the format that the kind's names have.
void ValidateMeta(const ObjectMeta& meta, const FieldPath& path, bool namespaced,
                  const std::function<std::string(std::string_view)>& check_name, FieldErrors& errors);

}  // namespace kumiko::api
