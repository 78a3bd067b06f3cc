// What a plain scalar of YAML means, by the rules of kubectl's library; private to base/yaml.cc and yaml_writer.cc.
#pragma once

#include <string_view>

#include "base/json.h"
#include "base/result.h"

namespace kumiko {

// null, bool, integer, number or string. Whole numbers that fit become integers, also 1e3 and 08. Fails for .inf and
// .nan, which JSON does not have.
Result<Json> ResolvePlainScalar(std::string_view text);

}  // namespace kumiko
