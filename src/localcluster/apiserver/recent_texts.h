// The texts of objects that were just written, which every watch of them wants at the same time: made once for all.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>

#include "base/guarded.h"
#include "kube/object.h"
#include "localcluster/apiserver/response_form.h"

namespace kumiko::localcluster {

// Thread safe.
class RecentTexts {
 public:
  // `object` as WriteObject writes it. Only for what is or was stored: a resourceVersion stands for one state of one
  // object. Not for tables, whose ages depend on when they are asked for.
  std::shared_ptr<const std::string> Of(const ObjectWriting& writing, const kube::Object& object);

 private:
  // As many as are written between two looks of the watches on a busy machine.
  static constexpr std::size_t kKept = 256;
  // Longer ones are made for each watch, so that the kept ones stay within some megabytes.
  static constexpr std::size_t kLongest = std::size_t{64} << 10;

  struct Text {
    std::uint64_t version = 0;
    std::string api_version;
    Form form = Form::kObject;
    std::shared_ptr<const std::string> text;
  };
  Guarded<std::array<Text, kKept>> texts_;  // each in the place that its version has in turns
};

}  // namespace kumiko::localcluster
