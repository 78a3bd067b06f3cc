// Text in double quotes as the messages of Kubernetes have it: Go's %q.
#pragma once

#include <string>
#include <string_view>

namespace kumiko::cel {

// Escapes control characters, quotes, backslashes, what cannot be printed, and stray bytes: "a\tb\u00a0\xff".
std::string Quoted(std::string_view text);

}  // namespace kumiko::cel
