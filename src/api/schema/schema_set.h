// Schemas made from JSON: what OpenAPI documents and CustomResourceDefinitions say becomes Schema structs. Descriptions
// and examples are left behind.
#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/schema/schema.h"
#include "base/flat_map.h"
#include "base/json.h"

namespace kumiko::api {

class SchemaSet {
 public:
  struct NamedJson {
    std::string_view name;
    Json json;
  };

  // Adds schemas that may refer to each other and to the ones that are there. Those that are there already stay.
  void AddNamed(const std::vector<NamedJson>& schemas);
  // A schema written in place. Equal ones are one.
  const Schema* Add(const Json& json);

  // The schema of a custom resource: apiVersion, kind and metadata are there, whatever it says.
  const Schema* AddResource(const Json& json, const Schema& metadata);

  // Null when none has this name.
  const Schema* Find(std::string_view name) const;

 private:
  // A reference with words of its own beside it: a copy of what it refers to, completed once that is read.
  struct Amended {
    Schema* schema;
    const Schema* referred;
    Json json;
  };

  const Schema* Read(const Json& json);
  void Fill(const Json& json, Schema& schema);
  Schema* Named(std::string_view name);
  void FinishAmended();

  std::deque<Schema> schemas_;
  StringFlatMap<Schema*> named_;
  StringFlatMap<const Schema*> in_place_;  // by what they say
  std::vector<Amended> amended_;
};

}  // namespace kumiko::api
