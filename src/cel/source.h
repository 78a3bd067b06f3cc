// Where in the text an error is, in the form that Kubernetes users know:
//   ERROR: <input>:1:7: undefined field 'x'
//    | device.x
//    | ......^
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace kumiko::cel {

struct SourceError {
  std::size_t offset = 0;  // in bytes
  std::string message;
};

// One error with line:column (from 1, columns in code points), the line and a caret below it.
std::string FormatSourceError(std::string_view text, const SourceError& error);
// Several, in order of position, one after another; the first 100.
std::string FormatSourceErrors(std::string_view text, std::vector<SourceError> errors);

}  // namespace kumiko::cel
