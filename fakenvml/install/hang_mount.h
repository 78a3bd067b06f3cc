// A file whose opening never ends: a file system in user space that does not answer. A thread that opens it is in the
// kernel's uninterruptible sleep, so not even SIGKILL ends its process, as with a driver that hangs in the kernel.
#pragma once

#include <string>

#include "base/result.h"

namespace kumiko::fakenvml {

// Mounts it at `folder`, which is made, and serves it until SIGTERM or SIGINT; then, or when this process ends in any
// way, everyone who waits is let go. Says "mounted" on standard output when it is there, and "holds process PID" of
// each that from now on not even SIGKILL ends. Needs root and /dev/fuse.
Status ServeHangs(const std::string& folder);

}  // namespace kumiko::fakenvml
