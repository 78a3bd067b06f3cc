#include "api/codec_templates.h"

namespace kumiko::api {

KU_INSTANTIATE_CODEC(Deployment);
KU_INSTANTIATE_CODEC(ReplicaSet);

}  // namespace kumiko::api
