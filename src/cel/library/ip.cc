#include "cel/library/ip.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <string_view>
#include <tl/expected.hpp>
#include <utility>

#include "cel/library/quoted.h"
#include "cel/run_context.h"

namespace kumiko::cel {
namespace {

template <class T>
using Parsed = tl::expected<T, std::string>;

constexpr std::size_t kV6Bytes = 16;
constexpr std::size_t kV4Bytes = 4;

// ---- Parsing. What is refused, and the words for it, are those of netip.ParseAddr.

// One text under parsing; remembers the whole for messages.
class AddressParser {
 public:
  explicit AddressParser(std::string_view text) : text_(text) {}

  Parsed<IpAddress> Parse() {
    const std::size_t mark = text_.find_first_of(".:%");
    if (mark == std::string_view::npos) return Fail("unable to parse IP");
    if (text_[mark] == '%') return Fail("missing IPv6 address");
    return text_[mark] == '.' ? ParseV4() : ParseV6();
  }

 private:
  tl::unexpected<std::string> Fail(std::string_view reason, std::string_view at = {}) const {
    std::string message = fmt::format("ParseAddr({}): {}", Quoted(text_), reason);
    if (!at.empty()) message += fmt::format(" (at {})", Quoted(at));
    return tl::make_unexpected(std::move(message));
  }

  Parsed<IpAddress> ParseV4() const {
    IpAddress address;
    if (auto mistake = ReadV4(text_, address.bytes.data()); !mistake.empty()) {
      return tl::make_unexpected(std::move(mistake));
    }
    return address;
  }

  // Four numbers into `bytes`; the result is what is wrong.
  std::string ReadV4(std::string_view text, std::uint8_t* bytes) const {
    unsigned value = 0;
    std::size_t part = 0;
    std::size_t digits = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
      const char c = text[i];
      if (c >= '0' && c <= '9') {
        if (digits == 1 && value == 0) return Fail("IPv4 field has octet with leading zero").value();
        value = value * 10 + static_cast<unsigned>(c - '0');
        ++digits;
        if (value > 255) return Fail("IPv4 field has value >255").value();
      } else if (c == '.') {
        if (i == 0 || i + 1 == text.size() || text[i - 1] == '.') {
          return Fail("IPv4 field must have at least one digit", text.substr(i)).value();
        }
        if (part == 3) return Fail("IPv4 address too long").value();
        bytes[part++] = static_cast<std::uint8_t>(value);
        value = 0;
        digits = 0;
      } else {
        return Fail("unexpected character", text.substr(i)).value();
      }
    }
    if (part < 3) return Fail("IPv4 address too short").value();
    bytes[3] = static_cast<std::uint8_t>(value);
    return {};
  }

  Parsed<IpAddress> ParseV6() {
    IpAddress address{true, {}};
    std::string_view rest = text_;
    if (const std::size_t percent = rest.find('%'); percent != std::string_view::npos) {
      if (percent + 1 == rest.size()) return Fail("zone must be a non-empty string");
      rest = rest.substr(0, percent);
    }
    std::size_t filled = 0;
    std::size_t gap = std::string_view::npos;  // where "::" stands
    if (rest.starts_with("::")) {
      gap = 0;
      rest.remove_prefix(2);
      if (rest.empty()) return address;
    }
    while (filled < kV6Bytes) {
      unsigned group = 0;
      std::size_t digits = 0;
      for (; digits < rest.size() && HexDigit(rest[digits]) >= 0; ++digits) {
        if (digits > 3) return Fail("each group must have 4 or less digits", rest);
        group = group * 16 + static_cast<unsigned>(HexDigit(rest[digits]));
      }
      if (digits == 0) return Fail("each colon-separated field must have at least one digit", rest);
      if (digits < rest.size() && rest[digits] == '.') {
        if (gap == std::string_view::npos && filled != kV6Bytes - kV4Bytes) {
          return Fail("embedded IPv4 address must replace the final 2 fields of the address", rest);
        }
        if (filled + kV4Bytes > kV6Bytes) {
          return Fail("too many hex fields to fit an embedded IPv4 at the end of the address", rest);
        }
        if (auto mistake = ReadV4(rest, address.bytes.data() + filled); !mistake.empty()) {
          return tl::make_unexpected(std::move(mistake));
        }
        rest = {};
        filled += kV4Bytes;
        break;
      }
      address.bytes[filled++] = static_cast<std::uint8_t>(group >> 8);
      address.bytes[filled++] = static_cast<std::uint8_t>(group & 0xFF);
      rest.remove_prefix(digits);
      if (rest.empty()) break;
      if (rest[0] != ':') return Fail("unexpected character, want colon", rest);
      if (rest.size() == 1) return Fail("colon must be followed by more characters", rest);
      rest.remove_prefix(1);
      if (rest[0] == ':') {
        if (gap != std::string_view::npos) return Fail("multiple :: in address", rest);
        gap = filled;
        rest.remove_prefix(1);
        if (rest.empty()) break;
      }
    }
    if (!rest.empty()) return Fail("trailing garbage after address", rest);
    if (filled < kV6Bytes) {
      if (gap == std::string_view::npos) return Fail("address string too short");
      const auto begin = address.bytes.begin();
      const auto moved = std::move_backward(begin + static_cast<std::ptrdiff_t>(gap),
                                            begin + static_cast<std::ptrdiff_t>(filled), address.bytes.end());
      std::fill(begin + static_cast<std::ptrdiff_t>(gap), moved, std::uint8_t{0});
    } else if (gap != std::string_view::npos) {
      return Fail("the :: must expand to at least one field of zeros");
    }
    return address;
  }

