#include "cel/library/url.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <tl/expected.hpp>
#include <utility>
#include <vector>

#include "cel/library/ip.h"
#include "cel/library/quoted.h"
#include "cel/run_context.h"

namespace kumiko::cel {
namespace {

template <class T>
using Parsed = tl::expected<T, std::string>;

tl::unexpected<std::string> Refuse(std::string message) {
  return tl::make_unexpected(std::move(message));
}

// ---- Escapes. Each part of a URL has its own set of characters that stand for themselves.

enum class Part { kPath, kHost, kZone, kUser, kQuery, kFragment };

bool IsAlphanumeric(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

bool IsOneOf(char c, std::string_view set) {
  return set.find(c) != std::string_view::npos;
}

bool NeedsEscape(char c, Part part) {
  if (IsAlphanumeric(c) || IsOneOf(c, "-_.~")) return false;
  switch (part) {
    case Part::kPath:
      return !IsOneOf(c, "$&+,/:;=@");
    case Part::kHost:
    case Part::kZone:
      return !IsOneOf(c, "!$&'()*+,;=:[]<>\"");
    case Part::kUser:
      return !IsOneOf(c, "$&+,;=");
    case Part::kQuery:
      return true;
    case Part::kFragment:
      return !IsOneOf(c, "$&+,/:;=?@!()*");
  }
  return true;
}

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// What an escape of three characters must not stand for in this part.
bool IsForbiddenEscape(std::string_view escape, Part part) {
  if (escape == "%25") return false;
  const int high = HexDigit(escape[1]);
  if (part == Part::kHost) return high < 8;  // hosts escape only what is not ASCII
  const char c = static_cast<char>(high * 16 + HexDigit(escape[2]));
  return part == Part::kZone && c != ' ' && NeedsEscape(c, Part::kHost);
}

Parsed<std::string> Unescape(std::string_view text, Part part) {
  const bool in_host = part == Part::kHost || part == Part::kZone;
  std::string plain;
  plain.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '%') {
      const std::string_view escape = text.substr(i, 3);
      if (escape.size() < 3 || HexDigit(escape[1]) < 0 || HexDigit(escape[2]) < 0 || IsForbiddenEscape(escape, part)) {
        return Refuse("invalid URL escape " + Quoted(escape));
      }
      plain += static_cast<char>(HexDigit(escape[1]) * 16 + HexDigit(escape[2]));
      i += 2;
    } else if (in_host && static_cast<unsigned char>(c) < 0x80 && NeedsEscape(c, part)) {
      return Refuse("invalid character " + Quoted(text.substr(i, 1)) + " in host name");
    } else {
      plain += c == '+' && part == Part::kQuery ? ' ' : c;
    }
  }
  return plain;
}

std::string Escape(std::string_view text, Part part) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string escaped;
  for (const char c : text) {
    if (!NeedsEscape(c, part)) {
      escaped += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    escaped += '%';
    escaped += kHex[byte >> 4];
    escaped += kHex[byte & 15];
  }
  return escaped;
}

// Text that was written with its own choice of escapes, and what it stands for. The writing is kept where it is valid.
struct Escaped {
  std::string plain;
  std::string written;

  std::string Spelling(Part part) const {
    const bool kept = std::all_of(written.begin(), written.end(),
                                  [part](char c) { return IsOneOf(c, "!$&'()*+,;=:@[]%") || !NeedsEscape(c, part); });
    return kept ? written : Escape(plain, part);
  }
};

Parsed<Escaped> ReadEscaped(std::string_view text, Part part) {
  auto plain = Unescape(text, part);
  if (!plain) return Refuse(std::move(plain.error()));
  return Escaped{*std::move(plain), std::string(text)};
}

// ---- Parsing

// A request's target must be absolute; a reference may have an authority without a scheme.
enum class Reading { kRequest, kReference };

struct Parts {
  std::string scheme;
  std::string opaque;
  bool has_user = false;
  std::string user;  // escaped, with the password
  std::string host;
  bool omits_host = false;  // scheme:/path
  Escaped path;
  bool has_query_mark = false;
  std::string query;
  Escaped fragment;
};

struct SchemeAndRest {
  std::string_view scheme;
  std::string_view rest;
};

Parsed<SchemeAndRest> SplitScheme(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == ':') {
      if (i == 0) return Refuse("missing protocol scheme");
      return SchemeAndRest{text.substr(0, i), text.substr(i + 1)};
    }
    const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    const bool is_later = (c >= '0' && c <= '9') || IsOneOf(c, "+-.");
    if (!is_letter && (!is_later || i == 0)) break;
  }
  return SchemeAndRest{{}, text};
}

