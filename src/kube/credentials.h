// Who a client is, kept current: tokens from files that are replaced, credentials from plugins that expire.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/clock.h"
#include "base/guarded.h"
#include "base/result.h"
#include "kube/cluster_access.h"
#include "kube/exec_plugin.h"
#include "kube/http/transport.h"

namespace kumiko::kube {

// What a request carries.
struct Authorization {
  std::string header;            // "Bearer …", "Basic …" or empty
  std::uint64_t generation = 0;  // of a plugin's credentials, for Rejected
};

// Thread safe. A plugin is run by one thread at a time, the others wait for what it prints.
class Credentials {
 public:
  using Plugin = std::function<Result<PluginCredentials>()>;

  // `clock` must outlive it. `plugin` replaces the run of access.exec, for tests.
  Credentials(const ClusterAccess& access, const Clock& clock, Plugin plugin = {});
  ~Credentials();

  // For a request now: the token file read anew, the plugin run if what it gave has expired or was rejected. Errors:
  // those of ReadFile and RunPlugin.
  Result<Authorization> Get();
  // The same without waiting for a plugin: what it gave last, while it runs in the background.
  Authorization Latest();
  // The server answered 401 to a request with `used`: the plugin is to be asked again.
  void Rejected(const Authorization& used);

  // Certificates as they are now, of files, of the plugin or as given. Errors: those of ReadFile.
  Result<TlsMaterial> ReadTls() const;
  // False: what ReadTls returned will not change.
  bool TlsMayChange() const;

 private:
  struct State;

  ClusterAccess access_;
  const Clock& clock_;
  std::unique_ptr<State> state_;
};

}  // namespace kumiko::kube
