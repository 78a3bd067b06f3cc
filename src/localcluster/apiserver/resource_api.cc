#include "localcluster/apiserver/resource_api.h"

#include <algorithm>
#include <span>

#include "base/text.h"
#include "localcluster/apiserver/reviews.h"

namespace kumiko::localcluster {
namespace {

using kube::Refuse;
using kube::StatusReason;
using Verb = RequestInfo::Verb;

constexpr std::size_t kMaxWarningBytes = 4096;

std::string_view NameOf(Verb verb) {
  switch (verb) {
    case Verb::kGet:
      return "get";
    case Verb::kList:
      return "list";
    case Verb::kWatch:
      return "watch";
    case Verb::kCreate:
      return "create";
    case Verb::kUpdate:
      return "update";
    case Verb::kPatch:
      return "patch";
    case Verb::kDelete:
      return "delete";
    case Verb::kDeleteCollection:
      return "deletecollection";
    case Verb::kOther:
      return "";
  }
  return "";
}

bool IsAmong(std::string_view verb, std::string_view list) {
  for (const std::string_view one : Split(list, ',')) {
    if (one == verb) return true;
  }
  return false;
}

tl::unexpected<kube::ApiError> NotServed() {
  return Refuse(StatusReason::kNotFound, "the server could not find the requested resource");
}

tl::unexpected<kube::ApiError> NotAllowed(const RequestInfo& info) {
  return Refuse(StatusReason::kMethodNotAllowed,
                "the server does not allow this method on the requested resource: {} {}", NameOf(info.verb),
                info.resource);
}

bool Stores(Verb verb) {
  return verb == Verb::kCreate || verb == Verb::kUpdate || verb == Verb::kPatch;
}

bool Writes(Verb verb) {
  return Stores(verb) || verb == Verb::kDelete || verb == Verb::kDeleteCollection;
}

// As RFC 7230 quotes text in a header; what would break the header is left out.
std::string Quoted(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) continue;
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + '"';
}

// As many as fit into the bytes that apiserver allows them, 4 KiB.
void AddWarnings(std::span<const std::string> warnings, HttpResponse& response) {
  std::size_t bytes = 0;
  for (const std::string& warning : warnings) {
    std::string header = "299 - " + Quoted(warning);
    bytes += header.size();
    if (bytes > kMaxWarningBytes) return;
    response.headers.emplace_back("Warning", std::move(header));
  }
}

}  // namespace

HttpResponse ResourceApi::Answer(const HttpRequest& http, const RequestInfo& info) {
  Answered answered = Dispatch(http, info);
  return answered ? std::move(*answered) : ErrorResponse(answered.error());
}

ResourceApi::Answered ResourceApi::Dispatch(const HttpRequest& http, const RequestInfo& info) {
  const ServedKind served = store_.kinds().OfResource(info.group, info.version, info.resource);
  const api::KindInfo* kind = served.info;
  if (kind == nullptr || (!kind->namespaced && !info.namespace_.empty() && kind->kind != "Namespace"))
    return NotServed();
  const std::string_view dry_run = info.query.Get("dryRun");
  if (!dry_run.empty() && dry_run != "All") {
    return Refuse(StatusReason::kBadRequest, "dryRun: Unsupported value: \"{}\": supported values: \"All\"", dry_run);
  }
  std::vector<std::string> warnings;
  const ResourceCall call{
      .http = http,
      .info = info,
      .served = served,
      .kind = *kind,
      .version = served.VersionNamed(info.group, info.version),
      .key = {served.custom ? served.custom->key_kind() : std::string(kind->kind), info.namespace_, info.name},
      .warnings = warnings};
  Answered answered = AnswerCall(call);
  if (answered && kind->inert && Stores(info.verb)) {
    warnings.push_back(fmt::format("{} are stored, but nothing in this local cluster acts on them", kind->plural));
  }
  if (answered && kind->kind == "Endpoints") {
    warnings.emplace_back("v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice");
  }
  if (answered && Writes(info.verb)) {
    if (const Status kept = store_.AwaitWritten(); !kept) {
      return Refuse(StatusReason::kInternalError, "the change is not stored: {}", kept.error().message);
    }
  }
  if (answered) {
    AddWarnings(warnings, *answered);
  }
  return answered;
}

ResourceApi::Answered ResourceApi::AnswerCall(const ResourceCall& call) {
  if (IsReview(call.kind)) return AnswerReview(call);
  if (!call.info.subresource.empty()) return AnswerSubresource(call);
  if (!IsAmong(NameOf(call.info.verb), call.kind.verbs)) return NotAllowed(call.info);
  return AnswerVerb(call);
}

ResourceApi::Answered ResourceApi::AnswerVerb(const ResourceCall& call) {
  const bool needs_namespace = call.kind.namespaced && call.key.namespace_.empty();
  switch (call.info.verb) {
    case Verb::kList:
      return List(call);
    case Verb::kWatch:
      return Watch(call);
    case Verb::kGet:
    case Verb::kUpdate:
    case Verb::kPatch:
    case Verb::kDelete:
      if (needs_namespace) return NotServed();
      break;
    case Verb::kCreate:
    case Verb::kDeleteCollection:
    case Verb::kOther:
      if (needs_namespace || !call.key.name.empty()) return NotAllowed(call.info);
      break;
  }
  switch (call.info.verb) {
    case Verb::kGet:
      return Get(call);
    case Verb::kCreate:
      return Create(call);
    case Verb::kUpdate:
      return Update(call, kube::Subresource::kNone);
    case Verb::kPatch:
      return Patch(call, kube::Subresource::kNone);
    case Verb::kDelete:
      return Delete(call);
    case Verb::kDeleteCollection:
      return DeleteCollection(call);
    case Verb::kList:
    case Verb::kWatch:
    case Verb::kOther:
      break;
  }
  return NotAllowed(call.info);
}

ResourceApi::Answered ResourceApi::Written(const ResourceCall& call, int status, const Json& object) const {
  KU_TRY_API(const ObjectWriting writing, call.Writing(clock_.Now()));
  return JsonResponse(status, WriteObject(writing, object) + "\n");
}

}  // namespace kumiko::localcluster
