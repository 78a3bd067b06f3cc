#include "api/codec_templates.h"

namespace kumiko::api {

KU_INSTANTIATE_CODEC(Node);
KU_INSTANTIATE_CODEC(Pod);
KU_INSTANTIATE_CODEC(Namespace);
KU_INSTANTIATE_CODEC(Event);
KU_INSTANTIATE_CODEC(PodSpec);
KU_INSTANTIATE_CODEC(NodeSelector);
KU_INSTANTIATE_CODEC(PodTemplateSpec);

}  // namespace kumiko::api
