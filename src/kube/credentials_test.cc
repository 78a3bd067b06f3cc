#include "kube/credentials.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <future>

#include "base/files.h"

namespace kumiko::kube {
namespace {

using testing::HasSubstr;

constexpr const char* kVersion = "client.authentication.k8s.io/v1";

PluginCredentials Token(int number, Time expires) {
  PluginCredentials credentials;
  credentials.token = fmt::format("t{}", number);
  credentials.expires = expires;
  return credentials;
}

ClusterAccess WithPlugin() {
  ClusterAccess access;
  access.server = "https://lab:6443";
  access.exec.emplace();
  access.exec->command = "plugin";
  return access;
}

class CredentialsTest : public testing::Test {
 protected:
  std::string Write(const std::string& name, const std::string& text, unsigned mode = 0644) {
    const std::string path = folder_->path() + "/" + name;
    EXPECT_TRUE(WriteFileAtomically(path, text));
    ::chmod(path.c_str(), mode);
    return path;
  }
  ExecPlugin Script(const std::string& text) {
    return {.where = "config:3:1",
            .command = Write("plugin", "#!/bin/sh\n" + text, 0755),
            .args = {"one", "two words"},
            .env = {{"REGION", "north"}},
            .api_version = kVersion,
            .install_hint = "install it",
            .provide_cluster_info = true,
            .interactive_mode = InteractiveMode::kNever};
  }
  Result<TemporaryDirectory> folder_ = TemporaryDirectory::Create();
  ManualClock clock_{Time{1'000'000'000'000}};
};

TEST_F(CredentialsTest, TokenFileIsReadAnew) {
  ClusterAccess access;
  access.token_file = Write("token", "first\n");
  access.token = "of the kubeconfig";
  Credentials credentials(access, clock_);
  EXPECT_EQ(credentials.Get()->header, "Bearer first");
  Write("token", "second");
  EXPECT_EQ(credentials.Get()->header, "Bearer second");
  EXPECT_EQ(credentials.Latest().header, "Bearer second");
}

TEST_F(CredentialsTest, PasswordGoesAsBasicAuthentication) {
  ClusterAccess access;
  access.username = "ann";
  access.password = "pass word";
  EXPECT_EQ(Credentials(access, clock_).Get()->header, "Basic YW5uOnBhc3Mgd29yZA==");
}

TEST_F(CredentialsTest, PluginIsAskedAgainWhenItsTokenExpiresOrIsRejected) {
  int runs = 0;
  Credentials credentials(WithPlugin(), clock_, [&]() -> Result<PluginCredentials> {
    ++runs;
    return Token(runs, clock_.Now() + std::chrono::minutes(5));
  });
  EXPECT_EQ(credentials.Get()->header, "Bearer t1");
  EXPECT_EQ(credentials.Get()->header, "Bearer t1");
  clock_.Advance(std::chrono::minutes(5));
  const Authorization second = *credentials.Get();
  EXPECT_EQ(second.header, "Bearer t2");
  credentials.Rejected(second);
  EXPECT_EQ(credentials.Get()->header, "Bearer t3");
  credentials.Rejected(second);
  EXPECT_EQ(credentials.Get()->header, "Bearer t3") << "what was rejected has been replaced already";
}

TEST_F(CredentialsTest, LatestDoesNotWaitForThePlugin) {
  std::promise<void> may_end;
  std::shared_future<void> end = may_end.get_future().share();
  std::atomic<int> runs = 0;
  Credentials credentials(WithPlugin(), clock_, [&]() -> Result<PluginCredentials> {
    const int run = ++runs;
    if (run == 2) end.wait();
    return Token(run, clock_.Now() + std::chrono::minutes(5));
  });
  EXPECT_EQ(credentials.Get()->header, "Bearer t1");
  clock_.Advance(std::chrono::minutes(5));
  EXPECT_EQ(credentials.Latest().header, "Bearer t1");
  EXPECT_EQ(credentials.Latest().header, "Bearer t1");
  may_end.set_value();
  EXPECT_EQ(credentials.Get()->header, "Bearer t2");
  EXPECT_EQ(credentials.Latest().header, "Bearer t2");
  EXPECT_EQ(runs, 2);
}

TEST_F(CredentialsTest, PluginThatFailsIsTold) {
  Credentials credentials(WithPlugin(), clock_,
                          []() -> Result<PluginCredentials> { return Fail(Code::kPermission, "no"); });
  EXPECT_EQ(credentials.Get().error(), (Error{Code::kPermission, "no"}));
}

TEST_F(CredentialsTest, CertificatesAreThoseOfTheFilesNow) {
  ClusterAccess access;
  access.tls.authority_pem = "ca";
  access.tls.certificate_file = Write("crt", "cert 1");
  access.tls.key_file = Write("key", "key 1");
  const Credentials credentials(access, clock_);
  EXPECT_EQ(*credentials.ReadTls(), (TlsMaterial{"ca", "cert 1", "key 1"}));
  Write("crt", "cert 2");
  EXPECT_EQ(credentials.ReadTls()->certificate_pem, "cert 2");
  EXPECT_TRUE(credentials.TlsMayChange());
}

TEST_F(CredentialsTest, PluginLearnsItsArgumentsEnvironmentAndCluster) {
  const ExecPlugin plugin = Script(R"(
info=$(echo "$KUBERNETES_EXEC_INFO" | sed 's/"/-/g')
cat >/dev/null
printf '{"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1","status":{"token":"%s|%s|%s",
"expirationTimestamp":"2026-05-01T12:00:00Z"}}' "$2" "$REGION" "$info"
)");
  PluginCluster cluster;
  cluster.server = "https://lab:6443";
  cluster.authority_pem = "CA";
  cluster.config = JsonObject{{"audience", "lab"}};
  const auto credentials = RunPlugin(plugin, cluster);
  ASSERT_TRUE(credentials) << credentials.error().message;
  EXPECT_THAT(credentials->token, testing::StartsWith("two words|north|"));
  EXPECT_THAT(credentials->token, HasSubstr("-interactive-:false"));
  EXPECT_THAT(credentials->token, HasSubstr("-server-:-https://lab:6443-,-certificate-authority-data-:-Q0E=-"));
  EXPECT_THAT(credentials->token, HasSubstr("-config-:{-audience-:-lab-}"));
  EXPECT_EQ(credentials->expires, *ParseRfc3339("2026-05-01T12:00:00Z"));
}

