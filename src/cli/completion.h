// Scripts that let shells complete the command line of kumiko.
#pragma once

#include <string>
#include <vector>

namespace kumiko::cli {

struct CompletedCommand {
  std::string name;
  std::vector<std::string> flags;       // "--namespace", "-n"
  std::vector<std::string> words;       // what may stand as its argument; empty: files
  std::vector<std::string> takes_file;  // flags whose value is a file or folder
};

enum class Shell { kBash, kZsh, kFish };

// To be read by the shell: `source <(kumiko completion bash)`.
std::string CompletionScript(Shell shell, const std::vector<CompletedCommand>& commands);

}  // namespace kumiko::cli
