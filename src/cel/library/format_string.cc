#include "cel/library/format_string.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <utility>
#include <variant>
#include <vector>

#include "cel/device_access.h"
#include "cel/library/format_number.h"
#include "cel/library/quoted.h"
#include "cel/library/time.h"
#include "cel/run_context.h"
#include "cel/utf8.h"

namespace kumiko::cel {
namespace {

constexpr std::string_view kWhileFormatting = "error during formatting: ";

// ---- patterns

struct Clause {
  char verb = 's';
  std::int64_t precision = kDefaultPrecision;
};

// Digits as a number; the message when they are none or too many.
std::optional<std::string> ReadPrecision(std::string_view digits, std::int64_t& precision) {
  const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), precision);
  if (parsed.ec == std::errc()) return std::nullopt;
  return fmt::format("error while converting precision to integer: strconv.Atoi: parsing \"{}\": {}", digits,
                     digits.empty() ? "invalid syntax" : "value out of range");
}

// Reads the clause that `rest` begins with, behind its percent sign; `rest` is not empty. The message when it is none.
std::optional<std::string> ReadClause(std::string_view& rest, Clause& clause) {
  static constexpr std::string_view kVerbs = "sdfebxXo";
  if (rest.front() == '.') {
    const std::size_t end = rest.find_first_not_of("0123456789", 1);
    if (end == std::string_view::npos) {
      return "error while parsing precision: could not find end of precision specifier";
    }
    if (const auto mistake = ReadPrecision(rest.substr(1, end - 1), clause.precision)) {
      return "error while parsing precision: " + *mistake;
    }
    rest.remove_prefix(end);
  }
  clause.verb = rest.front();
  if (kVerbs.find(clause.verb) == std::string_view::npos) {
    // A byte beyond ASCII is shown as the character of that number.
    return fmt::format("unrecognized formatting clause \"{}\"",
                       WithCodePoint("", static_cast<unsigned char>(clause.verb)));
  }
  rest.remove_prefix(1);
  return std::nullopt;
}

std::string NoArgument(std::size_t index) {
  return fmt::format("index {} out of range", index);
}

// A run misses the argument before it sees that the pattern ends behind the percent sign; the check does not.
enum class Stage { kCheck, kRun };

// Goes through a pattern: `text` for what stands for itself, `argument` for each clause with its argument's index; that
// one returns a message to stop. Returns the first message.
template <class OnText, class OnArgument>
std::optional<std::string> ReadPattern(Stage stage, std::string_view pattern, std::size_t arguments, OnText text,
                                       OnArgument argument) {
  std::size_t index = 0;
  while (!pattern.empty()) {
    const std::size_t percent = std::min(pattern.find('%'), pattern.size());
    text(pattern.substr(0, percent));
    pattern.remove_prefix(percent);
    if (pattern.starts_with("%%")) {
      text("%");
      pattern.remove_prefix(2);
      continue;
    }
    if (pattern.empty()) break;
    pattern.remove_prefix(1);
    if (pattern.empty() && (stage == Stage::kCheck || index < arguments)) return "unexpected end of string";
    if (index >= arguments) return NoArgument(index);
    Clause clause;
    if (const auto mistake = ReadClause(pattern, clause)) return "could not parse formatting clause: " + *mistake;
    if (const auto mistake = argument(index++, clause)) return std::string(kWhileFormatting) + *mistake;
  }
  return std::nullopt;
}

std::string WrongType(char verb, std::string_view type) {
  std::string_view why;
  switch (verb) {
    case 'd':
      why = "decimal clause can only be used on integers";
      break;
    case 'f':
      why = "fixed-point clause can only be used on doubles";
      break;
    case 'e':
      why = "scientific clause can only be used on doubles";
      break;
    case 'b':
      why = "only integers and bools can be formatted as binary";
      break;
    case 'x':
    case 'X':
      why = "only integers, byte buffers, and strings can be formatted as hex";
      break;
    case 'o':
      why = "octal clause can only be used on integers";
      break;
    default:
      why =
          "string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and "
          "timestamps";
  }
  return fmt::format("{}, was given {}", why, type);
}

// ---- values

