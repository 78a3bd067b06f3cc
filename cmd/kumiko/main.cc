// The person's binary: `kumiko up`, `explain`, `top`, `validate`, `scenario`, `cel`, `allocate`, `version`.
// Everything else is in src/cli.
#include "cli/main.h"

int main(int argc, char** argv) {
  return kumiko::cli::Main(argc, argv);
}
