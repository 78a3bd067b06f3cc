// In which form a client wants objects (its Accept header), and writing them in it.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "api/kinds.h"
#include "base/json.h"
#include "kube/api_error.h"
#include "kube/object.h"
#include "localcluster/http/http_message.h"
#include "localcluster/served_kinds.h"
#include "localcluster/tables/table.h"

namespace kumiko::localcluster {

enum class Form {
  kObject,
  kTable,     // meta.k8s.io/v1 Table, as kubectl get prints
  kMetadata,  // meta.k8s.io/v1 PartialObjectMetadata
};

// The first form of the Accept header that is served. Errors: kNotAcceptable.
kube::ApiResult<Form> ReadForm(std::string_view accept);

// How objects of a kind are answered: in the version and form that were asked for.
struct ObjectWriting {
  ServedKind served = {};  // which the other members point into
  const api::KindInfo* kind = nullptr;
  const CustomVersion* custom = nullptr;  // null for kinds that are built in
  api::GroupVersion version;              // as the request has it
  Form form = Form::kObject;
  TableOptions table = {};  // of Form::kTable
};

// One object, in its form but as a table never.
std::string WriteObject(const ObjectWriting& writing, const Json& object);

struct ListPosition {
  std::string resource_version = {};
  std::string continue_token = {};        // empty: the list ends here
  std::int64_t remaining_item_count = 0;  // behind this page
};

// `{"kind":"PodList",...}` or a table. Items of built-in kinds are written without kind and apiVersion, as the API
// server does.
std::string WriteList(const ObjectWriting& writing, const ListPosition& position, std::span<const kube::Object> items);

HttpResponse JsonResponse(int status, std::string body);
HttpResponse ErrorResponse(const kube::ApiError& error);

}  // namespace kumiko::localcluster
