#include "cel/library/sorting.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <numeric>
#include <utility>

namespace kumiko::cel {
namespace {

// Pattern-defeating quicksort with the pivots, thresholds and fallbacks of Go's sort.Slice.
class PositionSort {
 public:
  PositionSort(RunContext& run, std::span<const Value> keys) : run_(run), keys_(keys), positions_(keys.size()) {
    std::iota(positions_.begin(), positions_.end(), std::size_t{0});
  }

  std::vector<std::size_t> Run() && {
    Sort(0, positions_.size(), static_cast<int>(std::bit_width(positions_.size())));
    return std::move(positions_);
  }

 private:
  static constexpr std::size_t kInsertionSize = 12;
  static constexpr std::size_t kLargeSize = 50;
  static constexpr int kRepairs = 5;
  static constexpr std::int64_t kLessSteps = 3;

  enum class Hint { kNone, kRising, kFalling };
  struct Pivot {
    std::size_t at = 0;
    Hint hint = Hint::kNone;
  };
  struct Partition {
    std::size_t middle = 0;
    bool moved_nothing = false;
  };

  bool Less(std::size_t a, std::size_t b) {
    const Value& key = keys_[positions_[a]];
    if (!Take(run_, kLessSteps + ReadingSteps(key))) return false;
    bool ordered = true;
    const auto order = Compare(key, keys_[positions_[b]], ordered);
    return order.has_value() && *order < 0;
  }
  void Swap(std::size_t a, std::size_t b) { std::swap(positions_[a], positions_[b]); }

  // `bad_pivots`: how many more are bearable before heap sort takes over.
  void Sort(std::size_t begin, std::size_t end, int bad_pivots) {
    bool balanced = true;
    bool moved_nothing = true;
    while (end - begin > kInsertionSize) {
      const std::size_t size = end - begin;
      if (bad_pivots == 0) {
        HeapSort(begin, end);
        return;
      }
      if (!balanced) {
        Scatter(begin, end);
        --bad_pivots;
      }
      Pivot pivot = ChoosePivot(begin, end);
      if (pivot.hint == Hint::kFalling) {
        Reverse(begin, end);
        pivot = {end - 1 - (pivot.at - begin), Hint::kRising};
      }
      if (balanced && moved_nothing && pivot.hint == Hint::kRising && FinishNearlySorted(begin, end)) return;
      // All before `begin` are no greater than what follows, so an equal neighbour means many equal keys.
      if (begin > 0 && !Less(begin - 1, pivot.at)) {
        begin = SkipEqual(begin, end, pivot.at);
        continue;
      }
      const Partition partition = Split(begin, end, pivot.at);
      moved_nothing = partition.moved_nothing;
      const std::size_t left = partition.middle - begin;
      const std::size_t right = end - partition.middle;
      balanced = std::min(left, right) >= size / 8;
      // The smaller side by recursion, which bounds its depth.
      if (left < right) {
        Sort(begin, partition.middle, bad_pivots);
        begin = partition.middle + 1;
      } else {
        Sort(partition.middle + 1, end, bad_pivots);
        end = partition.middle;
      }
    }
    InsertionSort(begin, end);
  }

  void InsertionSort(std::size_t begin, std::size_t end) {
    for (std::size_t i = begin + 1; i < end; ++i) SinkLeft(i, begin);
  }

  // Moves the item at `i` left while it is less than its neighbour, no further than `first`.
  void SinkLeft(std::size_t i, std::size_t first) {
    for (; i > first && Less(i, i - 1); --i) Swap(i, i - 1);
  }

  void HeapSort(std::size_t begin, std::size_t end) {
    const std::size_t size = end - begin;
    for (std::size_t root = (size - 1) / 2 + 1; root-- > 0;) SiftDown(begin, root, size);
    for (std::size_t last = size; last-- > 0;) {
      Swap(begin, begin + last);
      SiftDown(begin, 0, last);
    }
  }

  void SiftDown(std::size_t begin, std::size_t root, std::size_t size) {
    for (std::size_t child = 2 * root + 1; child < size; child = 2 * root + 1) {
      if (child + 1 < size && Less(begin + child, begin + child + 1)) ++child;
      if (!Less(begin + root, begin + child)) return;
      Swap(begin + root, begin + child);
      root = child;
    }
  }

