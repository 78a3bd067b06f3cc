#include "api/conversion.h"

#include "api/group.h"

namespace kumiko::api {

std::optional<Json> FromStored(const Json& object, const GroupVersion& version) {
  const bool event = version == kEventsV1;
  if (!event && version != GroupVersion{"resource.k8s.io", "v1beta1"}) return std::nullopt;
  Json converted = object;
  if (event) {
    ConvertToEventsV1(converted);
  } else {
    ConvertToV1Beta1(StringAt(object, {"kind"}), converted);
  }
  return converted;
}

}  // namespace kumiko::api
