#include "api/schema/go_texts.h"

#include <algorithm>
#include <optional>

#include "api/patch/go_text.h"
#include "base/quantity.h"
#include "base/text.h"
#include "base/time.h"

namespace kumiko::api {
namespace {

bool IsDigit(char byte) {
  return byte >= '0' && byte <= '9';
}

std::size_t CountDigits(std::string_view text) {
  return std::min(text.size(), text.find_first_not_of("0123456789"));
}

// Whether the text is a number and letters of suffixes and exponents, in which case only the suffix can be wrong.
bool LooksLikeQuantity(std::string_view text) {
  const auto skip = [&](std::string_view bytes) {
    text.remove_prefix(std::min(text.size(), text.find_first_not_of(bytes)));
  };
  const auto skip_sign = [&] {
    if (text.starts_with('+') || text.starts_with('-')) text.remove_prefix(1);
  };
  skip_sign();
  text.remove_prefix(CountDigits(text));
  if (text.starts_with('.')) text.remove_prefix(1);
  text.remove_prefix(CountDigits(text));
  skip("eEinumkKMGTP");
  skip_sign();
  text.remove_prefix(CountDigits(text));
  return text.empty();
}

// Where Go's time.Parse stops in a text, by the parts of the layout of RFC 3339.
class TimeReader {
 public:
  TimeReader(std::string_view text, GoTextKind kind)
      : text_(text), rest_(text), micro_(kind == GoTextKind::kMicroTime) {}

  // Nothing when the text has the form; dates that do not exist are found by ParseRfc3339.
  std::optional<std::string> Problem() {
    const bool right = Digits("2006", 4) && Literal("-") && Digits("01", 2) && Within("month", 1, 12) && Literal("-") &&
                       Digits("02", 2) && Literal("T") && Hour() && Within("hour", 0, 23) && Literal(":") &&
                       Digits("04", 2) && Within("minute", 0, 59) && Literal(":") && Digits("05", 2) &&
                       Within("second", 0, 59) && Fraction() && Zone();
    if (!range_.empty()) return fmt::format("parsing time {}: {} out of range", GoQuoted(text_), range_);
    if (!right) {
      return fmt::format("parsing time {} as \"2006-01-02T15:04:05{}Z07:00\": cannot parse {} as \"{}\"",
                         GoQuoted(text_), micro_ ? ".000000" : "", GoQuoted(rest_), part_);
    }
    if (rest_.empty()) return std::nullopt;
    return fmt::format("parsing time {}: extra text: {}", GoQuoted(text_), GoQuoted(rest_));
  }

 private:
  bool Digits(std::string_view part, std::size_t count) {
    part_ = part;
    if (CountDigits(rest_.substr(0, count)) < count) return false;
    Take(count);
    return true;
  }
  void Take(std::size_t digits) {
    number_ = ParseInt64(rest_.substr(0, digits)).value_or(0);
    rest_.remove_prefix(digits);
  }
  // Of the number that was read last.
  bool Within(std::string_view what, std::int64_t least, std::int64_t most) {
    if (number_ < least || number_ > most) range_ = what;
    return range_.empty();
  }
  bool Literal(std::string_view part) {
    part_ = part;
    if (!rest_.starts_with(part)) return false;
    rest_.remove_prefix(part.size());
    return true;
  }
  bool Hour() {
    part_ = "15";
    const std::size_t digits = CountDigits(rest_.substr(0, 2));
    Take(digits);
    return digits > 0;
  }
  bool Fraction() {
    const bool begins = rest_.starts_with('.') || rest_.starts_with(',');
    if (micro_) {
      part_ = ".000000";
      if (!begins || CountDigits(rest_.substr(1, 6)) < 6) return false;
      rest_.remove_prefix(7);
    } else if (begins && rest_.size() > 1 && IsDigit(rest_[1])) {
      rest_.remove_prefix(1 + CountDigits(rest_.substr(1)));
    }
    return true;
  }
  bool Zone() {
    part_ = "Z07:00";
    if (rest_.starts_with('Z')) {
      rest_.remove_prefix(1);
      return true;
    }
    const bool right = rest_.size() >= 6 && (rest_[0] == '+' || rest_[0] == '-') &&
                       CountDigits(rest_.substr(1, 2)) == 2 && rest_[3] == ':' && CountDigits(rest_.substr(4, 2)) == 2;
    if (right) rest_.remove_prefix(6);
    return right;
  }

  std::string_view text_;
  std::string_view rest_;
  std::string_view part_;
  std::string_view range_;  // what was out of range
  std::int64_t number_ = 0;
  bool micro_;
};

Result<std::string> CanonicalTime(GoTextKind kind, std::string_view text) {
  if (const auto problem = TimeReader(text, kind).Problem()) return Fail(Code::kInvalidArgument, "{}", *problem);
  const Result<Time> time = ParseRfc3339(text);
  if (!time) return Fail(Code::kInvalidArgument, "parsing time {}: day out of range", GoQuoted(text));
  return kind == GoTextKind::kMicroTime ? FormatRfc3339Micros(*time) : FormatRfc3339(*time);
}

// Go skips line breaks, wants padding, and names the offset of the first byte that is wrong.
std::optional<std::size_t> FindBadBase64(std::string_view text) {
  const auto skip_breaks = [&](std::size_t at) { return std::min(text.find_first_not_of("\r\n", at), text.size()); };
  constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::size_t at = skip_breaks(0);
  while (at < text.size()) {
    for (int place = 0; place < 4; ++place, at = skip_breaks(at)) {
      if (at >= text.size()) return text.size() - static_cast<std::size_t>(place);
      const char byte = text[at++];
      if (kAlphabet.find(byte) != std::string_view::npos) continue;
      if (byte != '=' || place < 2) return at - 1;
      at = skip_breaks(at);
      if (place == 2) {
        if (at >= text.size()) return text.size();
        if (text[at] != '=') return at;
        at = skip_breaks(at + 1);
      }
      return at < text.size() ? std::optional(at) : std::nullopt;
    }
  }
  return std::nullopt;
}

}  // namespace

GoTextKind GoTextKindOf(const Schema& schema) {
  if (schema.format == "byte") return GoTextKind::kBase64;
  if (schema.format != "date-time") return GoTextKind::kPlain;
  return schema.name.ends_with(".MicroTime") ? GoTextKind::kMicroTime : GoTextKind::kTime;
}

Result<std::string> CanonicalGoText(GoTextKind kind, std::string_view text) {
  switch (kind) {
    case GoTextKind::kPlain:
      break;
    case GoTextKind::kBase64:
      if (const auto bad = FindBadBase64(text)) {
        return Fail(Code::kInvalidArgument, "illegal base64 data at input byte {}", *bad);
      }
      break;
    case GoTextKind::kTime:
    case GoTextKind::kMicroTime:
      return CanonicalTime(kind, text);
  }
  return std::string(text);
}

Result<std::string> CanonicalQuantity(std::string_view text) {
  if (const Result<Quantity> quantity = Quantity::Parse(text)) return quantity->ToString();
  if (!text.empty() && LooksLikeQuantity(text))
    return Fail(Code::kInvalidArgument, "unable to parse quantity's suffix");
  return Fail(Code::kInvalidArgument, "quantities must match the regular expression '{}'",
              "^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$");
}

}  // namespace kumiko::api
