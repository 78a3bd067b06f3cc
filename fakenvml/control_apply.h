// Carrying the control file out: its statements become the shared state's, its events happen.
#pragma once

#include <string>

#include "fakenvml/state.h"

namespace kumiko::fakenvml {

FileIdentity IdentityOf(const std::string& path);

// When the file is another one than the state file holds: reads it and publishes what it says. A file with a mistake
// changes nothing; the mistake is kept in Control::error and told on standard error. Any number of processes may call
// this at once: one carries the change out. Killed halfway, the next caller does it again, so an event may happen twice
// but is never lost.
void ApplyControlFile(StateFile& state, const std::string& path);

}  // namespace kumiko::fakenvml
