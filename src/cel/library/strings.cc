#include "cel/library/strings.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cel/run_context.h"
#include "cel/utf8.h"

namespace kumiko::cel {
namespace {

// Text with its length in code points; positions are offsets as long as it is ASCII.
class Characters {
 public:
  explicit Characters(std::string_view text) : text_(text), ascii_(IsAscii(text)) {
    length_ = static_cast<std::int64_t>(ascii_ ? text.size() : ValidCodePointCount(text));
  }

  std::int64_t length() const { return length_; }
  // Needs 0 <= index <= length.
  std::size_t Offset(std::int64_t index) const {
    const auto position = static_cast<std::size_t>(index);
    return ascii_ ? position : ValidCodePointOffset(text_, position);
  }
  std::int64_t Index(std::size_t offset) const {
    return static_cast<std::int64_t>(ascii_ ? offset : ValidCodePointCount(text_.substr(0, offset)));
  }

 private:
  std::string_view text_;
  bool ascii_ = true;
  std::int64_t length_ = 0;
};

bool AreStrings(std::span<const Value> args) {
  return std::all_of(args.begin(), args.end(), [](const Value& arg) { return arg.kind == ValueKind::kString; });
}

constexpr std::int64_t kStepsPerMatch = 4;  // of replace, twice
constexpr std::int64_t kStepsPerPart = 20;  // of split
constexpr std::int64_t kStepsPerBlank = 24;

// As find() of string_view, but never slower than the texts are long; takes steps for places that begin like `part`.
std::size_t Find(std::int64_t& budget, std::string_view text, std::string_view part, std::size_t from) {
  constexpr std::int64_t kStepsPerPlace = 4;
  constexpr int kManyPlaces = 32;
  if (part.size() < 2) return text.find(part, from);
  int places = 0;
  while (from <= text.size() && text.size() - from >= part.size()) {
    if (part.size() > kManyPlaces && places++ == kManyPlaces) {
      budget -= kStepsPerPlace * static_cast<std::int64_t>(text.size() - from);
      if (budget < 0) break;
      const void* found = memmem(text.data() + from, text.size() - from, part.data(), part.size());
      return found == nullptr ? std::string_view::npos
                              : static_cast<std::size_t>(static_cast<const char*>(found) - text.data());
    }
    from = text.find(part.front(), from);
    budget -= kStepsPerPlace;
    if (from == std::string_view::npos || budget < 0) break;
    if (text.substr(from).starts_with(part)) return from;
    ++from;
  }
  return std::string_view::npos;
}

// As rfind(); takes steps for what it compares.
std::size_t FindLast(RunContext& run, std::string_view text, std::string_view part, std::size_t from) {
  if (part.size() > text.size()) return std::string_view::npos;
  for (std::size_t at = std::min(from, text.size() - part.size()); run.budget >= 0; --at) {
    std::size_t same = 0;
    while (same < part.size() && text[at + same] == part[same]) ++same;
    if (same == part.size()) return at;
    run.budget -= static_cast<std::int64_t>(same / 4);
    if (at == 0) break;
  }
  return std::string_view::npos;
}

Value OutOfRange(RunContext& run, std::int64_t index) {
  return run.arena.Error(fmt::format("index out of range: {}", index));
}

Value Contains(RunContext& run, std::span<const Value> args) {
  if (!AreStrings(args)) return NoSuchOverload();
  return Value::Bool(Find(run.budget, args[0].view(), args[1].view(), 0) != std::string_view::npos);
}

Value StartsWith(RunContext&, std::span<const Value> args) {
  return AreStrings(args) ? Value::Bool(args[0].view().starts_with(args[1].view())) : NoSuchOverload();
}

Value EndsWith(RunContext&, std::span<const Value> args) {
  return AreStrings(args) ? Value::Bool(args[0].view().ends_with(args[1].view())) : NoSuchOverload();
}

Value CharAt(RunContext& run, std::span<const Value> args) {
  if (args[0].kind != ValueKind::kString || args[1].kind != ValueKind::kInt) return NoSuchOverload();
  const std::string_view text = args[0].view();
  const Characters characters(text);
  const std::int64_t index = args[1].integer;
  if (index < 0 || index > characters.length()) return OutOfRange(run, index);
  if (index == characters.length()) return Value::String("");
  const std::size_t offset = characters.Offset(index);
  return Value::String(text.substr(offset, CodePointLength(text, offset)));
}

Value Substring(RunContext& run, std::span<const Value> args) {
  const Value& last = args[args.size() - 1];
  if (args[0].kind != ValueKind::kString || args[1].kind != ValueKind::kInt || last.kind != ValueKind::kInt) {
    return NoSuchOverload();
  }
  const std::string_view text = args[0].view();
  const Characters characters(text);
  const std::int64_t begin = args[1].integer;
  const std::int64_t end = args.size() == 3 ? last.integer : characters.length();
  if (args.size() == 3 && begin > end) {
    return run.arena.Error(fmt::format("invalid substring range. start: {}, end: {}", begin, end));
  }
  if (begin < 0 || begin > characters.length()) return OutOfRange(run, begin);
  if (end < 0 || end > characters.length()) return OutOfRange(run, end);
  const std::size_t from = characters.Offset(begin);
  return Value::String(text.substr(from, characters.Offset(end) - from));
}

// The arguments of indexOf and lastIndexOf; false when they are no strings, as for lists.
bool IsSearch(std::span<const Value> args) {
  return AreStrings(args.first(2)) && (args.size() == 2 || args[2].kind == ValueKind::kInt);
}

Value IndexOf(RunContext& run, std::span<const Value> args) {
  if (!IsSearch(args)) return NoSuchOverload();
  const std::int64_t start = args.size() == 3 ? args[2].integer : 0;
  if (start < 0) return OutOfRange(run, start);
  const std::string_view text = args[0].view();
  const Characters characters(text);
  if (args[1].size == 0) return Value::Int(std::min(start, characters.length()));
  if (start >= characters.length()) return Value::Int(-1);
  const std::size_t found = Find(run.budget, text, args[1].view(), characters.Offset(start));
  return Value::Int(found == std::string_view::npos ? -1 : characters.Index(found));
}

Value LastIndexOf(RunContext& run, std::span<const Value> args) {
  if (!IsSearch(args)) return NoSuchOverload();
  const std::string_view text = args[0].view();
  const Characters characters(text);
  const std::int64_t start = args.size() == 3 ? args[2].integer : characters.length();
  if (start < 0) return OutOfRange(run, start);
  if (args[1].size == 0) return Value::Int(std::min(start, characters.length()));
  if (args.size() == 3 && start >= characters.length()) return Value::Int(-1);
  const std::size_t found = FindLast(run, text, args[1].view(), characters.Offset(start));
  return Value::Int(found == std::string_view::npos ? -1 : characters.Index(found));
}

// In the specification a search cannot begin beyond the end.
template <NativeFunction search>
Value WithinText(RunContext& run, std::span<const Value> args) {
  if (IsSearch(args) && args[2].integer > Characters(args[0].view()).length()) return OutOfRange(run, args[2].integer);
  return search(run, args);
}

Value MapAscii(RunContext& run, const Value& text, char first, char last, int shift) {
  if (text.kind != ValueKind::kString) return NoSuchOverload();
  if (!Take(run, StepsForBytes(text.size))) return NoSuchOverload();
  char* mapped = run.arena.Chars(text.size);
  std::transform(text.text, text.text + text.size, mapped,
                 [=](char c) { return c >= first && c <= last ? static_cast<char>(c + shift) : c; });
  return Value::String({mapped, text.size});
}

Value LowerAscii(RunContext& run, std::span<const Value> args) {
  return MapAscii(run, args[0], 'A', 'Z', 'a' - 'A');
}
Value UpperAscii(RunContext& run, std::span<const Value> args) {
  return MapAscii(run, args[0], 'a', 'z', 'A' - 'a');
}

// Writes into room that was measured before.
class Writer {
 public:
  Writer(RunContext& run, std::size_t size) : begin_(run.arena.Chars(size)), next_(begin_) {}
  void Add(std::string_view text) {
    if (!text.empty()) std::memcpy(next_, text.data(), text.size());
    next_ += text.size();
  }
  void Add(char c) { *next_++ = c; }
  Value Written() const { return Value::String({begin_, static_cast<std::size_t>(next_ - begin_)}); }

