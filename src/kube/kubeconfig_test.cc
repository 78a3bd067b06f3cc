#include "kube/kubeconfig.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/files.h"
#include "kube/cluster_access.h"

namespace kumiko::kube {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kWhole = R"(
apiVersion: v1
kind: Config
current-context: dev
clusters:
- name: lab
  cluster:
    server: https://10.0.0.1:6443/
    certificate-authority-data: Q0E=
    tls-server-name: api.lab
    proxy-url: socks5://127.0.0.1:1080
    disable-compression: true
    extensions:
    - name: client.authentication.k8s.io/exec
      extension: {audience: lab}
users:
- name: ann
  user:
    client-certificate-data: Q0VSVA==
    client-key-data: S0VZ
    as: bob
    as-groups: [dev]
    as-user-extra: {reason: [night shift]}
- name: plugin
  user:
    exec:
      apiVersion: client.authentication.k8s.io/v1
      command: ./get-token
      args: [--cluster, lab]
      env: [{name: REGION, value: north}]
      interactiveMode: Never
      provideClusterInfo: true
contexts:
- name: dev
  context: {cluster: lab, user: ann, namespace: ml}
- name: by-plugin
  context: {cluster: lab, user: plugin}
- name: lost
  context: {cluster: lab, user: nobody}
)";

class KubeconfigTest : public testing::Test {
 protected:
  std::string Write(const std::string& name, const std::string& text) {
    const std::string path = folder_->path() + "/" + name;
    EXPECT_TRUE(WriteFileAtomically(path, text));
    return path;
  }
  Result<ClusterAccess> Find(const std::string& text) {
    return FindCluster({.kubeconfig = Write("config", text),
                        .context = {},
                        .kubeconfig_variable = {},
                        .home = {},
                        .service_host = {},
                        .service_port = {}});
  }
  Result<TemporaryDirectory> folder_ = TemporaryDirectory::Create();
};

TEST_F(KubeconfigTest, CurrentContextLeadsToClusterAndUser) {
  const Result<ClusterAccess> access = Find(kWhole);
  ASSERT_TRUE(access) << access.error().message;
  EXPECT_EQ(access->server, "https://10.0.0.1:6443");
  EXPECT_EQ(access->tls.authority_pem, "CA");
  EXPECT_EQ(access->tls.certificate_pem, "CERT");
  EXPECT_EQ(access->tls.key_pem, "KEY");
  EXPECT_EQ(access->tls.server_name, "api.lab");
  EXPECT_EQ(access->proxy_url, "socks5://127.0.0.1:1080");
  EXPECT_FALSE(access->compression);
  EXPECT_EQ(access->namespace_, "ml");
  EXPECT_EQ(access->impersonate.user, "bob");
  EXPECT_THAT(access->impersonate.groups, ElementsAre("dev"));
  EXPECT_EQ(access->impersonate.extra.at(0).first, "reason");
  EXPECT_EQ(access->description, "context \"dev\"");
}

TEST_F(KubeconfigTest, PluginIsFoundBesideItsFile) {
  const auto config = LoadKubeconfig({Write("config", kWhole)});
  ASSERT_TRUE(config) << config.error().message;
  const auto access = Resolve(*config, "by-plugin");
  ASSERT_TRUE(access) << access.error().message;
  ASSERT_TRUE(access->exec);
  EXPECT_EQ(access->exec->command, folder_->path() + "/get-token");
  EXPECT_THAT(access->exec->args, ElementsAre("--cluster", "lab"));
  EXPECT_THAT(access->exec->env, ElementsAre(testing::Pair("REGION", "north")));
  EXPECT_EQ(access->exec->interactive_mode, InteractiveMode::kNever);
  EXPECT_TRUE(access->exec->provide_cluster_info);
  EXPECT_EQ(WriteJson(access->exec_extension), R"({"audience":"lab"})");
}

TEST_F(KubeconfigTest, FirstFileWinsAndMissingFilesAreLeftOut) {
  const std::string first = Write("first", R"(
users: [{name: ann, user: {token: first}}]
)");
  const std::string second = Write("second", R"(
current-context: two
clusters: [{name: lab, cluster: {server: "https://lab"}}]
users: [{name: ann, user: {token: second, as: bob}}]
contexts: [{name: two, context: {cluster: lab, user: ann}}]
)");
  AccessOptions options;
  options.kubeconfig_variable = folder_->path() + "/none:" + first + ":" + second + ":" + first;
  const auto access = FindCluster(options);
  ASSERT_TRUE(access) << access.error().message;
  EXPECT_EQ(access->token, "first");
  EXPECT_EQ(access->impersonate.user, "") << "an entry is taken whole from one file";
}

