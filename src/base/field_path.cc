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

std::string CanonicalPath(std::string_view path) {
  std::string canonical;
  while (!path.empty()) {
    const std::size_t open = path.find('[');
    const std::size_t close = path.find(']', open);
    if (close == std::string_view::npos) break;
    canonical += path.substr(0, open);
    const std::string_view key = path.substr(open + 1, close - open - 1);
    const bool is_index = !key.empty() && key.find_first_not_of("0123456789") == std::string_view::npos;
    canonical = is_index ? canonical + '[' + std::string(key) + ']' : ChildPath(canonical, key);
    path.remove_prefix(close + 1);
  }
  canonical += path;
  return canonical;
}

std::string_view ParentPath(std::string_view path) {
  const std::size_t cut = path.ends_with(']') ? path.rfind('[') : path.rfind('.');
  return cut == std::string_view::npos ? std::string_view() : path.substr(0, cut);
}

}  // namespace kumiko
