#include "api/codec_templates.h"

namespace kumiko::api {

KU_INSTANTIATE_CODEC(Job);
KU_INSTANTIATE_CODEC(CronJob);

}  // namespace kumiko::api
