// kumiko-node as a program: command line in, exit code out.
#pragma once

#include <ostream>

namespace kumiko::node {

// Runs until SIGTERM, SIGINT, SIGQUIT or SIGHUP. Exit codes: 0 stopped as asked, 1 a flag or the kubeconfig is wrong, 2
// the driver cannot run here.
int Main(int argc, const char* const* argv, std::ostream& out, std::ostream& err);

}  // namespace kumiko::node
