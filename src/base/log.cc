#include "base/log.h"

#include <fmt/format.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <atomic>
#include <cmath>

#include "base/json.h"

namespace kumiko {
namespace {

std::atomic<LogFormat> current_format{LogFormat::kText};

spdlog::level::level_enum SpdlogLevel(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug:
      return spdlog::level::debug;
    case LogLevel::kInfo:
      return spdlog::level::info;
    case LogLevel::kWarning:
      return spdlog::level::warn;
    case LogLevel::kError:
      return spdlog::level::err;
    case LogLevel::kOff:
      return spdlog::level::off;
  }
  return spdlog::level::off;
}

void SetPattern(spdlog::logger& logger, LogFormat format) {
  // Kubernetes' header: level, month and day, time with microseconds, process.
  const char* pattern = format == LogFormat::kText ? "%L%m%d %H:%M:%S.%f %7P] %v" : R"({"ts":%E.%f,"level":"%l",%v})";
  logger.set_formatter(std::make_unique<spdlog::pattern_formatter>(pattern, spdlog::pattern_time_type::utc));
}

spdlog::logger& Logger() {
  static const std::shared_ptr<spdlog::logger> logger = [] {
    auto made = std::make_shared<spdlog::logger>("kumiko", std::make_shared<spdlog::sinks::stderr_sink_mt>());
    made->set_level(spdlog::level::warn);
    SetPattern(*made, LogFormat::kText);
    return made;
  }();
  return *logger;
}

std::string Quote(std::string_view text) {
  return WriteJson(Json(text));
}

}  // namespace

LogField::LogField(std::string_view field, double number)
    : key(field), value(std::isfinite(number) ? fmt::format("{}", number) : "null") {}

void Log(LogLevel level, std::string_view message, std::initializer_list<LogField> fields) {
  if (!LogEnabled(level)) return;
  Logger().log(SpdlogLevel(level), spdlog::string_view_t(FormatLogFields(current_format.load(), message, fields)));
}

void SetLogLevel(LogLevel level) {
  Logger().set_level(SpdlogLevel(level));
}

void SetLogFormat(LogFormat format) {
  SetPattern(Logger(), format);
  current_format = format;
}

bool LogEnabled(LogLevel level) {
  return level != LogLevel::kOff && Logger().should_log(SpdlogLevel(level));
}

LogLevel LogLevelFromName(std::string_view name, LogLevel fallback) {
  if (name == "debug") return LogLevel::kDebug;
  if (name == "info") return LogLevel::kInfo;
  if (name == "warn" || name == "warning") return LogLevel::kWarning;
  if (name == "error") return LogLevel::kError;
  if (name == "off") return LogLevel::kOff;
  return fallback;
}

std::string FormatLogFields(LogFormat format, std::string_view message, std::span<const LogField> fields) {
  const bool json = format == LogFormat::kJson;
  std::string line = json ? "\"msg\":" + Quote(message) : Quote(message);
  for (const LogField& field : fields) {
    line += json ? "," + Quote(field.key) + ":" : " " + std::string(field.key) + "=";
    line += field.is_text ? Quote(field.value) : field.value;
  }
  return line;
}

}  // namespace kumiko
