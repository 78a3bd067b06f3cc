// How often which class of requests arrives, and how much leaves (spec packing-partitions §2).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace kumiko::allocator {

// Aged counts of what arrives and leaves.
class ArrivalMix {
 public:
  // Stands for every class that is not on the list.
  static constexpr std::size_t kOther = ~std::size_t{0};
  // How likely a running part is to leave soon, in steps of 0.05 from 0 to 0.3.
  static constexpr std::size_t kThinningSteps = 7;
  static constexpr double kThinningStep = 0.05;

  explicit ArrivalMix(std::size_t classes);
  // Weights that a person declared; they need not sum to 1. They do not age, and nothing drifts.
  static ArrivalMix Declared(std::vector<double> weights);
  // One more class, counted from now on; its number.
  std::size_t AddClass();
  // The class of this number is another one from now on.
  void Restart(std::size_t class_index);
  // The same counts for another list of classes: class c there is class from[c] here, or new with kOther.
  ArrivalMix ForClasses(std::span<const std::size_t> from) const;

  void Arrived(std::size_t class_index);
  void Departed() { departures_ += 1; }

  std::size_t size() const { return slow_.size(); }
  // Aged over some two thousand arrivals.
  double count(std::size_t class_index) const { return slow_[class_index]; }
  bool declared() const { return declared_; }
  // Share of the class among recent arrivals, all classes together 1.
  double ShareOf(std::size_t class_index) const;
  // 0: steady; 1: what arrives now says nothing about what arrived before, or too little arrived yet.
  double drift() const { return drift_; }
  std::size_t thinning() const;  // below kThinningSteps

 private:
  void Measure();

  bool declared_ = false;
  std::vector<double> slow_;
  std::vector<double> fast_;
  double slow_sum_ = 0;
  double fast_sum_ = 0;
  double drift_ = 0;
  double recent_arrivals_ = 0;
  double departures_ = 0;
  std::int64_t arrivals_ = 0;
};

}  // namespace kumiko::allocator
