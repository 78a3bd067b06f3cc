#include "api/resource/types.h"

namespace kumiko::api {

bool Tolerates(const DeviceToleration& toleration, const DeviceTaint& taint) {
  if (!toleration.effect.empty() && toleration.effect != taint.effect) return false;
  if (!toleration.key.empty() && toleration.key != taint.key) return false;
  if (toleration.operator_ == "Exists") return true;
  return (toleration.operator_.empty() || toleration.operator_ == "Equal") && toleration.value == taint.value;
}

}  // namespace kumiko::api
