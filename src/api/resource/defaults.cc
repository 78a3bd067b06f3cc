#include "api/defaults.h"

#include "api/resource/types.h"

namespace kumiko::api {

namespace {

void DefaultRequest(JsonObject& request) {
  DefaultMember(request, "allocationMode", kExactCount);
  if (TextAt(request, "allocationMode") != kExactCount) return;
  Json& count = request["count"];
  if (count.is_null() || (count.is_int64() && count.get_int64() == 0)) count = 1;
}

}  // namespace

std::span<const DependentDefaults> ResourceDefaults() {
  static constexpr DependentDefaults kRows[] = {
      {"resource.DeviceSubRequest", DefaultRequest},
      {"resource.ExactDeviceRequest", DefaultRequest},
  };
  return kRows;
}

}  // namespace kumiko::api
