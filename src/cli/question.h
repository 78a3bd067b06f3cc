// Questions that programs ask as JSON, one object a line, and the loop that answers them (`kumiko cel`, `kumiko
// allocate`). A question is written by hand or by a small program, so members that do not exist are refused by name.
#pragma once

#include <functional>
#include <iosfwd>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "api/codec.h"
#include "base/json.h"
#include "cli/exit_code.h"

namespace kumiko::cli {

// Answers each line of `in` that is not blank with one line on `out`, in order. What `answer` cannot read is answered
// {"error": "NAME:LINE: why"}, also said on `err`, and the exit code is kBadInput; reading goes on.
ExitCode AnswerLines(std::istream& in, const std::string& name, std::ostream& out, std::ostream& err,
                     const std::function<tl::expected<JsonObject, api::FieldError>(const Json&)>& answer);

tl::unexpected<api::FieldError> Wrong(std::string path, std::string message);

// The first member of `object` that is none of `known`, with a suggestion. `path` is that of `object`.
std::optional<api::FieldError> UnknownMember(const JsonObject& object, std::span<const std::string_view> known,
                                             const std::string& path);

// A member of `json`, an object that stands at `path`. Absent and null are false, and the empty text.
tl::expected<bool, api::FieldError> FlagAt(const Json& json, std::string_view name, const std::string& path);
tl::expected<std::string, api::FieldError> TextAt(const Json& json, std::string_view name, const std::string& path);

}  // namespace kumiko::cli