TEST_F(KubeconfigTest, RelativePathsAreThoseOfTheFile) {
  Write("ca.crt", "authority");
  Write("token", "secret");
  const auto access = Find(R"(
current-context: x
clusters: [{name: lab, cluster: {server: "https://lab", certificate-authority: ca.crt}}]
users: [{name: ann, user: {tokenFile: ./token}}]
contexts: [{name: x, context: {cluster: lab, user: ann}}]
)");
  ASSERT_TRUE(access) << access.error().message;
  EXPECT_EQ(access->tls.authority_file, folder_->path() + "/ca.crt");
  EXPECT_EQ(access->token_file, folder_->path() + "/token");
}

TEST_F(KubeconfigTest, NoSecretGoesOverPlainHttp) {
  const auto access = Find(R"(
current-context: x
clusters: [{name: lab, cluster: {server: "http://lab"}}]
users: [{name: ann, user: {token: secret}}]
contexts: [{name: x, context: {cluster: lab, user: ann}}]
)");
  ASSERT_TRUE(access) << access.error().message;
  EXPECT_EQ(access->token, "");
}

TEST_F(KubeconfigTest, MistakesNameFileLineEntryAndRemedy) {
  struct Case {
    const char* text;
    const char* place;
    const char* message;
  };
  const std::vector<Case> cases = {
      {"users:\n- name: a\n  user:\n    token: 12\n", "config:4:5", "users[0].user.token must be a string"},
      {"users:\n- name: a\n  user:\n    client-key-data: '*'\n", "config:4:5", "is not base64"},
      {"users:\n- user: {}\n", "config:2:3", "users[0].name is missing"},
      {"users: [{name: a, user: {exec: {command: x, apiVersion: v9}}}]", "config:1", "client.authentication.k8s.io/v1"},
      {"users: [{name: a, user: {exec: {command: x, apiVersion: client.authentication.k8s.io/v1}}}]", "config:1",
       "interactiveMode must be Never, IfAvailable or Always"},
      {"kind: Pod", "config:1:1", "is Pod, not Config"},
      {"clusters: 3", "config:1:1", "clusters must be a list, not integer"},
      {"current-context: x", "config", "no context \"x\" (none is there)"},
      {"contexts: [{name: x, context: {cluster: c}}]", "config", "choose one with --context (there are x)"},
      {"current-context: x\ncontexts: [{name: x, context: {cluster: c}}]", "config:2", "names cluster \"c\""},
      {"current-context: x\ncontexts: [{name: x, context: {cluster: c}}]\nclusters: [{name: c, cluster: {}}]",
       "config:3", "write server: https://HOST:PORT"},
      {"current-context: x\ncontexts: [{name: x, context: {cluster: c, user: u}}]\n"
       "clusters: [{name: c, cluster: {server: 'https://c'}}]",
       "config:2", "names user \"u\""},
      {"current-context: x\ncontexts: [{name: x, context: {cluster: c, user: u}}]\n"
       "clusters: [{name: c, cluster: {server: 'https://c'}}]\nusers: [{name: u, user: {client-key-data: S0VZ}}]",
       "config:4", "has a client-key but no client-certificate"},
      {"current-context: x\ncontexts: [{name: x, context: {cluster: c, user: u}}]\n"
       "clusters: [{name: c, cluster: {server: 'https://c'}}]\nusers: [{name: u, user: {tokenFile: missing}}]",
       "config:4", "tokenFile: "},
  };
  for (const Case& c : cases) {
    const auto access = Find(c.text);
    ASSERT_FALSE(access) << c.text;
    EXPECT_EQ(access.error().message.find(folder_->path() + "/" + c.place), 0U) << access.error().message;
    EXPECT_THAT(access.error().message, HasSubstr(c.message)) << c.text;
  }
}

TEST_F(KubeconfigTest, InAPodTheServiceAccountIsUsed) {
  Write("token", "secret\n");
  Write("ca.crt", "authority");
  Write("namespace", "ml");
  AccessOptions options;
  options.home = folder_->path();
  options.service_host = "fd00::1";
  options.service_port = "443";
  options.service_account = folder_->path();
  const auto access = FindCluster(options);
  ASSERT_TRUE(access) << access.error().message;
  EXPECT_EQ(access->server, "https://[fd00::1]:443");
  EXPECT_EQ(access->token_file, folder_->path() + "/token");
  EXPECT_EQ(access->namespace_, "ml");

  options.service_account += "/none";
  const auto missing = FindCluster(options);
  ASSERT_FALSE(missing);
  EXPECT_THAT(missing.error().message, HasSubstr("automountServiceAccountToken"));
}

TEST_F(KubeconfigTest, WithoutAnyClusterItSaysWhatToGive) {
  AccessOptions options;
  options.home = folder_->path();
  const auto access = FindCluster(options);
  ASSERT_FALSE(access);
  EXPECT_EQ(access.error().code, Code::kNotFound);
  EXPECT_THAT(access.error().message, HasSubstr("give --kubeconfig FILE"));
}

}  // namespace
}  // namespace kumiko::kube
