#include "cel/library/regex.h"

#include <fmt/core.h>
#include <re2/re2.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <vector>

#include "cel/run_context.h"
#include "cel/utf8.h"

namespace kumiko::cel {

// A pattern that the run compiled.
struct CompiledPattern {
  std::string text;
  std::shared_ptr<const re2::RE2> compiled;
};

namespace {

// Measured in steps of about 2.5 ns: a pattern of nothing, its text, and what the text leads to.
constexpr std::int64_t kStepsPerPattern = 3'000;
constexpr std::int64_t kStepsPerByte = 80;
constexpr std::int64_t kStepsPerUnicodeClass = 60'000;
constexpr std::int64_t kStepsPerInstruction = 180;
// RE2 gives up on a program that needs more before it is complete.
constexpr std::int64_t kMaxPatternBytes = 640 << 10;
constexpr std::int64_t kLeastPatternBytes = 64 << 10;
constexpr std::int64_t kBytesPerInstruction = 16;
// Below this a program for the other direction is made when it is needed: nobody notices.
constexpr int kSmallProgram = 500;
// A match that is found, with its search.
constexpr std::int64_t kStepsPerMatch = 60;
// ---- Go's patterns for RE2

bool IsGroupName(std::string_view name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  });
}

std::string Mistake(std::string_view what, std::string_view where) {
  return fmt::format("error parsing regexp: {}: `{}`", what, where);
}

// Writes the pattern so that RE2 reads it as Go does. Names of groups go: nothing here refers to them, Go allows one
// name twice, and RE2 knows only one of their two forms.
class Translator {
 public:
  explicit Translator(std::string_view pattern) : rest_(pattern), steps_(kStepsPerPattern) {
    steps_ += kStepsPerByte * static_cast<std::int64_t>(pattern.size());
  }

  tl::expected<std::string, std::string> Run() {
    while (!rest_.empty() && mistake_.empty()) {
      if (rest_.starts_with("\\Q")) {
        Copy(std::min(rest_.find("\\E"), rest_.size()));
      } else if (rest_.front() == '\\') {
        // RE2 has \C, any byte.
        if (rest_.starts_with("\\C")) mistake_ = Mistake("invalid escape sequence", "\\C");
        CountUnicodeClasses(rest_.substr(0, 2));
        Copy(2);
      } else if (rest_.front() == '[') {
        CountUnicodeClasses(rest_.substr(0, ClassLength()));
        Copy(ClassLength());
      } else if (rest_.starts_with("(?P<") || rest_.starts_with("(?<")) {
        Group();
      } else {
        CountOptional();
        Copy(1);
      }
    }
    if (!mistake_.empty()) return tl::unexpected(mistake_);
    return std::move(translated_);
  }
  // What RE2 will take before it looks at the size of the program, at most.
  std::int64_t steps() const {
    // It merges a?a?a? into a{0,3}, one by one.
    return steps_ + optional_ * optional_;
  }

 private:
  void Copy(std::size_t count) {
    const std::string_view part = rest_.substr(0, count);
    translated_ += part;
    rest_.remove_prefix(part.size());
  }
  void CountUnicodeClasses(std::string_view part) {
    for (std::size_t i = 0; i + 1 < part.size(); ++i) {
      if (part[i] != '\\') continue;
      ++i;
      if (part[i] == 'p' || part[i] == 'P') steps_ += kStepsPerUnicodeClass;
    }
  }
  // x? and x{2,7}: how often x may be left out.
  void CountOptional() {
    constexpr std::int64_t kMostRepeats = 1000;
    if (rest_.front() == '?') ++optional_;
    if (rest_.front() != '{') return;
    std::int64_t least = 0;
    std::int64_t most = 0;
    const char* const end = rest_.data() + rest_.size();
    const auto [comma, wrong] = std::from_chars(rest_.data() + 1, end, least);
    if (wrong != std::errc() || comma == end || *comma != ',') return;
    if (std::from_chars(comma + 1, end, most).ec == std::errc()) {
      optional_ += std::clamp<std::int64_t>(most - least, 0, kMostRepeats);
    }
  }
  // From [ to the ] that closes it.
  std::size_t ClassLength() const {
    std::size_t at = rest_.starts_with("[^") ? 2 : 1;
    for (bool first = true; at < rest_.size(); first = false) {
      if (rest_[at] == ']' && !first) return at + 1;
      const std::string_view here = rest_.substr(at);
      const std::size_t named = here.starts_with("[:") ? here.find(":]") : std::string_view::npos;
      at += named != std::string_view::npos ? named + 2 : here.front() == '\\' ? 2 : 1;
    }
    return rest_.size();
  }
  void Group() {
    const std::size_t begin = rest_.starts_with("(?P<") ? 4 : 3;
    if (rest_.size() == begin) {
      mistake_ = Mistake("invalid or unsupported Perl syntax", rest_.substr(0, 3));
      return;
    }
    const std::size_t end = rest_.find('>');
    if (end == std::string_view::npos || !IsGroupName(rest_.substr(begin, end - begin))) {
      mistake_ = Mistake("invalid named capture", rest_.substr(0, end == std::string_view::npos ? end : end + 1));
      return;
    }
    translated_ += fmt::format("(?P<g{}>", groups_++);
    rest_.remove_prefix(end + 1);
  }

