#include "cli/completion.h"

namespace kumiko::cli {
namespace {

// A line of `kumiko __complete` is a word, perhaps a tab and its meaning; ":files" alone asks for names of files.
constexpr const char* kBash = R"(# bash completion of kumiko; to have it now: source <(kumiko completion bash)
_kumiko() {
  local line
  COMPREPLY=()
  while IFS= read -r line; do
    if [ "$line" = ":files" ]; then
      compopt -o default
      COMPREPLY=()
      return
    fi
    COMPREPLY+=("${line%%$'\t'*}")
  done < <("${COMP_WORDS[0]}" __complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -F _kumiko kumiko
)";

constexpr const char* kZsh = R"(#compdef kumiko
compdef _kumiko kumiko
# zsh completion of kumiko; to have it now: source <(kumiko completion zsh)
_kumiko() {
  local line
  local -a found
  while IFS= read -r line; do
    if [[ $line == ":files" ]]; then
      _files
      return
    fi
    if [[ $line == *$'\t'* ]]; then
      found+=("${${line%%$'\t'*}//:/\\:}:${line#*$'\t'}")
    else
      found+=("${line//:/\\:}")
    fi
  done < <("${words[1]}" __complete "${(@)words[2,CURRENT]}" 2>/dev/null)
  _describe kumiko found
}
if [[ ${funcstack[1]} == _kumiko ]]; then
  _kumiko
fi
)";

constexpr const char* kFish = R"(# fish completion of kumiko; to have it now: kumiko completion fish | source
function __kumiko_complete
  set -l before (commandline -opc)
  set -l current (commandline -ct)
  set -l found ($before[1] __complete $before[2..-1] "$current" 2>/dev/null)
  if test "$found" = ":files"
    __fish_complete_path "$current"
  else
    printf '%s\n' $found
  end
end
complete -c kumiko -f -a '(__kumiko_complete)'
)";

}  // namespace

std::string CompletionScript(Shell shell) {
  switch (shell) {
    case Shell::kBash:
      return kBash;
    case Shell::kZsh:
      return kZsh;
    case Shell::kFish:
      return kFish;
  }
  return "";
}

}  // namespace kumiko::cli
