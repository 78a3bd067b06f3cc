#include "base/field_path.h"

namespace kumiko {

std::string ChildPath(std::string_view parent, std::string_view key) {
  std::string path(parent);
  if (key.empty() || key.find_first_of("./[]") != std::string_view::npos) {
    path += '[';
    path += key;
    path += ']';
    return path;
  }
  if (!path.empty()) path += '.';
  path += key;
  return path;
}

std::string ItemPath(std::string_view parent, std::size_t index) {
  std::string path(parent);
  path += '[';
  path += std::to_string(index);
  path += ']';
  return path;
}

std::string_view ParentPath(std::string_view path) {
  const std::size_t cut = path.ends_with(']') ? path.rfind('[') : path.rfind('.');
  return cut == std::string_view::npos ? std::string_view() : path.substr(0, cut);
}

}  // namespace kumiko