  std::string_view rest_;
  std::string translated_;
  std::string mistake_;
  int groups_ = 0;
  std::int64_t steps_;
  std::int64_t optional_ = 0;
};

std::string MistakeOf(const re2::RE2& pattern, std::string_view written) {
  const std::string& where = pattern.error_arg();
  switch (pattern.error_code()) {
    case re2::RE2::ErrorBadEscape:
      return Mistake("invalid escape sequence", where);
    case re2::RE2::ErrorBadCharClass:
      return Mistake("invalid character class", where);
    case re2::RE2::ErrorBadCharRange:
      return Mistake("invalid character class range", where);
    case re2::RE2::ErrorMissingBracket:
      return Mistake("missing closing ]", where);
    case re2::RE2::ErrorMissingParen:
      return Mistake("missing closing )", written);
    case re2::RE2::ErrorUnexpectedParen:
      return Mistake("unexpected )", written);
    case re2::RE2::ErrorTrailingBackslash:
      return Mistake("trailing backslash at end of expression", "");
    case re2::RE2::ErrorRepeatArgument:
      return Mistake("missing argument to repetition operator", where);
    case re2::RE2::ErrorRepeatSize:
      return Mistake("invalid repeat count", where);
    case re2::RE2::ErrorRepeatOp:
      return Mistake("invalid nested repetition operator", where);
    case re2::RE2::ErrorBadPerlOp:
      return Mistake("invalid or unsupported Perl syntax", where);
    case re2::RE2::ErrorBadUTF8:
      return Mistake("invalid UTF-8", where);
    case re2::RE2::ErrorBadNamedCapture:
      return Mistake("invalid named capture", where);
    case re2::RE2::ErrorPatternTooLarge:
      return Mistake("expression too large", written);
    case re2::RE2::NoError:
    case re2::RE2::ErrorInternal:
      break;
  }
  return Mistake("regexp/syntax: internal error", written);
}

re2::StringPiece Piece(std::string_view text) {
  return {text.data(), text.size()};
}

re2::RE2::Options Options(std::int64_t max_bytes) {
  re2::RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(max_bytes);
  return options;
}

// RE2 makes a state of its automaton when the text first leads to it, which takes time by the size of the program. Text
// can lead to a new one with every byte, but there are no more than the sets of instructions. Short text, of which many
// are alike, counts for less.
std::int64_t SearchSteps(const re2::RE2& pattern, std::size_t size) {
  constexpr std::int64_t kStepsPerInstructionOfState = 4;
  constexpr int kFewInstructions = 20;
  constexpr int kLargeProgram = 1'000;
  const int instructions = pattern.ProgramSize();
  constexpr std::int64_t kShort = 256;
  const std::int64_t bytes = static_cast<std::int64_t>(size);
  std::int64_t states = bytes <= kShort ? bytes / 4 : bytes;
  // There is no room to keep many states of a large one.
  if (instructions > kLargeProgram) states = bytes + 1;
  if (instructions < kFewInstructions) states = std::min<std::int64_t>(states, std::int64_t{1} << instructions);
  // However short the text, tables for it are as long as the program.
  return bytes / 4 + instructions / 4 + kStepsPerInstructionOfState * instructions * states;
}

