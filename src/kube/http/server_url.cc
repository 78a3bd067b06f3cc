#include "kube/http/server_url.h"

#include <fmt/format.h>

namespace kumiko::kube {
namespace {

struct Parts {
  std::string_view scheme;  // "https"
  std::string_view host;    // "[::1]"
  std::string_view port;    // "6443"
  std::string_view path;    // "/base" or ""
};

Parts SplitUrl(std::string_view server) {
  Parts parts;
  const std::size_t scheme_end = server.find("://");
  parts.scheme = server.substr(0, scheme_end);
  std::string_view rest = scheme_end == server.npos ? server : server.substr(scheme_end + 3);
  const std::size_t slash = rest.find('/');
  if (slash != rest.npos) parts.path = rest.substr(slash);
  rest = rest.substr(0, slash);
  const std::size_t bracket = rest.find(']');
  const std::size_t colon = rest.find(':', bracket == rest.npos ? 0 : bracket);
  parts.host = rest.substr(0, colon);
  parts.port = colon != rest.npos ? rest.substr(colon + 1) : parts.scheme == "http" ? "80" : "443";
  return parts;
}

}  // namespace

ServerUrl UrlFor(const std::string& server, const std::string& server_name, const std::string& target) {
  if (server_name.empty()) return {.url = server + target, .connect_to = "", .host = ""};
  const Parts parts = SplitUrl(server);
  return {.url = fmt::format("{}://{}:{}{}{}", parts.scheme, server_name, parts.port, parts.path, target),
          .connect_to = fmt::format("{}:{}:{}:{}", server_name, parts.port, parts.host, parts.port),
          .host = fmt::format("{}:{}", parts.host, parts.port)};
}

bool IsLoopback(std::string_view server) {
  const std::string_view host = SplitUrl(server).host;
  return host.starts_with("127.") || host == "[::1]" || host == "localhost";
}

}  // namespace kumiko::kube
