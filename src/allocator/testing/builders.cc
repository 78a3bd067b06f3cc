#include "allocator/testing/builders.h"

#include "base/check.h"

namespace kumiko::allocator::testing {

Quantity Amount(const std::string& text) {
  const auto quantity = Quantity::Parse(text);
  KU_CHECK(quantity.has_value()) << text;
  return *quantity;
}

DeviceBuilder& DeviceBuilder::String(const std::string& name, std::string value) {
  device_.attributes[name].string_value = std::move(value);
  return *this;
}

DeviceBuilder& DeviceBuilder::Int(const std::string& name, std::int64_t value) {
  device_.attributes[name].int_value = value;
  return *this;
}

DeviceBuilder& DeviceBuilder::Capacity(const std::string& name, const std::string& value) {
  device_.capacity[name].value = Amount(value);
  return *this;
}

DeviceBuilder& DeviceBuilder::Policy(const std::string& name, const api::CapacityRequestPolicy& policy) {
  device_.capacity[name].request_policy = policy;
  return *this;
}

DeviceBuilder& DeviceBuilder::Consumes(const std::string& set,
                                       const std::vector<std::pair<std::string, std::string>>& counters) {
  api::DeviceCounterConsumption consumption;
  consumption.counter_set = set;
  for (const auto& [name, value] : counters) consumption.counters[name].value = Amount(value);
  device_.consumes_counters.push_back(std::move(consumption));
  return *this;
}

DeviceBuilder& DeviceBuilder::Taint(const std::string& key, const std::string& effect) {
  device_.taints.push_back({.key = key, .value = "", .effect = effect, .time_added = std::nullopt});
  return *this;
}

DeviceBuilder& DeviceBuilder::Shareable() {
  device_.allow_multiple_allocations = true;
  return *this;
}

DeviceBuilder& DeviceBuilder::Node(const std::string& name) {
  device_.node_name = name;
  return *this;
}

SliceBuilder::SliceBuilder(const std::string& name, const std::string& node) {
  slice_.metadata.name = name;
  slice_.spec.driver = kDriver;
  slice_.spec.node_name = node;
  slice_.spec.pool = {.name = node, .generation = 1, .resource_slice_count = 1};
}

SliceBuilder& SliceBuilder::Pool(const std::string& name, std::int64_t generation, std::int64_t slices) {
  slice_.spec.pool = {.name = name, .generation = generation, .resource_slice_count = slices};
  return *this;
}

SliceBuilder& SliceBuilder::Driver(const std::string& driver) {
  slice_.spec.driver = driver;
  return *this;
}

SliceBuilder& SliceBuilder::AllNodes() {
  slice_.spec.node_name.reset();
  slice_.spec.all_nodes = true;
  return *this;
}

SliceBuilder& SliceBuilder::PerDevice() {
  slice_.spec.node_name.reset();
  slice_.spec.per_device_node_selection = true;
  return *this;
}

SliceBuilder& SliceBuilder::Add(api::Device device) {
  slice_.spec.devices.push_back(std::move(device));
  return *this;
}

SliceBuilder& SliceBuilder::Counters(const std::string& set,
                                     const std::vector<std::pair<std::string, std::string>>& counters) {
  api::CounterSet entry;
  entry.name = set;
  for (const auto& [name, value] : counters) entry.counters[name].value = Amount(value);
  slice_.spec.shared_counters.push_back(std::move(entry));
  return *this;
}

std::shared_ptr<const api::ResourceSlice> SliceBuilder::Build() const {
  return std::make_shared<const api::ResourceSlice>(slice_);
}

ClaimBuilder::ClaimBuilder(const std::string& name) {
  claim_.metadata.name = name;
  claim_.metadata.namespace_ = "ns";
}

api::DeviceSubRequest& ClaimBuilder::Last() {
  auto& request = claim_.spec.devices.requests.back();
  return request.exactly ? *request.exactly : request.first_available.back();
}

ClaimBuilder& ClaimBuilder::Request(const std::string& name, std::int64_t count) {
  auto& request = claim_.spec.devices.requests.emplace_back();
  request.name = name;
  request.exactly.emplace();
  request.exactly->device_class_name = "gpu";
  request.exactly->allocation_mode = api::kExactCount;
  request.exactly->count = count;
  return *this;
}

ClaimBuilder& ClaimBuilder::All(const std::string& name) {
  Request(name, 0);
  Last().allocation_mode = api::kAll;
  return *this;
}

ClaimBuilder& ClaimBuilder::FirstAvailable(const std::string& name) {
  claim_.spec.devices.requests.emplace_back().name = name;
  return *this;
}

ClaimBuilder& ClaimBuilder::Alternative(const std::string& name, std::int64_t count) {
  auto& alternative = claim_.spec.devices.requests.back().first_available.emplace_back();
  alternative.name = name;
  alternative.device_class_name = "gpu";
  alternative.allocation_mode = api::kExactCount;
  alternative.count = count;
  return *this;
}

ClaimBuilder& ClaimBuilder::Class(const std::string& name) {
  Last().device_class_name = name;
  return *this;
}

ClaimBuilder& ClaimBuilder::Selector(const std::string& expression) {
  Last().selectors.push_back({.cel = api::CelDeviceSelector{expression}});
  return *this;
}

ClaimBuilder& ClaimBuilder::Admin() {
  Last().admin_access = true;
  return *this;
}

ClaimBuilder& ClaimBuilder::Tolerate(const std::string& key) {
  api::DeviceToleration toleration;
  toleration.key = key;
  toleration.operator_ = "Exists";
  Last().tolerations.push_back(std::move(toleration));
  return *this;
}

ClaimBuilder& ClaimBuilder::Capacity(const std::string& name, const std::string& value) {
  if (!Last().capacity) Last().capacity.emplace();
  Last().capacity->requests[name] = Amount(value);
  return *this;
}

ClaimBuilder& ClaimBuilder::Match(const std::string& attribute, std::vector<std::string> requests) {
  claim_.spec.devices.constraints.push_back(
      {.requests = std::move(requests), .match_attribute = attribute, .distinct_attribute = std::nullopt});
  return *this;
}

ClaimBuilder& ClaimBuilder::Distinct(const std::string& attribute, std::vector<std::string> requests) {
  claim_.spec.devices.constraints.push_back(
      {.requests = std::move(requests), .match_attribute = std::nullopt, .distinct_attribute = attribute});
  return *this;
}

api::DeviceClass MakeClass(const std::string& name, const std::string& expression) {
  api::DeviceClass device_class;
  device_class.metadata.name = name;
  device_class.spec.selectors.push_back(
      {.cel = api::CelDeviceSelector{std::string("device.driver == \"") + kDriver + "\""}});
  if (expression != "true") device_class.spec.selectors.push_back({.cel = api::CelDeviceSelector{expression}});
  return device_class;
}

std::vector<std::shared_ptr<const api::ResourceSlice>> MakeBoards(const std::string& node,
                                                                  const BoardOptions& options) {
  struct Profile {
    const char* name;
    int compute;
    int memory;
    std::vector<int> starts;
  };
  const std::vector<Profile> profiles = {{"1g.10gb", 1, 1, {0, 1, 2, 3, 4, 5, 6}},
                                         {"1g.20gb", 1, 2, {0, 2, 4, 6}},
                                         {"2g.20gb", 2, 2, {0, 2, 4}},
                                         {"3g.40gb", 3, 4, {0, 4}},
                                         {"4g.40gb", 4, 4, {0}},
                                         {"7g.80gb", 7, 8, {0}}};
  SliceBuilder counters(node + "-0-counters", node);
  counters.Pool(node, 1, 2);
  SliceBuilder devices(node + "-1-devices", node);
  devices.Pool(node, 1, 2);
  const auto consume = [](int compute, int first, int memory) {
    std::vector<std::pair<std::string, std::string>> amounts = {{"compute", std::to_string(compute)}};
    for (int i = first; i < first + memory; ++i) amounts.emplace_back("memory-" + std::to_string(i), "1");
    return amounts;
  };
  for (int g = 0; g < options.gpus; ++g) {
    const auto gpu = "gpu-" + std::to_string(g);
    counters.Counters(gpu + "-set", consume(7, 0, 8));
    devices.Add(DeviceBuilder(gpu)
                    .String("type", "gpu")
                    .String("model", options.model)
                    .Int("index", g)
                    .Capacity("memory", "80Gi")
                    .Consumes(gpu + "-set", consume(7, 0, 8)));
    for (const auto& profile : profiles) {
      for (const int start : profile.starts) {
        devices.Add(DeviceBuilder(gpu + "-" + profile.name + "-" + std::to_string(start))
                        .String("type", "mig")
                        .String("profile", profile.name)
                        .String("model", options.model)
                        .Int("index", g)
                        .Capacity("memory", std::to_string(10 * profile.memory) + "Gi")
                        .Consumes(gpu + "-set", consume(profile.compute, start, profile.memory)));
      }
    }
  }
  return {counters.Build(), devices.Build()};
}

std::shared_ptr<const api::ResourceSlice> MakeGpus(const std::string& node, int gpus, int per_root) {
  SliceBuilder slice(node + "-gpus", node);
  for (int g = 0; g < gpus; ++g) {
    slice.Add(DeviceBuilder("gpu-" + std::to_string(g))
                  .String("type", "gpu")
                  .String("uuid", node + "-" + std::to_string(g))
                  .Int("index", g)
                  .String("resource.kubernetes.io/pcieRoot", "pci" + std::to_string(g / per_root))
                  .Capacity("memory", "80Gi"));
  }
  return slice.Build();
}

std::vector<std::string> Names(const api::AllocationResult& result) {
  std::vector<std::string> names;
  for (const auto& device : result.devices.results) names.push_back(device.device);
  return names;
}

}  // namespace kumiko::allocator::testing
