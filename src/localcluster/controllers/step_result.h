// What one step of a controller did, over many independent objects: an error with one does not keep it from others.
#pragma once

#include <string_view>

#include "base/result.h"

namespace kumiko::localcluster {

class StepResult {
 public:
  explicit StepResult(std::string_view controller) : controller_(controller) {}

  // Takes in the outcome of one write. An object that has gone meanwhile is no error; one that is busy is tried again
  // in the next step; anything else is logged. Returns whether it worked.
  bool Note(const Status& outcome);
  template <class T>
  bool Note(const Result<T>& outcome) {
    if (!outcome) return Note(Status(tl::unexpected<Error>(outcome.error())));
    return Note(Status());
  }

  bool changed() const { return changed_; }
  // Whether the next step must look again although nothing has changed.
  bool again() const { return again_; }

 private:
  std::string_view controller_;
  bool changed_ = false;
  bool again_ = false;
};

}  // namespace kumiko::localcluster