bool IsOptionalPort(std::string_view text) {
  return text.empty() ||
         (text[0] == ':' && std::all_of(text.begin() + 1, text.end(), [](char c) { return c >= '0' && c <= '9'; }));
}

std::string BadPort(std::string_view port) {
  return fmt::format("invalid port {} after host", Quoted(port));
}

Parsed<std::string> ReadBracketedHost(std::string_view host) {
  const std::size_t close = host.rfind(']');
  if (close == std::string_view::npos) return Refuse("missing ']' in host");
  const std::string_view port = host.substr(close + 1);
  if (!IsOptionalPort(port)) return Refuse(BadPort(port));
  const std::string_view name = host.substr(1, close - 1);
  const std::size_t zone = std::min(name.find("%25"), name.size());
  auto address = Unescape(name.substr(0, zone), Part::kHost);
  if (!address) return address;
  auto zone_text = Unescape(name.substr(zone), Part::kZone);
  if (!zone_text) return zone_text;
  *address += *zone_text;
  if (auto mistake = BracketedHostMistake(*address)) return Refuse(*std::move(mistake));
  return fmt::format("[{}]{}", *address, port);
}

Parsed<std::string> ReadHost(std::string_view scheme, std::string_view host) {
  const std::size_t bracket = host.rfind('[');
  if (bracket == 0) return ReadBracketedHost(host);
  if (bracket != std::string_view::npos) return Refuse("invalid IP-literal");
  // Only the web's schemes are strict about a second colon.
  const bool strict = scheme == "http" || scheme == "https";
  const std::size_t colon = strict ? host.find(':') : host.rfind(':');
  if (colon != std::string_view::npos && !IsOptionalPort(host.substr(colon))) {
    return Refuse(BadPort(host.substr(colon)));
  }
  return Unescape(host, Part::kHost);
}

// The canonical text of what stands before '@'.
Parsed<std::string> ReadUser(std::string_view text) {
  if (!std::all_of(text.begin(), text.end(),
                   [](char c) { return IsAlphanumeric(c) || IsOneOf(c, "-._:~!$&'()*+,;=%@"); })) {
    return Refuse("net/url: invalid userinfo");
  }
  const std::size_t colon = std::min(text.find(':'), text.size());
  auto name = Unescape(text.substr(0, colon), Part::kUser);
  if (!name) return name;
  std::string user = Escape(*name, Part::kUser);
  if (colon < text.size()) {
    auto password = Unescape(text.substr(colon + 1), Part::kUser);
    if (!password) return password;
    user += ":" + Escape(*password, Part::kUser);
  }
  return user;
}

Parsed<Parts> ReadAuthority(Parts parts, std::string_view authority) {
  const std::size_t at = authority.rfind('@');
  auto host = ReadHost(parts.scheme, at == std::string_view::npos ? authority : authority.substr(at + 1));
  if (!host) return Refuse(std::move(host.error()));
  parts.host = *std::move(host);
  if (at != std::string_view::npos) {
    auto user = ReadUser(authority.substr(0, at));
    if (!user) return Refuse(std::move(user.error()));
    parts.has_user = true;
    parts.user = *std::move(user);
  }
  return parts;
}

Parsed<Parts> ReadParts(std::string_view text, Reading reading) {
  if (std::any_of(text.begin(), text.end(), [](char c) { return (c >= '\0' && c < ' ') || c == '\x7f'; })) {
    return Refuse("net/url: invalid control character in URL");
  }
  const bool is_request = reading == Reading::kRequest;
  if (text.empty() && is_request) return Refuse("empty url");
  Parts parts;
  if (text == "*") {
    parts.path = {"*", "*"};
    return parts;
  }
  const auto split = SplitScheme(text);
  if (!split) return Refuse(split.error());
  parts.scheme = split->scheme;
  for (char& c : parts.scheme) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  std::string_view rest = split->rest;
  if (const std::size_t mark = rest.find('?'); mark != std::string_view::npos) {
    parts.query = rest.substr(mark + 1);
    parts.has_query_mark = parts.query.empty();
    rest = rest.substr(0, mark);
  }
  if (!rest.starts_with('/')) {
    if (!parts.scheme.empty()) {
      parts.opaque = rest;
      return parts;
    }
    if (is_request) return Refuse("invalid URI for request");
    if (rest.substr(0, rest.find('/')).find(':') != std::string_view::npos) {
      return Refuse("first path segment in URL cannot contain colon");
    }
  }
  const bool may_have_authority = !parts.scheme.empty() || (!is_request && !rest.starts_with("///"));
  if (may_have_authority && rest.starts_with("//")) {
    const std::size_t end = std::min(rest.find('/', 2), rest.size());
    auto with_authority = ReadAuthority(std::move(parts), rest.substr(2, end - 2));
    if (!with_authority) return with_authority;
    parts = *std::move(with_authority);
    rest = rest.substr(end);
  } else {
    parts.omits_host = !parts.scheme.empty() && rest.starts_with('/');
  }
  auto path = ReadEscaped(rest, Part::kPath);
  if (!path) return Refuse(std::move(path.error()));
  parts.path = *std::move(path);
  return parts;
}

