#include "cli/connection.h"

#include <algorithm>
#include <utility>

#include "base/json.h"
#include "base/text.h"
#include "cli/server_advice.h"
#include "kube/cluster_access.h"

namespace kumiko::cli {
namespace {

// "0": none, as kubectl has it; "5": seconds.
Result<Duration> TimeoutOf(const std::string& text) {
  if (const auto seconds = ParseInt64(text)) return Duration(std::chrono::seconds(*seconds));
  return ParseDuration(text);
}

// "37", and "37+" of builds that are no releases.
int MinorOf(const Json& version) {
  const std::string_view text = StringAt(version, {"minor"});
  const auto minor = ParseInt64(text.substr(0, text.find_first_not_of("0123456789")));
  return static_cast<int>(std::clamp<std::int64_t>(minor.value_or(allocator::kNewestRelease), allocator::kOldestRelease,
                                                   allocator::kNewestRelease));
}

}  // namespace

Result<kube::ClusterAccess> ChosenCluster(const ClusterChoice& choice) {
  kube::AccessOptions options = kube::AccessOptions::FromEnvironment();
  options.kubeconfig = choice.kubeconfig;
  options.context = choice.context;
  auto access = kube::FindCluster(options);
  const bool none = !access && access.error().code == Code::kNotFound && choice.kubeconfig.empty();
  if (!none) return access;
  return Fail(Code::kNotFound, "{}; or start one: kumiko up", access.error().message);
}

Result<Connection> Connect(const ClusterChoice& choice) {
  KU_TRY(kube::ClusterAccess access, ChosenCluster(choice));
  kube::HttpClientOptions options;
  options.requests.user_agent = "kumiko-cli";
  if (!choice.request_timeout.empty()) {
    KU_TRY(const Duration timeout, TimeoutOf(choice.request_timeout), "--request-timeout");
    if (timeout > Duration(0)) options.requests.timeout = timeout;
  }
  Connection connection;
  connection.description = access.description;
  connection.namespace_ = choice.namespace_.empty() ? access.namespace_ : choice.namespace_;
  KU_TRY(connection.api, kube::HttpClient::Create(std::move(access), std::move(options)));
  const auto version = connection.api->GetRaw("/version");
  if (!version) return tl::unexpected<Error>(Advised(version.error()));
  connection.server_version = ParseJson(*version).value_or(Json());
  connection.features = allocator::DefaultFeatures(MinorOf(connection.server_version));
  return connection;
}

}  // namespace kumiko::cli
