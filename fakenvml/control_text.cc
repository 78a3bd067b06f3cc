#include "fakenvml/control_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <span>

#include "fakenvml/function_names.h"
#include "gpu/nvml_abi.h"

namespace kumiko::fakenvml {
namespace {

struct Word {
  std::string_view text;
  std::uint32_t value = 0;
};

constexpr std::array kRecoveryActions = {
    Word{"none", NVML_GPU_RECOVERY_ACTION_NONE},
    Word{"reset", NVML_GPU_RECOVERY_ACTION_GPU_RESET},
    Word{"reboot", NVML_GPU_RECOVERY_ACTION_NODE_REBOOT},
    Word{"drain-p2p", NVML_GPU_RECOVERY_ACTION_DRAIN_P2P},
    Word{"drain-and-reset", NVML_GPU_RECOVERY_ACTION_DRAIN_AND_RESET},
    Word{"imex", NVML_GPU_RECOVERY_ACTION_RECOVER_IMEX_DOMAIN},
    Word{"bus-reset", NVML_GPU_RECOVERY_ACTION_BUS_RESET},
    Word{"system-reboot", NVML_GPU_RECOVERY_ACTION_SYSTEM_REBOOT},
};
constexpr std::array kFabricStates = {Word{"not-supported", 0}, Word{"not-started", 1}, Word{"in-progress", 2},
                                      Word{"completed", 3}};

std::string Quoted(std::string_view text) {
  return "\"" + std::string(text) + "\"";
}

// Reads one line. Members fill `out_`; what is wrong first stays in `error_`, and nothing is read after it.
class LineReader {
 public:
  LineReader(std::string_view line, unsigned gpu_count, ControlText& out) : gpu_count_(gpu_count), out_(out) {
    line = line.substr(0, line.find('#'));
    while (!line.empty()) {
      const std::size_t start = line.find_first_not_of(" \t\r");
      if (start == std::string_view::npos) break;
      const std::size_t end = std::min(line.find_first_of(" \t\r", start), line.size());
      words_.push_back(line.substr(start, end - start));
      line.remove_prefix(end);
    }
  }

  std::string Read() {
    if (words_.empty()) return "";
    if (Take("gpu")) {
      ReadGpuStatement();
    } else if (Take("process")) {
      ReadProcessHang();
    } else if (Take("event")) {
      ReadEvent();
    } else {
      Refuse(Quoted(words_[at_]) + " begins no statement; write gpu, process or event");
    }
    if (error_.empty() && at_ < words_.size()) Refuse("nothing may follow before " + Quoted(words_[at_]));
    return error_;
  }

 private:
  void Refuse(std::string why) {
    if (error_.empty()) error_ = std::move(why);
  }
  bool Take(std::string_view word) {
    if (!error_.empty() || at_ >= words_.size() || words_[at_] != word) return false;
    ++at_;
    return true;
  }
  std::string_view Next(std::string_view wanted) {
    if (at_ < words_.size()) return words_[at_++];
    Refuse("ends where " + std::string(wanted) + " is wanted");
    return "";
  }
  std::uint64_t Number(std::string_view wanted, std::uint64_t most) {
    const std::string_view word = Next(wanted);
    std::uint64_t number = 0;
    const auto [end, failure] = std::from_chars(word.data(), word.data() + word.size(), number);
    if (error_.empty() && (failure != std::errc() || end != word.data() + word.size() || number > most)) {
      Refuse(Quoted(word) + " is no " + std::string(wanted) + "; write a number up to " + std::to_string(most));
      return 0;
    }
    return number;
  }
  std::uint32_t Number32(std::string_view wanted, std::uint32_t most) {
    return static_cast<std::uint32_t>(Number(wanted, most));
  }
  std::uint32_t OneOf(std::string_view wanted, std::span<const Word> words) {
    const std::string_view text = Next(wanted);
    std::string known;
    for (const Word& word : words) {
      if (word.text == text) return word.value;
      known += (known.empty() ? "" : ", ") + std::string(word.text);
    }
    Refuse(Quoted(text) + " is no " + std::string(wanted) + "; write one of " + known);
    return 0;
  }
  // An index, or -1 for "*".
  std::int32_t GpuOrAll() {
    if (Take("*")) return -1;
    return static_cast<std::int32_t>(OneGpu());
  }
  std::uint32_t OneGpu() {
    if (gpu_count_ == 0) Refuse("there is no GPU here");
    const std::uint32_t index = Number32("GPU index", gpu_count_ == 0 ? 0 : gpu_count_ - 1);
    return error_.empty() ? index : 0;
  }
  std::string_view FunctionName() {
    const std::string_view name = Next("a function of NVML");
    if (name == "*") return "";
    if (error_.empty() && !IsFunction(name)) Refuse(Quoted(name) + " is no function of this library");
    return name;
  }

