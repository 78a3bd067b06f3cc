#include "base/suggest.h"

#include <algorithm>
#include <vector>

#include "base/text.h"

namespace kumiko {

int EditDistance(std::string_view a, std::string_view b) {
  // Three rows of the table: swaps look back two.
  std::vector<int> before(b.size() + 1);
  std::vector<int> above(b.size() + 1);
  std::vector<int> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = static_cast<int>(j);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before.swap(above);
    above.swap(row);
    row[0] = static_cast<int>(i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const int replaced = above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({replaced, above[j] + 1, row[j - 1] + 1});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) row[j] = std::min(row[j], before[j - 2] + 1);
    }
  }
  return row[b.size()];
}

namespace {

template <class Text>
std::optional<std::string> Nearest(std::string_view word, std::span<const Text> candidates) {
  // Longer words cost time and have no near neighbour worth naming.
  static constexpr std::size_t kMaxLength = 128;
  if (word.empty() || word.size() > kMaxLength) return std::nullopt;
  const std::string lower = ToLower(word);
  int best = std::max(1, static_cast<int>(word.size()) / 3) + 1;
  std::optional<std::string> nearest;
  for (const Text& candidate : candidates) {
    if (candidate.size() > 2 * kMaxLength) continue;
    const int distance = EditDistance(lower, ToLower(candidate));
    if (distance < best) {
      best = distance;
      nearest = std::string(candidate);
    }
  }
  return nearest;
}

}  // namespace

std::optional<std::string> Suggest(std::string_view word, std::span<const std::string_view> candidates) {
  return Nearest(word, candidates);
}

std::optional<std::string> Suggest(std::string_view word, std::span<const std::string> candidates) {
  return Nearest(word, candidates);
}

}  // namespace kumiko
