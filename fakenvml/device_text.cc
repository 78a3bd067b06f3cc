#include "fakenvml/device_text.h"

#include <stdio.h>

#include <array>
#include <charconv>
#include <vector>

namespace kumiko::fakenvml {
namespace {

// "0000:1A:00.0" as numbers; empty when a part is no hexadecimal number.
std::vector<std::uint32_t> HexParts(std::string_view text) {
  std::vector<std::uint32_t> parts;
  while (true) {
    const std::size_t end = text.find_first_of(":.");
    const std::string_view part = text.substr(0, end);
    std::uint32_t number = 0;
    const auto [stop, failure] = std::from_chars(part.data(), part.data() + part.size(), number, 16);
    if (failure != std::errc() || stop != part.data() + part.size()) return {};
    parts.push_back(number);
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::uint64_t Mix(std::uint64_t x) {
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
  x = (x ^ x >> 27) * 0x94d049bb133111eb;
  return x ^ x >> 31;
}

}  // namespace

std::string MigUuidText(const Uuid& uuid) {
  std::string text = "MIG-";
  for (std::size_t i = 0; i < uuid.size(); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    std::array<char, 3> digits{};
    snprintf(digits.data(), digits.size(), "%02x", uuid[i]);
    text += digits.data();
  }
  return text;
}

std::string ProfileText(const ProfileRow& profile, std::uint32_t compute_slices) {
  if (compute_slices == profile.compute_slices) return profile.name;
  return std::to_string(compute_slices) + "c." + profile.name;
}

std::string PciBusIdText(const Board& board, int domain_digits) {
  std::array<char, 32> text{};
  snprintf(text.data(), text.size(), "%0*X:%02X:%02X.0", domain_digits, board.pci_domain, board.pci_bus,
           board.pci_device);
  return text.data();
}

bool IsPciBusId(const Board& board, std::string_view text) {
  std::vector<std::uint32_t> parts = HexParts(text);
  if (text.find('.') != std::string_view::npos && !parts.empty()) {
    if (parts.back() != 0) return false;
    parts.pop_back();
  }
  if (parts.size() == 2) parts.insert(parts.begin(), 0);
  return parts == std::vector{board.pci_domain, board.pci_bus, board.pci_device};
}

Uuid MigUuidOf(const Board& board, std::uint32_t serial) {
  std::uint64_t hash = 14695981039346656037u;  // FNV-1a
  for (const char c : std::string_view(board.uuid)) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211u;
  hash ^= serial;
  Uuid uuid{};
  for (std::size_t half = 0; half < 2; ++half) {
    const std::uint64_t bits = Mix(hash + half * 0x9e3779b97f4a7c15);
    for (std::size_t i = 0; i < 8; ++i) uuid[half * 8 + i] = static_cast<std::uint8_t>(bits >> 8 * i);
  }
  uuid[6] = static_cast<std::uint8_t>((uuid[6] & 0x0F) | 0x50);  // a name-based UUID (RFC 9562)
  uuid[8] = static_cast<std::uint8_t>((uuid[8] & 0x3F) | 0x80);
  return uuid;
}

}  // namespace kumiko::fakenvml