std::string EscapedPath(const Parts& parts) {
  return parts.path.plain == "*" ? "*" : parts.path.Spelling(Part::kPath);
}

std::string Spell(const Parts& parts) {
  std::string text;
  if (!parts.scheme.empty()) text += parts.scheme + ":";
  if (!parts.opaque.empty()) {
    text += parts.opaque;
  } else {
    const bool has_authority = !parts.host.empty() || parts.has_user;
    if (has_authority || (!parts.scheme.empty() && !parts.omits_host && !parts.path.plain.empty())) text += "//";
    if (parts.has_user) text += parts.user + "@";
    text += Escape(parts.host, Part::kHost);
    text += EscapedPath(parts);
  }
  if (parts.has_query_mark || !parts.query.empty()) text += "?" + parts.query;
  if (!parts.fragment.plain.empty()) text += "#" + parts.fragment.Spelling(Part::kFragment);
  return text;
}

std::string Mistake(std::string_view text, std::string_view reason) {
  return fmt::format("parse {}: {}", Quoted(text), reason);
}

Parsed<Url> ReadUrl(std::string_view text) {
  if (auto mistake = UrlMistake(text)) return Refuse(*std::move(mistake));
  // A request's target has no fragment, so the check above took it for a part of what stands before; read again.
  const std::size_t hash = std::min(text.find('#'), text.size());
  auto parts = ReadParts(text.substr(0, hash), Reading::kReference);
  if (!parts) return Refuse(Mistake(text.substr(0, hash), parts.error()));
  if (hash + 1 < text.size()) {
    auto fragment = ReadEscaped(text.substr(hash + 1), Part::kFragment);
    if (!fragment) return Refuse(Mistake(text, fragment.error()));
    parts->fragment = *std::move(fragment);
  }
  return Url{parts->scheme, parts->host, EscapedPath(*parts), parts->query, Spell(*parts)};
}

// ---- Functions

struct HostAndPort {
  std::string_view host;
  std::string_view port;
};

HostAndPort SplitPort(std::string_view host) {
  HostAndPort split{host, {}};
  const std::size_t colon = host.rfind(':');
  if (colon != std::string_view::npos && IsOptionalPort(host.substr(colon))) {
    split = {host.substr(0, colon), host.substr(colon + 1)};
  }
  if (split.host.size() >= 2 && split.host.starts_with('[') && split.host.ends_with(']')) {
    split.host = split.host.substr(1, split.host.size() - 2);
  }
  return split;
}

Value MakeUrl(RunContext& run, std::span<const Value> args) {
  if (args[0].kind != ValueKind::kString) return NoSuchOverload();
  auto url = ReadUrl(args[0].view());
  if (!url) return run.arena.Error("URL parse error during conversion from string: " + url.error());
  return Value::Of(run.arena.Put(*std::move(url)));
}

Value IsUrl(RunContext& run, std::span<const Value> args) {
  if (args[0].kind != ValueKind::kString || !Take(run, 4 * static_cast<std::int64_t>(args[0].size))) {
    return NoSuchOverload();
  }
  return Value::Bool(ReadParts(args[0].view(), Reading::kRequest).has_value());
}

Value GetScheme(RunContext&, std::span<const Value> args) {
  return args[0].kind == ValueKind::kUrl ? Value::String(args[0].url->scheme) : NoSuchOverload();
}

Value GetHost(RunContext&, std::span<const Value> args) {
  return args[0].kind == ValueKind::kUrl ? Value::String(args[0].url->host) : NoSuchOverload();
}

