// Reading shell scripts as far as simulated containers understand them: sequences with ; && || and lines, quotes,
// variables, $(commands), $((sums)), while, until, for and if. What else a shell knows (pipes, redirections, background
// jobs, case, functions) is not read.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kumiko::localcluster {

struct ShellList;

// A piece of a word.
struct ShellPart {
  enum class Kind { kText, kVariable, kCommand, kSum };
  Kind kind = Kind::kText;
  bool quoted = false;
  std::string text;                    // the text, the variable's name, or the sum
  std::shared_ptr<ShellList> command;  // of kCommand
};
using ShellWord = std::vector<ShellPart>;

struct ShellCommand {
  enum class Kind { kSimple, kWhile, kUntil, kFor, kIf, kGroup };
  Kind kind = Kind::kSimple;
  std::vector<ShellWord> words;          // of a simple command; what `for` goes through
  std::string variable;                  // of `for`
  std::shared_ptr<ShellList> condition;  // of while, until, if
  std::shared_ptr<ShellList> body;       // of all but simple commands
  std::shared_ptr<ShellList> otherwise;  // of if; may be null
};

struct ShellStep {
  enum class When { kAlways, kAfterSuccess, kAfterFailure };
  When when = When::kAlways;
  ShellCommand command;
};
struct ShellList {
  std::vector<ShellStep> steps;
};

// Nothing: the script holds something that is not read.
std::optional<ShellList> ParseShell(std::string_view script);

// A command line as one command, word by word.
ShellList CommandLine(const std::vector<std::string>& words);

}  // namespace kumiko::localcluster
