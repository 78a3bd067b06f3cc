// The kinds that kumiko serves and reads: names, scope, defaults, validation and conversion to the stored version.
// Names, verbs, short names, categories and subresources are those that Kubernetes 1.37 publishes in its discovery
// documents (kubernetes api/discovery/aggregated_v2.json).
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/codec.h"
#include "base/json.h"
#include "base/result.h"

namespace kumiko::api {

struct GroupVersion {
  std::string_view group;  // "" for the core group
  std::string_view version;
  bool operator==(const GroupVersion&) const = default;

  // "v1" or "apps/v1", as apiVersion has it.
  std::string Text() const;
};

// One group as discovery lists it, the preferred version first.
struct GroupInfo {
  std::string_view name;
  std::vector<std::string_view> versions;
};

struct SubresourceInfo {
  std::string_view name;   // "scale"
  std::string_view kind;   // what is sent and answered: "Scale"
  std::string_view verbs;  // ordered, as in KindInfo
  GroupVersion of = {};    // of `kind`, where it is not that of the resource
};

// What a request may do with a resource of its own; ordered, separated by commas, as discovery has them.
inline constexpr std::string_view kAllVerbs = "create,delete,deletecollection,get,list,patch,update,watch";

struct KindInfo {
  std::string_view group = {};  // "" for the core group
  std::string_view version;     // the stored version
  std::string_view kind;
  std::string_view plural;
  bool namespaced = false;
  std::vector<std::string_view> short_names = {};
  std::vector<std::string_view> categories = {};
  std::vector<SubresourceInfo> subresources = {};  // as discovery lists them
  std::string_view verbs = kAllVerbs;
  std::vector<GroupVersion> served_as = {};  // beside the stored version
  bool inert = false;                        // kept, but nothing in a local cluster acts on it
  // Filled in from the above.
  std::string singular = {};        // "pod"
  bool has_status = false;          // status is a subresource
  bool counts_generations = false;  // metadata.generation says how often what is wanted has changed

  std::string ApiVersion() const;
  const SubresourceInfo* FindSubresource(std::string_view name) const;  // or null
};

// All kinds that are stored, ordered by (group, kind).
std::span<const KindInfo> AllKinds();

// Kinds that are only asked, by a create that is answered and never stored, ordered by (group, kind).
std::span<const KindInfo> ReviewKinds();

// In the order in which discovery names them: of two resources of one name, clients mean that of the earlier group.
std::span<const GroupInfo> AllGroups();

// By kind alone, or null. Kinds are unique across the groups we serve; those of reviews are not found here.
const KindInfo* FindKind(std::string_view kind);

// What is served at /apis/GROUP/VERSION/PLURAL (/api/v1/PLURAL for the core group), reviews too; or null.
const KindInfo* FindResource(std::string_view group, std::string_view version, std::string_view plural);

// Turns a manifest of any served version into the stored version: apiVersion rewritten, v1beta1 requests and devices
// moved to their v1 place. Fails with kInvalidArgument on an apiVersion or kind that is not served, naming the nearest.
Result<Json> ToStored(Json object);

// Writes the defaults of the API server into an object of the stored version.
void SetDefaults(Json& object);

// What the API server would refuse on create, in its path form, each message saying what to write instead. The object
// is of the stored version, defaulted. CEL selectors are compiled.
std::vector<FieldError> Validate(const Json& object);

}  // namespace kumiko::api
