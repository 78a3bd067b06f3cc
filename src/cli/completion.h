// Scripts that let shells complete the command line of kumiko. They hold no words themselves: they hand what is typed
// to `kumiko __complete`, so that they never fall behind the binary.
#pragma once

#include <string>

namespace kumiko::cli {

enum class Shell { kBash, kZsh, kFish };

// To be read by the shell: `source <(kumiko completion bash)`.
std::string CompletionScript(Shell shell);

}  // namespace kumiko::cli
