// What may stand where the cursor is on a command line of kumiko.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace kumiko::cli {

// The command line as its parser knows it. The type of a value says what completes it: "FILE" and "DIR" names of files,
// "a|b" these words, "CONTEXT", "NAMESPACE", "NODE" and "NAME" (of an object of the kind that stands before it) names
// that are asked for; any other nothing.
struct CompletedOption {
  std::vector<std::string> names;  // "--namespace", "-n"
  std::string help;
  std::string type;  // of its value; empty: a flag without one
};
struct CompletedCommand {
  std::string name;
  std::string help;
  std::vector<CompletedOption> options;
  std::vector<std::string> arguments;  // the types of what follows; the last may be repeated
};

// Which names are asked for.
struct NameQuestion {
  std::string type;                            // "NAMESPACE"
  std::string kind;                            // of NAME: the word that stands before it
  std::map<std::string, std::string> options;  // those given so far, by their first name: "--kubeconfig"
};
using NameSource = std::function<std::vector<std::string>(const NameQuestion&)>;

struct Candidates {
  struct Word {
    std::string text;
    std::string help;
    bool operator==(const Word&) const = default;
  };
  std::vector<Word> words;
  bool files = false;  // names of files as well, which the shell knows
};

// `words` stand behind "kumiko", the last of them is the one being typed and may be empty.
Candidates Complete(const std::vector<CompletedCommand>& commands, std::vector<std::string> words,
                    const NameSource& names);

// As the scripts of completion.h read it.
std::string Lines(const Candidates& candidates);

}  // namespace kumiko::cli
