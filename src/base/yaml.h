// Files written by people, YAML and JSON alike, read into JSON trees with the place of every field.
//
// Plain scalars mean what they mean to kubectl, whose library follows YAML 1.1: yes, on and y are true, a leading 0 is
// octal, 0x 0o 0b and _ are allowed in numbers. Duplicate keys are errors. Merge keys and aliases are resolved.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"

namespace kumiko {

// 1-based; columns count characters, not bytes. 0 means unknown.
struct Position {
  int line = 0;
  int column = 0;
  auto operator<=>(const Position&) const = default;
};

// Where each field of a document stands: the position of its key in a map, of the value in a list. Paths as in
// base/field_path.h.
class SourceMap {
 public:
  void Set(std::string path, Position position);
  // The place of `path`, or of the nearest enclosing field that is known.
  Position At(std::string_view path) const;

 private:
  std::map<std::string, Position, std::less<>> positions_;
};

struct Document {
  Json value;
  SourceMap positions;
  std::string file;
  // "FILE:LINE:COL" of a field, to begin a message with.
  std::string Where(std::string_view path) const;
};

inline constexpr std::size_t kMaxYamlBytes = 64u << 20;
// How many times the size of the document its expanded aliases may have.
inline constexpr std::size_t kMaxAliasExpansion = 10;

// All documents of a stream; empty ones (nothing but comments) are left out. Errors: kInvalidArgument,
// "FILE:LINE:COL: message". Refuses text that is too large, too deep (kMaxJsonDepth), not UTF-8, cut off, or that
// aliases expand beyond kMaxAliasExpansion.
Result<std::vector<Document>> ParseYamlDocuments(std::string_view text, std::string_view file_name);

// Block style, two blanks per level, members in the order of the tree, a final line break. Strings that would be read
// as another type are quoted: reading the result gives `value` again.
std::string WriteYaml(const Json& value);

}  // namespace kumiko
