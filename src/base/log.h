// The log: one line per event with key/value pairs, on stderr, in the two forms of Kubernetes' components.
//   Log(LogLevel::kInfo, "allocated claim", {{"claim", "ml/train-0"}, {"devices", 2}});
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

namespace kumiko {

enum class LogLevel { kDebug, kInfo, kWarning, kError, kOff };
enum class LogFormat { kText, kJson };

// One pair. Values are text or already valid JSON (numbers, bools).
struct LogField {
  LogField(std::string_view field, std::string_view text) : key(field), value(text), is_text(true) {}
  LogField(std::string_view field, const char* text) : LogField(field, std::string_view(text)) {}
  LogField(std::string_view field, const std::string& text) : LogField(field, std::string_view(text)) {}
  LogField(std::string_view field, bool flag) : key(field), value(flag ? "true" : "false") {}
  template <class T>
    requires(std::is_integral_v<T> && !std::is_same_v<T, bool>)
  LogField(std::string_view field, T number) : key(field), value(std::to_string(number)) {}
  LogField(std::string_view field, double number);

  std::string_view key;
  std::string value;
  bool is_text = false;
};

// Thread safe. Lines below the level are dropped before their text is built.
void Log(LogLevel level, std::string_view message, std::initializer_list<LogField> fields = {});

// kWarning until set. Process-wide.
void SetLogLevel(LogLevel level);
void SetLogFormat(LogFormat format);
bool LogEnabled(LogLevel level);

// "debug", "info", "warn", "error", "off"; anything else gives `fallback`.
LogLevel LogLevelFromName(std::string_view name, LogLevel fallback);

// The part of a line behind its header: `"message" key="text" n=2`, or the members of a JSON line.
std::string FormatLogFields(LogFormat format, std::string_view message, std::span<const LogField> fields);

}  // namespace kumiko