  static int HexDigit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
  }

  std::string_view text_;
};

bool IsMappedV4(const IpAddress& address) {
  return address.v6 && std::all_of(address.bytes.begin(), address.bytes.begin() + 10, [](auto b) { return b == 0; }) &&
         address.bytes[10] == 0xFF && address.bytes[11] == 0xFF;
}

Parsed<IpAddress> ParseIp(std::string_view text) {
  auto address = AddressParser(text).Parse();
  if (!address) {
    return tl::make_unexpected(
        fmt::format("IP Address {} parse error during conversion from string: {}", Quoted(text), address.error()));
  }
  if (text.find('%') != std::string_view::npos) {
    return tl::make_unexpected(fmt::format("IP address {} with zone value is not allowed", Quoted(text)));
  }
  if (IsMappedV4(*address)) {
    return tl::make_unexpected(fmt::format("IPv4-mapped IPv6 address {} is not allowed", Quoted(text)));
  }
  return address;
}

Parsed<CidrBlock> ParseBlock(std::string_view text) {
  const auto fail = [text](std::string_view reason) {
    return tl::make_unexpected(fmt::format(
        "network address parse error during conversion from string: netip.ParsePrefix({}): {}", Quoted(text), reason));
  };
  const std::size_t slash = text.rfind('/');
  if (slash == std::string_view::npos) return fail("no '/'");
  const std::string_view address_text = text.substr(0, slash);
  const auto address = AddressParser(address_text).Parse();
  if (!address) return fail(address.error());
  if (address->v6 && address_text.find('%') != std::string_view::npos) {
    return fail("IPv6 zones cannot be present in a prefix");
  }
  const std::string_view digits = text.substr(slash + 1);
  const bool is_number =
      !digits.empty() && std::all_of(digits.begin(), digits.end(), [](char c) { return c >= '0' && c <= '9'; });
  std::int64_t length = 0;
  if (!is_number || (digits.size() > 1 && digits[0] == '0') ||
      std::from_chars(digits.data(), digits.data() + digits.size(), length).ec != std::errc()) {
    // A lone sign is no number either, but "-1" fails on its sign already.
    return fail("bad bits after slash: " + Quoted(digits));
  }
  if (length > (address->v6 ? 128 : 32)) return fail("prefix length out of range");
  if (IsMappedV4(*address)) {
    return tl::make_unexpected(fmt::format("IPv4-mapped IPv6 address {} is not allowed", Quoted(text)));
  }
  return CidrBlock{*address, static_cast<int>(length)};
}

Parsed<CidrBlock> ParseCidr(std::string_view text) {
  auto block = ParseBlock(text);
  if (!block) {
    return tl::make_unexpected("network address parse error during conversion from string: " + block.error());
  }
  return block;
}

// ---- Questions about addresses

bool AllZero(const IpAddress& address) {
  return std::all_of(address.bytes.begin(), address.bytes.end(), [](auto b) { return b == 0; });
}

bool IsUnspecified(const IpAddress& address) {
  return AllZero(address);
}

bool IsLoopback(const IpAddress& address) {
  if (!address.v6) return address.bytes[0] == 127;
  IpAddress loopback{true, {}};
  loopback.bytes.back() = 1;
  return address == loopback;
}

bool IsMulticast(const IpAddress& address) {
  return address.v6 ? address.bytes[0] == 0xFF : (address.bytes[0] & 0xF0) == 0xE0;
}

bool IsLinkLocalMulticast(const IpAddress& address) {
  const auto& bytes = address.bytes;
  if (!address.v6) return bytes[0] == 224 && bytes[1] == 0 && bytes[2] == 0;
  return bytes[0] == 0xFF && (bytes[1] & 0x0F) == 0x02;
}

bool IsLinkLocalUnicast(const IpAddress& address) {
  const auto& bytes = address.bytes;
  if (!address.v6) return bytes[0] == 169 && bytes[1] == 254;
  return bytes[0] == 0xFE && (bytes[1] & 0xC0) == 0x80;
}