TEST_F(CredentialsTest, WhatIsWrongWithAPluginIsToldWithItsPlace) {
  const std::string answer = R"(echo '{"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/)";
  struct Case {
    std::string script;
    const char* message;
  };
  for (const Case& c : {Case{"exit 3", "failed with exit code 3"}, Case{"kill -9 $$", "ended by signal 9"},
                        Case{"echo hello", "no JSON"}, Case{answer + "v1beta1\"}'", "let both name one apiVersion"},
                        Case{answer + "v1\",\"status\":{}}'", "neither a token nor a certificate"},
                        Case{answer + "v1\",\"status\":{\"clientKeyData\":\"x\"}}'", "only one of"}}) {
    const auto credentials = RunPlugin(Script(c.script), {});
    ASSERT_FALSE(credentials) << c.script;
    EXPECT_EQ(credentials.error().code, Code::kPermission);
    EXPECT_THAT(credentials.error().message, testing::StartsWith("config:3:1: exec plugin " + folder_->path()));
    EXPECT_THAT(credentials.error().message, HasSubstr(c.message));
  }
  ExecPlugin missing = Script("");
  missing.command += "-is-not-there";
  EXPECT_THAT(RunPlugin(missing, {}).error().message, HasSubstr("install it"));
}

}  // namespace
}  // namespace kumiko::kube
