#include "node/claim_configs.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "base/json.h"
#include "base/text.h"

namespace kumiko::node {
namespace {

constexpr const char* kGroupVersion = "resource.nvidia.com/v1beta1";
constexpr std::array kIntervals = {"Default", "Short", "Medium", "Long"};
constexpr std::int64_t kMiB = std::int64_t{1} << 20;

// Reads the members of one object and remembers which; what is left over is unknown.
class StrictObject {
 public:
  static Result<StrictObject> Of(const Json& value, std::string path) {
    if (!value.is_object()) {
      return Fail(Code::kInvalidArgument, "{} is a {}, not a map", path.empty() ? "the configuration" : path,
                  JsonTypeName(value));
    }
    return StrictObject(value.get_object(), std::move(path));
  }

  // Null when absent, or when it is there as null.
  const Json* Member(std::string_view name) {
    read_.insert(std::string(name));
    const auto* found = object_->if_contains(name);
    return found == nullptr || found->is_null() ? nullptr : found;
  }

  Result<std::string> Text(std::string_view name) {
    const Json* value = Member(name);
    if (value == nullptr) return std::string();
    if (!value->is_string()) return WrongType(name, *value, "string");
    return std::string(value->get_string());
  }

  Result<bool> Flag(std::string_view name) {
    const Json* value = Member(name);
    if (value == nullptr) return false;
    if (!value->is_bool()) return WrongType(name, *value, "bool");
    return value->get_bool();
  }

  Result<std::optional<std::int64_t>> Integer(std::string_view name) {
    const Json* value = Member(name);
    if (value == nullptr) return std::nullopt;
    if (!value->is_int64()) return WrongType(name, *value, "integer");
    return value->get_int64();
  }

  Result<std::optional<StrictObject>> Object(std::string_view name) {
    const Json* value = Member(name);
    if (value == nullptr) return std::nullopt;
    KU_TRY(StrictObject object, Of(*value, PathOf(name)));
    return object;
  }

  Status NothingElse() const {
    for (const auto& member : *object_) {
      if (!read_.contains(std::string(member.key()))) {
        return Fail(Code::kInvalidArgument, "strict decoding error: unknown field \"{}\"", PathOf(member.key()));
      }
    }
    return {};
  }

  const JsonObject& members() const { return *object_; }
  std::string PathOf(std::string_view name) const {
    return path_.empty() ? std::string(name) : fmt::format("{}.{}", path_, name);
  }

 private:
  StrictObject(const JsonObject& object, std::string path) : object_(&object), path_(std::move(path)) {}

  tl::unexpected<Error> WrongType(std::string_view name, const Json& value, std::string_view wanted) const {
    return Fail(Code::kInvalidArgument, "{} is a {}, not a {}", PathOf(name), JsonTypeName(value), wanted);
  }

