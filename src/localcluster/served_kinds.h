// The kinds that a store keeps: those that are built in, and those that CustomResourceDefinitions add while it runs.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/kinds.h"
#include "api/schema/structural.h"
#include "base/guarded.h"
#include "base/json.h"
#include "localcluster/tables/table.h"

namespace kumiko::localcluster {

// Where a custom resource keeps what its scale subresource shows: JSON paths such as ".spec.replicas".
struct ScalePaths {
  std::string spec_replicas;
  std::string status_replicas;
  std::string label_selector;  // "" when there is none
};

struct CustomVersion {
  std::string name;
  bool served = false;
  bool has_status = false;
  std::shared_ptr<const api::CustomSchema> schema;
  Json open_api_schema;
  TableFormat table;
  std::optional<ScalePaths> scale;
  std::vector<std::string> selectable_fields;  // "spec.color"; no deeper than selectors look (kube/object.h)
};

// What a definition says. Immutable; `info` names the stored version and points into the object itself.
class CustomKind {
 public:
  // Of a definition in which nothing is wrong.
  explicit CustomKind(const Json& definition);
  CustomKind(const CustomKind&) = delete;
  CustomKind& operator=(const CustomKind&) = delete;

  const api::KindInfo& info() const { return info_; }
  const std::vector<CustomVersion>& versions() const { return versions_; }
  // Null when there is none or it is not served.
  const CustomVersion* FindServed(std::string_view version) const;
  const CustomVersion& stored() const;
  // The names of what it defines: `widgets.example.com` of the definition, and the key kind `Widget.example.com`.
  const std::string& definition() const { return definition_; }
  const std::string& key_kind() const { return key_kind_; }

 private:
  std::string_view Keep(std::string_view text) { return texts_.emplace_back(text); }

  std::string definition_;
  std::string key_kind_;
  std::deque<std::string> texts_;
  std::vector<CustomVersion> versions_;
  api::KindInfo info_;
};

// A kind that is served; `custom` is null for one that is built in.
struct ServedKind {
  const api::KindInfo* info = nullptr;
  std::shared_ptr<const CustomKind> custom = nullptr;

  explicit operator bool() const { return info != nullptr; }
  // The group version of this text, which lives as long as the kind; the stored one when it is not served.
  api::GroupVersion VersionNamed(std::string_view group, std::string_view version) const;
  // Whether status is written apart from the rest, in this version.
  bool HasStatus(std::string_view version) const;
};

// Thread safe.
class ServedKinds {
 public:
  // By the kind of an ObjectKey (kube/api_client.h).
  ServedKind OfKey(std::string_view key_kind) const;
  // By apiVersion and kind, of any served version.
  ServedKind OfObject(const Json& object) const;
  // By the parts of a path; reviews too.
  ServedKind OfResource(std::string_view group, std::string_view version, std::string_view plural) const;
  // Ordered by the definition's name.
  std::vector<std::shared_ptr<const CustomKind>> Custom() const;

  // Takes over a definition, new or changed, or forgets it.
  void Define(const Json& definition);
  void Forget(std::string_view definition);

 private:
  Guarded<std::vector<std::shared_ptr<const CustomKind>>> custom_;
};

}  // namespace kumiko::localcluster
