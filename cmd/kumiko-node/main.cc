// The node driver: publishes the GPUs of a node and prepares them for pods. Everything else is in src/node.
#include "node/main.h"

#include <iostream>

int main(int argc, char** argv) {
  return kumiko::node::Main(argc, argv, std::cout, std::cerr);
}
