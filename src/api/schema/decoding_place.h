// Where a decoder is in an object, and how Go's messages name that place: a path for strict errors, a struct and its
// field for errors about types.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "api/schema/schema.h"

namespace kumiko::api {

class DecodingPlace {
 public:
  explicit DecodingPlace(const Schema& root) : root_(root) {}

  void EnterMember(const Schema& owner, std::string_view name) { steps_.push_back({name, 0, &owner}); }
  void EnterKey(std::string_view key) { steps_.push_back({key, 0, nullptr}); }
  void EnterItem(std::size_t index) { steps_.push_back({{}, index, nullptr}); }
  void Leave() { steps_.pop_back(); }

  // "spec.containers[0]"; "" at the root.
  std::string Path() const;
  // With a member that is not entered.
  std::string PathOf(std::string_view member) const;

  // `json: cannot unmarshal string into Go struct field DeploymentSpec.spec.replicas of type int32`. `schema` is of the
  // value at this place.
  std::string CannotUnmarshal(std::string_view value, const Schema& schema) const;
  // The same, for types that Go reads by code of their own: `type` is what that code reads into.
  std::string CannotUnmarshalInto(std::string_view value, std::string_view type) const;
  // The type at this place as Go names it: "int32", "v1.PullPolicy".
  std::string GoTypeHere(const Schema& schema) const;

 private:
  struct Step {
    std::string_view key;
    std::size_t index;
    const Schema* owner;  // of a struct's member; null for a map's key or a list's index
  };

  const Schema& root_;
  std::vector<Step> steps_;
};

}  // namespace kumiko::api