// The first match from `from` on. RE2 lets \B hold between the bytes of one character; such matches are empty.
std::optional<re2::StringPiece> Search(const re2::RE2& pattern, std::string_view text, std::size_t from) {
  const auto inside = [text](std::size_t at) {
    return at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80U;
  };
  re2::StringPiece match;
  while (pattern.Match(Piece(text), from, text.size(), re2::RE2::UNANCHORED, &match, 1)) {
    std::size_t begin = static_cast<std::size_t>(match.data() - text.data());
    if (!match.empty() || !inside(begin)) return match;
    while (inside(begin)) ++begin;
    from = begin;
  }
  return std::nullopt;
}

// Compiles a pattern that is known only now, and takes steps for it.
tl::expected<std::shared_ptr<const re2::RE2>, std::string> CompileNow(RunContext& run, std::string_view pattern) {
  if (run.last_pattern != nullptr && run.last_pattern->text == pattern) return run.last_pattern->compiled;
  auto compiled = CompilePattern(pattern, run.budget);
  if (!compiled) return tl::unexpected(std::move(compiled).error().message);
  run.last_pattern = run.arena.Put(CompiledPattern{std::string(pattern), *compiled});
  return *std::move(compiled);
}

bool AreStrings(std::span<const Value> args) {
  return args[0].kind == ValueKind::kString && args[1].kind == ValueKind::kString;
}

// Where the pattern is a literal, the reference takes the name of a type for text.
bool IsText(const Value& value) {
  return value.kind == ValueKind::kString || value.kind == ValueKind::kType;
}

Value Matches(RunContext& run, std::span<const Value> args) {
  const bool is_time = args[0].kind == ValueKind::kTimestamp || args[0].kind == ValueKind::kDuration;
  // The reference names the function when the text is of a type without functions of its own.
  if (args[0].kind != ValueKind::kString && !is_time) return Value::Error("no such overload: matches");
  if (!AreStrings(args)) return NoSuchOverload();
  const auto pattern = CompileNow(run, args[1].view());
  return pattern ? MatchPattern(run, args[0], **pattern) : run.arena.Error(pattern.error());
}

Value Find(RunContext& run, std::span<const Value> args) {
  if (!AreStrings(args)) return NoSuchOverload();
  const auto pattern = CompileNow(run, args[1].view());
  if (!pattern) return run.arena.Error("Illegal regex: " + pattern.error());
  return PrepareToFind(**pattern, run.budget) ? FindPattern(run, args[0], **pattern) : NoSuchOverload();
}

Value FindAll(RunContext& run, std::span<const Value> args) {
  if (!AreStrings(args) || (args.size() == 3 && args[2].kind != ValueKind::kInt)) return NoSuchOverload();
  const auto pattern = CompileNow(run, args[1].view());
  if (!pattern) return run.arena.Error("Illegal regex: " + pattern.error());
  if (!PrepareToFind(**pattern, run.budget)) return NoSuchOverload();
  return FindAllPattern(run, args[0], **pattern, args.size() == 3 ? args[2].integer : -1);
}

constexpr Overload kOverloads[] = {
    Global("matches", Matches, CostRule::kMatches, &kBoolType, 2, &kStringType, &kStringType),
    Member("matches", Matches, CostRule::kMatches, &kBoolType, 2, &kStringType, &kStringType),
    Member("find", Find, CostRule::kFind, &kStringType, 2, &kStringType, &kStringType),
    Member("findAll", FindAll, CostRule::kFind, &kListOfString, 2, &kStringType, &kStringType),
    Member("findAll", FindAll, CostRule::kFind, &kListOfString, 3, &kStringType, &kStringType, &kIntType),
};

}  // namespace

std::span<const Overload> RegexOverloads() {
  return kOverloads;
}

