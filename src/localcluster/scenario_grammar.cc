#include "localcluster/scenario_grammar.h"

#include <algorithm>
#include <cstdint>
#include <span>

#include "api/kinds.h"
#include "base/suggest.h"
#include "base/text.h"

namespace kumiko::localcluster {
namespace {

using Words = std::vector<std::string>;

const Words kStatements = {"cluster", "apply", "at", "delete", "expect", "policy", "seed"};
const Words kPhases = {"running", "pending", "succeeded", "failed"};

bool Contains(const Words& words, const std::string& word) {
  for (const std::string& known : words) {
    if (known == word) return true;
  }
  return false;
}

tl::unexpected<Error> Unknown(std::string_view what, const std::string& word, const Words& known) {
  const auto near = Suggest(word, known);
  if (near) return Fail(Code::kInvalidArgument, "unknown {} \"{}\"; did you mean {}?", what, word, *near);
  return Fail(Code::kInvalidArgument, "unknown {} \"{}\"; write one of {}", what, word, Join(known, ", "));
}

Status CheckKeys(const ScenarioArguments& arguments, const Words& known) {
  for (const auto& [key, value] : arguments.named) {
    if (!Contains(known, key)) return Unknown("key", key, known);
  }
  return {};
}

Status CheckNumber(const std::string& key, const std::string& value) {
  const auto number = ParseInt64(value);
  if (!number || *number < 0) return Fail(Code::kInvalidArgument, "{}= takes a number, not \"{}\"", key, value);
  return {};
}

Status CheckCounts(const ScenarioArguments& arguments) {
  Words known = kPhases;
  known.insert(known.end(), {"of", "namespace"});
  KU_TRY_OK(CheckKeys(arguments, known));
  for (const std::string& word : arguments.plain) {
    if (Contains(known, word)) return Fail(Code::kInvalidArgument, "{} takes a value; write {}=…", word, word);
    return Unknown("word", word, known);
  }
  bool counts = false;
  for (const auto& [key, value] : arguments.named) {
    if (key == "namespace") continue;
    if (key != "of") {
      KU_TRY_OK(CheckNumber(key, value));
      counts = true;
    } else if (value.find('=') == std::string::npos) {
      return Fail(Code::kInvalidArgument, "write of=LABEL=VALUE, not of={}", value);
    }
  }
  if (!counts)
    return Fail(Code::kInvalidArgument, "nothing is counted; write one of {}= with a number", Join(kPhases, "=, "));
  return {};
}

Status CheckMemory(const Words& words) {
  const std::string key = words[1].substr(0, words[1].find('='));
  std::string number = words[1].substr(std::min(words[1].size(), key.size() + 1));
  if (!number.empty() && number.back() == '%') number.pop_back();
  const auto percent = ParseInt64(number);
  if (!percent || *percent < 0 || *percent > 100 || words.size() != 2) {
    return Fail(Code::kInvalidArgument, "write {}=80% and nothing behind it", key);
  }
  return {};
}

Status CheckObjects(const ScenarioArguments& arguments) {
  if (!arguments.plain.empty() || arguments.named.empty() || !arguments.reason.empty()) {
    return Fail(Code::kInvalidArgument, "write expect objects KIND=NUMBER");
  }
  Words kinds;
  for (const api::KindInfo& info : api::AllKinds()) kinds.emplace_back(info.kind);
  for (const auto& [kind, number] : arguments.named) {
    if (!Contains(kinds, kind)) return Unknown("kind", kind, kinds);
    KU_TRY_OK(CheckNumber(kind, number));
  }
  return {};
}

Status CheckOutput(const Words& words) {
  static const Words kPrograms = {"kubectl", "kumiko"};
  if (words.size() < 6 || words[3] != "of") {
    return Fail(Code::kInvalidArgument, "write expect output FILE of kubectl get …");
  }
  if (!Contains(kPrograms, words[4])) return Unknown("command", words[4], kPrograms);
  return {};
}

Status CheckExpect(const Words& words) {
  static const Words kSubjects = {"running", "pending",     "succeeded", "failed", "memory-used", "memory-allocated",
                                  "pod",     "same-device", "objects",   "labels", "output",      "refused"};
  if (words.size() < 2) return Fail(Code::kInvalidArgument, "expect what? Write one of {}", Join(kSubjects, ", "));
  const std::string subject = words[1].substr(0, words[1].find('='));
  if (subject == "memory-used" || subject == "memory-allocated") return CheckMemory(words);
  if (Contains(kPhases, subject) || subject == "of" || subject == "namespace") {
    KU_TRY(const ScenarioArguments counts, ReadArguments(words, 1));
    return CheckCounts(counts);
  }
  if (words[1] == "output") return CheckOutput(words);
  KU_TRY(const ScenarioArguments arguments, ReadArguments(words, 2));
  if (words[1] == "objects") return CheckObjects(arguments);
  if (words[1] == "labels") {
    if (arguments.plain.size() != 2 || arguments.named.empty() || !arguments.reason.empty()) {
      return Fail(Code::kInvalidArgument, "write expect labels KIND NAME KEY=VALUE…");
    }
    return {};
  }
  if (words[1] == "pod") {
    if (arguments.plain.size() != 1) return Fail(Code::kInvalidArgument, "write expect pod NAME KEY=VALUE…");
    return CheckKeys(arguments, {"phase", "node", "device", "profile", "model", "request", "board"});
  }
  if (words[1] == "same-device") {
    if (arguments.plain.size() < 2 || !arguments.named.empty() || !arguments.reason.empty()) {
      return Fail(Code::kInvalidArgument, "write expect same-device NAME NAME…, at least two names");
    }
    return {};
  }
  if (words[1] == "refused") {
    if (arguments.plain.empty() || !arguments.named.empty()) {
      return Fail(Code::kInvalidArgument, "write expect refused FILE reason TEXT");
    }
    return {};
  }
  return Unknown("expectation", subject, kSubjects);
}

}  // namespace

Result<ScenarioArguments> ReadArguments(const Words& words, std::size_t from) {
  ScenarioArguments arguments;
  for (std::size_t i = from; i < words.size(); ++i) {
    if (words[i] == "reason") {
      arguments.reason = Join(std::span(words).subspan(i + 1), " ");
      if (arguments.reason.empty()) return Fail(Code::kInvalidArgument, "reason takes a text");
      break;
    }
    const std::size_t equals = words[i].find('=');
    if (equals == std::string::npos) {
      arguments.plain.push_back(words[i]);
      continue;
    }
    const std::string key = words[i].substr(0, equals);
    if (!arguments.named.emplace(key, words[i].substr(equals + 1)).second) {
      return Fail(Code::kInvalidArgument, "{}= stands twice", key);
    }
  }
  return arguments;
}

Status CheckStatement(const Words& words) {
  const std::string& verb = words[0];
  if (!Contains(kStatements, verb)) {
    Words known = kStatements;
    known.insert(known.end(), {"let", "variant"});
    return Unknown("statement", verb, known);
  }
  if (verb == "cluster" || verb == "policy" || verb == "seed") {
    if (words.size() != 2) return Fail(Code::kInvalidArgument, "{} takes one word", verb);
    return {};
  }
  if (verb == "apply") {
    if (words.size() < 2) return Fail(Code::kInvalidArgument, "apply takes file names");
    return {};
  }
  if (verb == "at") {
    if (words.size() < 2 || !ParseInt64(words[1])) {
      return Fail(Code::kInvalidArgument, "at takes a number of seconds");
    }
    if (words.size() == 2) return {};
    // One time a line: each level would copy the rest of the line.
    if (words[2] == "at") return Fail(Code::kInvalidArgument, "an at stands in an at; write one of them a line");
    return CheckStatement(Words(words.begin() + 2, words.end()));
  }
  if (verb == "delete") {
    KU_TRY(const ScenarioArguments arguments, ReadArguments(words, 1));
    KU_TRY_OK(CheckKeys(arguments, {"namespace"}));
    if (arguments.plain.size() != 2 || !arguments.reason.empty()) {
      return Fail(Code::kInvalidArgument, "write delete KIND NAME [namespace=NS]");
    }
    return {};
  }
  return CheckExpect(words);
}

bool IsExpectation(const Words& words) {
  return words[0] == "expect" || (words.size() > 2 && words[0] == "at" && words[2] == "expect");
}

Result<std::uint64_t> ParseSeed(const std::string& text) {
  const auto seed = ParseInt64(text);
  if (!seed || *seed < 0) return Fail(Code::kInvalidArgument, "seed takes a number, 0 or more, not \"{}\"", text);
  return static_cast<std::uint64_t>(*seed);
}

}  // namespace kumiko::localcluster
