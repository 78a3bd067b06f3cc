// Builds a NodeView from stored slices: which pools a node reaches, in which order, whether they are complete and free
// of contradictions (spec dra-allocator §2.3), and which devices share counters.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "allocator/node_view.h"
#include "api/core/types.h"
#include "api/resource/types.h"

namespace kumiko::allocator {

// A slice with what is derived from it once.
struct StoredSlice {
  std::shared_ptr<const api::ResourceSlice> slice;
  std::vector<DeviceContent> contents;  // one per device
  std::vector<DeviceIndex> indices;     // one per device
};

// Slices by object name; byte order of names is a contract.
using SlicesByName = std::map<std::string, const StoredSlice*>;

struct ViewInput {
  std::string node;
  const api::Node* node_object = nullptr;  // null: the node has no labels
  const SlicesByName* own = nullptr;       // with nodeName = node; null: none
  const SlicesByName* shared = nullptr;    // all others that name no node
  // Every slice of the cluster by (driver, pool).
  const std::map<std::pair<std::string, std::string>, SlicesByName>* pools = nullptr;
  const std::map<std::string, api::DeviceTaintRule>* taint_rules = nullptr;
};

NodeView BuildNodeView(const ViewInput& input);

// Resolves names without a domain to the driver's domain.
DeviceContent BuildContent(const std::string& driver, const api::Device& device);

// Splits "domain/id"; a name without a domain belongs to `driver`.
std::pair<std::string, std::string> SplitName(const std::string& name, const std::string& driver);

}  // namespace kumiko::allocator