constexpr std::int64_t kStepsPerItem = 16;
constexpr std::int64_t kStepsPerEntry = 60;  // of a map: sorted by text
constexpr std::int64_t kStepsPerTime = 200;
// A double takes long when it has many digits.
constexpr std::int64_t kStepsPerDigit = 4;
// Whether a character beyond ASCII is printable is asked of a pattern.
constexpr std::int64_t kStepsPerWideByte = 40;

// What is wrong with a value; nullopt when it could be written.
using Mistake = std::optional<std::string>;

// Writes values behind each other. Nested lists may share items, so there can be far more than were ever made: every
// part takes steps before it is written.
class ValueFormatter {
 public:
  explicit ValueFormatter(RunContext& run) : run_(run) {}

  // Text that stands for itself.
  void Add(std::string_view text) {
    // Text that grows is copied some times.
    if (Take(run_, StepsForBytes(3 * text.size()))) out_ += text;
  }

  Mistake Format(const Value& value, const Clause& clause) {
    if (!Take(run_, kStepsPerItem)) return "";
    switch (clause.verb) {
      case 's':
        return String(value);
      case 'd':
        if (!IsInteger(value)) break;
        return Write(Describe(value));
      case 'f':
      case 'e':
        if (const std::optional<double> number = Double(value)) {
          return Digits(clause.verb == 'f' ? FormatFixed(*number, clause.precision)
                                           : FormatScientific(*number, clause.precision));
        }
        break;
      case 'b':
        if (value.kind == ValueKind::kBool) return Write(value.boolean ? "1" : "0");
        if (value.kind == ValueKind::kInt) return Write(fmt::format("{:b}", value.integer));
        if (value.kind == ValueKind::kUint) return Write(fmt::format("{:b}", value.natural));
        break;
      case 'o':
        if (value.kind == ValueKind::kInt) return Write(fmt::format("{:o}", value.integer));
        if (value.kind == ValueKind::kUint) return Write(fmt::format("{:o}", value.natural));
        break;
      default:
        if (IsInteger(value) || value.kind == ValueKind::kString || value.kind == ValueKind::kBytes) {
          Hex(value, clause.verb == 'X');
          return std::nullopt;
        }
    }
    return WrongType(clause.verb, KindName(value));
  }

  const std::string& written() const { return out_; }

 private:
  static bool IsInteger(const Value& value) { return value.kind == ValueKind::kInt || value.kind == ValueKind::kUint; }

  Mistake Write(std::string_view text) {
    Add(text);
    return std::nullopt;
  }
  Mistake Digits(std::string_view text) {
    run_.budget -= kStepsPerDigit * static_cast<std::int64_t>(text.size());
    return Write(text);
  }

  // Three texts stand for the numbers that have no literal.
  static std::optional<double> Double(const Value& value) {
    if (value.kind == ValueKind::kDouble) return value.real;
    if (value.kind != ValueKind::kString) return std::nullopt;
    if (value.view() == "NaN") return NAN;
    if (value.view() == "Infinity") return INFINITY;
    return value.view() == "-Infinity" ? std::optional<double>(-INFINITY) : std::nullopt;
  }

  void Hex(const Value& value, bool upper) {
    if (value.kind == ValueKind::kInt) {
      return Add(upper ? fmt::format("{:X}", value.integer) : fmt::format("{:x}", value.integer));
    }
    if (value.kind == ValueKind::kUint) {
      return Add(upper ? fmt::format("{:X}", value.natural) : fmt::format("{:x}", value.natural));
    }
    if (!Take(run_, 2 * static_cast<std::int64_t>(value.size))) return;
    const std::string_view digits = upper ? "0123456789ABCDEF" : "0123456789abcdef";
    for (const char c : value.view()) {
      out_ += digits[static_cast<unsigned char>(c) >> 4U];
      out_ += digits[static_cast<unsigned char>(c) & 0xFU];
    }
  }

  Mistake BytesMistake(const Value& value) {
    if (!Take(run_, StepsForBytes(4 * value.size)) || IsValidUtf8(value.view())) return std::nullopt;
    return "could not convert argument \"invalid UTF-8 in bytes, cannot convert to string\" to string";
  }

