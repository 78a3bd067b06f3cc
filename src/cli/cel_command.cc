#include "cli/cel_command.h"

#include <fmt/format.h>

#include <array>
#include <chrono>
#include <ostream>
#include <span>
#include <sstream>
#include <string>

#include "base/files.h"
#include "base/term.h"
#include "cel/expression.h"
#include "cli/cel_device.h"
#include "cli/question.h"

namespace kumiko::cli {
namespace {

constexpr std::uint64_t kCostLimit = 1'000'000;  // of API validation

// ---- questions and answers

struct Question {
  std::string expression;
  cel::CompileOptions options;
  std::optional<CelDevice> device;
};

using QuestionError = tl::unexpected<api::FieldError>;

tl::expected<cel::DraFeatures, api::FieldError> ReadFeatures(const Json& json) {
  constexpr std::array<std::string_view, 2> kKnown = {"EnableConsumableCapacity", "EnableListTypeAttributes"};
  const Json* features = Find(json, "features");
  if (features == nullptr || features->is_null()) return cel::DraFeatures{};
  if (!features->is_object()) {
    return Wrong("features", fmt::format("expected a map, got {}", JsonTypeName(*features)));
  }
  if (auto unknown = UnknownMember(features->get_object(), kKnown, "features"))
    return QuestionError(std::move(*unknown));
  const auto capacity = FlagAt(*features, kKnown[0], "features");
  if (!capacity) return QuestionError(capacity.error());
  const auto lists = FlagAt(*features, kKnown[1], "features");
  if (!lists) return QuestionError(lists.error());
  return cel::DraFeatures{.consumable_capacity = *capacity, .list_type_attributes = *lists};
}

tl::expected<Question, api::FieldError> ReadQuestion(const Json& json) {
  constexpr std::array<std::string_view, 6> kKnown = {"expression", "derived", "new", "features", "driver", "device"};
  if (!json.is_object()) return Wrong("", fmt::format("expected a question, got {}", JsonTypeName(json)));
  if (auto unknown = UnknownMember(json.get_object(), kKnown, "")) return QuestionError(std::move(*unknown));
  Question question;
  auto expression = TextAt(json, "expression", "");
  if (!expression) return QuestionError(std::move(expression).error());
  question.expression = std::move(*expression);
  const auto derived = FlagAt(json, "derived", "");
  if (!derived) return QuestionError(derived.error());
  const auto is_new = FlagAt(json, "new", "");
  if (!is_new) return QuestionError(is_new.error());
  const auto features = ReadFeatures(json);
  if (!features) return QuestionError(features.error());
  const auto driver = TextAt(json, "driver", "");
  if (!driver) return QuestionError(driver.error());
  question.options.derived_attribute = *derived;
  question.options.mode = *is_new ? cel::Mode::kNew : cel::Mode::kStored;
  question.options.features = *features;
  if (const Json* device = Find(json, "device"); device != nullptr && !device->is_null()) {
    auto read = ReadCelDevice(*device, *driver, "device");
    if (!read) return QuestionError(std::move(read).error());
    question.device = std::move(*read);
  }
  return question;
}

void AddRun(const cel::Expression& expression, const Question& question, JsonObject& answer) {
  if (question.device->unusable) {
    answer["error"] = *question.device->unusable;
    return;
  }
  const cel::DeviceView view = question.device->View();
  const auto start = std::chrono::steady_clock::now();
  std::int64_t cost = 0;
  std::chrono::nanoseconds spent{};
  if (question.options.derived_attribute) {
    const cel::DerivedAttribute derived = expression.EvaluateAttribute(view);
    spent = std::chrono::steady_clock::now() - start;
    cost = derived.cost;
    if (derived.value) {
      answer["value"] = AttributeJson(*derived.value);
    } else {
      answer["error"] = derived.value.error().message;
    }
  } else {
    const cel::Match match = expression.Evaluate(view);
    spent = std::chrono::steady_clock::now() - start;
    cost = match.cost;
    if (match.matches) {
      answer["match"] = *match.matches;
    } else {
      answer["error"] = match.matches.error().message;
    }
  }
  if (cost != 0) answer["actualCost"] = cost;
  if (spent.count() != 0) answer["ns"] = static_cast<std::int64_t>(spent.count());
}

JsonObject Answer(const Question& question) {
  JsonObject answer;
  const auto expression = cel::Expression::Compile(question.expression, question.options);
  if (!expression) {
    answer["compileError"] = expression.error().message;
    return answer;
  }
  answer["outputType"] = expression->output_type();
  if (expression->max_cost() != 0) answer["maxCost"] = expression->max_cost();
  if (question.device) AddRun(*expression, question, answer);
  return answer;
}

tl::expected<JsonObject, api::FieldError> AnswerQuestion(const Json& json) {
  return ReadQuestion(json).map([](const Question& question) { return Answer(question); });
}

// ---- in words

// Line breaks stay, since compile errors point into the text of the expression.
std::string EscapeLines(std::string_view text) {
  std::string escaped;
  while (true) {
    const std::size_t end = text.find('\n');
    escaped += EscapeControls(text.substr(0, end));
    if (end == std::string_view::npos) return escaped;
    escaped += '\n';
    text.remove_prefix(end + 1);
  }
}

template <class T>
std::string ItemText(const T& item) {
  if constexpr (std::is_same_v<T, std::string>) {
    return WriteJson(Json(item));
  } else if constexpr (std::is_same_v<T, cel::Version>) {
    return "version " + item.text;
  } else if constexpr (std::is_arithmetic_v<T>) {
    return fmt::format("{}", item);
  } else {
    std::vector<std::string> items;
    for (const auto& it : item) items.push_back(ItemText<typename T::value_type>(it));
    return fmt::format("[{}]", fmt::join(items, ", "));
  }
}

std::string AttributeText(const cel::AttributeValue& value) {
  return EscapeControls(std::visit([](const auto& it) { return ItemText(it); }, value));
}

struct Outcome {
  std::string text;
  bool failed = false;
};

Outcome RunOn(const cel::Expression& expression, const CelDevice& device, bool derived) {
  const auto failure = [](const std::string& message, std::int64_t cost) {
    return Outcome{fmt::format("error: {} (cost {})", EscapeControls(message), cost), true};
  };
  if (device.unusable) return failure(*device.unusable, 0);
  const cel::DeviceView view = device.View();
  if (derived) {
    const cel::DerivedAttribute run = expression.EvaluateAttribute(view);
    if (!run.value) return failure(run.value.error().message, run.cost);
    return {fmt::format("{} (cost {})", AttributeText(*run.value), run.cost)};
  }
  const cel::Match run = expression.Evaluate(view);
  if (!run.matches) return failure(run.matches.error().message, run.cost);
  if (*run.matches) return {fmt::format("matches (cost {})", run.cost)};
  const std::string detail = expression.ExplainMismatch(view).detail;
  return {fmt::format("does not match (cost {}){}{}", run.cost, detail.empty() ? "" : ": ", EscapeControls(detail))};
}

std::string CostText(std::uint64_t cost) {
  if (cost <= kCostLimit) return fmt::format("{} of {} allowed", cost, kCostLimit);
  if (cost > kCostLimit * kCostLimit) return fmt::format("without bound; {} is allowed", kCostLimit);
  return fmt::format("{}, more than the {} allowed", cost, kCostLimit);
}

ExitCode AnswerInWords(const CelOptions& options, std::ostream& out, std::ostream& err) {
  cel::CompileOptions compile;
  compile.mode = options.check_as_new ? cel::Mode::kNew : cel::Mode::kStored;
  compile.derived_attribute = options.derived;
  compile.features = {.consumable_capacity = options.consumable_capacity,
                      .list_type_attributes = options.list_attributes};
  const auto expression = cel::Expression::Compile(options.expression, compile);
  if (!expression) {
    err << EscapeLines(expression.error().message) << '\n';
    return ExitCodeFor(expression.error());
  }
  std::vector<CelDevice> devices;
  if (!options.device.empty()) {
    auto read = ReadCelDevices(options.device, options.driver);
    if (!read) {
      err << EscapeControls(read.error().message) << '\n';
      return ExitCodeFor(read.error());
    }
    devices = std::move(*read);
  }
  out << "type            " << expression->output_type() << '\n';
  out << "estimated cost  " << CostText(expression->max_cost()) << '\n';
  ExitCode code = ExitCode::kDone;
  for (const CelDevice& device : devices) {
    const Outcome outcome = RunOn(*expression, device, options.derived);
    out << fmt::format("{:<14}  {}\n", device.name.empty() ? "result" : EscapeControls(device.name), outcome.text);
    if (outcome.failed) code = ExitCode::kBadInput;
  }
  return code;
}

}  // namespace

ExitCode RunCel(const CelOptions& options, std::istream& in, std::ostream& out, std::ostream& err) {
  if (!options.expression.empty()) return AnswerInWords(options, out, err);
  if (options.questions == "-") return AnswerLines(in, "stdin", out, err, AnswerQuestion);
  const auto text = ReadFile(options.questions);
  if (!text) {
    err << EscapeControls(text.error().message) << '\n';
    return ExitCodeFor(text.error());
  }
  std::istringstream lines(*text);
  return AnswerLines(lines, options.questions, out, err, AnswerQuestion);
}

}  // namespace kumiko::cli