 private:
  char* begin_;
  char* next_;
};

// Calls visit(offset) for the places of `part` in `text`, at most `limit` (below zero: all), until it returns false. An
// empty part stands before every code point and at the end.
template <class Visit>
void ForEachPlace(std::int64_t& budget, std::string_view text, std::string_view part, std::int64_t limit, Visit visit) {
  std::size_t at = 0;
  for (std::int64_t left = limit; left != 0; --left) {
    const std::size_t found = part.empty() ? at : Find(budget, text, part, at);
    if (found == std::string_view::npos || !visit(found)) return;
    if (part.empty() && found == text.size()) return;
    at = found + (part.empty() ? CodePointLength(text, found) : part.size());
  }
}

Value Replace(RunContext& run, std::span<const Value> args) {
  if (!AreStrings(args.first(3)) || (args.size() == 4 && args[3].kind != ValueKind::kInt)) return NoSuchOverload();
  const std::string_view text = args[0].view();
  const std::string_view from = args[1].view();
  const std::string_view to = args[2].view();
  const std::int64_t limit = args.size() == 4 ? args[3].integer : -1;
  const std::int64_t before = run.budget;
  std::size_t places = 0;
  ForEachPlace(run.budget, text, from, limit, [&](std::size_t) {
    ++places;
    return Take(run, kStepsPerMatch);
  });
  // Both passes are paid before the second, which must not end early.
  std::int64_t steps = before - run.budget;
  if (!Take(run, steps)) return NoSuchOverload();
  if (places == 0) return args[0];
  const std::size_t size = text.size() + places * to.size() - places * from.size();
  if (!Take(run, StepsForBytes(size))) return NoSuchOverload();
  Writer replaced(run, size);
  std::size_t copied = 0;
  ForEachPlace(steps, text, from, limit, [&](std::size_t found) {
    replaced.Add(text.substr(copied, found - copied));
    replaced.Add(to);
    copied = found + from.size();
    return true;
  });
  replaced.Add(text.substr(copied));
  return replaced.Written();
}

Value Split(RunContext& run, std::span<const Value> args) {
  if (!AreStrings(args.first(2)) || (args.size() == 3 && args[2].kind != ValueKind::kInt)) return NoSuchOverload();
  std::string_view rest = args[0].view();
  const std::string_view separator = args[1].view();
  const std::int64_t limit = args.size() == 3 ? args[2].integer : -1;
  if (limit == 0 || (separator.empty() && rest.empty())) return Value::List(run.arena.Values(0), 0);
  std::vector<Value> parts;
  while ((limit < 0 || static_cast<std::int64_t>(parts.size()) + 1 < limit) && run.budget >= 0) {
    // An empty separator stands between code points.
    const std::size_t end = separator.empty() ? CodePointLength(rest, 0) : Find(run.budget, rest, separator, 0);
    if (end == std::string_view::npos || (separator.empty() && end == rest.size())) break;
    parts.push_back(Value::String(rest.substr(0, end)));
    rest.remove_prefix(end + separator.size());
    run.budget -= kStepsPerPart;
  }
  parts.push_back(Value::String(rest));
  Value* items = run.arena.Values(parts.size());
  std::copy(parts.begin(), parts.end(), items);
  return Value::List(items, parts.size());
}

// White space of Unicode beyond ASCII.
constexpr std::string_view kWideBlanks[] = {"\u0085", "\u00A0", "\u1680", "\u2000", "\u2001", "\u2002", "\u2003",
                                            "\u2004", "\u2005", "\u2006", "\u2007", "\u2008", "\u2009", "\u200A",
                                            "\u2028", "\u2029", "\u202F", "\u205F", "\u3000"};

// Bytes of the blank that `text` begins (or ends) with; 0 when it does not.
std::size_t BlankAt(std::string_view text, bool at_end) {
  if (text.empty()) return 0;
  const char edge = at_end ? text.back() : text.front();
  if (static_cast<unsigned char>(edge) < 0x80) return edge == ' ' || (edge >= '\t' && edge <= '\r') ? 1 : 0;
  for (const std::string_view blank : kWideBlanks) {
    if (at_end ? text.ends_with(blank) : text.starts_with(blank)) return blank.size();
  }
  return 0;
}

Value Trim(RunContext& run, std::span<const Value> args) {
  if (args[0].kind != ValueKind::kString) return NoSuchOverload();
  std::string_view text = args[0].view();
  const auto blank_at = [&](bool at_end) { return Take(run, kStepsPerBlank) ? BlankAt(text, at_end) : 0; };
  for (std::size_t blank = 0; (blank = blank_at(false)) > 0;) text.remove_prefix(blank);
  for (std::size_t blank = 0; (blank = blank_at(true)) > 0;) text.remove_suffix(blank);
  return Value::String(text);
}

Value Join(RunContext& run, std::span<const Value> args) {
  const Value& list = args[0];
  if (list.kind != ValueKind::kList || !AreStrings(args.subspan(1))) return NoSuchOverload();
  // A list of unknown type is taken for what its first item is.
  if (list.size > 0 && list.items[0].kind != ValueKind::kString) return NoSuchOverload();
  const std::string_view separator = args.size() == 2 ? args[1].view() : std::string_view();
  constexpr std::int64_t kStepsPerItem = 3;
  std::size_t size = 0;
  for (const Value& item : list.list()) {
    if (item.kind != ValueKind::kString) return run.arena.Error("join: invalid input: " + Describe(item));
    size += item.size + separator.size();
    if (!Take(run, kStepsPerItem + StepsForBytes(item.size + separator.size()))) return NoSuchOverload();
  }
  Writer joined(run, size);
  for (std::size_t i = 0; i < list.size; ++i) {
    if (i > 0) joined.Add(separator);
    joined.Add(list.items[i].view());
  }
  return joined.Written();
}

Value Quote(RunContext& run, std::span<const Value> args) {
  static constexpr std::string_view kEscaped = "\a\b\f\n\r\t\v\\\"";
  static constexpr std::string_view kLetters = "abfnrtv\\\"";
  if (args[0].kind != ValueKind::kString) return NoSuchOverload();
  const std::string_view text = args[0].view();
  if (!Take(run, 2 * static_cast<std::int64_t>(text.size()))) return NoSuchOverload();
  const auto is_special = [](char c) { return c == '"' || c == '\\' || (c >= '\a' && c <= '\r'); };
  Writer quoted(run, 2 + text.size() + static_cast<std::size_t>(std::count_if(text.begin(), text.end(), is_special)));
  quoted.Add('"');
  for (const char c : text) {
    if (is_special(c)) {
      quoted.Add('\\');
      quoted.Add(kLetters[kEscaped.find(c)]);
    } else {
      quoted.Add(c);
    }
  }
  quoted.Add('"');
  return quoted.Written();
}

constexpr const Type* kString = &kStringType;
constexpr const Type* kInt = &kIntType;
constexpr const Type* kBool = &kBoolType;

constexpr Overload kOverloads[] = {
    Member("contains", Contains, CostRule::kContains, kBool, 2, kString, kString),
    Member("startsWith", StartsWith, CostRule::kScanSecond, kBool, 2, kString, kString),
    Member("endsWith", EndsWith, CostRule::kScanSecond, kBool, 2, kString, kString),
    Member("charAt", CharAt, CostRule::kUnit, kString, 2, kString, kInt),
    Member("indexOf", IndexOf, CostRule::kListScan, kInt, 2, kString, kString),
    Member("indexOf", IndexOf, CostRule::kListScan, kInt, 3, kString, kString, kInt),
    Member("lastIndexOf", LastIndexOf, CostRule::kListScan, kInt, 2, kString, kString),
    Member("lastIndexOf", LastIndexOf, CostRule::kListScan, kInt, 3, kString, kString, kInt),
    Member("lowerAscii", LowerAscii, CostRule::kTransformText, kString, 1, kString),
    Member("upperAscii", UpperAscii, CostRule::kTransformText, kString, 1, kString),
    Member("replace", Replace, CostRule::kReplace, kString, 3, kString, kString, kString),
    Member("replace", Replace, CostRule::kReplace, kString, 4, kString, kString, kString, kInt),
    Member("split", Split, CostRule::kSplit, &kListOfString, 2, kString, kString),
    Member("split", Split, CostRule::kSplit, &kListOfString, 3, kString, kString, kInt),
    Member("substring", Substring, CostRule::kTransformText, kString, 2, kString, kInt),
    Member("substring", Substring, CostRule::kTransformText, kString, 3, kString, kInt, kInt),
    Member("trim", Trim, CostRule::kTransformText, kString, 1, kString),
    Member("join", Join, CostRule::kJoin, kString, 1, &kListOfString),
    Member("join", Join, CostRule::kJoin, kString, 2, &kListOfString, kString),
    Global("strings.quote", Quote, CostRule::kQuote, kString, 1, kString),
};

constexpr auto kSpecification = [] {
  auto all = std::to_array(kOverloads);
  for (Overload& overload : all) {
    if (overload.arity != 3) continue;
    if (overload.call == IndexOf) overload.call = WithinText<IndexOf>;
    if (overload.call == LastIndexOf) overload.call = WithinText<LastIndexOf>;
  }
  return all;
}();

}  // namespace

std::span<const Overload> StringsOverloads(Dialect dialect) {
  if (dialect == Dialect::kSpecification) return kSpecification;
  return kOverloads;
}

}  // namespace kumiko::cel