  const JsonObject* object_;
  std::string path_;
  std::set<std::string, std::less<>> read_;
};

Result<Quantity> ReadQuantity(const Json& value, const std::string& path) {
  if (value.is_int64()) return Quantity::FromInt(value.get_int64());
  if (!value.is_string()) {
    return Fail(Code::kInvalidArgument, "{} is a {}, not a quantity", path, JsonTypeName(value));
  }
  KU_TRY(Quantity quantity, Quantity::Parse(value.get_string()), "{}", path);
  return quantity;
}

Result<MpsSettings> ReadMps(StrictObject object) {
  MpsSettings settings;
  KU_TRY(settings.default_active_thread_percentage, object.Integer("defaultActiveThreadPercentage"));
  if (const auto percentage = settings.default_active_thread_percentage;
      percentage.value_or(0) < 0 || percentage.value_or(0) > 100) {
    return Fail(Code::kInvalidArgument, "{} is {}: write 0 to 100", object.PathOf("defaultActiveThreadPercentage"),
                *percentage);
  }
  if (const Json* limit = object.Member("defaultPinnedDeviceMemoryLimit")) {
    KU_TRY(settings.default_pinned_device_memory_limit,
           ReadQuantity(*limit, object.PathOf("defaultPinnedDeviceMemoryLimit")));
  }
  KU_TRY(const std::optional<StrictObject> limits, object.Object("defaultPerDevicePinnedMemoryLimit"));
  if (limits) {
    for (const auto& member : limits->members()) {
      const std::string key(member.key());
      KU_TRY(settings.default_per_device_pinned_memory_limit[key], ReadQuantity(member.value(), limits->PathOf(key)));
    }
  }
  KU_TRY(settings.multi_user, object.Flag("multiUser"));
  KU_TRY_OK(object.NothingElse());
  return settings;
}

Result<TimeSliceInterval> ReadInterval(StrictObject object) {
  KU_TRY(const std::string name, object.Text("interval"));
  KU_TRY_OK(object.NothingElse());
  if (name.empty()) return TimeSliceInterval::kDefault;
  const auto found = std::ranges::find(kIntervals, name);
  if (found == kIntervals.end()) {
    return Fail(Code::kInvalidArgument, "{} is \"{}\": write Default, Short, Medium or Long", object.PathOf("interval"),
                name);
  }
  return static_cast<TimeSliceInterval>(found - kIntervals.begin());
}

Status NeedGate(bool on, std::string_view strategy, std::string_view gate) {
  if (on) return {};
  return Fail(
      Code::kInvalidArgument,
      "sharing.strategy {} needs the feature gate {}, which is off in this kumiko-node: ask the administrator of "
      "the node for it, or leave sharing out",
      strategy, gate);
}

// The member `sharing` of both kinds; `may_slice`: the kind knows timeSlicingConfig.
Result<decltype(GpuConfig::sharing)> ReadSharing(StrictObject& config, bool may_slice, const SharingGates& gates) {
  KU_TRY(std::optional<StrictObject> sharing, config.Object("sharing"));
  if (!sharing) return std::monostate();
  KU_TRY(const std::string strategy, sharing->Text("strategy"));
  std::optional<StrictObject> slicing;
  if (may_slice) {
    KU_TRY(slicing, sharing->Object("timeSlicingConfig"));
  }
  KU_TRY(std::optional<StrictObject> mps, sharing->Object("mpsConfig"));
  KU_TRY_OK(sharing->NothingElse());
  if (strategy == "TimeSlicing") {
    if (may_slice) KU_TRY_OK(NeedGate(gates.time_slicing_settings, strategy, "TimeSlicingSettings"));
    if (mps) return Fail(Code::kInvalidArgument, "sharing.mpsConfig does not go with strategy TimeSlicing: remove it");
    if (!slicing) return TimeSliceInterval::kDefault;
    KU_TRY(const TimeSliceInterval interval, ReadInterval(*std::move(slicing)));
    return interval;
  }
  if (strategy == "MPS") {
    KU_TRY_OK(NeedGate(gates.mps_support, strategy, "MPSSupport"));
    if (slicing)
      return Fail(Code::kInvalidArgument, "sharing.timeSlicingConfig does not go with strategy MPS: remove it");
    if (!mps) return MpsSettings();
    KU_TRY(MpsSettings settings, ReadMps(*std::move(mps)));
    return settings;
  }
  return Fail(Code::kInvalidArgument, "sharing.strategy is \"{}\": write TimeSlicing or MPS", strategy);
}

Result<VfioDeviceConfig> ReadVfio(StrictObject& config) {
  VfioDeviceConfig vfio;
  KU_TRY(std::optional<StrictObject> iommu, config.Object("iommu"));
  if (!iommu) return vfio;
  KU_TRY(const std::string policy, iommu->Text("backendPolicy"));
  KU_TRY(vfio.enable_api_device, iommu->Flag("enableAPIDevice"));
  KU_TRY_OK(iommu->NothingElse());
  vfio.prefer_iommu_fd = policy == "PreferIommuFD";
  if (!policy.empty() && policy != "LegacyOnly" && !vfio.prefer_iommu_fd) {
    return Fail(Code::kInvalidArgument, "iommu.backendPolicy is \"{}\": write LegacyOnly or PreferIommuFD", policy);
  }
  return vfio;
}

bool Fits(const DeviceConfig& config, DeviceKind kind) {
  switch (kind) {
    case DeviceKind::kGpu:
      return std::holds_alternative<GpuConfig>(config);
    case DeviceKind::kMig:
      return std::holds_alternative<MigDeviceConfig>(config);
    case DeviceKind::kVfio:
      return std::holds_alternative<VfioDeviceConfig>(config);
  }
  return false;
}

std::string_view ParentRequest(std::string_view request) {
  return request.substr(0, request.find('/'));
}

// An entry of the list that is searched from its end.
struct Candidate {
  DeviceConfig config;
  std::vector<std::string> requests;  // empty: any
  std::string label;