  Mistake String(const Value& value) {
    if (value.kind == ValueKind::kList) return List(value);
    if (IsMap(value)) return Map(value);
    if (value.kind == ValueKind::kString) return Write(value.view());
    if (value.kind == ValueKind::kBytes) {
      if (auto mistake = BytesMistake(value)) return mistake;
      return Write(value.view());
    }
    if (value.kind == ValueKind::kTimestamp || value.kind == ValueKind::kDuration) return Write(Time(value));
    if (value.kind == ValueKind::kBool || value.IsNumber() || value.kind == ValueKind::kType ||
        value.kind == ValueKind::kNull) {
      return Write(Describe(value));
    }
    return WrongType('s', KindName(value));
  }

  std::string Time(const Value& value) {
    if (!Take(run_, kStepsPerTime)) return "";
    return value.kind == ValueKind::kTimestamp ? TimestampText(value) : DurationText(value);
  }

  void AddQuoted(std::string_view text) {
    const auto wide =
        std::count_if(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) > 0x7F; });
    if (!Take(run_, 2 * static_cast<std::int64_t>(text.size()) + kStepsPerWideByte * wide)) return;
    out_ += Quoted(text);
  }

  // Inside lists and maps values look as expressions spell them. Values nest no deeper than expressions and documents.
  Mistake Item(const Value& value) {
    if (!Take(run_, kStepsPerItem)) return std::nullopt;
    if (value.kind == ValueKind::kList) return List(value);
    if (IsMap(value)) return Map(value);
    if (value.kind == ValueKind::kString) {
      AddQuoted(value.view());
      return std::nullopt;
    }
    if (value.kind == ValueKind::kBytes) {
      if (auto mistake = BytesMistake(value)) return mistake;
      out_ += 'b';
      AddQuoted(value.view());
      return std::nullopt;
    }
    if (value.kind == ValueKind::kTimestamp) return Write(fmt::format("timestamp(\"{}\")", Time(value)));
    if (value.kind == ValueKind::kDuration) return Write(fmt::format("duration(\"{}\")", Time(value)));
    if (value.kind == ValueKind::kDouble) {
      return Digits(std::isfinite(value.real) ? fmt::format("{:.6f}", value.real)
                                              : '"' + FormatDouble(value.real) + '"');
    }
    if (value.kind == ValueKind::kBool || IsInteger(value) || value.kind == ValueKind::kType ||
        value.kind == ValueKind::kNull) {
      return Write(Describe(value));
    }
    return "no formatting function for " + std::string(KindName(value));
  }

  Mistake List(const Value& list) {
    out_ += '[';
    for (std::size_t i = 0; i < list.size && run_.budget >= 0; ++i) {
      if (i > 0) out_ += ", ";
      if (auto mistake = Item(list.items[i])) return mistake;
    }
    out_ += ']';
    return std::nullopt;
  }

  // In the order of the texts of the keys.
  Mistake Map(const Value& map) {
    const Value keys = Keys(run_, map);
    std::vector<std::pair<std::string, Value>> entries;
    for (const Value& key : keys.list()) {
      if (key.kind != ValueKind::kString && key.kind != ValueKind::kBool && !IsInteger(key)) {
        return "no formatting function for map key of type " + std::string(KindName(key));
      }
      if (!Take(run_, kStepsPerEntry)) return std::nullopt;
      const std::size_t before = out_.size();
      Item(key);
      if (run_.budget < 0) return std::nullopt;
      entries.emplace_back(out_.substr(before), key);
      out_.resize(before);
    }
    std::stable_sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    out_ += '{';
    bool first = true;
    for (const auto& [key_text, key] : entries) {
      const std::optional<Value> value = Lookup(run_, map, key);
      if (!value) continue;
      if (value->IsError()) return std::string(value->view());
      if (!first) out_ += ", ";
      first = false;
      Add(key_text);
      out_ += ':';
      if (auto mistake = Item(*value)) return mistake;
      if (run_.budget < 0) return std::nullopt;
    }
    out_ += '}';
    return std::nullopt;
  }

  RunContext& run_;
  std::string out_;
};

Value Format(RunContext& run, std::span<const Value> args) {
  if (args[0].kind != ValueKind::kString || args[1].kind != ValueKind::kList) return NoSuchOverload();
  const Value& list = args[1];
  ValueFormatter formatter(run);
  const auto text = [&](std::string_view part) { formatter.Add(part); };
  const auto argument = [&](std::size_t index, const Clause& clause) {
    return formatter.Format(list.items[index], clause);
  };
  if (const auto mistake = ReadPattern(Stage::kRun, args[0].view(), list.size, text, argument)) {
    return run.arena.Error(*mistake);
  }
  return Value::String(run.arena.Text(formatter.written()));
}

