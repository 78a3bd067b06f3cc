// The state of the boards as text.
#pragma once

#include <string>

#include "fakenvml/state.h"

namespace kumiko::fakenvml {

// JSON, indented: each GPU with its MIG mode and instances, and the mistake in the control file if there is one.
std::string Report(const StateFile& state);

}  // namespace kumiko::fakenvml
