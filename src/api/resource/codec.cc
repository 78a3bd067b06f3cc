#include "api/codec_templates.h"

namespace kumiko::api {

KU_INSTANTIATE_CODEC(ResourceClaim);
KU_INSTANTIATE_CODEC(ResourceClaimTemplate);
KU_INSTANTIATE_CODEC(DeviceClass);
KU_INSTANTIATE_CODEC(ResourceSlice);
KU_INSTANTIATE_CODEC(DeviceTaintRule);
KU_INSTANTIATE_CODEC(AllocationResult);
KU_INSTANTIATE_CODEC(ResourceClaimSpec);
KU_INSTANTIATE_CODEC(ResourceClaimStatus);

}  // namespace kumiko::api
