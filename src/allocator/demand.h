// Which kinds of request arrive how often: declared by a person (`demand` of a cluster file) or learnt from arrivals.
// Packing leaves room for what is in demand (spec packing-partitions §2).
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "allocator/arrival_mix.h"
#include "api/resource/types.h"

namespace kumiko::allocator {

class Demand {
 public:
  // One class of requests. Declared classes are named by a label: the `profile` attribute of the devices they take, or
  // for devices without one their `type` attribute. Learnt classes are the selectors of the request.
  struct Class {
    std::string label;
    std::vector<std::string> selectors;  // CEL; empty for declared classes
    double weight = 0;                   // share of arrivals, all classes together 1
    std::size_t index = 0;               // in mix()
  };

  // Nothing known: every kind of device is in equal demand by work.
  Demand() = default;
  // Labels with positive weights; they need not sum to 1.
  static Demand Declare(std::vector<std::pair<std::string, double>> weights);

  bool declared() const { return mix_.declared(); }
  // Counts one arrival of a request with these selectors (of its class, then its own). No effect when declared.
  void Arrive(const std::vector<std::string>& selectors);
  // The heaviest classes, at most 16, in a stable order.
  std::vector<Class> Classes() const;
  // How far recent arrivals differ from older ones: 0 steady, 1 entirely new.
  double Drift() const { return mix_.drift(); }
  const ArrivalMix& mix() const { return mix_; }
  // Grows with every arrival.
  std::uint64_t version() const { return version_; }
  // Grows when an arrival is of a class that was not counted before.
  std::uint64_t classes_version() const { return classes_version_; }

 private:
  struct Counted {
    std::string label;
    std::vector<std::string> selectors;
  };
  std::vector<Counted> classes_;
  ArrivalMix mix_{0};
  std::uint64_t version_ = 0;
  std::uint64_t classes_version_ = 0;
};

}  // namespace kumiko::allocator
