// Reading a YAML tree with messages that name file, line and field.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/field_path.h"
#include "base/json.h"
#include "base/result.h"
#include "base/yaml.h"

namespace kumiko::fakenvml {

// A map or value of the document at `path`; borrowed from the document.
class TreeNode {
 public:
  TreeNode(const Document& document, const Json* value, std::string path)
      : document_(&document), value_(value), path_(std::move(path)) {}

  explicit operator bool() const { return value_ != nullptr; }
  const Json& json() const { return *value_; }
  const std::string& path() const { return path_; }

  template <class... Args>
  tl::unexpected<Error> Bad(fmt::format_string<Args...> format, Args&&... args) const {
    return Fail(Code::kInvalidArgument, "{}: {}{}{}", document_->Where(path_), path_, path_.empty() ? "" : ": ",
                fmt::format(format, std::forward<Args>(args)...));
  }

  // The member of a map; empty when there is none.
  TreeNode At(std::string_view key) const {
    return {*document_, value_ == nullptr ? nullptr : Find(*value_, key), ChildPath(path_, key)};
  }
  // Refuses what is no map, and members that `fields` does not name.
  Status CheckMap(std::span<const std::string_view> fields) const;
  Result<std::vector<TreeNode>> Items() const;                            // of a list
  Result<std::vector<std::pair<std::string, TreeNode>>> Members() const;  // of a map
  Result<std::string> Text() const;
  Result<std::int64_t> Number(std::int64_t min, std::int64_t max) const;

 private:
  const Document* document_;
  const Json* value_;
  std::string path_;
};

}  // namespace kumiko::fakenvml
