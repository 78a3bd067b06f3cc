// What a client learns about the API before it uses it: groups, versions and resources, one by one or aggregated
// (apidiscovery.k8s.io/v2), and the index of OpenAPI documents.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "localcluster/http/http_message.h"
#include "localcluster/served_kinds.h"

namespace kumiko::localcluster {

inline constexpr std::string_view kServedVersion = "v1.37.2";

// The answer to a GET of /api, /apis, /api/v1, /apis/GROUP, /apis/GROUP/VERSION, /openapi/v2, /openapi/v3 and below,
// /version; none for any other path. `host` is where the client reached the server, which /api tells.
std::optional<HttpResponse> AnswerDiscovery(const ServedKinds& kinds, const std::string& path, std::string_view accept,
                                            std::string_view host = {});

}  // namespace kumiko::localcluster
