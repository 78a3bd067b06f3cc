#include "kube/credentials.h"

#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>

#include "base/base64.h"
#include "base/files.h"
#include "base/log.h"
#include "base/signals.h"
#include "base/text.h"

namespace kumiko::kube {
namespace {

PluginCluster AboutCluster(const ClusterAccess& access) {
  PluginCluster about{.server = access.server,
                      .tls_server_name = access.tls.server_name,
                      .insecure_skip_tls_verify = access.tls.insecure,
                      .authority_pem = access.tls.authority_pem,
                      .proxy_url = access.proxy_url,
                      .config = access.exec_extension};
  if (!access.tls.authority_file.empty()) about.authority_pem = ReadFile(access.tls.authority_file).value_or("");
  return about;
}

Result<std::string> BytesOf(const std::string& file, const std::string& bytes) {
  if (file.empty()) return bytes;
  return ReadFile(file);
}

}  // namespace

// A plugin may take seconds and may ask a person, so it is run without the lock, by whoever finds nobody running it.
struct Credentials::State {
  Plugin plugin;
  std::mutex mutex;
  std::condition_variable done;
  bool running = false;
  bool rejected = false;
  std::uint64_t generation = 0;
  std::optional<Result<PluginCredentials>> last;
  std::jthread background;

  bool IsCurrent(Time now) const {
    return last && *last && !rejected && (!(*last)->expires || now < *(*last)->expires);
  }

  // With the lock held, when it ran.
  void Take(Result<PluginCredentials> given) {
    running = false;
    rejected = false;
    ++generation;
    last = std::move(given);
    done.notify_all();
  }

  Authorization Current() const {
    if (!last || !*last || (*last)->token.empty()) return {.header = "", .generation = generation};
    return {.header = "Bearer " + (*last)->token, .generation = generation};
  }
};

Credentials::Credentials(const ClusterAccess& access, const Clock& clock, Plugin plugin)
    : access_(access), clock_(clock), state_(std::make_unique<State>()) {
  if (!access_.exec) return;
  state_->plugin = plugin ? std::move(plugin) : [this] { return RunPlugin(*access_.exec, AboutCluster(access_)); };
}

Credentials::~Credentials() = default;

Result<Authorization> Credentials::Get() {
  if (!access_.token_file.empty()) {
    KU_TRY(const std::string token, ReadFile(access_.token_file), "{}: token", access_.description);
    if (!Trim(token).empty()) return Authorization{.header = fmt::format("Bearer {}", Trim(token))};
    if (access_.token.empty()) return Fail(Code::kPermission, "{}: the token file is empty", access_.token_file);
  }
  if (!access_.token.empty()) return Authorization{.header = "Bearer " + access_.token};
  if (!access_.username.empty()) {
    return Authorization{.header = "Basic " + EncodeBase64(access_.username + ":" + access_.password)};
  }
  if (!access_.exec) return Authorization{};
  std::unique_lock lock(state_->mutex);
  if (!state_->IsCurrent(clock_.Now())) {
    if (state_->running) {
      state_->done.wait(lock, [&] { return !state_->running; });
    } else {
      state_->running = true;
      lock.unlock();
      Result<PluginCredentials> given = state_->plugin();
      lock.lock();
      state_->Take(std::move(given));
    }
  }
  if (state_->last && !*state_->last) return tl::unexpected<Error>(state_->last->error());
  return state_->Current();
}

Authorization Credentials::Latest() {
  if (!access_.exec) {
    Result<Authorization> now = Get();
    if (!now) Log(LogLevel::kWarning, "no credentials for a watch", {{"error", now.error().message}});
    return now ? *std::move(now) : Authorization{};
  }
  const std::scoped_lock lock(state_->mutex);
  if (!state_->IsCurrent(clock_.Now()) && !state_->running) {
    state_->running = true;
    // The thread before has nothing left to do: it was not running.
    const SignalsBlocked blocked;
    state_->background = std::jthread([state = state_.get()] {
      Result<PluginCredentials> given = state->plugin();
      const std::scoped_lock lock_to_take(state->mutex);
      state->Take(std::move(given));
    });
  }
  return state_->Current();
}

void Credentials::Rejected(const Authorization& used) {
  const std::scoped_lock lock(state_->mutex);
  if (used.generation == state_->generation) state_->rejected = true;
}

Result<TlsMaterial> Credentials::ReadTls() const {
  const TlsSettings& tls = access_.tls;
  TlsMaterial material;
  KU_TRY(material.authority_pem, BytesOf(tls.authority_file, tls.authority_pem), "certificate-authority");
  KU_TRY(material.certificate_pem, BytesOf(tls.certificate_file, tls.certificate_pem), "client-certificate");
  KU_TRY(material.private_key_pem, BytesOf(tls.key_file, tls.key_pem), "client-key");
  if (access_.exec) {
    const std::scoped_lock lock(state_->mutex);
    if (state_->last && *state_->last) {
      material.certificate_pem = (*state_->last)->certificate_pem;
      material.private_key_pem = (*state_->last)->private_key_pem;
    }
  }
  return material;
}

bool Credentials::TlsMayChange() const {
  const TlsSettings& tls = access_.tls;
  return access_.exec || !tls.authority_file.empty() || !tls.certificate_file.empty() || !tls.key_file.empty();
}

}  // namespace kumiko::kube
