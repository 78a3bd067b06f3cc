#include "cli/whole_gpus.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

#include "allocator/inventory.h"
#include "api/codec.h"
#include "api/resource/types.h"
#include "base/text.h"
#include "gpu/device_classes.h"

namespace kumiko::cli {
namespace {

constexpr std::string_view kDomain = "gpu.nvidia.com";

std::string TextAttribute(const cel::DeviceView& device, std::string_view id) {
  for (const cel::AttributeRef attribute : device.attributes) {
    if (attribute.domain != kDomain || attribute.id != id) continue;
    if (const auto* text = std::get_if<std::string>(&attribute.value)) return *text;
  }
  return "";
}

std::string OneOf(std::string_view attribute, const std::set<std::string>& values) {
  std::vector<std::string> quoted;
  for (const std::string& value : values) quoted.push_back("\"" + value + "\"");
  return "device.attributes[\"" + std::string(kDomain) + "\"]." + std::string(attribute) + " in [" +
         Join(quoted, ", ") + "]";
}

// Attributes of partitions that no whole GPU has.
bool OnlyOfPartitions(const std::string& attribute) {
  return attribute == "gpu.nvidia.com/parentUUID" || attribute == "gpu.nvidia.com/profile";
}

}  // namespace

// The GPUs of a cluster, and what each publishes.
struct GpuOffers::State {
  struct Offer {
    allocator::DeviceRef device;
    std::string gpu;  // its UUID
  };
  allocator::Inventory inventory;
  std::vector<Offer> offers;
  std::map<std::string, std::string> model_of;  // by UUID

