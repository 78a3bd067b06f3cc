#include "cli/explain/stage.h"

#include <fmt/format.h>

#include <array>

#include "gpu/device_classes.h"

namespace kumiko::cli {
namespace {

using allocator::Rejection;
using Reason = Rejection::Reason;

constexpr std::array kDeviceStages = {Stage::kNoDevices, Stage::kSelector, Stage::kTaint, Stage::kTaken,
                                      Stage::kTogether};

// The row of the stage that says most: of what is in use, what is nearest to free; else what most devices lack.
const Rejection* RowOf(const allocator::Explanation& explanation, Stage stage) {
  const Rejection* best = nullptr;
  for (const Rejection& row : explanation.rows) {
    if (StageOf(row) != stage) continue;
    const bool better =
        best == nullptr || (stage == Stage::kTaken && row.reason != best->reason ? row.reason > best->reason
                                                                                 : row.devices > best->devices);
    if (better) best = &row;
  }
  return best;
}

std::string NoDevicesText(const Rejection& row, const std::string& device_class, std::size_t left, std::size_t needed) {
  if (!row.of_class) {
    return left == 0 ? fmt::format("no device of class {}", device_class)
                     : fmt::format("devices of class {}: {} of {} needed", device_class, left, needed);
  }
  return row.reason == Reason::kNoDevices ? "no device is published" : row.detail;
}

std::string TaintText(const Rejection& row, std::size_t free, std::size_t needed) {
  const std::string who = row.names.size() == 1 ? row.names.front().device + ": "
                          : row.devices > 1     ? fmt::format("{} devices: ", row.devices)
                                                : "";
  return fmt::format("{}{}, {} of {} free", who, row.detail, free, needed);
}

std::string TextOf(const allocator::Explanation& explanation, const Rejection& row, Stage stage, std::size_t left,
                   const DeviceStage& counted, std::string_view noun) {
  switch (stage) {
    case Stage::kNoDevices:
      return NoDevicesText(row, explanation.device_class, left, counted.needed);
    case Stage::kSelector:
      return left == 0 ? row.detail
                       : fmt::format("{} of {} needed match; of the others {}", left, counted.needed, row.detail);
    case Stage::kTaint:
      return TaintText(row, counted.free, counted.needed);
    case Stage::kTaken:
      if (row.reason != Reason::kDeviceTaken && counted.needed == 1) return row.detail;
      return fmt::format("free {}: {} of {} needed", noun, left, counted.needed);
    case Stage::kTogether:
    case Stage::kClosed:
    case Stage::kLabel:
    case Stage::kReach:
    case Stage::kHost:
    case Stage::kRoom:
      break;
  }
  return row.detail;
}

}  // namespace

std::string_view CodeOf(Reason reason) {
  switch (reason) {
    case Reason::kClassMissing:
      return "ClassMissing";
    case Reason::kNoDevices:
      return "NoDevices";
    case Reason::kFeatureOff:
      return "FeatureOff";
    case Reason::kPoolUpdating:
      return "PoolUpdating";
    case Reason::kPoolInvalid:
      return "PoolInvalid";
    case Reason::kSelectorFalse:
      return "SelectorFalse";
    case Reason::kAttributeMissing:
      return "AttributeMissing";
    case Reason::kSelectorError:
      return "SelectorError";
    case Reason::kDeviceTaint:
      return "DeviceTaint";
    case Reason::kDeviceTaken:
      return "DeviceTaken";
    case Reason::kCapacityShort:
      return "CapacityShort";
    case Reason::kNodeOperations:
      return "NodeOperations";
    case Reason::kGroups:
      return "Groups";
    case Reason::kCounterShort:
      return "CounterShort";
    case Reason::kNoSlot:
      return "NoSlot";
    case Reason::kOtherRequest:
      return "OtherRequest";
    case Reason::kConstraint:
      return "Constraint";
    case Reason::kClaimLimit:
      return "ClaimLimit";
    case Reason::kTooFew:
      return "TooFew";
  }
  return "";
}

Stage StageOf(const Rejection& row) {
  switch (row.reason) {
    case Reason::kClassMissing:
    case Reason::kNoDevices:
    case Reason::kFeatureOff:
    case Reason::kPoolUpdating:
    case Reason::kPoolInvalid:
      return Stage::kNoDevices;
    case Reason::kSelectorFalse:
    case Reason::kAttributeMissing:
    case Reason::kSelectorError:
      return row.of_class ? Stage::kSelector : Stage::kNoDevices;
    case Reason::kDeviceTaint:
      return Stage::kTaint;
    case Reason::kDeviceTaken:
    case Reason::kCapacityShort:
    case Reason::kNodeOperations:
    case Reason::kGroups:
    case Reason::kCounterShort:
    case Reason::kNoSlot:
      return Stage::kTaken;
    case Reason::kOtherRequest:
    case Reason::kConstraint:
    case Reason::kClaimLimit:
      return Stage::kTogether;
    case Reason::kTooFew:
      return Stage::kRoom;
  }
  return Stage::kTogether;
}

DeviceStage StageOf(const allocator::Explanation& explanation, std::string_view noun) {
  std::size_t left = explanation.devices;
  DeviceStage counted;
  for (const Rejection& row : explanation.rows) counted.free += StageOf(row) == Stage::kRoom ? row.devices : 0;
  counted.needed = explanation.wanted == 0 ? 1 : explanation.wanted;
  for (const Stage stage : kDeviceStages) {
    for (const Rejection& row : explanation.rows) left -= StageOf(row) == stage ? row.devices : 0;
    // All means all that are selected, and at least one.
    if (stage == Stage::kSelector && explanation.wanted == 0 && left > 0) counted.needed = left;
    if (left >= counted.needed) continue;
    const Rejection* row = RowOf(explanation, stage);
    if (row == nullptr) {
      // There never were so many.
      counted.stage = Stage::kNoDevices;
      counted.code = CodeOf(Reason::kTooFew);
      counted.text = fmt::format("{}: {} of {} needed", noun, left, counted.needed);
      return counted;
    }
    counted.stage = stage;
    counted.code = CodeOf(row->reason);
    counted.text = TextOf(explanation, *row, stage, left, counted, noun);
    return counted;
  }
  // Enough devices, but not together.
  const Rejection* row = RowOf(explanation, Stage::kTogether);
  if (row == nullptr && !explanation.rows.empty()) row = &explanation.rows.front();
  counted.code = CodeOf(row == nullptr ? Reason::kConstraint : row->reason);
  counted.text = row == nullptr ? "no set of its devices serves all requests together" : row->detail;
  return counted;
}

std::string_view NounOf(std::string_view device_class) {
  if (device_class == gpu::kGpuClass) return "GPUs";
  if (device_class == gpu::kMigClass) return "parts";
  return "devices";
}

}  // namespace kumiko::cli
