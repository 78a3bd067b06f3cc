// Builders for the objects that allocator tests need. Quantities are written as text and must parse.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "allocator/inventory.h"
#include "api/resource/types.h"

namespace kumiko::allocator::testing {

inline constexpr const char* kDriver = "gpu.example.com";

Quantity Amount(const std::string& text);

class DeviceBuilder {
 public:
  explicit DeviceBuilder(std::string name) { device_.name = std::move(name); }
  DeviceBuilder& String(const std::string& name, std::string value);
  DeviceBuilder& Int(const std::string& name, std::int64_t value);
  DeviceBuilder& Capacity(const std::string& name, const std::string& value);
  DeviceBuilder& Policy(const std::string& name, const api::CapacityRequestPolicy& policy);
  DeviceBuilder& Consumes(const std::string& set, const std::vector<std::pair<std::string, std::string>>& counters);
  DeviceBuilder& Taint(const std::string& key, const std::string& effect);
  DeviceBuilder& Shareable();
  DeviceBuilder& Node(const std::string& name);
  operator api::Device() const { return device_; }  // NOLINT: builders end in the object they build

 private:
  api::Device device_;
};

class SliceBuilder {
 public:
  // Pool `node`, generation 1, one slice.
  explicit SliceBuilder(const std::string& name, const std::string& node);
  SliceBuilder& Pool(const std::string& name, std::int64_t generation, std::int64_t slices);
  SliceBuilder& Driver(const std::string& driver);
  SliceBuilder& AllNodes();
  SliceBuilder& PerDevice();
  SliceBuilder& Add(api::Device device);
  SliceBuilder& Counters(const std::string& set, const std::vector<std::pair<std::string, std::string>>& counters);
  std::shared_ptr<const api::ResourceSlice> Build() const;

 private:
  api::ResourceSlice slice_;
};

class ClaimBuilder {
 public:
  explicit ClaimBuilder(const std::string& name);
  // Class "gpu", ExactCount.
  ClaimBuilder& Request(const std::string& name, std::int64_t count = 1);
  ClaimBuilder& All(const std::string& name);
  // Alternatives are added by Alternative.
  ClaimBuilder& FirstAvailable(const std::string& name);
  ClaimBuilder& Alternative(const std::string& name, std::int64_t count = 1);
  // The following change the last request or alternative.
  ClaimBuilder& Class(const std::string& name);
  ClaimBuilder& Selector(const std::string& expression);
  ClaimBuilder& Admin();
  ClaimBuilder& Tolerate(const std::string& key);
  ClaimBuilder& Capacity(const std::string& name, const std::string& value);
  ClaimBuilder& Match(const std::string& attribute, std::vector<std::string> requests = {});
  ClaimBuilder& Distinct(const std::string& attribute, std::vector<std::string> requests = {});
  api::ResourceClaim Build() const { return claim_; }
  operator api::ResourceClaim() const { return claim_; }  // NOLINT

 private:
  api::DeviceSubRequest& Last();
  api::ResourceClaim claim_;
};

// Class `name` that accepts devices of kDriver for which `expression` holds as well.
api::DeviceClass MakeClass(const std::string& name, const std::string& expression = "true");

// MIG-like boards: seven compute slices, eight memory slices, profiles 1g to 7g and the whole GPU named "gpu-<i>", all
// with the attributes type, profile (parts only), model and index. Slices are named so that the counters come first.
struct BoardOptions {
  int gpus = 1;
  std::string model = "A100";
};
std::vector<std::shared_ptr<const api::ResourceSlice>> MakeBoards(const std::string& node,
                                                                  const BoardOptions& options = {});
// A node of whole GPUs; GPU i has the attributes index i and root i / per_root.
std::shared_ptr<const api::ResourceSlice> MakeGpus(const std::string& node, int gpus, int per_root = 2);

// Device names of a result, in order.
std::vector<std::string> Names(const api::AllocationResult& result);

}  // namespace kumiko::allocator::testing
