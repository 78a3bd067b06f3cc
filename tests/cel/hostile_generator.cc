#include "cel/hostile_generator.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <utility>

namespace kumiko::cel {
namespace {

// What gives a value of a type. $t stands for an expression of type t, $R for a pattern, $Z for a time zone, $N for a
// number, $L for a loop or, when there are enough, what it does; @t is a new variable of type t, known behind the ;.
struct Form {
  char type;
  std::string_view text;
};

// b bool, i int, d double, s string, y bytes, l list(int), t list(string), n list(list(int)), m map(int, int),
// k map(string, int), q quantity, v semver, a address, c block, u URL, z timestamp, r duration, o optional(int),
// p optional(list(int)), x type.
constexpr std::string_view kTypes = "bidsyltnmkqvacuzrop";

constexpr Form kForms[] = {
    {'b', "$i < $i"},
    {'b', "$s < $s"},
    {'b', "$s == $s"},
    {'b', "$y == $y"},
    {'b', "$l == $l"},
    {'b', "$t == $t"},
    {'b', "$n == $n"},
    {'b', "$m == $m"},
    {'b', "$k == $k"},
    {'b', "$o == $o"},
    {'b', "$q == $q"},
    {'b', "$v == $v"},
    {'b', "$u == $u"},
    {'b', "$d >= $d"},
    {'b', "$b && $b"},
    {'b', "$b || $b"},
    {'b', "!($b)"},
    {'b', "$b ? $b : $b"},
    {'b', "$i in $l"},
    {'b', "$s in $t"},
    {'b', "$l in $n"},
    {'b', "$i in $m"},
    {'b', "$s in $k"},
    {'b', "$s.contains($s)"},
    {'b', "$s.startsWith($s)"},
    {'b', "$s.endsWith($s)"},
    {'b', "$s.matches($R)"},
    {'b', "$s.matches($s)"},
    {'b', "sets.contains($l, $l)"},
    {'b', "sets.equivalent($t, $t)"},
    {'b', "sets.intersects($n, $n)"},
    {'b', "$l.isSorted()"},
    {'b', "$t.isSorted()"},
    {'b', "$n.includes($l)"},
    {'b', "isQuantity($s)"},
    {'b', "isSemver($s)"},
    {'b', "isIP($s)"},
    {'b', "isCIDR($s)"},
    {'b', "isURL($s)"},
    {'b', "$q.isGreaterThan($q)"},
    {'b', "$q.isInteger()"},
    {'b', "$v.isLessThan($v)"},
    {'b', "$c.containsIP($a)"},
    {'b', "$c.containsIP(string($a))"},
    {'b', "$c.containsCIDR($c)"},
    {'b', "$a.isGlobalUnicast()"},
    {'b', "$o.hasValue()"},
    {'b', "$p.hasValue()"},
    {'b', "$z < $z"},
    {'b', "$r < $r"},
    {'b', "format.dns1123Label().validate($s).hasValue()"},
    {'b', "format.uri().validate($s).hasValue()"},
    {'b', "format.datetime().validate($s).hasValue()"},
    {'b', "format.named($s).hasValue()"},
    {'b', "device.attributes == device.attributes"},
    {'b', "has(device.attributes[$s].model)"},
    {'b', "$l.all(@i, ;$b)"},
    {'b', "$l.exists(@i, ;$b)"},
    {'b', "$t.exists_one(@s, ;$b)"},
    {'b', "$n.all(@l, ;$b || true)"},
    {'b', "$t.all(@i, @s, ;$b || true)"},
    {'b', "$m.exists(@i, @i, ;$b && false)"},
    {'b', "$k.all(@s, ;$b || true)"},
    {'i', "$i + $i"},
    {'i', "$i * $i % $N"},
    {'i', "$s.size()"},
    {'i', "$y.size()"},
    {'i', "$l.size()"},
    {'i', "$t.size()"},
    {'i', "$n.size()"},
    {'i', "$m.size()"},
    {'i', "$k.size()"},
    {'i', "$l[$N]"},
    {'i', "$m[$i]"},
    {'i', "$k[$s]"},
    {'i', "$l.sum()"},
    {'i', "$l.max()"},
    {'i', "$l.indexOf($i)"},
    {'i', "$t.lastIndexOf($s)"},
    {'i', "$n.indexOf($l)"},
    {'i', "$s.indexOf($s)"},
    {'i', "$s.lastIndexOf($s)"},
    {'i', "int($d)"},
    {'i', "int($s)"},
    {'i', "int($z)"},
    {'i', "$b ? $i : $i"},
    {'i', "$o.orValue($i)"},
    {'i', "$l[?$N].orValue($i)"},
    {'i', "$q.asInteger()"},
    {'i', "$q.compareTo($q)"},
    {'i', "$v.compareTo($v)"},
    {'i', "$v.minor()"},
    {'i', "$a.family()"},
    {'i', "$c.prefixLength()"},
    {'i', "$z.getFullYear($Z)"},
    {'i', "$z.getHours($Z)"},
    {'i', "$z.getDayOfYear()"},
    {'i', "$r.getSeconds()"},
    {'i', "cel.bind(@l, $l, ;$i)"},
    {'d', "$d / $d"},
    {'d', "double($i)"},
    {'d', "double($s)"},
    {'d', "$q.asApproximateFloat()"},
    {'s', "$s + $s"},
    {'s', "string($i)"},
    {'s', "string($d)"},
    {'s', "string($z)"},
    {'s', "string($r)"},
    {'s', "string($y)"},
    {'s', "string($a)"},
    {'s', "string($c)"},
    {'s', "$s.replace($s, $s)"},
    {'s', "$s.replace($s, $s, $N)"},
    {'s', "$s.substring($N)"},
    {'s', "$s.charAt($N)"},
    {'s', "$s.lowerAscii()"},
    {'s', "$s.upperAscii()"},
    {'s', "$s.trim()"},
    {'s', "$t.join($s)"},
    {'s', "$t.join()"},
    {'s', "$t.max()"},
    {'s', "strings.quote($s)"},
    {'s', "\"%s %d\".format([$s, $i])"},
    {'s', "\"%s\".format([$l])"},
    {'s', "\"%s\".format([$m])"},
    {'s', "\"%s\".format([$n])"},
    {'s', "\"%x %X\".format([$s, $y])"},
    {'s', "\"%.200f %e %b %o\".format([$d, $d, $i, $i])"},
    {'s', "$s.format([$s])"},
    {'s', "$s.find($R)"},
    {'s', "$s.find($s)"},
    {'s', "$u.getHost()"},
    {'s', "$u.getEscapedPath()"},
    {'s', "$b ? $s : $s"},
    {'s', "$t[$N]"},
    {'s', "device.attributes[$s].model"},
    {'y', "bytes($s)"},
    {'y', "$y + $y"},
    {'l', "$l + $l"},
    {'l', "[$i, $i, $i]"},
    {'l', "lists.range($i)"},
    {'l', "$l.sort()"},
    {'l', "$l.distinct()"},
    {'l', "$l.reverse()"},
    {'l', "$l.slice(0, $N)"},
    {'l', "$n.flatten()"},
    {'l', "$l.sortBy(@i, ;$s)"},
    {'l', "$l.sortBy(@i, ;$i)"},
    {'l', "$l.map(@i, ;$i)"},
    {'l', "$l.filter(@i, ;$b)"},
    {'l', "$l.map(@i, ;$b, $i)"},
    {'l', "$t.map(@s, ;$i)"},
    {'l', "$l.transformList(@i, @i, ;$i)"},
    {'l', "$m.map(@i, ;$i)"},
    {'l', "$p.orValue($l)"},
    {'l', "[?$o, ?$o]"},
    {'t', "[$s, $s]"},
    {'t', "$t + $t"},
    {'t', "$s.split($s)"},
    {'t', "$s.split(\"\")"},
    {'t', "$s.findAll($R)"},
    {'t', "$s.findAll($s, $N)"},
    {'t', "$t.sort()"},
    {'t', "$t.distinct()"},
    {'t', "$t.reverse()"},
    {'t', "$t.filter(@s, ;$b)"},
    {'t', "$l.map(@i, ;$s)"},
    {'t', "$t.map(@s, ;$s)"},
    {'t', "$t.sortBy(@s, ;$i)"},
    {'t', "$u.getQuery().map(@s, ;$s)"},
    {'t', "$t.transformList(@i, @s, ;$s)"},
    {'n', "[$l, $l]"},
    {'n', "$n + $n"},
    {'n', "$l.map(@i, ;$l)"},
    {'n', "$n.distinct()"},
    {'n', "$n.map(@l, ;$l)"},
    {'n', "$n.filter(@l, ;$b)"},
    {'n', "$n.sortBy(@l, ;$i)"},
    {'n', "[$n, $n].flatten()"},
    {'m', "{$i: $i, $i: $i}"},
    {'m', "$l.transformMap(@i, @i, ;$i)"},
    {'m', "$m.transformMap(@i, @i, ;$i)"},
    {'m', "$l.transformMapEntry(@i, @i, ;{$i: $i})"},
    {'k', "{$s: $i, $s: $i}"},
    {'k', "$k.transformMap(@s, @i, ;$i)"},
    {'k', "$t.transformMapEntry(@i, @s, ;{$s: $i})"},
    {'q', "quantity($s)"},
    {'q', "quantity(string($i) + \"Mi\")"},
    {'q', "$q.add($q)"},
    {'q', "$q.sub($i)"},
    {'v', "semver($s)"},
    {'v', "semver(string($i) + \".0.1-\" + $s)"},
    {'a', "ip($s)"},
    {'a', "ip(\"10.0.0.\" + string($i % 256))"},
    {'a', "$c.ip()"},
    {'c', "cidr($s)"},
    {'c', "cidr(\"10.0.0.0/\" + string($i % 32))"},
    {'c', "$c.masked()"},
    {'u', "url($s)"},
    {'u', "url(\"http://a/\" + $s)"},
    {'u', "url(\"http://a/?a=\" + $s)"},
    {'z', "timestamp($i)"},
    {'z', "timestamp($s)"},
    {'z', "$z + $r"},
    {'r', "duration($s)"},
    {'r', "duration(string($i) + \"ms\")"},
    {'r', "$z - $z"},
    {'r', "$r + $r"},
    {'o', "optional.of($i)"},
    {'o', "$l[?$N]"},
    {'o', "$m[?$i]"},
    {'o', "$o.or($o)"},
    {'o', "$o.optMap(@i, ;$i)"},
    {'o', "$o.optFlatMap(@i, ;$o)"},
    {'o', "$l.first()"},
    {'o', "$l.last()"},
    {'p', "optional.of($l)"},
    {'p', "$n[?$N]"},
    {'p', "optional.ofNonZeroValue($l)"},
    {'p', "$p.optMap(@l, ;$l)"},
};

// Loops that do not end early.
constexpr std::string_view kLoops[] = {
    "$l.all(@i, ;$L || true)",
    "$l.exists(@i, ;$L && false)",
    "$t.all(@s, ;$L || true)",
    "$n.all(@l, ;$L || true)",
    "$m.all(@i, ;$L || true)",
    "$l.all(@i, @i, ;$L || true)",
    "$m.all(@i, @i, ;$L || true)",
    "$k.exists(@s, @i, ;$L && false)",
    "$l.filter(@i, ;$L).size() == 1",
    "$l.map(@i, ;$L).size() == 1",
    "$t.transformList(@i, @s, ;$L).size() == 1",
    "$l.transformMap(@i, @i, ;$L).size() == 1",
    "$l.exists_one(@i, ;$L)",
    "$t.existsOne(@i, @s, ;$L)",
    "$l.sortBy(@i, ;$L).size() == 1",
};

constexpr std::string_view kPieces[] = {
    "a",     "ab",     "abc",        "9",        "0",
    "1.",    "a=b&",   "%20",        "1h",       "0:",
    "a.",    "/",      " ",          "\xc3\xa9", "\xf0\x9f\x98\x80",
    "aaaaB", "a-b",    "0123456789", "%s",       "%.9f",
    "(",     "(a|b)*", "[a-z]",      "\\u0041",  "\\\\",
    ".*",    "a{9}",
};

constexpr std::string_view kZones[] = {
    "\"America/New_York\"", "\"Asia/Kolkata\"", "\"+05:30\"", "\"UTC\"", "\"Australia/Lord_Howe\"", "$s"};

std::string Repeated(std::string_view piece, std::size_t bytes) {
  std::string text;
  while (text.size() < bytes) text += piece;
  return text;
}

}  // namespace

HostileGenerator::HostileGenerator(std::uint64_t seed, std::size_t max_bytes) : random_(seed), max_bytes_(max_bytes) {}

HostileExpression HostileGenerator::Next() {
  for (;;) {
    written_ = 0;
    names_ = 0;
    scope_.clear();
    const std::size_t kind = Below(10);
    HostileExpression made;
    made.name = kind < 6 ? "loops" : kind < 7 ? "chain" : kind < 9 ? "row" : "nest";
    made.text = kind < 6 ? Loops() : kind < 7 ? Chain() : kind < 9 ? Row() : Nest();
    if (made.text.size() <= max_bytes_) return made;
  }
}

std::size_t HostileGenerator::Size(std::size_t limit) {
  const double part = static_cast<double>(Below(1'000'001)) / 1e6;
  return static_cast<std::size_t>(std::exp(part * std::log(static_cast<double>(std::max<std::size_t>(limit, 1)))));
}

std::string HostileGenerator::Fill(std::string_view form, int depth) {
  const std::size_t known = scope_.size();
  std::vector<Variable> introduced;
  std::string text;
  for (std::size_t i = 0; i < form.size(); ++i) {
    if (form[i] == '$') {
      text += Part(form[++i], depth);
    } else if (form[i] == '@') {
      introduced.push_back({form[++i], fmt::format("v{}", names_++)});
      text += introduced.back().name;
    } else if (form[i] == ';') {
      scope_.insert(scope_.end(), introduced.begin(), introduced.end());
    } else {
      text += form[i];
    }
  }
  scope_.resize(known);
  return text;
}

std::string HostileGenerator::Part(char name, int depth) {
  switch (name) {
    case 'R':
      return "\"" + Pattern(3) + "\"";
    case 'Z':
      return Fill(kZones[Below(std::size(kZones))], depth);
    case 'N':
      return Number();
    case 'L':
      if (loops_ == 0) return Of('b', 1 + static_cast<int>(Below(4)));
      --loops_;
      return Fill(kLoops[Below(std::size(kLoops))], static_cast<int>(Below(2)));
    default:
      return Of(name, depth);
  }
}

std::string HostileGenerator::Of(char type, int depth) {
  std::vector<const Variable*> known;
  for (const Variable& it : scope_) {
    if (it.type == type) known.push_back(&it);
  }
  if (!known.empty() && Chance(depth > 0 ? 50 : 90)) return known[Below(known.size())]->name;
  if (depth <= 0 || Room() < 200) return Leaf(type);
  std::vector<std::string_view> forms;
  for (const Form& it : kForms) {
    if (it.type == type) forms.push_back(it.text);
  }
  std::string text = Fill(forms[Below(forms.size())], depth - 1);
  written_ += 4;
  return "(" + text + ")";
}

std::string HostileGenerator::Number() {
  return std::to_string(Chance(80) ? Size(1'000) : Size(1'000'000) * (Chance(10) ? 1'000'000'000 : 1));
}

std::string HostileGenerator::RepeatedLiteral(std::string_view before, std::string_view after) {
  std::string text = "\"";
  text += before;
  text += Text(Size(std::max<std::size_t>(Room() / 2, 8)));
  text += after;
  text += "\"";
  written_ += text.size();
  return text;
}

std::string HostileGenerator::Text(std::size_t bytes) {
  if (Chance(20)) {
    std::string text;
    for (std::size_t i = 0; i < bytes; ++i) text += static_cast<char>('a' + Below(Chance(50) ? 2 : 26));
    return text;
  }
  return Repeated(kPieces[Below(std::size(kPieces))], bytes);
}

std::string HostileGenerator::Leaf(char type) {
  written_ += 10;
  switch (type) {
    case 'b':
      return Chance(50) ? "true" : "false";
    case 'i':
      return Number();
    case 'd':
      return fmt::format("{}.{}e{}", Size(1'000), Below(10), Chance(80) ? Below(10) : Below(300));
    case 's':
      return Chance(70) ? "\"" + Text(Size(12)) + "\"" : RepeatedLiteral("", "");
    case 'y':
      return Chance(50) ? "b'abc'" : "bytes(" + RepeatedLiteral("", "") + ")";
    case 'l':
      return Chance(60) ? fmt::format("lists.range({})", Number()) : "[3, 1, 2, 2]";
    case 't':
      return Chance(50) ? "[\"b\", \"a\", \"b\"]" : "lists.range(" + Number() + ").map(w, string(w))";
    case 'n':
      return Chance(50) ? "[[1, 2], [1, 2], []]" : "lists.range(" + Number() + ").map(w, [w, w % 7])";
    case 'm':
      return Chance(50) ? "{1: 2, 2: 3}" : "lists.range(" + Number() + ").transformMap(w, e, e % 9)";
    case 'k':
      return "{\"a\": 1, \"bb\": 2}";
    case 'q':
      return Chance(70) ? "quantity(\"1.5Gi\")" : "quantity(\"" + Repeated("9", Size(Room() / 4 + 8)) + "e9\")";
    case 'v':
      return Chance(70) ? "semver(\"1.2.3-a.1\")" : "semver(\"1.2.3-" + Repeated("a.", Size(Room() / 4 + 8)) + "b\")";
    case 'a':
      return Chance(50) ? "ip(\"10.0.0.1\")" : "ip(\"2001:db8::1\")";
    case 'c':
      return Chance(50) ? "cidr(\"10.0.0.0/8\")" : "cidr(\"2001:db8::/32\")";
    case 'u':
      return "url(" + RepeatedLiteral(Chance(50) ? "http://a/" : "http://a/?a=b&", "") + ")";
    case 'z':
      return Chance(50) ? "timestamp(\"2024-01-01T00:00:00Z\")" : "timestamp(" + Number() + ")";
    case 'r':
      return Chance(70) ? "duration(\"1h2m3s\")" : "duration(\"" + Repeated("1h", Size(Room() / 4 + 8)) + "\")";
    case 'o':
      return Chance(50) ? "optional.of(1)" : "optional.none()";
    default:
      return "optional.of([1, 2])";
  }
}

// Made of what RE2 and Go both take; most are dear in some way.
std::string HostileGenerator::Pattern(int depth) {
  static constexpr std::string_view kAtoms[] = {"a",        "b", ".", "[a-z]", "\\\\w", "\\\\pL",
                                                "(?i:abc)", "^", "$", "\\\\b", "[^x]",  "\xc3\xa9"};
  if (depth == 0) return std::string(kAtoms[Below(std::size(kAtoms))]);
  switch (Below(7)) {
    case 0:
      return "(" + Pattern(depth - 1) + ")*";
    case 1:
      return "(" + Pattern(depth - 1) + "){" + std::to_string(Size(60)) + "}";
    case 2:
      return "(" + Pattern(depth - 1) + "){0," + std::to_string(Size(60)) + "}";
    case 3:
      return "(" + Pattern(depth - 1) + "|" + Pattern(depth - 1) + ")";
    case 4:
      return Pattern(depth - 1) + "+" + Pattern(depth - 1);
    case 5:
      return Pattern(depth - 1) + ".*" + Pattern(depth - 1);
    default: {
      const std::string part = Pattern(depth - 1);
      const std::string text = Repeated(part, Size(Room() / 3 + 8));
      written_ += text.size();
      return text;
    }
  }
}

// Something large for what it takes to write.
std::string HostileGenerator::Grown(char type) {
  const auto range = [this] { return fmt::format("lists.range({})", Size(1'000'000)); };
  switch (type) {
    case 's':
      switch (Below(5)) {
        case 0: {
          std::string text = "g";
          for (std::size_t n = Size(25); n > 0; --n) text = "cel.bind(g, g + g, " + text + ")";
          return "cel.bind(g, " + Leaf('s') + ", " + text + ")";
        }
        case 1:
          return range() + ".map(w, " + Leaf('s') + ").join(" + Leaf('s') + ")";
        case 2:
          return Leaf('s') + ".replace(\"\", " + Leaf('s') + ")";
        default:
          return RepeatedLiteral("", "");
      }
    case 'l':
      switch (Below(4)) {
        case 0:
          return range();
        case 1:
          return range() + ".map(w, w * 7919 % " + std::to_string(1 + Size(10'000)) + ")";
        case 2: {
          std::string text = "[";
          for (std::size_t n = Size(Room() / 10 + 1); n > 0; --n) text += Number() + ", ";
          written_ += text.size();
          return text + "1]";
        }
        default:
          return range() + ".reverse()";
      }
    case 't':
      switch (Below(4)) {
        case 0:
          return range() + ".map(w, string(w))";
        case 1:
          return "cel.bind(e, " + Grown('s') + ", " + range() + ".map(w, e))";
        case 2:
          return Grown('s') + ".split(\"\")";
        default:
          return Grown('s') + ".findAll(\"" + Pattern(1) + "\")";
      }
    case 'n':
      return Chance(50) ? range() + ".map(w, [w, w])" : "cel.bind(e, " + range() + ", " + range() + ".map(w, e))";
    case 'm':
      return range() + ".transformMap(w, e, e)";
    case 'k':
      return Chance(50) ? range() + ".transformMapEntry(w, e, {string(e): w})"
                        : "{" + Grown('s') + ": 1, " + Grown('s') + ": 2}";
    case 'q':
      return "quantity(\"" + Repeated("9", Size(Room() / 2 + 1)) + "e" + std::to_string(Below(9'999)) + "\")";
    case 'v':
      return "semver(\"1.2.3-" + Repeated(Chance(50) ? "a." : "1.", Size(Room() / 2 + 1)) + "b\")";
    case 'u':
      return Chance(50) ? Leaf('u') : "url(\"http://a/?\" + " + Grown('s') + ")";
    case 'y':
      return "bytes(" + Grown('s') + ")";
    default:
      return Leaf(type);
  }
}

// Some large values, and loops over them around a random condition.
std::string HostileGenerator::Loops() {
  std::string before;
  std::string after;
  for (std::size_t n = 1 + Below(4); n > 0; --n) {
    const char type = std::string_view("sssltnmkqvuy")[Below(12)];
    std::string value = Grown(type);
    // The compiler must not work out what is done with the constant.
    if (Chance(60)) value = "[" + value + "].filter(w, true)[0]";
    const std::string name = fmt::format("v{}", names_++);
    before += "cel.bind(" + name + ", " + value + ", ";
    after += ")";
    scope_.push_back({type, name});
  }
  written_ = before.size();
  loops_ = Below(4);
  return before + Part('L', 0) + after;
}

std::string HostileGenerator::Chain() {
  const char type = kTypes[1 + Below(kTypes.size() - 1)];
  std::string start = Chance(50) ? Grown(type) : Leaf(type);
  const std::string name = "v";
  scope_.push_back({type, name});
  names_ = 1;
  written_ = start.size();
  const std::string step = Of(type, 1 + static_cast<int>(Below(2)));
  const std::string last = Of('b', 2);
  std::string before = "cel.bind(v, " + start + ", ";
  std::string after = ")";
  const std::size_t each = step.size() + 14;
  const std::size_t room =
      max_bytes_ > start.size() + last.size() + 20 ? max_bytes_ - start.size() - last.size() - 20 : 0;
  for (std::size_t n = std::min<std::size_t>(1 + Size(120), room / each); n > 0; --n) {
    before += "cel.bind(v, " + step + ", ";
    after += ")";
  }
  return before + last + after;
}

// A long row of the same, or of alike.
std::string HostileGenerator::Row() {
  const char type = kTypes[Below(kTypes.size())];
  const bool same = Chance(30);
  const std::size_t wanted = Size(max_bytes_ - 100);
  std::vector<std::string> items;
  std::size_t bytes = 0;
  while (bytes < wanted) {
    written_ = max_bytes_ - 300;  // short ones
    std::string item = same && !items.empty() ? items.front() : Of(type, 1 + static_cast<int>(Below(3)));
    bytes += item.size() + 4;
    if (bytes > max_bytes_ - 50) break;
    items.push_back(std::move(item));
  }
  if (items.empty()) items.push_back(Leaf(type));
  const bool logic = type == 'b' && Chance(70);
  const std::string_view between = logic ? (Chance(50) ? " && " : " || ") : ", ";
  std::string text;
  for (std::size_t i = 0; i < items.size(); ++i) text += (i > 0 ? std::string(between) : "") + items[i];
  return logic ? text : "[" + text + "].size() == 1";
}

// One form inside itself, as deep as it goes.
std::string HostileGenerator::Nest() {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 16> kAround = {{
      {"[", "]"},
      {"{1: ", "}"},
      {"{\"a\": ", ", \"b\": 1}"},
      {"optional.of(", ")"},
      {"optional.of(", ").optMap(o, {o: o})"},
      {"[1].map(x, ", ")"},
      {"[1, 2].map(x, ", ")"},
      {"cel.bind(v, ", ", [v, v])"},
      {"cel.bind(v, ", ", {1: v, 2: v})"},
      {"[[1], [2]].sortBy(s, ", ".size())"},
      {"(true ? ", " : [])"},
      {"dyn(", ")"},
      {"type(", ")"},
      {"[", "].flatten()"},
      {"[", "].distinct()"},
      {"\"%s\".format([", "])"},
  }};
  const auto first = kAround[Below(kAround.size())];
  const auto second = kAround[Below(kAround.size())];
  const std::size_t each = first.first.size() + first.second.size() + second.first.size() + second.second.size();
  std::string before;
  std::string after;
  for (std::size_t n = std::min<std::size_t>(1 + Size(124), (max_bytes_ - 100) / each); n > 0; --n) {
    before += std::string(first.first) + std::string(second.first);
    after = std::string(second.second) + std::string(first.second) + after;
  }
  const std::string all = before + "[1]" + after;
  return Chance(50) && 2 * all.size() + 4 < max_bytes_ ? all + " == " + all : "[" + all + "].size() == 1";
}

}  // namespace kumiko::cel
