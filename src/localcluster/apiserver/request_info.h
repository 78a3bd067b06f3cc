// What a request asks for, read from its method and target: apiserver's RequestInfo.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "kube/api_error.h"

namespace kumiko::localcluster {

// Percent-decoded parameters; of one given twice the first stands.
class Query {
 public:
  Query() = default;
  // Fails on a broken escape.
  static std::optional<Query> Parse(std::string_view text);

  std::string_view Get(std::string_view name) const;
  bool Has(std::string_view name) const { return values_.find(name) != values_.end(); }
  // As Go's strconv.ParseBool; absent is false, present without a value true.
  bool IsTrue(std::string_view name) const;
  std::optional<std::int64_t> Integer(std::string_view name) const;

 private:
  std::map<std::string, std::string, std::less<>> values_;
};

struct RequestInfo {
  enum class Verb { kGet, kList, kWatch, kCreate, kUpdate, kPatch, kDelete, kDeleteCollection, kOther };

  std::string path;  // decoded
  Query query;
  Verb verb = Verb::kOther;
  bool is_resource = false;  // /api/VERSION/... or /apis/GROUP/VERSION/... with a resource
  std::string group;
  std::string version;
  std::string namespace_;
  std::string resource;  // plural
  std::string name;
  std::string subresource;
  std::string rest;  // of the path behind the subresource
};

// Errors: kBadRequest for a target that is no path.
kube::ApiResult<RequestInfo> ReadRequest(std::string_view method, std::string_view target);

}  // namespace kumiko::localcluster