  void AddRule(RuleKind kind, std::int32_t gpu, std::int32_t pid, std::string_view function, std::uint32_t value) {
    if (!error_.empty()) return;
    Control& control = out_.control;
    if (control.rule_count == kMaxRules) {
      Refuse("more than " + std::to_string(kMaxRules) + " statements with fail, delay or hang");
      return;
    }
    Rule& rule = control.rules[control.rule_count++];
    rule = Rule{kind, gpu, pid, value, {}};
    std::ranges::copy(function.substr(0, kFunctionNameSize - 1), rule.function);
  }

  template <class Change>
  void ChangeHealth(std::int32_t gpu, Change change) {
    if (!error_.empty()) return;
    for (unsigned i = 0; i < gpu_count_; ++i) {
      if (gpu < 0 || static_cast<unsigned>(gpu) == i) change(out_.control.health[i]);
    }
  }

  void ReadGpuStatement() {
    const std::int32_t gpu = GpuOrAll();
    if (Take("lost")) {
      ChangeHealth(gpu, [](GpuHealth& health) { health.lost = 1; });
    } else if (Take("fail")) {
      const std::string_view function = FunctionName();
      AddRule(RuleKind::kFail, gpu, 0, function, Number32("code", 999));
    } else if (Take("delay")) {
      const std::string_view function = FunctionName();
      AddRule(RuleKind::kDelay, gpu, 0, function, Number32("number of milliseconds", 3600 * 1000));
    } else if (Take("hang")) {
      const std::string_view function = FunctionName();
      AddRule(HangKind(), gpu, 0, function, 0);
    } else if (Take("recovery")) {
      const std::uint32_t action = OneOf("recovery action", kRecoveryActions);
      ChangeHealth(gpu, [&](GpuHealth& health) { health.recovery_action = action; });
    } else if (Take("ecc")) {
      ReadEcc(gpu);
    } else if (Take("remapped")) {
      ReadRemapped(gpu);
    } else if (Take("utilization")) {
      const std::uint32_t compute = Number32("percentage", 100);
      const std::uint32_t memory = Number32("percentage", 100);
      ChangeHealth(gpu, [&](GpuHealth& health) {
        health.utilization_gpu = compute;
        health.utilization_memory = memory;
      });
    } else if (Take("fabric")) {
      const std::uint32_t state = OneOf("fabric state", kFabricStates);
      ChangeHealth(gpu, [&](GpuHealth& health) { health.fabric_state = state + 1; });
    } else if (Take("process")) {
      ReadProcess(gpu);
    } else {
      Refuse(Quoted(Next("a fault")) +
             " is nothing that a GPU can have; write lost, fail, delay, hang, recovery, ecc, remapped, utilization, "
             "fabric or process");
    }
  }

  RuleKind HangKind() {
    if (!Take("for")) return RuleKind::kHang;
    if (!Take("good")) Refuse("a hang can be \"for good\"");
    return RuleKind::kHangForGood;
  }

  void ReadProcessHang() {
    const std::int32_t pid = Take("*") ? 0 : static_cast<std::int32_t>(Number("process id", 1u << 22));
    if (!Take("hang")) Refuse("a process can only hang; write process PID hang");
    AddRule(HangKind(), -1, pid, "", 0);
  }

  void ReadEcc(std::int32_t gpu) {
    while (error_.empty() && at_ < words_.size()) {
      if (Take("corrected")) {
        const std::uint64_t count = Number("count", UINT32_MAX);
        ChangeHealth(gpu, [&](GpuHealth& health) { health.ecc_corrected = count; });
      } else if (Take("uncorrected")) {
        const std::uint64_t count = Number("count", UINT32_MAX);
        ChangeHealth(gpu, [&](GpuHealth& health) { health.ecc_uncorrected = count; });
      } else {
        Refuse(Quoted(words_[at_]) + ": write corrected N, uncorrected N or both");
      }
    }
  }

