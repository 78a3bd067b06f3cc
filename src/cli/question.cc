#include "cli/question.h"

#include <fmt/format.h>

#include <algorithm>
#include <istream>
#include <ostream>

#include "base/field_path.h"
#include "base/suggest.h"
#include "base/term.h"

namespace kumiko::cli {

ExitCode AnswerLines(std::istream& in, const std::string& name, std::ostream& out, std::ostream& err,
                     const std::function<tl::expected<JsonObject, api::FieldError>(const Json&)>& answer) {
  ExitCode code = ExitCode::kDone;
  std::string line;
  for (std::int64_t number = 1; std::getline(in, line); ++number) {
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    const auto answered = [&]() -> tl::expected<JsonObject, api::FieldError> {
      const auto question = ParseJson(line);
      if (!question) return Wrong("", question.error().message);
      return answer(*question);
    }();
    if (answered) {
      out << WriteJson(*answered) << '\n';
    } else {
      const api::FieldError& error = answered.error();
      const std::string message =
          fmt::format("{}:{}: {}{}{}", name, number, error.path, error.path.empty() ? "" : ": ", error.message);
      out << WriteJson(JsonObject{{"error", message}}) << '\n';
      err << EscapeControls(message) << '\n';
      code = ExitCode::kBadInput;
    }
    out.flush();  // who asks through a pipe waits for it
  }
  return code;
}

tl::unexpected<api::FieldError> Wrong(std::string path, std::string message) {
  return tl::unexpected(api::FieldError{std::move(path), std::move(message)});
}

std::optional<api::FieldError> UnknownMember(const JsonObject& object, std::span<const std::string_view> known,
                                             const std::string& path) {
  for (const auto& member : object) {
    const std::string_view name(member.key().data(), member.key().size());
    if (std::ranges::find(known, name) != known.end()) continue;
    const auto suggestion = Suggest(name, known);
    return api::FieldError{ChildPath(path, name),
                           suggestion ? fmt::format("unknown field; did you mean \"{}\"?", *suggestion)
                                      : fmt::format("unknown field; write one of {}", fmt::join(known, ", "))};
  }
  return std::nullopt;
}

tl::expected<bool, api::FieldError> FlagAt(const Json& json, std::string_view name, const std::string& path) {
  const Json* member = Find(json, name);
  if (member == nullptr || member->is_null()) return false;
  if (!member->is_bool()) {
    return Wrong(ChildPath(path, name), fmt::format("expected a boolean, got {}", JsonTypeName(*member)));
  }
  return member->get_bool();
}

tl::expected<std::string, api::FieldError> TextAt(const Json& json, std::string_view name, const std::string& path) {
  const Json* member = Find(json, name);
  if (member == nullptr || member->is_null()) return std::string();
  if (!member->is_string()) {
    return Wrong(ChildPath(path, name), fmt::format("expected a string, got {}", JsonTypeName(*member)));
  }
  return std::string(member->get_string().data(), member->get_string().size());
}

}  // namespace kumiko::cli
