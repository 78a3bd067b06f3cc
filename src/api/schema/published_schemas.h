// Kubernetes' published schemas, as data/openapi/schemas.json has them and the program carries them, compressed. Only
// for the files of this folder.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kumiko::api::internal {

inline constexpr std::string_view kSchemaReference = "#/components/schemas/";

// The text, decompressed while this lives: 1 MB, 2 ms. Views into it end with it.
class PublishedSchemas {
 public:
  struct Named {
    std::string_view name;
    std::string_view text;  // the JSON of the schema
  };

  PublishedSchemas();
  PublishedSchemas(const PublishedSchemas&) = delete;
  PublishedSchemas& operator=(const PublishedSchemas&) = delete;

  // The JSON of the schema, or "" when there is none of this name.
  std::string_view Find(std::string_view name) const;
  // The schemas that name a kind of this group version as theirs, DeleteOptions and WatchEvent among them.
  std::vector<std::string_view> OfGroupVersion(std::string_view group, std::string_view version) const;
  // The schema's name, or "" when no schema is of this kind.
  std::string_view OfKind(std::string_view group, std::string_view version, std::string_view kind) const;
  // The named schemas and all that they refer to, ordered by name.
  std::vector<Named> WithReferences(std::vector<std::string_view> names) const;

 private:
  std::string text_;
  std::vector<Named> schemas_;  // ordered by name
};

// The names of the schemas that the text refers to, with repetitions.
void AppendReferences(std::string_view text, std::vector<std::string_view>& names);

// The text as the program carries it; written by embed_compressed.cmake.
std::string_view CompressedSchemas();

}  // namespace kumiko::api::internal
