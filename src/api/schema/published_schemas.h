// Kubernetes' published schemas, as data/openapi/schemas.json has them and the program carries them, compressed; and
// data/openapi/go-types.json, how Go names types. Only for the files of this folder.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"

namespace kumiko::api::internal {

inline constexpr std::string_view kSchemaReference = "#/components/schemas/";

// The members of a JSON object that stand one a line, ordered by name; decompressed while this lives.
class LinesByName {
 public:
  struct Line {
    std::string_view name;
    std::string_view text;  // the JSON of the value
  };

  explicit LinesByName(std::string_view compressed);
  LinesByName(const LinesByName&) = delete;
  LinesByName& operator=(const LinesByName&) = delete;

  const std::vector<Line>& all() const { return lines_; }
  // The JSON of the value, or "" when there is none of this name.
  std::string_view Find(std::string_view name) const;

 private:
  std::string text_;
  std::vector<Line> lines_;
};

// The text, decompressed while this lives: 1 MB, 2 ms. Views into it end with it.
class PublishedSchemas {
 public:
  using Named = LinesByName::Line;

  PublishedSchemas();

  // The schemas that name a kind of this group version as theirs, DeleteOptions and WatchEvent among them.
  std::vector<std::string_view> OfGroupVersion(std::string_view group, std::string_view version) const;
  // The schema's name, or "" when no schema is of this kind.
  std::string_view OfKind(std::string_view group, std::string_view version, std::string_view kind) const;
  // The named schemas and all that they refer to, ordered by name.
  std::vector<Named> WithReferences(std::vector<std::string_view> names) const;

 private:
  LinesByName schemas_;
  std::map<std::string, std::string_view, std::less<>> identities_;  // {"group":...,"kind":...,"version":...} → name
};

// How Go names the types of a struct's members: an object with
//   types   member → the name of its type, where that is not plain
//   within  member → the embedded structs that hold it
// Null for a struct of which there is nothing to say.
class GoTypes {
 public:
  GoTypes();
  Json Find(std::string_view struct_name) const;

 private:
  LinesByName types_;
};

// The names of the schemas that the text refers to, with repetitions.
void AppendReferences(std::string_view text, std::vector<std::string_view>& names);

// The texts as the program carries them; written by embed_compressed.cmake.
std::string_view CompressedSchemas();
std::string_view CompressedGoTypes();

}  // namespace kumiko::api::internal
