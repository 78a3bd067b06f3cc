#include "cli/completed_words.h"

#include <algorithm>
#include <cstddef>
#include <string_view>

#include "base/text.h"

namespace kumiko::cli {
namespace {

bool IsOption(std::string_view word) {
  return word.size() > 1 && word.front() == '-';
}

const CompletedOption* FindOption(const CompletedCommand& command, std::string_view name) {
  for (const CompletedOption& option : command.options) {
    if (std::find(option.names.begin(), option.names.end(), name) != option.names.end()) return &option;
  }
  return nullptr;
}

// Bash hands "--output=json" on as three words.
std::vector<std::string> WithoutEquals(const std::vector<std::string>& words) {
  std::vector<std::string> result;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] != "=" || i == 0 || !IsOption(words[i - 1])) {
      result.push_back(words[i]);
    } else if (i + 1 == words.size()) {
      result.emplace_back();
    }
  }
  return result;
}

// What stands before the cursor, behind the name of the command.
struct Before {
  std::map<std::string, std::string> options;
  std::vector<std::string> arguments;
  const CompletedOption* open = nullptr;  // waits for its value
};

Before ReadBefore(const CompletedCommand& command, const std::vector<std::string>& words) {
  Before before;
  for (const std::string& word : words) {
    if (before.open != nullptr) {
      before.options[before.open->names.front()] = word;
      before.open = nullptr;
    } else if (IsOption(word)) {
      const std::size_t equals = word.find('=');
      const CompletedOption* option = FindOption(command, word.substr(0, equals));
      if (option == nullptr || option->type.empty()) continue;
      if (equals == std::string::npos) {
        before.open = option;
      } else {
        before.options[option->names.front()] = word.substr(equals + 1);
      }
    } else {
      before.arguments.push_back(word);
    }
  }
  return before;
}

class Completer {
 public:
  Completer(const Before& before, const NameSource& names) : before_(before), names_(names) {}

  Candidates Take() { return std::move(found_); }

  // `head` is typed already and stays before every candidate.
  void Value(const std::string& type, const std::string& typed, const std::string& head) {
    if (type == "FILE" || type == "DIR") {
      found_.files = head.empty();
    } else if (const std::size_t slash = typed.find('/'); type == "pod|claim" && slash != std::string::npos) {
      Names("NAME", typed.substr(0, slash), typed.substr(slash + 1), head + typed.substr(0, slash + 1));
    } else if (type.find('|') != std::string::npos) {
      for (const std::string_view word : Split(type, '|')) Add(std::string(word), "", typed, head);
    } else if (type == "CONTEXT" || type == "NAMESPACE" || type == "NODE" || type == "NAME") {
      Names(type, before_.arguments.empty() ? "" : before_.arguments.back(), typed, head);
    }
  }

  void Options(const CompletedCommand& command, const std::string& typed) {
    for (const CompletedOption& option : command.options) {
      for (const std::string& name : option.names) Add(name, option.help, typed, "");
    }
  }

  void Add(const std::string& word, const std::string& help, const std::string& typed, const std::string& head) {
    if (word.starts_with(typed)) found_.words.push_back({head + word, help});
  }

 private:
  void Names(const std::string& type, const std::string& kind, const std::string& typed, const std::string& head) {
    for (const std::string& name : names_({.type = type, .kind = kind, .options = before_.options})) {
      Add(name, "", typed, head);
    }
  }

  const Before& before_;
  const NameSource& names_;
  Candidates found_;
};

}  // namespace

Candidates Complete(const std::vector<CompletedCommand>& commands, std::vector<std::string> words,
                    const NameSource& names) {
  words = WithoutEquals(words);
  if (words.empty()) words.emplace_back();
  const std::string typed = words.back();
  words.pop_back();
  if (words.empty()) {
    const Before nothing;
    Completer completer(nothing, names);
    for (const CompletedCommand& command : commands) completer.Add(command.name, command.help, typed, "");
    return completer.Take();
  }
  const auto command =
      std::find_if(commands.begin(), commands.end(), [&](const auto& one) { return one.name == words.front(); });
  if (command == commands.end()) return {};
  words.erase(words.begin());
  const Before before = ReadBefore(*command, words);
  Completer completer(before, names);
  if (before.open != nullptr) {
    completer.Value(before.open->type, typed, "");
  } else if (const std::size_t equals = typed.find('='); IsOption(typed) && equals != std::string::npos) {
    const CompletedOption* option = FindOption(*command, typed.substr(0, equals));
    if (option != nullptr) completer.Value(option->type, typed.substr(equals + 1), typed.substr(0, equals + 1));
  } else if (!typed.empty() && typed.front() == '-') {
    completer.Options(*command, typed);
  } else if (!command->arguments.empty()) {
    completer.Value(command->arguments[std::min(before.arguments.size(), command->arguments.size() - 1)], typed, "");
  }
  return completer.Take();
}

std::string Lines(const Candidates& candidates) {
  if (candidates.files) return ":files\n";
  std::string lines;
  for (const Candidates::Word& word : candidates.words) {
    lines += word.text + (word.help.empty() ? "" : "\t" + word.help) + "\n";
  }
  return lines;
}

}  // namespace kumiko::cli