tl::expected<std::shared_ptr<const re2::RE2>, PatternError> CompilePattern(std::string_view pattern,
                                                                           std::int64_t& steps) {
  const auto too_large = [&steps, pattern] {
    steps = std::min<std::int64_t>(steps, -1);
    return tl::unexpected(PatternError{Mistake("expression too large", pattern), true});
  };
  if (steps < kStepsPerByte * static_cast<std::int64_t>(pattern.size())) return too_large();
  Translator translator(pattern);
  const tl::expected<std::string, std::string> translated = translator.Run();
  if (!translated) return tl::unexpected(PatternError{translated.error()});
  steps -= translator.steps();
  if (steps < 0) return too_large();
  const std::int64_t bytes = steps / kStepsPerInstruction * kBytesPerInstruction;
  auto compiled = std::make_shared<const re2::RE2>(Piece(*translated),
                                                   Options(std::clamp(bytes, kLeastPatternBytes, kMaxPatternBytes)));
  if (!compiled->ok()) {
    if (compiled->error_code() == re2::RE2::ErrorPatternTooLarge) return too_large();
    return tl::unexpected(PatternError{MistakeOf(*compiled, pattern)});
  }
  steps -= kStepsPerInstruction * compiled->ProgramSize();
  // With an end to find, RE2 may search from there; \B is found, not matched.
  const bool both_ways = translated->find('$') != std::string::npos || translated->find("\\z") != std::string::npos ||
                         translated->find("\\B") != std::string::npos;
  if (both_ways && !PrepareToFind(*compiled, steps)) return too_large();
  if (steps < 0) return too_large();
  return compiled;
}

bool PrepareToFind(const re2::RE2& pattern, std::int64_t& steps) {
  if (pattern.ProgramSize() < kSmallProgram) return true;
  steps -= kStepsPerInstruction * pattern.ProgramSize();
  if (steps >= 0) static_cast<void>(pattern.ReverseProgramSize());
  return steps >= 0;
}

Value MatchPattern(RunContext& run, const Value& text, const re2::RE2& pattern) {
  if (!IsText(text)) return NoSuchOverload();
  if (!Take(run, SearchSteps(pattern, text.size))) return NoSuchOverload();
  if (pattern.pattern().find("\\B") != std::string::npos) {
    return Value::Bool(Search(pattern, text.view(), 0).has_value());
  }
  return Value::Bool(pattern.Match(Piece(text.view()), 0, text.size, re2::RE2::UNANCHORED, nullptr, 0));
}

Value FindPattern(RunContext& run, const Value& text, const re2::RE2& pattern) {
  if (!IsText(text)) return NoSuchOverload();
  if (!Take(run, SearchSteps(pattern, text.size))) return NoSuchOverload();
  const std::optional<re2::StringPiece> match = Search(pattern, text.view(), 0);
  return match ? Value::String({match->data(), match->size()}) : Value::String("");
}

Value FindAllPattern(RunContext& run, const Value& text, const re2::RE2& pattern, std::int64_t limit) {
  if (!IsText(text)) return NoSuchOverload();
  if (!Take(run, SearchSteps(pattern, text.size))) return NoSuchOverload();
  const std::string_view all = text.view();
  std::vector<Value> found;
  std::size_t previous_end = std::string_view::npos;
  for (std::size_t at = 0; at <= all.size() && (limit < 0 || static_cast<std::int64_t>(found.size()) < limit);) {
    // A search may look at all that is left, however short the match.
    if (!Take(run, kStepsPerMatch + static_cast<std::int64_t>((all.size() - at) / 256))) break;
    const std::optional<re2::StringPiece> match = Search(pattern, all, at);
    if (!match) break;
    const std::size_t begin = static_cast<std::size_t>(match->data() - all.data());
    const std::size_t end = begin + match->size();
    // An empty match right behind the one before does not count.
    if (begin != end || begin != previous_end) found.push_back(Value::String(all.substr(begin, end - begin)));
    previous_end = end;
    at = end > at ? end : at + (at < all.size() ? CodePointLength(all, at) : 1);
  }
  Value* items = run.arena.Values(found.size());
  std::copy(found.begin(), found.end(), items);
  return Value::List(items, found.size());
}

}  // namespace kumiko::cel
