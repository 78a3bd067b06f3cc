#include "localcluster/controllers/step_result.h"

#include "base/log.h"

namespace kumiko::localcluster {

bool StepResult::Note(const Status& outcome) {
  if (outcome) {
    changed_ = true;
    return true;
  }
  if (outcome.error().Retryable()) {
    changed_ = true;
    again_ = true;
  } else if (outcome.error().code != Code::kNotFound) {
    Log(LogLevel::kWarning, "controller step failed",
        {{"controller", controller_}, {"error", outcome.error().message}});
  }
  return false;
}

}  // namespace kumiko::localcluster
