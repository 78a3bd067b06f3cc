#include "localcluster/apiserver/field_management.h"

#include <algorithm>

namespace kumiko::localcluster {
namespace {

constexpr std::size_t kMaxManagerLength = 128;

}  // namespace

kube::ApiResult<std::string> FieldManagerOf(const ResourceCall& call) {
  const std::string_view given = call.info.query.Get("fieldManager");
  if (given.empty()) return api::ManagerFromUserAgent(call.http.Header("User-Agent"));
  std::string why;
  if (given.size() > kMaxManagerLength) why = fmt::format("may not be more than {} bytes", kMaxManagerLength);
  if (std::any_of(given.begin(), given.end(),
                  [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; })) {
    why = "should only contain printable characters";
  }
  if (why.empty()) return std::string(given);
  return kube::Refuse(kube::StatusReason::kInvalid, "fieldManager: Invalid value: {}: {}", WriteJson(Json(given)), why);
}

api::FieldManagement FieldManagementOf(const ResourceCall& call) {
  return FieldManagementOf(call.served, call.version, call.info.subresource);
}

}  // namespace kumiko::localcluster