// ---- checks before the run

// The kind that counts at run time: wrappers are their scalars.
const Type& Unwrapped(TypeRef type) {
  return type->kind == TypeKind::kWrapper ? *type->first : *type;
}

std::string RuntimeName(const Type& type) {
  if (type.kind == TypeKind::kList) return "list";
  if (type.kind == TypeKind::kMap) return "map";
  if (type.kind == TypeKind::kOptional) return "optional_type";
  if (type.kind == TypeKind::kType) return "type";
  if (type.kind == TypeKind::kOpaque) return std::string(type.name);
  return QualifiedTypeName(&type);
}

bool Takes(char verb, TypeKind kind) {
  if (kind == TypeKind::kDyn || kind == TypeKind::kError || kind == TypeKind::kVariable) return true;
  const bool integer = kind == TypeKind::kInt || kind == TypeKind::kUint;
  const bool text = kind == TypeKind::kString;
  switch (verb) {
    case 'd':
    case 'o':
      return integer;
    case 'f':
    case 'e':
      return kind == TypeKind::kDouble || text;  // "NaN", "Infinity"
    case 'b':
      return integer || kind == TypeKind::kBool;
    case 'x':
    case 'X':
      return integer || text || kind == TypeKind::kBytes;
    default:
      return kind != TypeKind::kAny && kind != TypeKind::kOptional && kind != TypeKind::kOpaque &&
             kind != TypeKind::kObject;
  }
}

// The first node, looking into literals, whose type %s does not take; kNoExpr when there is none. Recurses as deep as
// the literals nest, which the parser limits.
ExprId FindUnprintable(const CheckedAst& checked, ExprId id) {
  const Type& type = Unwrapped(checked.types[id]);
  if (!Takes('s', type.kind)) return id;
  const Expr& expr = checked.ast.At(id);
  if (expr.kind != ExprKind::kList && expr.kind != ExprKind::kMap) return kNoExpr;
  for (const ExprId part : checked.ast.Args(expr)) {
    const ExprId found = FindUnprintable(checked, part);
    if (found != kNoExpr) return found;
  }
  return kNoExpr;
}

constexpr Overload kOverloads[] = {
    Member("format", Format, CostRule::kFormat, &kStringType, 2, &kStringType, &kListOfDyn),
};

}  // namespace

std::span<const Overload> FormatStringOverloads() {
  return kOverloads;
}

std::optional<FormatMistake> CheckFormat(const CheckedAst& checked, ExprId call) {
  const Expr& expr = checked.ast.At(call);
  const auto args = checked.ast.Args(expr);
  if (expr.kind != ExprKind::kCall || expr.name != "format" || expr.operand == kNoExpr || args.size() != 1 ||
      checked.references[call].namespaced) {
    return std::nullopt;
  }
  const Expr& target = checked.ast.At(expr.operand);
  const Expr& list = checked.ast.At(args[0]);
  const auto* pattern = std::get_if<std::string_view>(&target.literal);
  if (target.kind != ExprKind::kLiteral || pattern == nullptr || list.kind != ExprKind::kList) return std::nullopt;

  const auto items = checked.ast.Args(list);
  ExprId at = call;
  std::size_t used = 0;
  const auto argument = [&](std::size_t index, const Clause& clause) -> std::optional<std::string> {
    ++used;
    ExprId wrong = items[index];
    if (clause.verb == 's') {
      wrong = FindUnprintable(checked, items[index]);
    } else if (Takes(clause.verb, Unwrapped(checked.types[wrong]).kind)) {
      wrong = kNoExpr;
    }
    if (wrong == kNoExpr) return std::nullopt;
    at = wrong;
    return WrongType(clause.verb, RuntimeName(Unwrapped(checked.types[wrong])));
  };
  if (auto mistake = ReadPattern(Stage::kCheck, *pattern, items.size(), [](std::string_view) {}, argument)) {
    return FormatMistake{at, *std::move(mistake)};
  }
  if (items.size() <= used) return std::nullopt;
  return FormatMistake{
      call, fmt::format("too many arguments supplied to string.format (expected {}, got {})", used, items.size())};
}

}  // namespace kumiko::cel
