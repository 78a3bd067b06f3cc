// The API server of a real cluster, behind the interface that components are written against.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/clock.h"
#include "base/guarded.h"
#include "base/random.h"
#include "kube/api_client.h"
#include "kube/cluster_access.h"
#include "kube/http_watch.h"
#include "kube/request_sender.h"
#include "kube/resource_map.h"

namespace kumiko::kube {

struct HttpClientOptions {
  RequestOptions requests = {};
  HttpWatchOptions watches = {};
  // Objects a list asks for at once.
  int page_size = 500;
  const Clock* clock = nullptr;  // null: the real one; must outlive the client
  // Of what is drawn: the length of watches and of waits.
  std::uint64_t seed = 0;
};

enum class PatchType { kJson, kMerge, kStrategicMerge };
enum class Force { kNo, kYes };

// Thread safe. Must outlive its watches. Kinds beyond those that are built in are looked up on the server; of a kind
// that several groups have, ObjectKey::kind says which: "PodGroup.scheduling.run.ai".
class HttpClient final : public ApiClient {
 public:
  // Connects when first used. Errors: those of reading certificates.
  static Result<std::unique_ptr<HttpClient>> Create(ClusterAccess access, HttpClientOptions options = {});
  // Over any transport.
  HttpClient(std::unique_ptr<Credentials> credentials, std::unique_ptr<Transport> transport, HttpClientOptions options);

  Result<std::shared_ptr<const Json>> Get(const ObjectKey& key) override;
  // In pages; when the server forgets the list meanwhile, once more as a whole.
  Result<ObjectList> List(const ObjectKey& key) override { return List(key, {}); }
  Result<ObjectList> List(const ObjectKey& key, const Selectors& selectors) override;
  Result<std::unique_ptr<Watch>> StartWatch(const ObjectKey& key, const std::string& resource_version) override;
  Result<std::unique_ptr<Watch>> StartWatch(const ObjectKey& key, const std::string& resource_version,
                                            std::function<void()> wake) override;
  Result<std::unique_ptr<Watch>> StartWatch(const ObjectKey& key, const std::string& resource_version,
                                            const Selectors& selectors, std::function<void()> wake) override;
  Result<std::shared_ptr<const Json>> Create(const Json& object) override;
  Result<std::shared_ptr<const Json>> Update(const Json& object, Subresource subresource) override;
  Result<std::shared_ptr<const Json>> Patch(const ObjectKey& key, const Json& merge_patch,
                                            Subresource subresource) override;
  Status Delete(const ObjectKey& key, const DeleteOptions& options) override;

  Result<std::shared_ptr<const Json>> PatchAs(PatchType type, const ObjectKey& key, const Json& patch,
                                              Subresource subresource);
  // Server-side apply: the fields of `object` become the manager's. kConflict, naming the fields and their managers,
  // when others own some of them, unless forced.
  Result<std::shared_ptr<const Json>> Apply(const Json& object, const std::string& field_manager, Force force,
                                            Subresource subresource);
  // A path of the server as it is: "/version", "/livez", "/api/v1/namespaces/ml/pods/train-0/log".
  Result<std::string> GetRaw(const std::string& target);

  // Where the objects of a kind stand.
  Result<Resource> FindResource(std::string_view kind, std::string_view api_version = "");
  // Ends waiting for a busy server: for a process that is to end.
  void Stop() { sender_.Stop(); }

 private:
  Result<std::shared_ptr<const Json>> Exchange(HttpRequest request);
  Result<std::string> PathOf(const Json& object, Subresource subresource);
  Result<std::string> PathOf(const ObjectKey& key, Subresource subresource);
  ApiResult<ObjectList> ListPages(const Resource& resource, const std::string& target, int page_size);

  HttpClientOptions options_;
  RealClock real_clock_;
  std::unique_ptr<Credentials> credentials_;
  std::unique_ptr<Transport> transport_;
  RequestSender sender_;
  ResourceMap resources_;
  Guarded<Random> random_;
};

}  // namespace kumiko::kube
