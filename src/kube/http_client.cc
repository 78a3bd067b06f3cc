#include "kube/http_client.h"

#include <algorithm>

#include "kube/http/curl_transport.h"

namespace kumiko::kube {
namespace {

constexpr std::string_view kJson = "application/json";

std::string_view NameOf(Subresource subresource) {
  return subresource == Subresource::kStatus ? "status" : "";
}

std::string_view ContentType(PatchType type) {
  switch (type) {
    case PatchType::kJson:
      return "application/json-patch+json";
    case PatchType::kMerge:
      return "application/merge-patch+json";
    case PatchType::kStrategicMerge:
      return "application/strategic-merge-patch+json";
  }
  return "";
}

std::string_view NameOf(Propagation propagation) {
  switch (propagation) {
    case Propagation::kBackground:
      return "Background";
    case Propagation::kForeground:
      return "Foreground";
    case Propagation::kOrphan:
      return "Orphan";
  }
  return "";
}

HttpRequest Request(std::string_view method, std::string target, std::string body = {},
                    std::string_view content_type = kJson) {
  HttpRequest request{.method = std::string(method), .target = std::move(target), .body = std::move(body)};
  request.headers.emplace_back("Accept", kJson);
  if (!request.body.empty()) request.headers.emplace_back("Content-Type", content_type);
  return request;
}

ApiResult<Json> ParseBody(const HttpResponse& response) {
  Result<Json> parsed = ParseJson(response.body);
  if (parsed) return *std::move(parsed);
  return Refuse(StatusReason::kServiceUnavailable, "the server answered what is no JSON ({}): {}",
                parsed.error().message, std::string_view(response.body).substr(0, 100));
}

template <class T>
Result<T> ToResult(ApiResult<T> result) {
  if (result) return *std::move(result);
  return tl::unexpected<Error>(ToError(result.error()));
}

// The query of selectors, ending in "?" or "&".
std::string Target(std::string path, const ObjectKey& key, const Selectors& selectors) {
  path += '?';
  std::string fields = selectors.fields;
  if (!key.name.empty()) fields += (fields.empty() ? "metadata.name=" : ",metadata.name=") + key.name;
  if (!selectors.labels.empty()) path += fmt::format("labelSelector={}&", EscapeUrl(selectors.labels));
  if (!fields.empty()) path += fmt::format("fieldSelector={}&", EscapeUrl(fields));
  return path;
}

// The items of built-in kinds come without their kind.
void Complete(Json& item, const Resource& resource) {
  if (!item.is_object()) return;
  JsonObject& object = item.get_object();
  if (!object.contains("kind")) object["kind"] = resource.kind;
  if (!object.contains("apiVersion")) object["apiVersion"] = resource.api_version;
}

// The server orders by the bytes of "namespace/name", which is another order where a namespace has a hyphen.
void Sort(std::vector<Object>& items) {
  const auto before = [](const Object& left, const Object& right) {
    const Json& a = left.outline();
    const Json& b = right.outline();
    const int order = StringAt(a, {"metadata", "namespace"}).compare(StringAt(b, {"metadata", "namespace"}));
    if (order != 0) return order < 0;
    return StringAt(a, {"metadata", "name"}) < StringAt(b, {"metadata", "name"});
  };
  if (!std::ranges::is_sorted(items, before)) std::ranges::sort(items, before);
}

}  // namespace

HttpClient::HttpClient(std::unique_ptr<Credentials> credentials, std::unique_ptr<Transport> transport,
                       HttpClientOptions options)
    : options_(std::move(options)),
      credentials_(std::move(credentials)),
      transport_(std::move(transport)),
      sender_(*transport_, *credentials_, options_.clock != nullptr ? *options_.clock : real_clock_, options_.requests),
      resources_([this](const std::string& target, std::string_view accept) -> Result<Json> {
        HttpRequest request{.method = "GET", .target = target, .headers = {{"Accept", std::string(accept)}}};
        ApiResult<HttpResponse> response = sender_.Send(std::move(request));
        if (!response) return tl::unexpected<Error>(ToError(response.error()));
        return ToResult(ParseBody(*response));
      }),
      random_(options_.seed == 0 ? Random::FromSystem() : Random(options_.seed)) {}

Result<std::unique_ptr<HttpClient>> HttpClient::Create(ClusterAccess access, HttpClientOptions options) {
  static const RealClock real_clock;
  auto credentials = std::make_unique<Credentials>(access, options.clock != nullptr ? *options.clock : real_clock);
  KU_TRY_OK(credentials->ReadTls(), "{}", access.description);
  TransportOptions transport{.server = access.server,
                             .server_name = access.tls.server_name,
                             .insecure = access.tls.insecure,
                             .proxy_url = access.proxy_url,
                             .compression = access.compression,
                             .tls = [from = credentials.get()] { return from->ReadTls(); },
                             .tls_may_change = credentials->TlsMayChange()};
  options.requests.impersonate = access.impersonate;
  return std::make_unique<HttpClient>(std::move(credentials), MakeCurlTransport(std::move(transport)),
                                      std::move(options));
}

Result<Resource> HttpClient::FindResource(std::string_view kind, std::string_view api_version) {
  return resources_.Find(kind, api_version);
}

Result<std::shared_ptr<const Json>> HttpClient::Exchange(HttpRequest request) {
  ApiResult<HttpResponse> response = sender_.Send(std::move(request));
  if (!response) return tl::unexpected<Error>(ToError(response.error()));
  KU_TRY(Json object, ToResult(ParseBody(*response)));
  return std::make_shared<const Json>(std::move(object));
}

Result<std::string> HttpClient::PathOf(const ObjectKey& key, Subresource subresource) {
  KU_TRY(const Resource resource, resources_.Find(key.kind));
  // Without a namespace the path would mean another object, or all of them.
  if (resource.namespaced && key.namespace_.empty()) {
    return Fail(Code::kInvalidArgument, "{} \"{}\" stands in a namespace: say in which", resource.Name(), key.name);
  }
  if (key.name.empty()) return Fail(Code::kInvalidArgument, "{}: a name is needed", resource.Name());
  return resource.Path(key.namespace_, key.name, NameOf(subresource));
}

Result<std::string> HttpClient::PathOf(const Json& object, Subresource subresource) {
  KU_TRY(const Resource resource, resources_.Find(StringAt(object, {"kind"}), StringAt(object, {"apiVersion"})));
  const std::string_view name = StringAt(object, {"metadata", "name"});
  if (name.empty()) return Fail(Code::kInvalidArgument, "{}: metadata.name is needed", resource.Name());
  return resource.Path(StringAt(object, {"metadata", "namespace"}), name, NameOf(subresource));
}

Result<std::shared_ptr<const Json>> HttpClient::Get(const ObjectKey& key) {
  KU_TRY(std::string path, PathOf(key, Subresource::kNone));
  return Exchange(Request("GET", std::move(path)));
}

ApiResult<ObjectList> HttpClient::ListPages(const Resource& resource, const std::string& target, int page_size) {
  ObjectList list;
  std::string token;
  do {
    std::string page_target = target;
    if (page_size > 0) page_target += fmt::format("limit={}&", page_size);
    if (!token.empty()) page_target += fmt::format("continue={}&", EscapeUrl(token));
    page_target.pop_back();
    KU_TRY_API(const HttpResponse response, sender_.Send(Request("GET", std::move(page_target))));
    KU_TRY_API(Json page, ParseBody(response));
    list.resource_version = StringAt(page, {"metadata", "resourceVersion"});
    token = StringAt(page, {"metadata", "continue"});
    Json* items = page.is_object() ? page.get_object().if_contains("items") : nullptr;
    if (items == nullptr || !items->is_array()) continue;
    for (Json& item : items->get_array()) {
      Complete(item, resource);
      list.items.emplace_back(std::make_shared<const Json>(std::move(item)));
    }
  } while (!token.empty());
  Sort(list.items);
  return list;
}

Result<ObjectList> HttpClient::List(const ObjectKey& key, const Selectors& selectors) {
  KU_TRY(const Resource resource, resources_.Find(key.kind));
  const std::string target = Target(resource.Path(key.namespace_, ""), key, selectors);
  ApiResult<ObjectList> list = ListPages(resource, target, options_.page_size);
  // Between two pages the server's store was compacted: what the next page continues is gone.
  if (!list && list.error().reason == StatusReason::kExpired) list = ListPages(resource, target, 0);
  return ToResult(std::move(list));
}

Result<std::unique_ptr<Watch>> HttpClient::StartWatch(const ObjectKey& key, const std::string& resource_version) {
  return StartWatch(key, resource_version, Selectors{}, nullptr);
}

Result<std::unique_ptr<Watch>> HttpClient::StartWatch(const ObjectKey& key, const std::string& resource_version,
                                                      std::function<void()> wake) {
  return StartWatch(key, resource_version, Selectors{}, std::move(wake));
}

Result<std::unique_ptr<Watch>> HttpClient::StartWatch(const ObjectKey& key, const std::string& resource_version,
                                                      const Selectors& selectors, std::function<void()> wake) {
  KU_TRY(const Resource resource, resources_.Find(key.kind));
  return std::make_unique<HttpWatch>(sender_, Target(resource.Path(key.namespace_, ""), key, selectors),
                                     resource_version, options_.watches,
                                     random_.With([](Random& random) { return random.Fork(); }), std::move(wake));
}

Result<std::shared_ptr<const Json>> HttpClient::Create(const Json& object) {
  KU_TRY(const Resource resource, resources_.Find(StringAt(object, {"kind"}), StringAt(object, {"apiVersion"})));
  return Exchange(Request("POST", resource.Path(StringAt(object, {"metadata", "namespace"}), ""), WriteJson(object)));
}

Result<std::shared_ptr<const Json>> HttpClient::Update(const Json& object, Subresource subresource) {
  KU_TRY(std::string path, PathOf(object, subresource));
  return Exchange(Request("PUT", std::move(path), WriteJson(object)));
}

Result<std::shared_ptr<const Json>> HttpClient::Patch(const ObjectKey& key, const Json& merge_patch,
                                                      Subresource subresource) {
  return PatchAs(PatchType::kMerge, key, merge_patch, subresource);
}

Result<std::shared_ptr<const Json>> HttpClient::PatchAs(PatchType type, const ObjectKey& key, const Json& patch,
                                                        Subresource subresource) {
  KU_TRY(std::string path, PathOf(key, subresource));
  return Exchange(Request("PATCH", std::move(path), WriteJson(patch), ContentType(type)));
}

Result<std::shared_ptr<const Json>> HttpClient::Apply(const Json& object, const std::string& field_manager, Force force,
                                                      Subresource subresource) {
  KU_TRY(std::string path, PathOf(object, subresource));
  path += "?fieldManager=" + EscapeUrl(field_manager);
  if (force == Force::kYes) path += "&force=true";
  // JSON is YAML.
  return Exchange(Request("PATCH", std::move(path), WriteJson(object), "application/apply-patch+yaml"));
}

Status HttpClient::Delete(const ObjectKey& key, const DeleteOptions& options) {
  KU_TRY(std::string path, PathOf(key, Subresource::kNone));
  JsonObject body{{"kind", "DeleteOptions"}, {"apiVersion", "v1"}, {"propagationPolicy", NameOf(options.propagation)}};
  JsonObject preconditions;
  if (options.uid) preconditions["uid"] = *options.uid;
  if (options.resource_version) preconditions["resourceVersion"] = *options.resource_version;
  if (!preconditions.empty()) body["preconditions"] = std::move(preconditions);
  if (options.grace_period_seconds) body["gracePeriodSeconds"] = *options.grace_period_seconds;
  KU_TRY_OK(Exchange(Request("DELETE", std::move(path), WriteJson(body))));
  return {};
}

Result<std::string> HttpClient::GetRaw(const std::string& target) {
  HttpRequest request{.method = "GET", .target = target, .headers = {{"Accept", "application/json, */*"}}};
  KU_TRY(HttpResponse response, ToResult(sender_.Send(std::move(request))));
  return std::move(response.body);
}

}  // namespace kumiko::kube
