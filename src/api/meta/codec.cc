#include "api/codec_templates.h"

namespace kumiko::api {

KU_INSTANTIATE_CODEC(ObjectMeta);
KU_INSTANTIATE_CODEC(LabelSelector);
KU_INSTANTIATE_CODEC(Condition);

}  // namespace kumiko::api
