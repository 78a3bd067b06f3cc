// IP addresses and CIDR blocks in expressions: ip("192.168.0.1").family(), cidr("10.0.0.0/8").containsIP("10.1.2.3").
// Stricter than inet_pton: no zones, no IPv4-mapped IPv6 addresses, no leading zeros in IPv4.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "cel/overload.h"

namespace kumiko::cel {

struct IpAddress {
  bool v6 = false;
  std::array<std::uint8_t, 16> bytes = {};  // of IPv4 the first four; the others are zero

  bool operator==(const IpAddress&) const = default;
};

// Keeps the host bits it was written with: 10.1.2.3/8 and 10.0.0.0/8 differ.
struct CidrBlock {
  IpAddress address;
  int prefix_length = 0;

  bool operator==(const CidrBlock&) const = default;
};

// Canonical text (RFC 5952): 2001:db8::68.
std::string ToString(const IpAddress& address);
std::string ToString(const CidrBlock& block);

// What a cost counts as the size of a value: bytes of the address, and bytes that the prefix reaches into.
inline std::size_t SizeOf(const IpAddress& address) {
  return address.v6 ? 16 : 4;
}
inline std::size_t SizeOf(const CidrBlock& block) {
  return static_cast<std::size_t>(block.prefix_length + 7) / 8;
}

// Why `text` cannot stand in the brackets of a URL's host; nullopt when it can. Here zones and IPv4-mapped addresses
// are good.
std::optional<std::string> BracketedHostMistake(std::string_view text);

// Of addresses and blocks.
std::span<const Overload> IpOverloads();

}  // namespace kumiko::cel
