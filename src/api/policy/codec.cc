#include "api/codec_templates.h"

namespace kumiko::api {

KU_INSTANTIATE_CODEC(PodDisruptionBudget);

}  // namespace kumiko::api