  bool Names(std::string_view request) const {
    return std::ranges::any_of(
        requests, [&](const std::string& name) { return name == request || name == ParentRequest(request); });
  }
};

// Lowest precedence first: defaults, class, claim.
Result<std::vector<Candidate>> CandidatesOf(const api::DeviceAllocationResult& allocation, std::string_view driver,
                                            const SharingGates& gates) {
  std::vector<Candidate> candidates{
      {GpuConfig(), {}, "default"}, {MigDeviceConfig(), {}, "default"}, {VfioDeviceConfig(), {}, "default"}};
  std::vector<Candidate> of_claim;
  for (std::size_t i = 0; i < allocation.config.size(); ++i) {
    const api::DeviceAllocationConfiguration& entry = allocation.config[i];
    const std::string label = fmt::format("config[{}] ({})", i, entry.source);
    if (!entry.opaque) return Fail(Code::kInvalidArgument, "{}: only opaque configuration is known", label);
    if (entry.opaque->driver != driver) continue;
    if (entry.source != "FromClass" && entry.source != "FromClaim") {
      return Fail(Code::kInvalidArgument, "config[{}]: source is \"{}\", neither FromClass nor FromClaim", i,
                  entry.source);
    }
    KU_TRY(DeviceConfig config, DecodeDeviceConfig(entry.opaque->parameters, gates), "{}", label);
    auto& list = entry.source == "FromClass" ? candidates : of_claim;
    list.push_back({std::move(config), entry.requests, label});
  }
  std::ranges::move(of_claim, std::back_inserter(candidates));
  return candidates;
}

Result<std::size_t> Choose(const std::vector<Candidate>& candidates, const api::DeviceRequestAllocationResult& result) {
  const DeviceKind kind = KindOfDevice(result.device);
  for (std::size_t i = candidates.size(); i-- > 0;) {
    const Candidate& candidate = candidates[i];
    const bool fits = Fits(candidate.config, kind);
    if (candidate.requests.empty() && fits) return i;
    if (!candidate.Names(result.request)) continue;
    if (fits) return i;
    return Fail(Code::kInvalidArgument, "{} is for another kind of device than {}, which request {} got",
                candidate.label, result.device, result.request);
  }
  return Fail(Code::kInternal, "no configuration for {}", result.device);
}

}  // namespace

DeviceKind KindOfDevice(std::string_view device_name) {
  if (device_name.starts_with("gpu-vfio-")) return DeviceKind::kVfio;
  return device_name.find("-mig-") == std::string_view::npos ? DeviceKind::kGpu : DeviceKind::kMig;
}

Result<DeviceConfig> DecodeDeviceConfig(const Json& parameters, const SharingGates& gates) {
  KU_TRY(StrictObject object, StrictObject::Of(parameters, ""));
  KU_TRY(const std::string version, object.Text("apiVersion"));
  KU_TRY(const std::string kind, object.Text("kind"));
  if (version != kGroupVersion) {
    return Fail(Code::kInvalidArgument, "apiVersion is \"{}\": write {}", version, kGroupVersion);
  }
  DeviceConfig config;
  if (kind == "GpuConfig") {
    KU_TRY(auto sharing, ReadSharing(object, true, gates));
    config = GpuConfig{std::move(sharing)};
  } else if (kind == "MigDeviceConfig") {
    KU_TRY(auto sharing, ReadSharing(object, false, gates));
    auto* mps = std::get_if<MpsSettings>(&sharing);
    config = MigDeviceConfig{mps == nullptr ? std::nullopt : std::optional(std::move(*mps))};
  } else if (kind == "VfioDeviceConfig") {
    KU_TRY(config, ReadVfio(object));
  } else {
    return Fail(Code::kInvalidArgument, "kind is \"{}\": write GpuConfig, MigDeviceConfig or VfioDeviceConfig", kind);
  }
  KU_TRY_OK(object.NothingElse());
  return config;
}

Result<std::vector<ConfigGroup>> GroupByConfig(const api::DeviceAllocationResult& allocation, std::string_view driver,
                                               const SharingGates& gates) {
  KU_TRY(const std::vector<Candidate> candidates, CandidatesOf(allocation, driver, gates));
  std::vector<ConfigGroup> groups;
  std::vector<std::size_t> candidate_of_group;
  for (std::size_t i = 0; i < allocation.results.size(); ++i) {
    if (allocation.results[i].driver != driver) continue;
    KU_TRY(const std::size_t chosen, Choose(candidates, allocation.results[i]));
    const auto known = std::ranges::find(candidate_of_group, chosen);
    if (known == candidate_of_group.end()) {
      candidate_of_group.push_back(chosen);
      groups.push_back({candidates[chosen].config, {i}});
    } else {
      groups[static_cast<std::size_t>(known - candidate_of_group.begin())].results.push_back(i);
    }
  }
  return groups;
}

Result<std::map<std::string, std::string>> PinnedMemoryLimits(const MpsSettings& settings,
                                                              std::vector<std::string> uuids) {
  std::ranges::sort(uuids);
  std::map<std::string, std::string> limits;
  const auto set = [&](const std::string& uuid, const Quantity& limit) -> Status {
    const std::int64_t mib = limit.Value() / kMiB;
    if (mib < 1)
      return Fail(Code::kInvalidArgument, "the memory limit {} of {} is set too low", limit.ToString(), uuid);
    limits[uuid] = fmt::format("{}M", mib);
    return {};
  };
  if (settings.default_pinned_device_memory_limit) {
    for (const std::string& uuid : uuids) KU_TRY_OK(set(uuid, *settings.default_pinned_device_memory_limit));
  }
  for (const auto& [key, limit] : settings.default_per_device_pinned_memory_limit) {
    std::string uuid = key;
    if (!std::ranges::binary_search(uuids, key)) {
      const auto index = ParseInt64(key);
      if (!index || *index < 0 || *index >= static_cast<std::int64_t>(uuids.size())) {
        return Fail(
            Code::kInvalidArgument,
            "invalid device \"{}\" in defaultPerDevicePinnedMemoryLimit: write a UUID of the claim's devices or "
            "an index below {}",
            key, uuids.size());
      }
      uuid = uuids[static_cast<std::size_t>(*index)];
    }
    KU_TRY_OK(set(uuid, limit));
  }
  return limits;
}

}  // namespace kumiko::node
