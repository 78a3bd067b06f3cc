#include "localcluster/service_addresses.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace kumiko::localcluster {
namespace {

Json Service(std::string_view uid, std::string_view spec) {
  Json service = JsonObject{{"kind", "Service"}, {"metadata", JsonObject{{"name", "s"}, {"uid", uid}}}};
  service.as_object()["spec"] = ParseJson(spec).value();
  return service;
}

TEST(ServiceAddresses, AreDifferentForEachService) {
  std::vector<std::shared_ptr<const Json>> services;
  std::set<std::string> addresses;
  std::set<std::int64_t> node_ports;
  for (int i = 0; i < 500; ++i) {
    Json service = Service(std::to_string(i), R"({"type": "NodePort", "ports": [{"port": 80}, {"port": 81}]})");
    EXPECT_THAT(AssignAddresses(service, services), testing::IsEmpty());
    EXPECT_TRUE(addresses.emplace(StringAt(service, {"spec", "clusterIP"})).second);
    for (const Json& port : FindPath(service, {"spec", "ports"})->as_array()) {
      const std::int64_t number = port.at("nodePort").as_int64();
      EXPECT_TRUE(node_ports.insert(number).second);
      EXPECT_TRUE(number >= 30000 && number <= 32767);
    }
    services.push_back(std::make_shared<const Json>(service));
  }
  for (const std::string& address : addresses) EXPECT_THAT(address, testing::StartsWith("10.96."));
}

TEST(ServiceAddresses, StayWhenTheyAreThere) {
  Json service =
      Service("a", R"({"type": "NodePort", "clusterIP": "10.96.0.5", "ports": [{"port": 80, "nodePort": 30001}]})");
  const Json before = service;
  const std::vector<std::shared_ptr<const Json>> itself = {std::make_shared<const Json>(before)};
  EXPECT_THAT(AssignAddresses(service, itself), testing::IsEmpty());
  EXPECT_EQ(service, before);
}

TEST(ServiceAddresses, AreNotGivenTwice) {
  const std::vector<std::shared_ptr<const Json>> others = {
      std::make_shared<const Json>(Service("a", R"({"clusterIP": "10.96.0.5"})"))};
  Json service = Service("b", R"({"type": "ClusterIP", "clusterIP": "10.96.0.5"})");
  EXPECT_THAT(AssignAddresses(service, others),
              testing::ElementsAre(
                  api::FieldError{"spec.clusterIPs",
                                  "Invalid value: [\"10.96.0.5\"]: failed to allocate IP 10.96.0.5: provided IP is "
                                  "already allocated"}));
}

TEST(ServiceAddresses, NodePortsAreInTheirRange) {
  Json service = Service("a", R"({"type": "NodePort", "ports": [{"port": 80, "nodePort": 80}]})");
  EXPECT_THAT(AssignAddresses(service, {}),
              testing::ElementsAre(api::FieldError{"spec.ports[0].nodePort",
                                                   "Invalid value: 80: provided port is not in the valid range. The "
                                                   "range of valid ports is 30000-32767"}));
}

TEST(ServiceAddresses, HeadlessAndExternalOnesHaveNone) {
  Json headless = Service("a", R"({"type": "ClusterIP", "clusterIP": "None"})");
  AssignAddresses(headless, {});
  EXPECT_EQ(StringAt(headless, {"spec", "clusterIP"}), "None");
  Json external = Service("b", R"({"type": "ExternalName", "externalName": "a.b"})");
  AssignAddresses(external, {});
  EXPECT_EQ(Find(external.at("spec"), "clusterIP"), nullptr);
}

}  // namespace
}  // namespace kumiko::localcluster