// Private addresses count as global here.
bool IsGlobalUnicast(const IpAddress& address) {
  const bool broadcast =
      !address.v6 && std::all_of(address.bytes.begin(), address.bytes.begin() + 4, [](auto b) { return b == 255; });
  return !broadcast && !IsUnspecified(address) && !IsLoopback(address) && !IsMulticast(address) &&
         !IsLinkLocalUnicast(address);
}

IpAddress Masked(IpAddress address, int prefix_length) {
  for (std::size_t i = 0; i < address.bytes.size(); ++i) {
    const int kept = std::clamp(prefix_length - static_cast<int>(i) * 8, 0, 8);
    address.bytes[i] = static_cast<std::uint8_t>(address.bytes[i] & (0xFF00 >> kept));
  }
  return address;
}

bool Contains(const CidrBlock& block, const IpAddress& address) {
  return block.address.v6 == address.v6 &&
         Masked(block.address, block.prefix_length) == Masked(address, block.prefix_length);
}

bool Contains(const CidrBlock& block, const CidrBlock& inner) {
  return block.prefix_length <= inner.prefix_length && Contains(block, inner.address);
}

// ---- Functions

Value Ip(RunContext& run, std::span<const Value> args) {
  if (args[0].kind != ValueKind::kString) return NoSuchOverload();
  auto address = ParseIp(args[0].view());
  return address ? Value::Of(run.arena.Put(*address)) : run.arena.Error(address.error());
}

// No address or block is longer; what is would be quoted in a message that nobody reads.
constexpr std::size_t kLongest = 64;

Value IsIp(RunContext&, std::span<const Value> args) {
  if (args[0].kind != ValueKind::kString) return NoSuchOverload();
  return Value::Bool(args[0].size <= kLongest && ParseIp(args[0].view()).has_value());
}

Value IsCanonical(RunContext& run, std::span<const Value> args) {
  if (args[0].kind != ValueKind::kString) return NoSuchOverload();
  const auto address = ParseIp(args[0].view());
  return address ? Value::Bool(ToString(*address) == args[0].view()) : run.arena.Error(address.error());
}

template <bool (*question)(const IpAddress&)>
Value AskIp(RunContext&, std::span<const Value> args) {
  if (args[0].kind != ValueKind::kIp) return NoSuchOverload();
  return Value::Bool(question(*args[0].ip));
}

Value Family(RunContext&, std::span<const Value> args) {
  if (args[0].kind != ValueKind::kIp) return NoSuchOverload();
  return Value::Int(args[0].ip->v6 ? 6 : 4);
}

Value IpToString(RunContext& run, std::span<const Value> args) {
  if (args[0].kind != ValueKind::kIp) return NoSuchOverload();
  return Value::String(run.arena.Text(ToString(*args[0].ip)));
}

Value Cidr(RunContext& run, std::span<const Value> args) {
  if (args[0].kind != ValueKind::kString) return NoSuchOverload();
  auto block = ParseCidr(args[0].view());
  return block ? Value::Of(run.arena.Put(*block)) : run.arena.Error(block.error());
}

Value IsCidr(RunContext&, std::span<const Value> args) {
  if (args[0].kind != ValueKind::kString) return NoSuchOverload();
  return Value::Bool(args[0].size <= kLongest && ParseCidr(args[0].view()).has_value());
}

Value ContainsIp(RunContext&, std::span<const Value> args) {
  if (args[0].kind != ValueKind::kCidr) return NoSuchOverload();
  if (args[1].kind == ValueKind::kIp) return Value::Bool(Contains(*args[0].cidr, *args[1].ip));
  if (args[1].kind != ValueKind::kString) return NoSuchOverload();
  const auto address = ParseIp(args[1].view());
  // As in Kubernetes, which does not say what is wrong with the address.
  return address ? Value::Bool(Contains(*args[0].cidr, *address)) : WrongInside();
}

Value ContainsCidr(RunContext& run, std::span<const Value> args) {
  if (args[0].kind != ValueKind::kCidr) return NoSuchOverload();
  if (args[1].kind == ValueKind::kCidr) return Value::Bool(Contains(*args[0].cidr, *args[1].cidr));
  if (args[1].kind != ValueKind::kString) return NoSuchOverload();
  const auto block = ParseCidr(args[1].view());
  return block ? Value::Bool(Contains(*args[0].cidr, *block)) : run.arena.Error(block.error());
}

Value IpOfCidr(RunContext&, std::span<const Value> args) {
  if (args[0].kind != ValueKind::kCidr) return NoSuchOverload();
  return Value::Of(&args[0].cidr->address);
}

