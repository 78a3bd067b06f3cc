// String functions; positions and lengths count code points.
#include <fmt/core.h>
#include <re2/re2.h>

#include <algorithm>

#include "cel/functions.h"
#include "cel/utf8.h"

namespace kumiko::cel {
namespace {

constexpr std::string_view kBlanks = " \t\n\v\f\r";

Value OutOfRange(RunContext& run, std::int64_t index) {
  return run.arena.Error(fmt::format("index out of range: {}", index));
}

std::int64_t Length(std::string_view text) {
  return static_cast<std::int64_t>(CodePointCount(text));
}
std::size_t Offset(std::string_view text, std::int64_t index) {
  return CodePointOffset(text, static_cast<std::size_t>(index));
}

Value CharAt(RunContext& run, std::string_view text, std::int64_t index) {
  if (index < 0 || index > Length(text)) return OutOfRange(run, index);
  const std::size_t offset = Offset(text, index);
  return Value::String(offset == text.size() ? "" : text.substr(offset, CodePointLength(text, offset)));
}

Value Substring(RunContext& run, std::string_view text, std::int64_t begin, std::optional<std::int64_t> end) {
  const std::int64_t length = Length(text);
  const std::int64_t last = end.value_or(length);
  if (end && begin > *end) {
    return run.arena.Error(fmt::format("invalid substring range. start: {}, end: {}", begin, *end));
  }
  if (begin < 0 || begin > length) return OutOfRange(run, begin);
  if (last < 0 || last > length) return OutOfRange(run, last);
  const std::size_t from = Offset(text, begin);
  return Value::String(text.substr(from, Offset(text, last) - from));
}

Value IndexOf(RunContext& run, std::string_view text, std::string_view part, std::int64_t start) {
  if (start < 0) return OutOfRange(run, start);
  const std::int64_t length = Length(text);
  if (part.empty()) return Value::Int(std::min(start, length));
  if (start >= length) return Value::Int(-1);
  const std::size_t found = text.find(part, Offset(text, start));
  return Value::Int(found == std::string_view::npos ? -1 : Length(text.substr(0, found)));
}

Value LastIndexOf(RunContext& run, std::string_view text, std::string_view part, std::optional<std::int64_t> start) {
  const std::int64_t length = Length(text);
  const std::int64_t from = start.value_or(length);
  if (from < 0) return OutOfRange(run, from);
  if (part.empty()) return Value::Int(std::min(from, length));
  if (start && from >= length) return Value::Int(-1);
  const std::size_t found = text.rfind(part, Offset(text, from));
  return Value::Int(found == std::string_view::npos ? -1 : Length(text.substr(0, found)));
}

Value IndexInList(RunContext& run, const Value& list, const Value& item, bool last) {
  for (std::size_t i = 0; i < list.size; ++i) {
    const std::size_t at = last ? list.size - 1 - i : i;
    const std::optional<bool> same = Equal(list.items[at], item, run.budget);
    if (same && *same) return Value::Int(static_cast<std::int64_t>(at));
  }
  return Value::Int(-1);
}

Value MapBytes(RunContext& run, std::string_view text, char first, char last, int shift) {
  std::string mapped(text);
  for (char& c : mapped) {
    if (c >= first && c <= last) c = static_cast<char>(c + shift);
  }
  return Value::String(run.arena.Text(std::move(mapped)));
}

Value Replace(RunContext& run, std::string_view text, std::string_view from, std::string_view to, std::int64_t limit) {
  std::string replaced;
  std::size_t at = 0;
  for (; limit != 0; --limit) {
    const std::size_t found = from.empty() ? at : text.find(from, at);
    if (found == std::string_view::npos) break;
    // An empty pattern stands before every code point and at the end.
    const std::size_t step = !from.empty() ? from.size() : at < text.size() ? CodePointLength(text, at) : 0;
    replaced += text.substr(at, found - at);
    replaced += to;
    run.budget -= static_cast<std::int64_t>(to.size() / 10) + 1;
    if (run.budget < 0) break;
    if (from.empty()) {
      replaced += text.substr(found, step);
      at = found + step;
      if (step == 0) return Value::String(run.arena.Text(std::move(replaced)));
    } else {
      at = found + step;
    }
  }
  replaced += text.substr(at);
  return Value::String(run.arena.Text(std::move(replaced)));
}

Value Split(RunContext& run, std::string_view text, std::string_view separator, std::int64_t limit) {
  std::vector<Value> parts;
  std::string_view rest = text;
  while (limit < 0 || static_cast<std::int64_t>(parts.size()) + 1 < limit) {
    if (separator.empty()) {
      if (rest.empty() || CodePointLength(rest, 0) == rest.size()) break;
      const std::size_t length = CodePointLength(rest, 0);
      parts.push_back(Value::String(rest.substr(0, length)));
      rest.remove_prefix(length);
      continue;
    }
    const std::size_t found = rest.find(separator);
    if (found == std::string_view::npos) break;
    parts.push_back(Value::String(rest.substr(0, found)));
    rest.remove_prefix(found + separator.size());
  }
  if (limit != 0 && !(separator.empty() && text.empty())) parts.push_back(Value::String(rest));
  run.budget -= static_cast<std::int64_t>(parts.size());
  Value* items = run.arena.Values(parts.size());
  std::copy(parts.begin(), parts.end(), items);
  return Value::List(items, parts.size());
}

Value Trim(std::string_view text) {
  // Besides ASCII blanks, the white space of Unicode that occurs in practice.
  static constexpr std::string_view kWide[] = {"\u0085", "\u00A0", "\u1680", "\u2000", "\u2001", "\u2002", "\u2003",
                                               "\u2004", "\u2005", "\u2006", "\u2007", "\u2008", "\u2009", "\u200A",
                                               "\u2028", "\u2029", "\u202F", "\u205F", "\u3000"};
  for (bool again = true; again;) {
    again = false;
    while (!text.empty() && kBlanks.find(text.front()) != std::string_view::npos) text.remove_prefix(1);
    while (!text.empty() && kBlanks.find(text.back()) != std::string_view::npos) text.remove_suffix(1);
    for (const std::string_view blank : kWide) {
      if (text.starts_with(blank)) {
        text.remove_prefix(blank.size());
        again = true;
      } else if (text.ends_with(blank)) {
        text.remove_suffix(blank.size());
        again = true;
      }
    }
  }
  return Value::String(text);
}

Value Join(RunContext& run, const Value& list, std::string_view separator) {
  std::string joined;
  for (std::size_t i = 0; i < list.size; ++i) {
    if (list.items[i].kind != ValueKind::kString) return NoSuchOverload();
    if (i > 0) joined += separator;
    joined += list.items[i].view();
    run.budget -= static_cast<std::int64_t>((separator.size() + list.items[i].size) / 10) + 1;
    if (run.budget < 0) break;
  }
  return Value::String(run.arena.Text(std::move(joined)));
}

Value Matches(RunContext& run, std::string_view text, std::string_view pattern) {
  RE2::Options options;
  options.set_log_errors(false);
  run.budget -= static_cast<std::int64_t>(pattern.size());
  const RE2 regex(re2::StringPiece(pattern.data(), pattern.size()), options);
  if (!regex.ok()) return run.arena.Error("error parsing regexp: " + regex.error());
  return Value::Bool(RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), regex));
}