Value GetHostname(RunContext&, std::span<const Value> args) {
  return args[0].kind == ValueKind::kUrl ? Value::String(SplitPort(args[0].url->host).host) : NoSuchOverload();
}

Value GetPort(RunContext&, std::span<const Value> args) {
  return args[0].kind == ValueKind::kUrl ? Value::String(SplitPort(args[0].url->host).port) : NoSuchOverload();
}

Value GetEscapedPath(RunContext&, std::span<const Value> args) {
  return args[0].kind == ValueKind::kUrl ? Value::String(args[0].url->escaped_path) : NoSuchOverload();
}

struct Parameter {
  std::string key;
  std::string value;
};

// Those that can be read; more than 10,000 are none at all.
std::vector<Parameter> ReadParameters(std::string_view query) {
  constexpr std::ptrdiff_t kMost = 10'000;
  std::vector<Parameter> parameters;
  if (std::count(query.begin(), query.end(), '&') >= kMost) return parameters;
  while (!query.empty()) {
    const std::size_t end = std::min(query.find('&'), query.size());
    const std::string_view pair = query.substr(0, end);
    query.remove_prefix(std::min(end + 1, query.size()));
    if (pair.empty() || pair.find(';') != std::string_view::npos) continue;
    const std::size_t sign = std::min(pair.find('='), pair.size());
    auto key = Unescape(pair.substr(0, sign), Part::kQuery);
    auto value = Unescape(pair.substr(std::min(sign + 1, pair.size())), Part::kQuery);
    if (key && value) parameters.push_back({*std::move(key), *std::move(value)});
  }
  return parameters;
}

constexpr std::int64_t kStepsPerParameter = 120;
constexpr std::int64_t kStepsPerQueryByte = 2;

Value GetQuery(RunContext& run, std::span<const Value> args) {
  if (args[0].kind != ValueKind::kUrl) return NoSuchOverload();
  const std::string& query = args[0].url->query;
  const auto count = std::count(query.begin(), query.end(), '&') + 1;
  if (!Take(run, kStepsPerParameter * count + kStepsPerQueryByte * static_cast<std::int64_t>(query.size()))) {
    return NoSuchOverload();
  }
  std::vector<Parameter> parameters = ReadParameters(query);
  std::stable_sort(parameters.begin(), parameters.end(),
                   [](const Parameter& a, const Parameter& b) { return a.key < b.key; });
  Value* values = run.arena.Values(parameters.size());
  Value* pairs = run.arena.Values(2 * parameters.size());
  std::size_t keys = 0;
  for (std::size_t i = 0; i < parameters.size(); ++keys) {
    const std::size_t first = i;
    for (; i < parameters.size() && parameters[i].key == parameters[first].key; ++i) {
      values[i] = Value::String(run.arena.Text(parameters[i].value));
    }
    pairs[2 * keys] = Value::String(run.arena.Text(parameters[first].key));
    pairs[2 * keys + 1] = Value::List(values + first, i - first);
  }
  return MakeMap(pairs, keys);
}

constexpr Type kQueryType{TypeKind::kMap, &kStringType, &kListOfString};

constexpr Overload kOverloads[] = {
    Global("url", MakeUrl, CostRule::kParseUrl, &kUrlType, 1, &kStringType),
    Global("isURL", IsUrl, CostRule::kUnit, &kBoolType, 1, &kStringType),
    Member("getScheme", GetScheme, CostRule::kAccessor, &kStringType, 1, &kUrlType),
    Member("getHost", GetHost, CostRule::kAccessor, &kStringType, 1, &kUrlType),
    Member("getHostname", GetHostname, CostRule::kAccessor, &kStringType, 1, &kUrlType),
    Member("getPort", GetPort, CostRule::kAccessor, &kStringType, 1, &kUrlType),
    Member("getEscapedPath", GetEscapedPath, CostRule::kAccessor, &kStringType, 1, &kUrlType),
    Member("getQuery", GetQuery, CostRule::kAccessor, &kQueryType, 1, &kUrlType),
};

}  // namespace

std::optional<std::string> UrlMistake(std::string_view text) {
  const auto parts = ReadParts(text, Reading::kRequest);
  if (parts) return std::nullopt;
  return Mistake(text, parts.error());
}

std::span<const Overload> UrlOverloads() {
  return kOverloads;
}

}  // namespace kumiko::cel
