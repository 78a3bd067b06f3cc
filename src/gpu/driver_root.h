// The files of a driver installation: below `/`, or below a folder that holds a driver's files as a root file system of
// its own, such as the driver container of an operator. Source: spec node-driver §3.5.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace kumiko::gpu {

// Follows links as a process inside `root` would: a link to /usr/lib leads to ROOT/usr/lib, and none leads out of it.
// `path` is as seen inside. Gives the path from outside of a regular file; kNotFound when there is none.
Result<std::string> ResolveInRoot(const std::string& root, const std::string& path);

// libnvidia-ml.so.1 in the folders where distributions keep it, resolved to the file that it names. Errors: kNotFound,
// naming root and folders.
Result<std::string> FindDriverLibrary(const std::string& root);
// A program of the driver ("nvidia-smi"), as the path inside the root; kNotFound as above.
Result<std::string> FindDriverProgram(const std::string& root, std::string_view name);

// Where the device nodes are: the driver root if it has a folder `dev`, else "/".
std::string DeviceRoot(const std::string& driver_root);

// "/a/" and "/b" make "/a/b"; a root of "/" or "" adds nothing.
std::string InRoot(std::string_view root, std::string_view path);

}  // namespace kumiko::gpu
