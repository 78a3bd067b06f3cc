#include "localcluster/node/container_program.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <deque>
#include <limits>
#include <map>
#include <string_view>

#include "base/text.h"
#include "localcluster/node/shell_script.h"

namespace kumiko::localcluster {
namespace {

constexpr std::int64_t kMostCommands = 1'000'000;
constexpr std::size_t kLongestText = 1 << 20;  // of one word or one output line

// 5, 0.5, 2s, 1m, 3h, 1d, infinity: as `sleep` of GNU and BusyBox takes them. Nothing: for ever, or no number.
std::optional<Duration> SleepTime(std::string_view text) {
  std::int64_t unit_ms = 1000;
  if (!text.empty()) {
    const std::size_t suffix = std::string_view("smhd").find(text.back());
    if (suffix != std::string_view::npos) {
      constexpr std::int64_t kUnits[] = {1000, 60'000, 3'600'000, 86'400'000};
      unit_ms = kUnits[suffix];
      text.remove_suffix(1);
    }
  }
  const std::size_t dot = text.find('.');
  const auto whole = ParseInt64(dot == 0 ? "0" : text.substr(0, dot));
  if (!whole || *whole < 0 || *whole > 1'000'000'000) return std::nullopt;
  std::int64_t micros = *whole * unit_ms * 1000;
  if (dot != std::string_view::npos) {
    std::int64_t scale = unit_ms * 1000;
    for (const char digit : text.substr(dot + 1)) {
      if (digit < '0' || digit > '9') return std::nullopt;
      scale /= 10;
      micros += (digit - '0') * scale;
    }
  }
  return Duration(micros);
}

// \n, \t, \\ and the like, as printf and `echo -e` write them.
std::string Unescaped(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\' || i + 1 == text.size()) {
      out += text[i];
      continue;
    }
    const char next = text[++i];
    const std::size_t known = std::string_view("ntr\\\"'").find(next);
    if (known == std::string_view::npos) {
      out += '\\';
      out += next;
    } else {
      out += "\n\t\r\\\"'"[known];
    }
  }
  return out;
}

std::string DateText(Time time, std::string_view format) {
  const std::string iso = FormatRfc3339(time);  // 2026-05-01T12:00:00Z
  const std::int64_t seconds = time.micros / 1'000'000;
  constexpr std::string_view kMonths[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                          "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  constexpr std::string_view kDays[] = {"Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"};
  const auto month = static_cast<std::size_t>(ParseInt64(std::string_view(iso).substr(5, 2)).value_or(1) - 1);
  std::string out;
  for (std::size_t i = 0; i < format.size(); ++i) {
    if (format[i] != '%' || i + 1 == format.size()) {
      out += format[i];
      continue;
    }
    switch (format[++i]) {
      case 'Y':
        out += iso.substr(0, 4);
        break;
      case 'm':
        out += iso.substr(5, 2);
        break;
      case 'd':
        out += iso.substr(8, 2);
        break;
      case 'e':
        out += iso[8] == '0' ? " " + iso.substr(9, 1) : iso.substr(8, 2);
        break;
      case 'H':
        out += iso.substr(11, 2);
        break;
      case 'M':
        out += iso.substr(14, 2);
        break;
      case 'S':
        out += iso.substr(17, 2);
        break;
      case 'F':
        out += iso.substr(0, 10);
        break;
      case 'T':
        out += iso.substr(11, 8);
        break;
      case 'b':
        out += kMonths[month];
        break;
      case 'a':
        out += kDays[static_cast<std::size_t>(seconds / 86400 % 7)];
        break;
      case 'Z':
        out += "UTC";
        break;
      case 's':
        out += std::to_string(seconds);
        break;
      default:
        out += format.substr(i - 1, 2);
    }
  }
  return out;
}

// Runs a script. Once `stopped_`, nothing happens any more: the program ended, went on beyond the horizon, or does
// something that is not understood and so runs on.
class Shell {
 public:
  enum class Purpose { kOutput, kEnd };

  Shell(const ContainerProgram& program, Time start, Duration horizon, Purpose purpose)
      : start_(start), horizon_(horizon), purpose_(purpose), hostname_(program.hostname) {
    variables_["PATH"] = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
    variables_["HOSTNAME"] = program.hostname;
    variables_["HOME"] = "/root";
    for (const auto& [name, value] : program.environment) variables_[name] = value;
  }

  ProgramRun Run(const ShellList& list) {
    RunList(list);
    if (!stopped_) {
      stopped_ = true;
      ended_ = true;
    }
    ProgramRun run;
    if (ended_) run.end = now_;
    run.exit_code = status_;
    if (!line_.empty() && ended_) lines_.push_back({now_, std::move(line_)});
    run.lines.assign(std::make_move_iterator(lines_.begin()), std::make_move_iterator(lines_.end()));
    return run;
  }

 private:
  void RunOn() { stopped_ = true; }

  void RunList(const ShellList& list) {
    for (const ShellStep& step : list.steps) {
      if (stopped_) return;
      if (step.when == ShellStep::When::kAfterSuccess && status_ != 0) continue;
      if (step.when == ShellStep::When::kAfterFailure && status_ == 0) continue;
      RunCommand(step.command);
    }
  }

  void RunCommand(const ShellCommand& command) {
    if (++commands_ > kMostCommands) return RunOn();
    switch (command.kind) {
      case ShellCommand::Kind::kSimple:
        return RunSimple(command);
      case ShellCommand::Kind::kGroup:
        return RunList(*command.body);
      case ShellCommand::Kind::kIf:
        RunList(*command.condition);
        if (stopped_) return;
        if (status_ == 0) return RunList(*command.body);
        status_ = 0;
        if (command.otherwise) RunList(*command.otherwise);
        return;
      case ShellCommand::Kind::kFor:
        for (const std::string& value : Expand(command.words)) {
          if (stopped_ || ++commands_ > kMostCommands) return RunOn();
          variables_[command.variable] = value;
          RunList(*command.body);
        }
        return;
      case ShellCommand::Kind::kWhile:
      case ShellCommand::Kind::kUntil:
        return RunLoop(command);
    }
  }

  void RunLoop(const ShellCommand& command) {
    const int go_on = command.kind == ShellCommand::Kind::kWhile ? 0 : 1;
    if (purpose_ == Purpose::kEnd && GoesOnForEver(command)) return RunOn();
    while (!stopped_) {
      RunList(*command.condition);
      if (stopped_ || (status_ == 0 ? 0 : 1) != go_on) break;
      RunList(*command.body);
      if (++commands_ > kMostCommands) RunOn();
    }
    status_ = 0;
  }

  // `while true` without an exit inside.
  static bool GoesOnForEver(const ShellCommand& loop) {
    if (loop.condition->steps.size() != 1) return false;
    const ShellCommand& condition = loop.condition->steps.front().command;
    const std::string_view word = PlainWord(condition, 0);
    const std::string_view always = loop.kind == ShellCommand::Kind::kWhile ? "true" : "false";
    if (word != always && !(always == "true" && word == ":")) return false;
    return !MayLeave(*loop.body);
  }
  static bool MayLeave(const ShellList& list) {
    return std::ranges::any_of(list.steps, [](const ShellStep& step) {
      const ShellCommand& command = step.command;
      if (command.kind == ShellCommand::Kind::kSimple) return PlainWord(command, 0) == "exit";
      return MayLeave(*command.body) || (command.otherwise && MayLeave(*command.otherwise));
    });
  }
  static std::string_view PlainWord(const ShellCommand& command, std::size_t index) {
    if (index >= command.words.size() || command.words[index].size() != 1) return {};
    const ShellPart& part = command.words[index].front();
    return part.kind == ShellPart::Kind::kText ? std::string_view(part.text) : std::string_view();
  }

  std::string Value(const ShellPart& part) {
    switch (part.kind) {
      case ShellPart::Kind::kText:
        return part.text;
      case ShellPart::Kind::kVariable: {
        if (part.text == "?") return std::to_string(status_);
        const auto found = variables_.find(part.text);
        return found == variables_.end() ? "" : found->second;
      }
      case ShellPart::Kind::kSum:
        return std::to_string(Sum(part.text));
      case ShellPart::Kind::kCommand:
        return OutputOf(*part.command);
    }
    return "";
  }

  // The output of $(…), without the line ends behind it.
  std::string OutputOf(const ShellList& list) {
    std::string* outer = std::exchange(capture_, nullptr);
    std::string text;
    capture_ = &text;
    RunList(list);
    capture_ = outer;
    while (text.ends_with('\n')) text.pop_back();
    return text;
  }

  // Terms joined by + - * / %, from left to right.
  std::int64_t Sum(std::string_view text) {
    constexpr std::string_view kOperations = "+-*/%";
    std::int64_t sum = 0;
    char operation = '+';
    std::size_t at = 0;
    while (at < text.size()) {
      if (text[at] == ' ') {
        ++at;
        continue;
      }
      if (kOperations.find(text[at]) != std::string_view::npos) {
        operation = text[at++];
        continue;
      }
      const std::size_t end = std::min(text.find_first_of(" +-*/%", at), text.size());
      std::string_view term = text.substr(at, end - at);
      if (term.starts_with('$')) term.remove_prefix(1);
      const auto found = variables_.find(std::string(term));
      const auto value = ParseInt64(found == variables_.end() ? term : std::string_view(found->second)).value_or(0);
      sum = Combine(sum, operation, value);
      at = end;
    }
    return sum;
  }

  static std::int64_t Combine(std::int64_t a, char operation, std::int64_t b) {
    // Unsigned, so that what does not fit wraps as it does in a shell.
    const auto x = static_cast<std::uint64_t>(a);
    const auto y = static_cast<std::uint64_t>(b);
    if (operation == '+') return static_cast<std::int64_t>(x + y);
    if (operation == '-') return static_cast<std::int64_t>(x - y);
    if (operation == '*') return static_cast<std::int64_t>(x * y);
    if (b == 0 || b == -1) return operation == '/' && b == -1 ? static_cast<std::int64_t>(0 - x) : 0;
    return operation == '/' ? a / b : a % b;
  }

  std::vector<std::string> Expand(const std::vector<ShellWord>& words) {
    std::vector<std::string> out;
    for (const ShellWord& word : words) {
      std::string text;
      bool present = false;
      for (const ShellPart& part : word) {
        const std::string value = Value(part);
        if (part.quoted || part.kind == ShellPart::Kind::kText) {
          text += value;
          present = true;
        } else {
          AddSplit(value, text, present, out);
        }
        if (text.size() > kLongestText) RunOn();
        if (stopped_) return out;
      }
      if (present) out.push_back(std::move(text));
    }
    return out;
  }

  // What is not quoted falls apart at blanks.
  static void AddSplit(std::string_view value, std::string& text, bool& present, std::vector<std::string>& out) {
    for (const char c : value) {
      if (c != ' ' && c != '\n' && c != '\t') {
        text += c;
        present = true;
      } else if (present) {
        out.push_back(std::exchange(text, ""));
        present = false;
      }
    }
  }

  void RunSimple(const ShellCommand& command) {
    std::vector<std::string> words = Expand(command.words);
    while (!stopped_ && !words.empty() && IsAssignment(words.front())) {
      const std::size_t equals = words.front().find('=');
      variables_[words.front().substr(0, equals)] = words.front().substr(equals + 1);
      words.erase(words.begin());
      status_ = 0;
    }
    if (!stopped_ && !words.empty()) RunWords(words);
  }

  static bool IsAssignment(std::string_view word) {
    const std::size_t equals = word.find('=');
    if (equals == 0 || equals == std::string_view::npos) return false;
    return std::ranges::all_of(word.substr(0, equals),
                               [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; });
  }

  void RunWords(std::vector<std::string>& words) {
    if (words.front() == "exec") words.erase(words.begin());
    if (words.empty()) return;
    const std::string name = words.front().substr(words.front().rfind('/') + 1);
    status_ = 0;
    if (name == "echo") return Echo(words);
    if (name == "printf") return Printf(words);
    if (name == "sleep") return Sleep(words);
    if (name == "true" || name == ":" || name == "set" || name == "trap") return;
    if (name == "false") {
      status_ = 1;
      return;
    }
    if (name == "exit") {
      if (words.size() > 1) status_ = static_cast<int>(ParseInt64(words[1]).value_or(2) & 0xff);
      stopped_ = true;
      ended_ = true;
      return;
    }
    if (name == "env" || name == "printenv") return Environment(words);
    if (name == "seq") return Sequence(words);
    if (name == "hostname") return Print(hostname_ + "\n");
    if (name == "date") {
      const bool has_format = words.size() > 1 && words[1].starts_with('+');
      return Print(DateText(start_ + now_, has_format ? words[1].substr(1) : "%a %b %e %H:%M:%S UTC %Y") + "\n");
    }
    if (IsShell(name)) return Script(words);
    RunOn();
  }

  static bool IsShell(std::string_view name) {
    return name == "sh" || name == "bash" || name == "ash" || name == "dash";
  }

  // `sh -c SCRIPT`; a shell without a script waits for input that does not come.
  void Script(const std::vector<std::string>& words) {
    std::size_t at = 1;
    while (at < words.size() && words[at].starts_with('-') && !words[at].ends_with('c')) ++at;
    if (at + 1 >= words.size() || depth_ > 8) return RunOn();
    const std::optional<ShellList> script = ParseShell(words[at + 1]);
    if (!script) return RunOn();
    ++depth_;
    RunList(*script);
    --depth_;
  }

  void Echo(const std::vector<std::string>& words) {
    std::size_t first = 1;
    bool newline = true;
    bool escapes = false;
    for (; first < words.size() && (words[first] == "-n" || words[first] == "-e" || words[first] == "-ne"); ++first) {
      newline &= words[first].find('n') == std::string::npos;
      escapes |= words[first].find('e') != std::string::npos;
    }
    std::string text;
    for (std::size_t i = first; i < words.size(); ++i) text += (i == first ? "" : " ") + words[i];
    Print((escapes ? Unescaped(text) : text) + (newline ? "\n" : ""));
  }

  void Printf(const std::vector<std::string>& words) {
    if (words.size() < 2) return;
    const std::string format = Unescaped(words[1]);
    std::size_t next = 2;
    do {
      std::string text;
      const std::size_t before = next;
      for (std::size_t i = 0; i < format.size(); ++i) {
        if (format[i] != '%' || i + 1 == format.size()) {
          text += format[i];
        } else if (format[++i] == '%') {
          text += '%';
        } else {
          if (next < words.size()) text += words[next++];
        }
      }
      Print(text);
      if (next == before) break;  // a format without places is printed once
    } while (next < words.size() && !stopped_);
  }

  void Sleep(const std::vector<std::string>& words) {
    const std::optional<Duration> time = words.size() > 1 ? SleepTime(words[1]) : std::optional<Duration>(Duration(0));
    if (!time) return RunOn();
    if (horizon_ - now_ < *time) {
      now_ = horizon_;
      return RunOn();
    }
    now_ += *time;
  }

  void Environment(const std::vector<std::string>& words) {
    if (words.size() > 1) {
      const auto found = variables_.find(words[1]);
      if (words.front() != "printenv" || found == variables_.end()) return;
      return Print(found->second + "\n");
    }
    for (const auto& [name, value] : variables_) Print(name + "=" + value + "\n");
  }

  void Sequence(const std::vector<std::string>& words) {
    const auto number = [&](std::size_t index) { return ParseInt64(words[index]).value_or(0); };
    if (words.size() < 2 || words.size() > 4) return;
    const std::int64_t first = words.size() > 2 ? number(1) : 1;
    const std::int64_t step = words.size() > 3 ? number(2) : 1;
    const std::int64_t last = number(words.size() - 1);
    if (step <= 0 || (last - first) / step > kMostCommands) return RunOn();
    for (std::int64_t i = first; i <= last && !stopped_; i += step) Print(std::to_string(i) + "\n");
  }

  void Print(const std::string& text) {
    if (capture_ != nullptr) {
      *capture_ += text;
      if (capture_->size() > kLongestText) RunOn();
      return;
    }
    if (purpose_ == Purpose::kEnd) return;
    line_ += text;
    for (std::size_t end = line_.find('\n'); end != std::string::npos; end = line_.find('\n')) {
      lines_.push_back({now_, line_.substr(0, end + 1)});
      line_.erase(0, end + 1);
      if (lines_.size() > kMostLines) lines_.pop_front();
    }
    if (line_.size() > kLongestText) RunOn();
  }

  Time start_;
  Duration horizon_;
  Purpose purpose_;
  std::string hostname_;
  std::map<std::string, std::string> variables_;
  Duration now_{0};
  std::deque<OutputLine> lines_;
  std::string line_;  // what was printed since the last line end
  std::string* capture_ = nullptr;
  std::int64_t commands_ = 0;
  int status_ = 0;
  int depth_ = 0;
  bool stopped_ = false;
  bool ended_ = false;
};

ProgramRun RunFor(const ContainerProgram& program, Time start, Duration horizon, Shell::Purpose purpose) {
  if (program.command_line.empty()) return {};
  return Shell(program, start, horizon, purpose).Run(CommandLine(program.command_line));
}

}  // namespace

ProgramRun RunProgram(const ContainerProgram& program, Time start, Duration horizon) {
  return RunFor(program, start, horizon, Shell::Purpose::kOutput);
}

ProgramRun EndOfProgram(const ContainerProgram& program, Time start) {
  return RunFor(program, start, Duration::max(), Shell::Purpose::kEnd);
}

}  // namespace kumiko::localcluster
