// The language of the control file.
#include "fakenvml/control_text.h"

#include <gmock/gmock.h>

#include <string>
#include <utility>
#include <vector>

#include "gpu/nvml_abi.h"

namespace kumiko::fakenvml {
namespace {

using testing::HasSubstr;

constexpr unsigned kGpus = 8;

TEST(ControlText, SaysWhatHolds) {
  const ControlText text = ParseControl(R"(# a sick machine
gpu 3 lost
gpu * delay nvmlGpuInstanceDestroy 1000    # as a driver does
gpu 1 fail nvmlDeviceGetMemoryInfo 999
process 4711 hang
gpu 2 hang * for good
gpu 4 recovery drain-and-reset
gpu 4 ecc corrected 5 uncorrected 1
gpu 4 remapped uncorrected 2 pending
gpu 5 process 12 memory 1024 gi 1 ci 2
)",
                                        kGpus);
  ASSERT_EQ(text.error, "");
  const Control& control = text.control;
  EXPECT_EQ(control.health[3].lost, 1u);
  EXPECT_EQ(control.health[2].lost, 0u);
  ASSERT_EQ(control.rule_count, 4u);
  EXPECT_EQ(control.rules[0].kind, RuleKind::kDelay);
  EXPECT_LT(control.rules[0].gpu, 0);
  EXPECT_STREQ(control.rules[0].function, "nvmlGpuInstanceDestroy");
  EXPECT_EQ(control.rules[0].value, 1000u);
  EXPECT_EQ(control.rules[1].value, 999u);
  EXPECT_EQ(control.rules[2].pid, 4711);
  EXPECT_EQ(control.rules[3].kind, RuleKind::kHangForGood);
  EXPECT_STREQ(control.rules[3].function, "");
  EXPECT_EQ(control.health[4].recovery_action, NVML_GPU_RECOVERY_ACTION_DRAIN_AND_RESET);
  EXPECT_EQ(control.health[4].ecc_corrected, 5u);
  EXPECT_EQ(control.health[4].ecc_uncorrected, 1u);
  EXPECT_EQ(control.health[4].remapped_uncorrected, 2u);
  EXPECT_EQ(control.health[4].remap_pending, 1u);
  EXPECT_EQ(control.health[4].remap_failure, 0u);
  ASSERT_EQ(control.process_count, 1u);
  EXPECT_EQ(control.processes[0].memory_bytes, 1024ull << 20);
  EXPECT_EQ(control.processes[0].compute_instance, 2u);
}

TEST(ControlText, NumbersEvents) {
  const ControlText text = ParseControl("event 4 gpu 3 xid 79 gi 1 times 5\nevent 9 reload\n", kGpus);
  ASSERT_EQ(text.error, "");
  ASSERT_EQ(text.events.size(), 2u);
  EXPECT_EQ(text.events[0].number, 4u);
  EXPECT_EQ(text.events[0].event.type, nvmlEventTypeXidCriticalError);
  EXPECT_EQ(text.events[0].event.data, 79u);
  EXPECT_EQ(text.events[0].event.gpu_instance, 1u);
  EXPECT_EQ(text.events[0].event.compute_instance, 0u);
  EXPECT_EQ(text.events[0].times, 5u);
  EXPECT_EQ(text.events[1].kind, EventStatement::Kind::kReload);
}

TEST(ControlText, SaysWhatIsWrongAndWhere) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"gpus 3 lost", "line 1: \"gpus\" begins no statement; write gpu, process or event"},
      {"gpu 3 lost\n\ngpu 8 lost", "line 3: \"8\" is no GPU index; write a number up to 7"},
      {"gpu -1 lost", "\"-1\" is no GPU index"},
      {"gpu three lost", "\"three\" is no GPU index"},
      {"gpu", "ends where GPU index is wanted"},
      {"gpu 3", "ends where a fault is wanted"},
      {"gpu 3 broken", "\"broken\" is nothing that a GPU can have"},
      {"gpu 3 lost again", "nothing may follow before \"again\""},
      {"gpu 3 fail nvmlDeviceGetUuid 999", "\"nvmlDeviceGetUuid\" is no function of this library"},
      {"gpu 3 fail nvmlDeviceGetUUID", "ends where code is wanted"},
      {"gpu 3 fail nvmlDeviceGetUUID 1000", "\"1000\" is no code; write a number up to 999"},
      {"gpu 3 delay nvmlDeviceGetUUID 1s", "\"1s\" is no number of milliseconds"},
      {"gpu 3 hang nvmlDeviceGetUUID for ever", "a hang can be \"for good\""},
      {"gpu 3 recovery soon", "\"soon\" is no recovery action; write one of none, reset"},
      {"gpu 3 ecc 5", "\"5\": write corrected N, uncorrected N or both"},
      {"gpu 3 remapped maybe", "write corrected N, uncorrected N, pending, failure"},
      {"gpu 3 utilization 101 0", "\"101\" is no percentage"},
      {"gpu 3 fabric on", "is no fabric state; write one of not-supported"},
      {"gpu * process 1", "a process uses one GPU"},
      {"gpu 3 process 1 gi 15", "\"15\" is no GPU instance; write a number up to 14"},
      {"process 1 lost", "a process can only hang"},
      {"event 0 gpu 3 xid 79", "events are numbered from 1"},
      {"event 2 gpu 3 xid 79\nevent 2 gpu 3 xid 79", "line 2: event 2 comes after event 2; numbers must rise"},
      {"event 1 xid 79", "an event belongs to a GPU"},
      {"event 1 gpu 3 xid", "ends where XID is wanted"},
      {"event 1 gpu 3 smoke", "\"smoke\" is no event"},
      {"event 18446744073709551616 reload", "is no event number"},
  };
  for (const auto& [text, expected] : cases) EXPECT_THAT(ParseControl(text, kGpus).error, HasSubstr(expected)) << text;
}

TEST(ControlText, HasBounds) {
  std::string text;
  for (unsigned i = 0; i <= kMaxRules; ++i) text += "gpu 0 fail nvmlDeviceGetUUID 999\n";
  EXPECT_THAT(ParseControl(text, kGpus).error, HasSubstr("line 129: more than 128 statements"));
  text.clear();
  for (unsigned i = 0; i <= kMaxProcesses; ++i) text += "gpu 0 process 1\n";
  EXPECT_THAT(ParseControl(text, kGpus).error, HasSubstr("more than 256 processes"));
  EXPECT_EQ(ParseControl(std::string(1 << 16, '\n'), kGpus).error, "");
  EXPECT_EQ(ParseControl("", 0).error, "");
  EXPECT_THAT(ParseControl("gpu 0 lost", 0).error, HasSubstr("there is no GPU here"));
}

// Of a file with a mistake nothing holds.
TEST(ControlText, IsTakenWholeOrNotAtAll) {
  const ControlText text = ParseControl("gpu 3 lost\nevent 1 reload\nnonsense\n", kGpus);
  EXPECT_NE(text.error, "");
  EXPECT_EQ(text.control.health[3].lost, 0u);
  EXPECT_TRUE(text.events.empty());
}

}  // namespace
}  // namespace kumiko::fakenvml
