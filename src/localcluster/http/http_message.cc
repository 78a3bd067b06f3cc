#include "localcluster/http/http_message.h"

#include <algorithm>

namespace kumiko::localcluster {
namespace {

char Lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

bool SameName(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) { return Lower(x) == Lower(y); });
}

}  // namespace

std::string_view HttpRequest::Header(std::string_view name) const {
  for (const auto& [header, value] : headers) {
    if (SameName(header, name)) return value;
  }
  return {};
}

}  // namespace kumiko::localcluster
