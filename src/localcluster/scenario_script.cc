#include "localcluster/scenario_script.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "localcluster/scenario_grammar.h"

namespace kumiko::localcluster {
namespace {

Result<std::vector<std::string>> Words(std::string_view line) {
  std::vector<std::string> words;
  std::string word;
  bool in_word = false;
  bool quoted = false;
  for (const char c : line) {
    if (c == '"') {
      quoted = !quoted;
      in_word = true;
    } else if (!quoted && c == '#' && !in_word) {
      break;
    } else if (!quoted && (c == ' ' || c == '\t' || c == '\r')) {
      if (in_word) words.push_back(std::exchange(word, ""));
      in_word = false;
    } else {
      word += c;
      in_word = true;
    }
  }
  if (quoted) return Fail(Code::kInvalidArgument, "a double quote is not closed");
  if (in_word) words.push_back(std::move(word));
  return words;
}

Status ReadValues(const std::vector<std::string>& words, std::size_t from, ScenarioValues& values) {
  for (std::size_t i = from; i < words.size(); ++i) {
    const std::size_t equals = words[i].find('=');
    if (equals == std::string::npos || equals == 0) {
      return Fail(Code::kInvalidArgument, "expected KEY=VALUE, got \"{}\"", words[i]);
    }
    const std::string key = words[i].substr(0, equals);
    std::string value = words[i].substr(equals + 1);
    if (key == "seed") KU_TRY_OK(ParseSeed(value).map([](std::uint64_t) {}));
    values[key] = std::move(value);
  }
  return {};
}

}  // namespace

Result<ScenarioScript> ParseScenario(std::string_view text, std::string_view file) {
  ScenarioScript script;
  script.variants.push_back({"base", {}});
  int number = 0;
  for (const std::string_view line : Split(text, '\n')) {
    ++number;
    if (line.size() > kMaxScenarioLine) {
      return Fail(Code::kInvalidArgument, "{}:{}: the line has more than {} bytes", file, number, kMaxScenarioLine);
    }
    KU_TRY(std::vector<std::string> words, Words(line), "{}:{}", file, number);
    if (words.empty()) continue;
    if (words[0] == "let") {
      KU_TRY_OK(ReadValues(words, 1, script.variants[0].values), "{}:{}", file, number);
    } else if (words[0] == "variant") {
      if (words.size() < 3) {
        return Fail(Code::kInvalidArgument, "{}:{}: write variant NAME KEY=VALUE…", file, number);
      }
      const auto same = [&](const ScenarioVariant& other) { return other.name == words[1]; };
      if (std::ranges::any_of(script.variants, same)) {
        return Fail(Code::kInvalidArgument, "{}:{}: a variant named {} exists already", file, number, words[1]);
      }
      ScenarioVariant variant{words[1], {}};
      KU_TRY_OK(ReadValues(words, 2, variant.values), "{}:{}", file, number);
      script.variants.push_back(std::move(variant));
    } else {
      script.lines.push_back({number, std::move(words)});
    }
  }
  for (ScenarioVariant& variant : script.variants) {
    variant.values.insert(script.variants[0].values.begin(), script.variants[0].values.end());
  }
  return script;
}

Result<std::string> Substitute(std::string_view text, const ScenarioValues& values) {
  std::string result;
  for (;;) {
    const std::size_t begin = text.find("${");
    if (begin == std::string_view::npos) return result.append(text);
    const std::size_t end = text.find('}', begin);
    if (end == std::string_view::npos) return Fail(Code::kInvalidArgument, "${{ without a closing brace");
    const std::string name(text.substr(begin + 2, end - begin - 2));
    const auto value = values.find(name);
    if (value == values.end()) {
      return Fail(Code::kInvalidArgument, "${{{}}} has no value; add: let {}=VALUE", name, name);
    }
    result.append(text.substr(0, begin)).append(value->second);
    text.remove_prefix(end + 1);
  }
}

}  // namespace kumiko::localcluster