  void ReadRemapped(std::int32_t gpu) {
    while (error_.empty() && at_ < words_.size()) {
      if (Take("corrected")) {
        const std::uint32_t rows = Number32("count", UINT32_MAX);
        ChangeHealth(gpu, [&](GpuHealth& health) { health.remapped_corrected = rows; });
      } else if (Take("uncorrected")) {
        const std::uint32_t rows = Number32("count", UINT32_MAX);
        ChangeHealth(gpu, [&](GpuHealth& health) { health.remapped_uncorrected = rows; });
      } else if (Take("pending")) {
        ChangeHealth(gpu, [](GpuHealth& health) { health.remap_pending = 1; });
      } else if (Take("failure")) {
        ChangeHealth(gpu, [](GpuHealth& health) { health.remap_failure = 1; });
      } else {
        Refuse(Quoted(words_[at_]) + ": write corrected N, uncorrected N, pending, failure");
      }
    }
  }

  void ReadProcess(std::int32_t gpu) {
    if (gpu < 0) Refuse("a process uses one GPU; write its index");
    ProcessRow row{};
    row.gpu = gpu < 0 ? 0 : static_cast<std::uint32_t>(gpu);
    row.pid = Number32("process id", 1u << 22);
    if (Take("memory")) row.memory_bytes = Number("number of MiB", 1u << 24) << 20;
    ReadInstance(row.gpu_instance, row.compute_instance);
    if (out_.control.process_count == kMaxProcesses) {
      Refuse("more than " + std::to_string(kMaxProcesses) + " processes");
    }
    if (error_.empty()) out_.control.processes[out_.control.process_count++] = row;
  }

  void ReadInstance(std::uint32_t& gpu_instance, std::uint32_t& compute_instance) {
    gpu_instance = compute_instance = NVML_NO_INSTANCE;
    if (!Take("gi")) return;
    gpu_instance = Number32("GPU instance", kMaxInstances - 1);
    compute_instance = Take("ci") ? Number32("compute instance", kMaxComputeInstances - 1) : 0;
  }

  void ReadEvent() {
    EventStatement statement;
    statement.number = Number("event number", UINT64_MAX);
    if (error_.empty() && statement.number == 0) Refuse("events are numbered from 1");
    if (!out_.events.empty() && statement.number <= out_.events.back().number) {
      Refuse("event " + std::to_string(statement.number) + " comes after event " +
             std::to_string(out_.events.back().number) + "; numbers must rise");
    }
    if (Take("reload")) {
      statement.kind = EventStatement::Kind::kReload;
    } else {
      if (!Take("gpu")) Refuse("an event belongs to a GPU; write event N gpu INDEX ..., or event N reload");
      statement.event.gpu = OneGpu();
      ReadEventOfGpu(statement);
    }
    if (error_.empty()) out_.events.push_back(statement);
  }

  void ReadEventOfGpu(EventStatement& statement) {
    Event& event = statement.event;
    if (Take("reset")) {
      statement.kind = EventStatement::Kind::kReset;
      return;
    }
    if (Take("xid")) {
      event.type = nvmlEventTypeXidCriticalError;
      event.data = Number("XID", 1000);
    } else if (Take("ecc-single")) {
      event.type = nvmlEventTypeSingleBitEccError;
    } else if (Take("ecc-double")) {
      event.type = nvmlEventTypeDoubleBitEccError;
    } else if (Take("recovery")) {
      event.type = nvmlEventTypeGpuRecoveryAction;
    } else {
      Refuse(Quoted(Next("an event")) + " is no event; write xid N, ecc-single, ecc-double, recovery or reset");
    }
    ReadInstance(event.gpu_instance, event.compute_instance);
    if (Take("times")) statement.times = Number32("count", 1000 * 1000);
  }

  unsigned gpu_count_;
  ControlText& out_;
  std::vector<std::string_view> words_;
  std::size_t at_ = 0;
  std::string error_;
};

}  // namespace

ControlText ParseControl(std::string_view text, unsigned gpu_count) {
  ControlText out;
  for (std::size_t line = 1; !text.empty(); ++line) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string error = LineReader(text.substr(0, end), gpu_count, out).Read();
    if (!error.empty()) {
      ControlText refused;
      refused.error = "line " + std::to_string(line) + ": " + error;
      return refused;
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

bool IsFunction(std::string_view name) {
  return std::ranges::find(kFunctionNames, name) != kFunctionNames.end();
}

}  // namespace kumiko::fakenvml
