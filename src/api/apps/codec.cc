#include "api/codec_templates.h"

namespace kumiko::api {

KU_INSTANTIATE_CODEC(Deployment);
KU_INSTANTIATE_CODEC(ReplicaSet);
KU_INSTANTIATE_CODEC(StatefulSet);
KU_INSTANTIATE_CODEC(DaemonSet);
KU_INSTANTIATE_CODEC(ControllerRevision);

}  // namespace kumiko::api
