// metadata.managedFields: who owns which fields of an object, since when, and by which kind of request.
// Source: KEP-555; managedfields of k8s.io/apimachinery.
#pragma once

#include <compare>
#include <map>
#include <optional>
#include <string>

#include "api/patch/field_set.h"
#include "base/json.h"
#include "base/result.h"
#include "base/time.h"

namespace kumiko::api {

enum class Operation { kApply, kUpdate };

// Who owns fields. One who applies is the same in every version.
struct Manager {
  std::string name;
  Operation operation = Operation::kUpdate;
  std::string api_version;  // "" of kApply
  std::string subresource;

  // The text that kube-apiserver sorts by and tells managers apart with.
  std::string Id() const;
  bool operator==(const Manager&) const = default;
};

struct Ownership {
  Manager manager;
  std::string api_version;  // that the fields are named in
  FieldSet fields;
  std::optional<Time> time;  // whole seconds count
};

// By Manager::Id().
using ManagedFields = std::map<std::string, Ownership>;

// The entries of `object`; none when it has none. Errors: kInvalidArgument, the reason in kube-apiserver's words.
Result<ManagedFields> ReadManagedFields(const Json& object);
// Replaces the entries of `object`: those who apply first, then by time, name, version, subresource. Without entries
// the member goes.
void WriteManagedFields(const ManagedFields& managed, Json& object);
void RemoveManagedFields(Json& object);
// Whether the entries ask to forget all ownership: an empty list, or one with an empty entry.
bool ResetsManagedFields(const Json& object);

// As many as are kept; the oldest beyond that become one of the name "ancient-changes" for each version.
inline constexpr std::size_t kMaxUpdateManagers = 10;
void MergeOldUpdates(ManagedFields& managed);

// `"kubectl" with subresource "scale" using apps/v1`, as conflicts name it.
std::string DescribeManager(const Manager& manager);

}  // namespace kumiko::api
