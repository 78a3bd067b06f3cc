// URLs in expressions: url("https://h:80/a b?k=v").getEscapedPath(). An absolute URI or an absolute path, read by the
// rules that Kubernetes applies, which are those of Go's net/url.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "cel/overload.h"

namespace kumiko::cel {

struct Url {
  std::string scheme;  // lower case
  std::string host;    // with the port, escapes replaced
  std::string escaped_path;
  std::string query;  // as written, without '?'
  std::string text;   // the whole again, in canonical spelling

  bool operator==(const Url& other) const { return text == other.text; }
};

// Why `text` is no absolute URI or absolute path; nullopt when it is one.
std::optional<std::string> UrlMistake(std::string_view text);

std::span<const Overload> UrlOverloads();

}  // namespace kumiko::cel
