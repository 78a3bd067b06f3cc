// Random hostile expressions: loops, growth, long text and long lists around every function that a selector may call.
// Most of them compile as stored expressions, and many run until a limit ends them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "cel/hostile_expressions.h"

namespace kumiko::cel {

class HostileGenerator {
 public:
  // The same seed gives the same texts, none longer than `max_bytes`. What the API server accepts as a selector has at
  // most 10 KiB.
  explicit HostileGenerator(std::uint64_t seed, std::size_t max_bytes = 10 << 10);

  HostileExpression Next();

 private:
  struct Variable {
    char type;
    std::string name;
  };

  std::size_t Below(std::size_t limit) { return random_() % limit; }
  bool Chance(int percent) { return Below(100) < static_cast<std::size_t>(percent); }
  // Up to `limit`, small numbers as often as large ones.
  std::size_t Size(std::size_t limit);
  std::size_t Room() const { return max_bytes_ > written_ ? max_bytes_ - written_ : 0; }

  std::string Fill(std::string_view form, int depth);
  std::string Part(char name, int depth);
  std::string Of(char type, int depth);
  std::string Leaf(char type);
  std::string Number();
  std::string Text(std::size_t bytes);
  std::string RepeatedLiteral(std::string_view before, std::string_view after);
  std::string Pattern(int depth);
  std::string Grown(char type);

  std::string Loops();
  std::string Chain();
  std::string Row();
  std::string Nest();

  std::mt19937_64 random_;
  std::size_t max_bytes_;
  std::size_t written_ = 0;
  std::size_t names_ = 0;  // of variables so far
  std::size_t loops_ = 0;  // still to write
  std::vector<Variable> scope_;
};

}  // namespace kumiko::cel
