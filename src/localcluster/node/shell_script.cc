#include "localcluster/node/shell_script.h"

#include <algorithm>
#include <cctype>
#include <utility>

namespace kumiko::localcluster {
namespace {

constexpr int kMaxDepth = 20;

bool IsNameCharacter(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

struct Token {
  enum class Kind { kWord, kSeparator, kAnd, kOr, kEnd };
  Kind kind = Kind::kEnd;
  ShellWord word;

  // The word when it is plain text without quotes: how keywords are recognised.
  std::string_view Plain() const {
    if (kind != Kind::kWord || word.size() != 1) return {};
    const ShellPart& part = word.front();
    return part.kind == ShellPart::Kind::kText && !part.quoted ? std::string_view(part.text) : std::string_view();
  }
};

class Parser {
 public:
  Parser(std::string_view text, int depth) : text_(text), depth_(depth) {}

  std::optional<ShellList> ParseAll() {
    Advance();
    ShellList list = ParseList({});
    if (failed_ || token_.kind != Token::Kind::kEnd) return std::nullopt;
    return list;
  }

 private:
  void Fail() { failed_ = true; }

  // Words of quotes, variables and text up to a blank or an operator.
  void Advance() {
    token_ = {};
    SkipBlanks();
    if (failed_ || at_ >= text_.size()) return;
    const char c = text_[at_];
    if (c == '\n' || c == ';') {
      ++at_;
      if (c == ';' && Peek() == ';') Fail();
      token_.kind = Token::Kind::kSeparator;
    } else if (c == '&' || c == '|') {
      if (Peek(1) != c) return Fail();
      at_ += 2;
      token_.kind = c == '&' ? Token::Kind::kAnd : Token::Kind::kOr;
    } else if (c == '<' || c == '>' || c == '(' || c == ')') {
      Fail();
    } else {
      token_.kind = Token::Kind::kWord;
      ReadWord();
    }
  }

  char Peek(std::size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }

  void SkipBlanks() {
    while (at_ < text_.size()) {
      if (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\r') {
        ++at_;
      } else if (text_.substr(at_, 2) == "\\\n") {
        at_ += 2;
      } else if (text_[at_] == '#') {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else {
        return;
      }
    }
  }

  void AddText(char c, bool quoted) {
    ShellWord& word = token_.word;
    if (word.empty() || word.back().kind != ShellPart::Kind::kText || word.back().quoted != quoted) {
      word.push_back({ShellPart::Kind::kText, quoted, "", nullptr});
    }
    word.back().text += c;
  }

  void ReadWord() {
    constexpr std::string_view kEnds = " \t\r\n;&|<>()";
    while (!failed_ && at_ < text_.size() && kEnds.find(text_[at_]) == std::string_view::npos) {
      const char c = text_[at_];
      if (c == '`') return Fail();
      if (c == '\'') {
        const std::size_t end = text_.find('\'', at_ + 1);
        if (end == std::string_view::npos) return Fail();
        token_.word.push_back(
            {ShellPart::Kind::kText, true, std::string(text_.substr(at_ + 1, end - at_ - 1)), nullptr});
        at_ = end + 1;
      } else if (c == '"') {
        ReadDoubleQuoted();
      } else if (c == '$') {
        ReadDollar(false);
      } else if (c == '\\' && at_ + 1 < text_.size()) {
        AddText(text_[at_ + 1], true);
        at_ += 2;
      } else {
        AddText(c, false);
        ++at_;
      }
    }
  }

  void ReadDoubleQuoted() {
    ++at_;
    token_.word.push_back({ShellPart::Kind::kText, true, "", nullptr});
    while (!failed_ && at_ < text_.size() && text_[at_] != '"') {
      if (text_[at_] == '`') return Fail();
      if (text_[at_] == '$') {
        ReadDollar(true);
      } else if (text_[at_] == '\\' && std::string_view("\"\\$`\n").find(Peek(1)) != std::string_view::npos) {
        AddText(text_[at_ + 1], true);
        at_ += 2;
      } else {
        AddText(text_[at_++], true);
      }
    }
    if (at_ >= text_.size()) return Fail();
    ++at_;
  }

  void ReadDollar(bool quoted) {
    if (text_.substr(at_, 3) == "$((") {
      const std::size_t end = text_.find("))", at_);
      if (end == std::string_view::npos) return Fail();
      Push(ShellPart::Kind::kSum, quoted, text_.substr(at_ + 3, end - at_ - 3));
      at_ = end + 2;
    } else if (Peek(1) == '(') {
      const std::size_t end = ClosingParenthesis(at_ + 1);
      if (end == std::string_view::npos || depth_ >= kMaxDepth) return Fail();
      std::optional<ShellList> inner = Parser(text_.substr(at_ + 2, end - at_ - 2), depth_ + 1).ParseAll();
      if (!inner) return Fail();
      Push(ShellPart::Kind::kCommand, quoted, "");
      token_.word.back().command = std::make_shared<ShellList>(std::move(*inner));
      at_ = end + 1;
    } else if (Peek(1) == '{') {
      const std::size_t end = text_.find('}', at_);
      if (end == std::string_view::npos) return Fail();
      const std::string_view name = text_.substr(at_ + 2, end - at_ - 2);
      if (!std::ranges::all_of(name, IsNameCharacter)) return Fail();
      Push(ShellPart::Kind::kVariable, quoted, name);
      at_ = end + 1;
    } else if (IsNameCharacter(Peek(1)) || Peek(1) == '?') {
      std::size_t end = at_ + 2;
      while (Peek(1) != '?' && end < text_.size() && IsNameCharacter(text_[end])) ++end;
      Push(ShellPart::Kind::kVariable, quoted, text_.substr(at_ + 1, end - at_ - 1));
      at_ = end;
    } else {
      AddText('$', quoted);
      ++at_;
    }
  }

  void Push(ShellPart::Kind kind, bool quoted, std::string_view text) {
    token_.word.push_back({kind, quoted, std::string(text), nullptr});
  }

  std::size_t ClosingParenthesis(std::size_t open) const {
    int depth = 0;
    for (std::size_t i = open; i < text_.size(); ++i) {
      if (text_[i] == '(') ++depth;
      if (text_[i] == ')' && --depth == 0) return i;
    }
    return std::string_view::npos;
  }

  // Until one of `ends` stands where a command would, or the text ends.
  ShellList ParseList(std::vector<std::string_view> ends) {
    ShellList list;
    auto when = ShellStep::When::kAlways;
    while (!failed_) {
      while (token_.kind == Token::Kind::kSeparator) Advance();
      if (token_.kind == Token::Kind::kEnd || std::ranges::count(ends, token_.Plain()) > 0) break;
      if (token_.kind != Token::Kind::kWord) {
        Fail();
        break;
      }
      list.steps.push_back({when, ParseCommand()});
      when = ShellStep::When::kAlways;
      if (token_.kind == Token::Kind::kAnd) when = ShellStep::When::kAfterSuccess;
      if (token_.kind == Token::Kind::kOr) when = ShellStep::When::kAfterFailure;
      if (token_.kind != Token::Kind::kEnd) {
        if (token_.kind == Token::Kind::kWord) Fail();
        Advance();
      }
    }
    return list;
  }

  void Expect(std::string_view keyword) {
    if (token_.Plain() != keyword) return Fail();
    Advance();
  }

  std::shared_ptr<ShellList> ParseUntil(std::vector<std::string_view> ends) {
    if (++depth_ > kMaxDepth) Fail();
    auto list = std::make_shared<ShellList>();
    if (!failed_) *list = ParseList(std::move(ends));
    --depth_;
    return list;
  }

  ShellCommand ParseCommand() {
    ShellCommand command;
    const std::string keyword(token_.Plain());
    if (keyword == "while" || keyword == "until") {
      command.kind = keyword == "while" ? ShellCommand::Kind::kWhile : ShellCommand::Kind::kUntil;
      Advance();
      command.condition = ParseUntil({"do"});
      Expect("do");
      command.body = ParseUntil({"done"});
      Expect("done");
    } else if (keyword == "for") {
      ParseFor(command);
    } else if (keyword == "if") {
      command.kind = ShellCommand::Kind::kIf;
      Advance();
      command.condition = ParseUntil({"then"});
      Expect("then");
      command.body = ParseUntil({"else", "fi"});
      if (token_.Plain() == "else") {
        Advance();
        command.otherwise = ParseUntil({"fi"});
      }
      Expect("fi");
    } else if (keyword == "{") {
      command.kind = ShellCommand::Kind::kGroup;
      Advance();
      command.body = ParseUntil({"}"});
      Expect("}");
    } else if (keyword == "case" || keyword == "function" || keyword == "!") {
      Fail();
    } else {
      while (!failed_ && token_.kind == Token::Kind::kWord) {
        command.words.push_back(std::move(token_.word));
        Advance();
      }
    }
    return command;
  }

  void ParseFor(ShellCommand& command) {
    command.kind = ShellCommand::Kind::kFor;
    Advance();
    command.variable = token_.Plain();
    Advance();
    Expect("in");
    while (!failed_ && token_.kind == Token::Kind::kWord) {
      command.words.push_back(std::move(token_.word));
      Advance();
    }
    while (token_.kind == Token::Kind::kSeparator) Advance();
    Expect("do");
    command.body = ParseUntil({"done"});
    Expect("done");
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int depth_;
  Token token_;
  bool failed_ = false;
};

}  // namespace

std::optional<ShellList> ParseShell(std::string_view script) {
  return Parser(script, 0).ParseAll();
}

ShellList CommandLine(const std::vector<std::string>& words) {
  ShellCommand command;
  for (const std::string& word : words) {
    command.words.push_back({ShellPart{ShellPart::Kind::kText, true, word, nullptr}});
  }
  return {{ShellStep{ShellStep::When::kAlways, std::move(command)}}};
}

}  // namespace kumiko::localcluster