  // Smaller keys before the pivot, the others behind it.
  Partition Split(std::size_t begin, std::size_t end, std::size_t pivot) {
    Swap(begin, pivot);
    std::size_t i = begin + 1;
    std::size_t j = end - 1;
    for (bool first = true;; first = false) {
      while (i <= j && Less(i, begin)) ++i;
      while (i <= j && !Less(j, begin)) --j;
      if (i > j) {
        Swap(j, begin);
        return {j, first};
      }
      Swap(i++, j--);
    }
  }

  // Brings keys equal to the pivot, of which none is greater than another key, to the front; where they end.
  std::size_t SkipEqual(std::size_t begin, std::size_t end, std::size_t pivot) {
    Swap(begin, pivot);
    std::size_t i = begin + 1;
    std::size_t j = end - 1;
    for (;;) {
      while (i <= j && !Less(begin, i)) ++i;
      while (i <= j && Less(begin, j)) --j;
      if (i > j) return i;
      Swap(i++, j--);
    }
  }

  // Repairs a few neighbours in the wrong order; whether all are sorted then.
  bool FinishNearlySorted(std::size_t begin, std::size_t end) {
    std::size_t i = begin + 1;
    for (int repair = 0; repair < kRepairs; ++repair) {
      while (i < end && !Less(i, i - 1)) ++i;
      if (i == end) return true;
      if (end - begin < kLargeSize) return false;
      Swap(i, i - 1);
      if (i - begin >= 2) SinkLeft(i - 1, 0);
      if (end - i >= 2) {
        for (std::size_t j = i + 1; j < end && Less(j, j - 1); ++j) Swap(j, j - 1);
      }
    }
    return false;
  }

  // Moves three items of the middle elsewhere, to break a pattern that led to a bad pivot. The same for every run.
  void Scatter(std::size_t begin, std::size_t end) {
    const std::size_t size = end - begin;
    const std::size_t mask = (std::size_t{1} << std::bit_width(size)) - 1;
    std::uint64_t random = size;
    const std::size_t middle = begin + size / 4 * 2;
    for (std::size_t i = middle - 1; i <= middle + 1; ++i) {
      random ^= random << 13;
      random ^= random >> 7;
      random ^= random << 17;
      std::size_t other = static_cast<std::size_t>(random) & mask;
      if (other >= size) other -= size;
      Swap(i, begin + other);
    }
  }

  // The median of three, or of three medians where there are many.
  Pivot ChoosePivot(std::size_t begin, std::size_t end) {
    const std::size_t quarter = (end - begin) / 4;
    std::array<std::size_t, 3> at = {begin + quarter, begin + 2 * quarter, begin + 3 * quarter};
    const bool large = end - begin >= kLargeSize;
    int swaps = 0;
    if (large) {
      for (std::size_t& place : at) place = Median({place - 1, place, place + 1}, swaps);
    }
    const std::size_t median = Median(at, swaps);
    constexpr int kMostSwaps = 4 * 3;
    const Hint hint = swaps == 0 ? Hint::kRising : (swaps == kMostSwaps ? Hint::kFalling : Hint::kNone);
    return {median, hint};
  }

  std::size_t Median(std::array<std::size_t, 3> at, int& swaps) {
    const auto order = [&](std::size_t& low, std::size_t& high) {
      if (!Less(high, low)) return;
      std::swap(low, high);
      ++swaps;
    };
    order(at[0], at[1]);
    order(at[1], at[2]);
    order(at[0], at[1]);
    return at[1];
  }

  void Reverse(std::size_t begin, std::size_t end) {
    std::reverse(positions_.begin() + static_cast<std::ptrdiff_t>(begin),
                 positions_.begin() + static_cast<std::ptrdiff_t>(end));
  }

  RunContext& run_;
  std::span<const Value> keys_;
  std::vector<std::size_t> positions_;
};

}  // namespace

bool HasOrder(ValueKind kind) {
  return kind == ValueKind::kBool || kind == ValueKind::kInt || kind == ValueKind::kUint ||
         kind == ValueKind::kDouble || kind == ValueKind::kString || kind == ValueKind::kBytes ||
         kind == ValueKind::kTimestamp || kind == ValueKind::kDuration;
}

std::vector<std::size_t> SortedPositions(RunContext& run, std::span<const Value> keys) {
  return PositionSort(run, keys).Run();
}

}  // namespace kumiko::cel