bool AreStrings(std::span<const Value> args, std::size_t count) {
  return std::all_of(args.begin(), args.begin() + static_cast<std::ptrdiff_t>(count),
                     [](const Value& arg) { return arg.kind == ValueKind::kString; });
}

}  // namespace

Value CallStrings(RunContext& run, Function function, std::span<const Value> args) {
  // What walks over text is paid for by length.
  run.budget -= static_cast<std::int64_t>(args[0].size / 10);
  if (args[0].kind == ValueKind::kList) {
    if (function == Function::kJoin && (args.size() == 1 || args[1].kind == ValueKind::kString)) {
      return Join(run, args[0], args.size() == 1 ? std::string_view() : args[1].view());
    }
    if (args.size() == 2 && (function == Function::kIndexOf || function == Function::kLastIndexOf)) {
      return IndexInList(run, args[0], args[1], function == Function::kLastIndexOf);
    }
    return NoSuchOverload();
  }
  if (args[0].kind != ValueKind::kString) return NoSuchOverload();
  const std::string_view text = args[0].view();
  if (function == Function::kLowerAscii) return MapBytes(run, text, 'A', 'Z', 'a' - 'A');
  if (function == Function::kUpperAscii) return MapBytes(run, text, 'a', 'z', 'A' - 'a');
  if (function == Function::kTrim) return Trim(text);

  const Value& last = args[args.size() - 1];
  if (function == Function::kCharAt || function == Function::kSubstring) {
    if (args[1].kind != ValueKind::kInt || last.kind != ValueKind::kInt) return NoSuchOverload();
    if (function == Function::kCharAt) return CharAt(run, text, args[1].integer);
    return Substring(run, text, args[1].integer, args.size() == 3 ? std::optional(args[2].integer) : std::nullopt);
  }

  if (!AreStrings(args, 2)) return NoSuchOverload();
  const std::string_view other = args[1].view();
  if (function == Function::kContains) return Value::Bool(text.find(other) != std::string_view::npos);
  if (function == Function::kStartsWith) return Value::Bool(text.starts_with(other));
  if (function == Function::kEndsWith) return Value::Bool(text.ends_with(other));
  if (function == Function::kMatches) return Matches(run, text, other);
  if (function == Function::kReplace) {
    if (!AreStrings(args, 3) || (args.size() == 4 && last.kind != ValueKind::kInt)) return NoSuchOverload();
    return Replace(run, text, other, args[2].view(), args.size() == 4 ? last.integer : -1);
  }
  if (args.size() == 3 && last.kind != ValueKind::kInt) return NoSuchOverload();
  const std::optional<std::int64_t> number = args.size() == 3 ? std::optional(last.integer) : std::nullopt;
  if (function == Function::kSplit) return Split(run, text, other, number.value_or(-1));
  if (function == Function::kIndexOf) return IndexOf(run, text, other, number.value_or(0));
  if (function == Function::kLastIndexOf) return LastIndexOf(run, text, other, number);
  return NoSuchOverload();
}

}  // namespace kumiko::cel
