// Where chance comes in: everything random takes a Random&, so that one seed replays a run on every machine.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>

namespace kumiko {

// Not for secrets. One thread each; Fork() makes another.
class Random {
 public:
  explicit Random(std::uint64_t seed);
  // Seeded by the operating system.
  static Random FromSystem();

  std::uint64_t Next();
  // Uniform in [0, bound); `bound` must not be 0.
  std::uint64_t Below(std::uint64_t bound);
  // Uniform in [0, 1).
  double Fraction();
  // An independent stream, determined by this one's state.
  Random Fork();

  template <class T>
  void Shuffle(std::span<T> items) {
    for (std::size_t i = items.size(); i > 1; --i) {
      std::swap(items[i - 1], items[static_cast<std::size_t>(Below(i))]);
    }
  }
  template <class Container>
  void Shuffle(Container& items) {
    Shuffle(std::span(items));
  }

 private:
  std::array<std::uint64_t, 4> state_{};
};

// What Kubernetes appends to metadata.generateName: letters and digits that cannot form words.
std::string RandomSuffix(Random& random, int length = 5);
// A random UUID (version 4) in lower case.
std::string RandomUuid(Random& random);

}  // namespace kumiko
