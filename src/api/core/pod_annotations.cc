#include "api/core/pod_annotations.h"

#include <fmt/core.h>

#include <limits>
#include <optional>
#include <string>

#include "api/group.h"
#include "base/quantity.h"
#include "base/text.h"

namespace kumiko::api {
namespace {

constexpr std::chrono::hours kLongestRun(87'600);

std::string CheckRunFor(std::string_view text) {
  const Result<Duration> duration = ParseRunTime(text);
  if (duration && *duration > Duration::zero()) return "";
  return "must be a duration above zero and at most 87600h; write 90s or 5m, or 90 for seconds";
}

std::string CheckNumber(std::string_view text, std::int64_t most, std::string_view advice) {
  const std::optional<std::int64_t> number = ParseInt64(text);
  if (number && *number >= 0 && *number <= most) return "";
  return fmt::format("must be a whole number from 0 to {}; {}", most, advice);
}

std::string CheckMemory(std::string_view text) {
  const Result<Quantity> quantity = Quantity::Parse(text);
  if (!quantity) return "must be a quantity of bytes; write 12Gi or 12G";
  if (quantity->Sign() < 0) return "must not be below zero; write 12Gi";
  // Parsing brings what is larger down to this.
  if (*quantity >= Quantity::FromInt(std::numeric_limits<std::int64_t>::max())) {
    return "is too large, more than any GPU has; write 12Gi";
  }
  return "";
}

}  // namespace

Result<Duration> ParseRunTime(std::string_view text) {
  if (const std::optional<std::int64_t> seconds = ParseInt64(text)) {
    if (*seconds > std::chrono::seconds(kLongestRun).count()) {
      return Fail(Code::kInvalidArgument, "\"{}\" is longer than 87600h", text);
    }
    if (*seconds < 0) return Fail(Code::kInvalidArgument, "\"{}\" is below zero", text);
    return std::chrono::seconds(*seconds);
  }
  KU_TRY(const Duration duration, ParseDuration(text));
  if (duration < Duration::zero()) return Fail(Code::kInvalidArgument, "\"{}\" is below zero", text);
  if (duration > kLongestRun) return Fail(Code::kInvalidArgument, "\"{}\" is longer than 87600h", text);
  return duration;
}

void ValidatePodAnnotations(const Field& annotations, FieldErrors& errors) {
  const auto check = [&](std::string_view name, const auto& reason_of) {
    const Json* found = annotations.members().if_contains(name);
    if (found == nullptr || !found->is_string()) return;
    const std::string_view text = found->get_string();
    const std::string reason = reason_of(text);
    if (!reason.empty()) errors.Invalid(annotations.path().Key(name), text, reason);
  };
  check(kRunForAnnotation, CheckRunFor);
  check(kExitCodeAnnotation, [](std::string_view text) { return CheckNumber(text, 255, "write 0 for success"); });
  check(kGpuMemoryUsedAnnotation, CheckMemory);
  check(kGpuUtilAnnotation, [](std::string_view text) { return CheckNumber(text, 100, "write 80 for 80 percent"); });
}

}  // namespace kumiko::api
