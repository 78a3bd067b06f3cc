#include "localcluster/service_strategy.h"

#include <gtest/gtest.h>

namespace kumiko::localcluster {
namespace {

struct Replacement {
  const char* name;
  const char* before;  // specs
  const char* sent;
  const char* after;
};

class ServiceStrategy : public testing::TestWithParam<Replacement> {};

TEST_P(ServiceStrategy, CarriesOverAndDrops) {
  const Json before{{"kind", "Service"}, {"spec", ParseJson(GetParam().before).value()}};
  Json after{{"kind", "Service"}, {"spec", ParseJson(GetParam().sent).value()}};
  KeepService(before, after);
  EXPECT_EQ(after.at("spec"), ParseJson(GetParam().after).value()) << WriteJson(after);
}

constexpr const char* kNodePort =
    R"({"type": "NodePort", "clusterIP": "10.96.0.7", "clusterIPs": ["10.96.0.7"], "externalTrafficPolicy": "Cluster",
        "ports": [{"port": 80, "nodePort": 30080}]})";

INSTANTIATE_TEST_SUITE_P(
    All, ServiceStrategy,
    testing::Values(
        Replacement{"AddressAndPortsStay", kNodePort, R"({"type": "NodePort", "ports": [{"port": 80}]})",
                    R"({"type": "NodePort", "ports": [{"port": 80, "nodePort": 30080}], "clusterIP": "10.96.0.7",
                        "clusterIPs": ["10.96.0.7"]})"},
        Replacement{"APortOfAnotherNameGetsANewOne", kNodePort,
                    R"({"type": "NodePort", "clusterIP": "10.96.0.7", "clusterIPs": ["10.96.0.7"],
                        "ports": [{"name": "b", "port": 81}]})",
                    R"({"type": "NodePort", "clusterIP": "10.96.0.7", "clusterIPs": ["10.96.0.7"],
                        "ports": [{"name": "b", "port": 81}]})"},
        Replacement{"TheListFollowsTheAddress", R"({"clusterIP": "10.96.0.7", "clusterIPs": ["10.96.0.7"]})",
                    R"({"clusterIP": "None", "clusterIPs": ["10.96.0.7"]})",
                    R"({"clusterIP": "None", "clusterIPs": ["None"]})"},
        Replacement{"ExternalNameHasNoAddress", kNodePort,
                    R"({"type": "ExternalName", "clusterIP": "10.96.0.7", "clusterIPs": ["10.96.0.7"],
                        "externalTrafficPolicy": "Cluster", "ports": [{"port": 80, "nodePort": 30080}]})",
                    R"({"type": "ExternalName", "ports": [{"port": 80}]})"},
        Replacement{"WhatTheClientChangedTooStays", kNodePort,
                    R"({"type": "ClusterIP", "clusterIP": "10.96.0.7", "clusterIPs": ["10.96.0.7"],
                        "externalTrafficPolicy": "Local", "ports": [{"port": 80, "nodePort": 30081}]})",
                    R"({"type": "ClusterIP", "clusterIP": "10.96.0.7", "clusterIPs": ["10.96.0.7"],
                        "externalTrafficPolicy": "Local", "ports": [{"port": 80, "nodePort": 30081}]})"}),
    [](const auto& row) { return row.param.name; });

}  // namespace
}  // namespace kumiko::localcluster
