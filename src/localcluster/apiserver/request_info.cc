#include "localcluster/apiserver/request_info.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/text.h"

namespace kumiko::localcluster {
namespace {

using Verb = RequestInfo::Verb;

std::optional<unsigned> HexDigit(char c) {
  if (c >= '0' && c <= '9') return static_cast<unsigned>(c - '0');
  if (c >= 'a' && c <= 'f') return static_cast<unsigned>(c - 'a' + 10);
  if (c >= 'A' && c <= 'F') return static_cast<unsigned>(c - 'A' + 10);
  return std::nullopt;
}

// With U+FFFD for each byte that is not UTF-8, as Go writes such text into JSON.
std::string ToValidUtf8(std::string text) {
  if (!FindInvalidUtf8(text)) return text;
  std::string valid;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = Utf8Length(std::string_view(text).substr(at, 4));
    valid += length == 0 ? std::string_view("\xEF\xBF\xBD") : std::string_view(text).substr(at, length);
    at += std::max<std::size_t>(length, 1);
  }
  return valid;
}

std::optional<std::string> Decode(std::string_view text, bool plus_is_blank) {
  std::string decoded;
  decoded.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '+' && plus_is_blank) {
      decoded += ' ';
    } else if (text[i] != '%') {
      decoded += text[i];
    } else {
      if (i + 2 >= text.size()) return std::nullopt;
      const auto high = HexDigit(text[i + 1]);
      const auto low = HexDigit(text[i + 2]);
      if (!high || !low) return std::nullopt;
      decoded += static_cast<char>(*high * 16 + *low);
      i += 2;
    }
  }
  return ToValidUtf8(std::move(decoded));
}

Verb VerbOf(std::string_view method, const RequestInfo& info) {
  const bool one = !info.name.empty();
  if (method == "GET" || method == "HEAD") {
    if (info.query.IsTrue("watch") && info.subresource.empty()) return Verb::kWatch;
    return one ? Verb::kGet : Verb::kList;
  }
  if (method == "POST") return Verb::kCreate;
  if (method == "PUT") return Verb::kUpdate;
  if (method == "PATCH") return Verb::kPatch;
  if (method == "DELETE") return one ? Verb::kDelete : Verb::kDeleteCollection;
  return Verb::kOther;
}

// Of a namespace itself; anything else below /namespaces/NAME/ is a resource in it.
bool IsNamespaceSubresource(std::string_view name) {
  return name == "status" || name == "finalize";
}

}  // namespace

std::optional<Query> Query::Parse(std::string_view text) {
  Query query;
  if (text.empty()) return query;
  for (const std::string_view part : Split(text, '&')) {
    if (part.empty()) continue;
    const std::size_t equals = part.find('=');
    const auto name = Decode(part.substr(0, equals), true);
    const auto value = equals == std::string_view::npos ? std::string() : Decode(part.substr(equals + 1), true);
    if (!name || !value) return std::nullopt;
    query.values_.emplace(*name, *value);
  }
  return query;
}

std::string_view Query::Get(std::string_view name) const {
  const auto found = values_.find(name);
  return found == values_.end() ? std::string_view() : std::string_view(found->second);
}

bool Query::IsTrue(std::string_view name) const {
  if (!Has(name)) return false;
  const std::string value = ToLower(Get(name));
  return value != "false" && value != "0" && value != "f";
}

std::optional<std::int64_t> Query::Integer(std::string_view name) const {
  return ParseInt64(Get(name));
}

kube::ApiResult<RequestInfo> ReadRequest(std::string_view method, std::string_view target) {
  RequestInfo info;
  const std::size_t mark = target.find('?');
  const auto path = Decode(target.substr(0, mark), false);
  auto query = Query::Parse(mark == std::string_view::npos ? std::string_view() : target.substr(mark + 1));
  if (!path || !path->starts_with('/') || !query) {
    return kube::Refuse(kube::StatusReason::kBadRequest, "the request's target is not a path with a query: {}",
                        ToValidUtf8(std::string(target.substr(0, 200))));
  }
  info.path = *path;
  info.query = std::move(*query);
  // Split before decoding would let an escaped slash through; a name has none, so the order makes no difference here.
  std::vector<std::string_view> steps;
  for (const std::string_view step : Split(info.path, '/')) {
    if (!step.empty()) steps.push_back(step);
  }
  std::size_t at = 0;
  if (steps.size() >= 3 && steps[0] == "api") {
    info.version = steps[1];
    at = 2;
  } else if (steps.size() >= 4 && steps[0] == "apis") {
    info.group = steps[1];
    info.version = steps[2];
    at = 3;
  } else {
    return info;
  }
  info.is_resource = true;
  const auto left = [&] { return steps.size() - at; };
  if (steps[at] == "namespaces" && left() >= 2) {
    info.namespace_ = steps[at + 1];
    if (left() >= 3 && !IsNamespaceSubresource(steps[at + 2])) at += 2;
  }
  info.resource = steps[at];
  if (left() >= 2) info.name = steps[at + 1];
  if (left() >= 3) info.subresource = steps[at + 2];
  if (left() >= 4)
    info.rest = Join(std::vector<std::string>(steps.begin() + static_cast<std::ptrdiff_t>(at) + 3, steps.end()), "/");
  if (info.resource == "namespaces") info.namespace_.clear();
  info.verb = VerbOf(method, info);
  return info;
}

}  // namespace kumiko::localcluster
