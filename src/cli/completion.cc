#include "cli/completion.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"

namespace kumiko::cli {
namespace {

std::string Names(const std::vector<CompletedCommand>& commands) {
  std::vector<std::string> names;
  for (const CompletedCommand& command : commands) names.push_back(command.name);
  return Join(names, " ");
}

// Zsh runs the same function through its emulation of bash's completion.
std::string Bash(const std::vector<CompletedCommand>& commands) {
  std::string script =
      "_kumiko() {\n"
      "  local current=\"${COMP_WORDS[COMP_CWORD]}\" previous=\"${COMP_WORDS[COMP_CWORD-1]}\"\n"
      "  local command=\"${COMP_WORDS[1]}\" flags=\"\" words=\"\" files=\"\"\n"
      "  if [ \"$COMP_CWORD\" -le 1 ]; then\n";
  script += fmt::format("    COMPREPLY=($(compgen -W \"{} --help\" -- \"$current\"))\n", Names(commands));
  script += "    return\n  fi\n  case \"$command\" in\n";
  for (const CompletedCommand& command : commands) {
    script += fmt::format("    {}) flags=\"{}\" words=\"{}\" files=\"{}\" ;;\n", command.name, Join(command.flags, " "),
                          Join(command.words, " "), Join(command.takes_file, " "));
  }
  script +=
      "  esac\n"
      "  case \" $files \" in *\" $previous \"*) COMPREPLY=($(compgen -f -- \"$current\")); return ;; esac\n"
      "  case \"$current\" in\n"
      "    -*) COMPREPLY=($(compgen -W \"$flags --help\" -- \"$current\")) ;;\n"
      "    *) if [ -n \"$words\" ]; then COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n"
      "       else COMPREPLY=($(compgen -f -- \"$current\")); fi ;;\n"
      "  esac\n"
      "}\n";
  return script;
}

std::string Fish(const std::vector<CompletedCommand>& commands) {
  std::string script = "complete -c kumiko -f\n";
  script += fmt::format("complete -c kumiko -n __fish_use_subcommand -a '{}'\n", Names(commands));
  for (const CompletedCommand& command : commands) {
    const std::string when = fmt::format("complete -c kumiko -n '__fish_seen_subcommand_from {}'", command.name);
    for (const std::string& flag : command.flags) {
      const bool is_long = flag.starts_with("--");
      const bool file =
          std::find(command.takes_file.begin(), command.takes_file.end(), flag) != command.takes_file.end();
      script +=
          fmt::format("{} {} {}{}\n", when, is_long ? "-l" : "-s", flag.substr(is_long ? 2 : 1), file ? " -r -F" : "");
    }
    script += command.words.empty() ? fmt::format("{} -F\n", when)
                                    : fmt::format("{} -a '{}'\n", when, Join(command.words, " "));
  }
  return script;
}

}  // namespace

std::string CompletionScript(Shell shell, const std::vector<CompletedCommand>& commands) {
  switch (shell) {
    case Shell::kBash:
      return Bash(commands) + "complete -F _kumiko kumiko\n";
    case Shell::kZsh:
      return "#compdef kumiko\nautoload -U +X bashcompinit && bashcompinit\n" + Bash(commands) +
             "complete -F _kumiko kumiko\n";
    case Shell::kFish:
      return Fish(commands);
  }
  return "";
}

}  // namespace kumiko::cli
