// What arrives: mixes of MIG profiles and the lists of requests drawn from them (spec simulator §5, §6.2).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/random.h"

namespace kumiko::packing {

// 1g, 1g with double memory, 2g, 3g, 4g, 7g.
inline constexpr std::size_t kProfiles = 6;

// Share of requests by profile.
struct Mix {
  std::string_view name;
  std::array<double, kProfiles> weights;
};
inline constexpr std::array<Mix, 7> kMixes = {{
    {"uniform", {1.0 / 6, 1.0 / 6, 1.0 / 6, 1.0 / 6, 1.0 / 6, 1.0 / 6}},
    {"small", {.50, .15, .20, .10, .03, .02}},
    {"large", {.05, .05, .10, .25, .25, .30}},
    {"bimodal", {.45, .05, .05, .05, .05, .35}},
    {"one-three", {.60, 0, 0, .40, 0, 0}},
    {"two-three", {0, 0, .50, .50, 0, 0}},
    {"openb", {.0042, .0373, 0, .1738, 0, .7847}},
}};

// A board and the profile names that stand for the six; a board with fewer profiles names one several times.
struct Kind {
  std::string_view name;
  std::string_view model;  // for gpu::FindModel
  std::array<std::string_view, kProfiles> profiles;
  std::array<std::int64_t, kProfiles> slots;  // memory slots that each takes
  std::int64_t board_slots;
};
inline constexpr std::array<Kind, 3> kKinds = {{
    {"A100-80", "a100-sxm4-80", {"1g.10gb", "1g.20gb", "2g.20gb", "3g.40gb", "4g.40gb", "7g.80gb"},
     {1, 2, 2, 4, 4, 8}, 8},
    {"H100-80", "h100-sxm5", {"1g.10gb", "1g.20gb", "2g.20gb", "3g.40gb", "4g.40gb", "7g.80gb"},
     {1, 2, 2, 4, 4, 8}, 8},
    {"A30", "a30", {"1g.6gb", "2g.12gb", "2g.12gb", "4g.24gb", "4g.24gb", "4g.24gb"}, {1, 2, 2, 4, 4, 4}, 4},
}};

enum class Order { kRandom, kSmallFirst, kLargeFirst };

// Requests by profile, drawn until the first that would pass `load_percent` of `slots`; sorted requests of equal size
// keep the order in which they were drawn.
std::vector<std::size_t> DrawRequests(const Mix& mix, const Kind& kind, Order order, std::int64_t slots,
                                      double load_percent, Random& random);

}  // namespace kumiko::packing