Value PrefixLength(RunContext&, std::span<const Value> args) {
  if (args[0].kind != ValueKind::kCidr) return NoSuchOverload();
  return Value::Int(args[0].cidr->prefix_length);
}

Value MaskedCidr(RunContext& run, std::span<const Value> args) {
  if (args[0].kind != ValueKind::kCidr) return NoSuchOverload();
  const CidrBlock& block = *args[0].cidr;
  return Value::Of(run.arena.Put(CidrBlock{Masked(block.address, block.prefix_length), block.prefix_length}));
}

Value CidrToString(RunContext& run, std::span<const Value> args) {
  if (args[0].kind != ValueKind::kCidr) return NoSuchOverload();
  return Value::String(run.arena.Text(ToString(*args[0].cidr)));
}

constexpr Overload kOverloads[] = {
    Global("ip", Ip, CostRule::kParseText, &kIpType, 1, &kStringType),
    Global("isIP", IsIp, CostRule::kParseText, &kBoolType, 1, &kStringType),
    Global("ip.isCanonical", IsCanonical, CostRule::kIsCanonical, &kBoolType, 1, &kStringType),
    Global("string", IpToString, CostRule::kUnit, &kStringType, 1, &kIpType),
    Member("family", Family, CostRule::kAccessor, &kIntType, 1, &kIpType),
    Member("isUnspecified", AskIp<IsUnspecified>, CostRule::kAccessor, &kBoolType, 1, &kIpType),
    Member("isLoopback", AskIp<IsLoopback>, CostRule::kAccessor, &kBoolType, 1, &kIpType),
    Member("isLinkLocalMulticast", AskIp<IsLinkLocalMulticast>, CostRule::kAccessor, &kBoolType, 1, &kIpType),
    Member("isLinkLocalUnicast", AskIp<IsLinkLocalUnicast>, CostRule::kAccessor, &kBoolType, 1, &kIpType),
    Member("isGlobalUnicast", AskIp<IsGlobalUnicast>, CostRule::kAccessor, &kBoolType, 1, &kIpType),
    Global("cidr", Cidr, CostRule::kParseText, &kCidrType, 1, &kStringType),
    Global("isCIDR", IsCidr, CostRule::kParseText, &kBoolType, 1, &kStringType),
    Global("string", CidrToString, CostRule::kUnit, &kStringType, 1, &kCidrType),
    Member("containsIP", ContainsIp, CostRule::kContainsIpText, &kBoolType, 2, &kCidrType, &kStringType),
    Member("containsIP", ContainsIp, CostRule::kContainsIp, &kBoolType, 2, &kCidrType, &kIpType),
    Member("containsCIDR", ContainsCidr, CostRule::kContainsCidrText, &kBoolType, 2, &kCidrType, &kStringType),
    Member("containsCIDR", ContainsCidr, CostRule::kContainsCidr, &kBoolType, 2, &kCidrType, &kCidrType),
    Member("ip", IpOfCidr, CostRule::kAccessor, &kIpType, 1, &kCidrType),
    Member("prefixLength", PrefixLength, CostRule::kAccessor, &kIntType, 1, &kCidrType),
    Member("masked", MaskedCidr, CostRule::kAccessor, &kCidrType, 1, &kCidrType),
};

}  // namespace

std::string ToString(const IpAddress& address) {
  const auto& bytes = address.bytes;
  if (!address.v6) return fmt::format("{}.{}.{}.{}", bytes[0], bytes[1], bytes[2], bytes[3]);
  constexpr std::size_t kGroups = kV6Bytes / 2;
  const auto group = [&bytes](std::size_t i) { return bytes[2 * i] << 8 | bytes[2 * i + 1]; };
  // The first of the longest runs of two or more zero groups becomes "::".
  std::size_t gap = kGroups;
  std::size_t gap_size = 1;
  for (std::size_t i = 0; i < kGroups; ++i) {
    std::size_t end = i;
    while (end < kGroups && group(end) == 0) ++end;
    if (end - i > gap_size) {
      gap = i;
      gap_size = end - i;
    }
  }
  std::string text;
  for (std::size_t i = 0; i < kGroups;) {
    if (i == gap) {
      text += "::";
      i += gap_size;
      continue;
    }
    if (!text.empty() && text.back() != ':') text += ':';
    text += fmt::format("{:x}", group(i++));
  }
  return text;
}

std::string ToString(const CidrBlock& block) {
  return fmt::format("{}/{}", ToString(block.address), block.prefix_length);
}

std::optional<std::string> BracketedHostMistake(std::string_view text) {
  const auto address = AddressParser(text).Parse();
  if (!address) return "invalid host: " + address.error();
  if (!address->v6) return "invalid IP-literal";
  return std::nullopt;
}

std::span<const Overload> IpOverloads() {
  return kOverloads;
}

}  // namespace kumiko::cel