  // Whether all selectors hold; a selector that fails on a device does not choose it.
  bool Chooses(const std::vector<cel::Expression>& selectors, const Offer& offer) const {
    return std::all_of(selectors.begin(), selectors.end(), [&](const cel::Expression& selector) {
      return inventory.Evaluate(selector, offer.device).kind == allocator::Verdict::Kind::kTrue;
    });
  }
};

GpuOffers::GpuOffers() : state_(std::make_unique<State>()) {}
GpuOffers::GpuOffers(GpuOffers&&) noexcept = default;
GpuOffers& GpuOffers::operator=(GpuOffers&&) noexcept = default;
GpuOffers::~GpuOffers() = default;

Result<GpuOffers> GpuOffers::Of(kube::ApiClient& api) {
  GpuOffers result;
  State& state = *result.state_;
  KU_TRY(const kube::ObjectList classes, api.List({"DeviceClass", "", ""}));
  for (const auto& object : classes.items) {
    KU_TRY(const auto device_class, api::Decode<api::DeviceClass>(*object.tree()));
    state.inventory.UpsertClass(device_class);
  }
  KU_TRY(const kube::ObjectList slices, api.List({"ResourceSlice", "", ""}));
  for (const auto& object : slices.items) {
    KU_TRY(const auto slice, api::Decode<api::ResourceSlice>(*object.tree()));
    state.inventory.UpsertSlice(slice);
  }
  for (const std::string& node : state.inventory.NodeNames()) {
    const allocator::NodeView& view = state.inventory.ViewOf(node);
    for (std::uint32_t d = 0; d < view.layout->candidates; ++d) {
      const allocator::DeviceRef device = view.Device(d);
      const cel::DeviceView readable = state.inventory.Read(device).view;
      std::string gpu = TextAttribute(readable, "parentUUID");
      if (gpu.empty()) gpu = TextAttribute(readable, "uuid");
      if (gpu.empty() || !view.layout->devices[d].on_node) continue;
      state.model_of[gpu] = TextAttribute(readable, "productName");
      state.offers.push_back({device, std::move(gpu)});
    }
  }
  return result;
}

Result<std::optional<std::vector<std::string>>> GpuOffers::SelectorsFor(const api::DeviceSubRequest& request) const {
  std::vector<cel::Expression> selectors;
  const auto compile = [&](const std::vector<api::DeviceSelector>& from) -> Result<void> {
    for (const api::DeviceSelector& selector : from) {
      if (!selector.cel) continue;
      KU_TRY(auto expression, state_->inventory.Compile(selector.cel->expression));
      selectors.push_back(std::move(expression));
    }
    return {};
  };
  const api::DeviceClass* device_class = state_->inventory.FindClass(request.device_class_name);
  if (device_class == nullptr) return std::nullopt;
  KU_TRY_OK(compile(device_class->spec.selectors));
  KU_TRY_OK(compile(request.selectors));

  std::set<std::string> chosen;
  for (const State::Offer& offer : state_->offers) {
    if (!chosen.contains(offer.gpu) && state_->Chooses(selectors, offer)) chosen.insert(offer.gpu);
  }
  if (chosen.empty()) return std::nullopt;
  if (chosen.size() == state_->model_of.size()) return std::vector<std::string>();
  std::set<std::string> models;
  for (const std::string& gpu : chosen) models.insert(state_->model_of.at(gpu));
  const auto of_these_models = std::count_if(state_->model_of.begin(), state_->model_of.end(),
                                             [&](const auto& entry) { return models.contains(entry.second); });
  const bool by_model = static_cast<std::size_t>(of_these_models) == chosen.size();
  return std::vector{by_model ? OneOf("productName", models) : OneOf("uuid", chosen)};
}

namespace {

Result<void> Rewrite(api::DeviceSubRequest& request, const GpuOffers& offers) {
  KU_TRY(const auto selectors, offers.SelectorsFor(request));
  // What no GPU offers, none offers undivided: the request waits in both runs.
  if (!selectors) return {};
  request.device_class_name = gpu::kGpuClass;
  request.selectors.clear();
  for (const std::string& selector : *selectors) request.selectors.push_back({api::CelDeviceSelector{selector}});
  // A share of a capacity is a part, too.
  request.capacity.reset();
  return {};
}

Result<void> Rewrite(api::DeviceClaim& claim, const GpuOffers& offers) {
  for (api::DeviceRequest& request : claim.requests) {
    if (request.exactly) KU_TRY_OK(Rewrite(*request.exactly, offers));
    for (api::DeviceSubRequest& sub : request.first_available) KU_TRY_OK(Rewrite(sub, offers));
  }
  std::erase_if(claim.constraints, [](const api::DeviceConstraint& constraint) {
    const auto& attribute = constraint.match_attribute ? constraint.match_attribute : constraint.distinct_attribute;
    return attribute && OnlyOfPartitions(*attribute);
  });
  claim.config.clear();
  return {};
}

// What a person wrote, again: nothing that the API server or a controller added.
Json AsWritten(const Json& object) {
  Json copy = object;
  JsonObject& root = copy.as_object();
  root.erase("status");
  if (Json* metadata = root.if_contains("metadata"); metadata != nullptr && metadata->is_object()) {
    for (const std::string_view key : {"uid", "resourceVersion", "creationTimestamp", "generation", "finalizers",
                                       "deletionTimestamp", "managedFields"}) {
      metadata->get_object().erase(key);
    }
  }
  if (StringAt(copy, {"kind"}) == "Pod") root["spec"].as_object().erase("nodeName");
  if (StringAt(copy, {"kind"}) == "Job") {
    // The controller generates both; a copy of them would be refused as foreign.
    JsonObject& spec = root["spec"].as_object();
    spec.erase("selector");
    if (Json* labels = root["spec"].as_object().if_contains("template")) {
      if (Json* metadata = labels->as_object().if_contains("metadata"); metadata != nullptr) {
        if (Json* map = metadata->as_object().if_contains("labels"); map != nullptr && map->is_object()) {
          for (const std::string_view key :
               {"controller-uid", "job-name", "batch.kubernetes.io/controller-uid", "batch.kubernetes.io/job-name"}) {
            map->get_object().erase(key);
          }
        }
      }
    }
  }
  return copy;
}

bool MadeByAnother(const Json& object) {
  const Json* owners = FindPath(object, {"metadata", "ownerReferences"});
  return owners != nullptr && owners->is_array() && !owners->get_array().empty();
}

bool BeingDeleted(const Json& object) {
  return FindPath(object, {"metadata", "deletionTimestamp"}) != nullptr;
}

}  // namespace

localcluster::ClusterFile WithWholeGpus(localcluster::ClusterFile cluster) {
  for (localcluster::SimulatedNode& node : cluster.nodes) {
    for (gpu::BoardInstance& board : node.boards) {
      board.mig = gpu::MigMode::kOff;
      board.instances.clear();
      board.sharing = {};
    }
  }
  cluster.demand.clear();
  return cluster;
}

Result<Json> ForWholeGpus(const Json& object, const GpuOffers& offers) {
  const std::string_view kind = StringAt(object, {"kind"});
  if (kind == api::ResourceClaim::kKind) {
    KU_TRY(api::ResourceClaim claim, api::Decode<api::ResourceClaim>(object));
    KU_TRY_OK(Rewrite(claim.spec.devices, offers));
    return api::Encode(claim);
  }
  if (kind == api::ResourceClaimTemplate::kKind) {
    KU_TRY(api::ResourceClaimTemplate claim_template, api::Decode<api::ResourceClaimTemplate>(object));
    KU_TRY_OK(Rewrite(claim_template.spec.spec.devices, offers));
    return api::Encode(claim_template);
  }
  return object;
}

Result<std::vector<Json>> WorkForWholeGpus(kube::ApiClient& api) {
  KU_TRY(const GpuOffers offers, GpuOffers::Of(api));
  std::vector<Json> work;
  for (const char* kind : {"Namespace", "DeviceClass", "ResourceClaimTemplate", "ResourceClaim", "Deployment",
                           "ReplicaSet", "Job", "Pod"}) {
    KU_TRY(const kube::ObjectList list, api.List({kind, "", ""}));
    for (const kube::Object& item : list.items) {
      const auto object = item.tree();
      if (MadeByAnother(*object) || BeingDeleted(*object)) continue;
      KU_TRY(Json rewritten, ForWholeGpus(AsWritten(*object), offers));
      work.push_back(std::move(rewritten));
    }
  }
  return work;
}

}  // namespace kumiko::cli
