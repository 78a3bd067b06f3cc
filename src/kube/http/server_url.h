// The address of a server in parts.
#pragma once

#include <string>
#include <string_view>

namespace kumiko::kube {

struct ServerUrl {
  std::string url;
  // With a server name: what libcurl's CURLOPT_CONNECT_TO is to be told, and the host that the server knows itself by.
  std::string connect_to;
  std::string host;
};

// `target` at `server`, where its certificate is for `server_name` unless that is empty.
ServerUrl UrlFor(const std::string& server, const std::string& server_name, const std::string& target);

// 127.0.0.0/8, ::1 and localhost.
bool IsLoopback(std::string_view server);

}  // namespace kumiko::kube
