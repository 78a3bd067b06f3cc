#include "allocator/arrival_mix.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace kumiko::allocator {
namespace {

constexpr double kSlowAging = 1 - 1.0 / 2000;
constexpr double kFastAging = 1 - 1.0 / 100;
constexpr double kTrafficAging = 1 - 1.0 / 500;
constexpr double kFirstCount = 0.5;
constexpr std::int64_t kArrivalsToTrust = 100;

}  // namespace

ArrivalMix::ArrivalMix(std::size_t classes) : slow_(classes, kFirstCount), fast_(classes, kFirstCount) {
  Measure();
}

ArrivalMix ArrivalMix::Declared(std::vector<double> weights) {
  ArrivalMix mix(weights.size());
  mix.declared_ = true;
  mix.fast_ = weights;
  mix.slow_ = std::move(weights);
  mix.Measure();
  return mix;
}

std::size_t ArrivalMix::AddClass() {
  slow_.push_back(0);
  fast_.push_back(0);
  Restart(slow_.size() - 1);
  return slow_.size() - 1;
}

void ArrivalMix::Restart(std::size_t class_index) {
  slow_[class_index] = kFirstCount;
  fast_[class_index] = kFirstCount;
  Measure();
}

ArrivalMix ArrivalMix::ForClasses(std::span<const std::size_t> from) const {
  ArrivalMix mix = *this;
  mix.slow_.assign(from.size(), declared_ ? 0 : kFirstCount);
  mix.fast_ = mix.slow_;
  for (std::size_t c = 0; c < from.size(); ++c) {
    if (from[c] == kOther) continue;
    mix.slow_[c] = slow_[from[c]];
    mix.fast_[c] = fast_[from[c]];
  }
  mix.Measure();
  return mix;
}

void ArrivalMix::Arrived(std::size_t class_index) {
  ++arrivals_;
  recent_arrivals_ = recent_arrivals_ * kTrafficAging + 1;
  departures_ *= kTrafficAging;
  if (declared_) return;
  for (auto& count : slow_) count *= kSlowAging;
  for (auto& count : fast_) count *= kFastAging;
  if (class_index != kOther) {
    slow_[class_index] += 1;
    fast_[class_index] += 1;
  }
  Measure();
}

void ArrivalMix::Measure() {
  slow_sum_ = fast_sum_ = 0;
  for (const auto count : slow_) slow_sum_ += count;
  for (const auto count : fast_) fast_sum_ += count;
  drift_ = 0;
  if (declared_ || slow_.empty()) return;
  double distance = 0;
  for (std::size_t c = 0; c < slow_.size(); ++c) distance += std::abs(slow_[c] / slow_sum_ - fast_[c] / fast_sum_) / 2;
  drift_ = std::clamp((distance - 0.25) / 0.25, 0.0, 1.0);
  if (arrivals_ < kArrivalsToTrust) {
    drift_ = std::max(drift_, 1 - static_cast<double>(arrivals_) / static_cast<double>(kArrivalsToTrust));
  }
}

double ArrivalMix::ShareOf(std::size_t class_index) const {
  const double slow = slow_[class_index] / slow_sum_;
  return slow + drift_ / 2 * (fast_[class_index] / fast_sum_ - slow);
}

std::size_t ArrivalMix::thinning() const {
  if (recent_arrivals_ <= 0) return 0;
  const double leaving = std::min(1.0, departures_ / recent_arrivals_);
  return static_cast<std::size_t>(std::lround(leaving * static_cast<double>(kThinningSteps - 1)));
}

}  // namespace kumiko::allocator
