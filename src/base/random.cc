#include "base/random.h"

#include <bit>
#include <random>
#include <string_view>

#include "base/check.h"

namespace kumiko {
namespace {

// splitmix64 (Steele, Lea, Flood 2014): spreads a seed over the state.
std::uint64_t SplitMix(std::uint64_t& state) {
  state += 0x9E3779B97F4A7C15u;
  std::uint64_t mixed = state;
  mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9u;
  mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EBu;
  return mixed ^ (mixed >> 31);
}

}  // namespace

Random::Random(std::uint64_t seed) {
  for (std::uint64_t& word : state_) word = SplitMix(seed);
}

Random Random::FromSystem() {
  std::random_device device;
  return Random((std::uint64_t{device()} << 32) | device());
}

// xoshiro256** (Blackman, Vigna 2018).
std::uint64_t Random::Next() {
  const std::uint64_t result = std::rotl(state_[1] * 5, 7) * 9;
  const std::uint64_t shifted = state_[1] << 17;
  state_[2] ^= state_[0];
  state_[3] ^= state_[1];
  state_[1] ^= state_[2];
  state_[0] ^= state_[3];
  state_[2] ^= shifted;
  state_[3] = std::rotl(state_[3], 45);
  return result;
}

std::uint64_t Random::Below(std::uint64_t bound) {
  KU_CHECK(bound > 0);
  // Draws from the incomplete last block would favour small numbers, so they are drawn again.
  const std::uint64_t threshold = (0 - bound) % bound;
  while (true) {
    const std::uint64_t draw = Next();
    if (draw >= threshold) return draw % bound;
  }
}

double Random::Fraction() {
  return static_cast<double>(Next() >> 11) * 0x1p-53;
}

Random Random::Fork() {
  return Random(Next());
}

std::string RandomSuffix(Random& random, int length) {
  static constexpr std::string_view kAlphabet = "bcdfghjklmnpqrstvwxz2456789";
  std::string suffix;
  for (int i = 0; i < length; ++i) suffix += kAlphabet[static_cast<std::size_t>(random.Below(kAlphabet.size()))];
  return suffix;
}

std::string RandomUuid(Random& random) {
  static constexpr std::string_view kHex = "0123456789abcdef";
  std::string uuid;
  for (int digit = 0; digit < 32; ++digit) {
    if (digit == 8 || digit == 12 || digit == 16 || digit == 20) uuid += '-';
    std::size_t value = static_cast<std::size_t>(random.Below(16));
    if (digit == 12) value = 4;
    if (digit == 16) value = 8 | (value & 3);
    uuid += kHex[value];
  }
  return uuid;
}

}  // namespace kumiko
