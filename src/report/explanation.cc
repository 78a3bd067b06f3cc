#include "report/explanation.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "report/text.h"

namespace kumiko::report {
namespace {

constexpr std::size_t kLabelCells = 9;
constexpr std::size_t kMostRows = 8;
constexpr std::size_t kFewNames = 3;
constexpr std::size_t kGap = 3;

std::string_view Phrase(Verdict verdict) {
  switch (verdict) {
    case Verdict::kNeverAsWritten:
      return "can never start as written:";
    case Verdict::kNeverInCluster:
      return "can never start in this cluster:";
    case Verdict::kHeld:
      return "is held:";
    case Verdict::kWaitingForRoom:
      return "is waiting for room:";
    case Verdict::kPromised:
      return "is promised:";
    case Verdict::kStarting:
      return "is starting";
    case Verdict::kRuns:
      return "runs";
    case Verdict::kEnded:
      return "ended";
  }
  return "";
}

// The page under construction: every section begins with its label, in a column of its own.
class Sections {
 public:
  explicit Sections(const Style& style) : style_(style) {}

  // Broken at blanks where the terminal is narrow; what follows the first line is indented by `hang` more.
  void Add(std::string_view label, std::string_view text, std::size_t hang = 0) {
    if (text.empty()) return;
    const std::string shown = Worded(EscapeControls(text), style_);
    if (style_.width == 0) return AddLine(label, shown);
    const std::size_t room = std::max<std::size_t>(Room(), hang + 20);
    const std::string first = Wrap(shown, room).front();
    AddLine(label, first);
    if (first.size() >= shown.size()) return;
    for (const std::string& line : Wrap(std::string_view(shown).substr(first.size() + 1), room - hang)) {
      AddLine("", std::string(hang, ' ') + line);
    }
  }
  // As it is: strips, and text that carries colour.
  void AddLine(std::string_view label, std::string_view text) {
    out_ += PadRight(Paint(label, Hue::kBold, style_), kLabelCells);
    out_ += text;
    while (out_.ends_with(' ')) out_.pop_back();
    out_ += '\n';
  }
  std::size_t Room() const {
    const auto width = static_cast<std::size_t>(style_.width);
    return width > kLabelCells ? width - kLabelCells : 1;
  }
  std::string Take() { return std::move(out_); }

 private:
  const Style& style_;
  std::string out_;
};

// All rows, or the nearest ones with the rest in one, so that they still add up.
std::vector<PlaceRow> ShownRows(const Place& place, bool all) {
  if (all || place.rows.size() <= kMostRows) return place.rows;
  const auto kept = static_cast<std::ptrdiff_t>(kMostRows - 1);
  const auto cut = place.rows.end() - kept;
  PlaceRow rest{.count = 0, .code = "", .text = "", .names = {}};
  for (auto row = place.rows.begin(); row != cut; ++row) rest.count += row->count;
  rest.text = fmt::format("for {} other reasons; -v lists them", cut - place.rows.begin());
  std::vector<PlaceRow> shown = {std::move(rest)};
  shown.insert(shown.end(), cut, place.rows.end());
  return shown;
}

std::string NamesOf(const PlaceRow& row, const Place& place, bool all) {
  if (row.names.empty() || place.total <= 1) return "";
  if (!all && row.names.size() > kFewNames) return "";
  return Join(row.names, ", ");
}

// "LEFT   right" where both fit beside the widest left part, else "LEFT: right", to be broken.
std::string TwoColumns(const std::string& left, std::size_t widest, const std::string& right, std::size_t room) {
  if (right.empty()) return left;
  if (room > 0 && widest + kGap + Cells(right) > room) return left + ": " + right;
  return PadRight(left, widest + kGap) + right;
}

void AddPlace(const Place& place, bool all_names, const Style& style, Sections& page) {
  page.Add("Place", PlaceHead(place));
  const std::vector<PlaceRow> rows = ShownRows(place, all_names);
  std::size_t count_cells = 4;
  std::size_t widest = 0;
  for (const PlaceRow& row : rows) {
    count_cells = std::max(count_cells, std::to_string(row.count).size() + 2);
    if (!NamesOf(row, place, all_names).empty()) widest = std::max(widest, Cells(Worded(row.text, style)));
  }
  const std::size_t room = style.width == 0 ? 0 : page.Room() - std::min(page.Room() - 1, count_cells);
  for (const PlaceRow& row : rows) {
    const std::string said = Worded(EscapeControls(row.text), style);
    page.Add("",
             PadRight(std::to_string(row.count), count_cells) +
                 TwoColumns(said, widest, EscapeControls(NamesOf(row, place, all_names)), room),
             count_cells);
  }
}

void AddChanges(const std::vector<CheckedChange>& changes, const Style& style, Sections& page) {
  std::size_t widest = 0;
  for (const CheckedChange& change : changes) widest = std::max(widest, Cells(Worded(change.text, style)));
  const std::size_t room = style.width == 0 ? 0 : page.Room() - std::min<std::size_t>(page.Room() - 1, 2);
  std::string_view label = "Change";
  for (const CheckedChange& change : changes) {
    const std::string mark(change.helps ? Glyph(style, "●", "*") : Glyph(style, "○", "o"));
    const std::string said = Worded(EscapeControls(change.text), style);
    page.Add(label, mark + " " + TwoColumns(said, widest, EscapeControls(change.effect), room), 2);
    label = "";
  }
}

void AddNearest(const std::vector<NearestBoard>& boards, const Style& style, Sections& page) {
  std::size_t widest = 0;
  for (const NearestBoard& board : boards) widest = std::max(widest, Cells(EscapeControls(board.name)));
  std::string_view label = "Nearest";
  for (const NearestBoard& board : boards) {
    page.AddLine(label, PadRight(EscapeControls(board.name), widest + kGap) + Draw(board.strip, style) +
                            std::string(kGap, ' ') + EscapeControls(board.text));
    label = "";
  }
}

}  // namespace

std::string_view VerdictName(Verdict verdict) {
  switch (verdict) {
    case Verdict::kNeverAsWritten:
      return "NeverAsWritten";
    case Verdict::kNeverInCluster:
      return "NeverInCluster";
    case Verdict::kHeld:
      return "Held";
    case Verdict::kWaitingForRoom:
      return "WaitingForRoom";
    case Verdict::kPromised:
      return "Promised";
    case Verdict::kStarting:
      return "Starting";
    case Verdict::kRuns:
      return "Runs";
    case Verdict::kEnded:
      return "Ended";
  }
  return "";
}

std::string Sentence(const Explanation& explanation) {
  std::string sentence =
      explanation.namespace_.empty() ? explanation.name : explanation.namespace_ + "/" + explanation.name;
  sentence += fmt::format(" {}", Phrase(explanation.verdict));
  if (!explanation.because.empty()) sentence += " " + explanation.because;
  if (sentence.ends_with(':')) sentence.pop_back();
  return sentence + ".";
}

std::string PlaceHead(const Place& place) {
  std::size_t open = 0;
  for (const PlaceRow& row : place.rows) open += row.code == kRoomCode ? row.count : 0;
  const std::string units = place.unit + (place.total == 1 ? "" : "s");
  const std::string counted = open == 0 ? fmt::format("none of {} {}", place.total, units)
                                        : fmt::format("{} of {} {}", open, place.total, units);
  return counted + (place.where.empty() ? "" : " (" + place.where + ")");
}

std::string Draw(const Explanation& explanation, const Style& style, bool all_names) {
  std::string out;
  const std::string sentence = Worded(EscapeControls(Sentence(explanation)), style);
  const std::size_t room = style.width > 0 ? static_cast<std::size_t>(style.width) : sentence.size();
  for (const std::string& line : Wrap(sentence, room)) out += Paint(line, Hue::kBold, style) + "\n";
  out += '\n';

  Sections page(style);
  const auto add_lines = [&](std::string_view label, const std::vector<std::string>& lines) {
    for (const std::string& line : lines) {
      page.Add(label, line, 2);
      label = "";
    }
  };
  add_lines("Asked", explanation.asked);
  add_lines("Holds", explanation.holds);
  if (explanation.place) AddPlace(*explanation.place, all_names, style, page);
  AddNearest(explanation.nearest, style, page);
  AddChanges(explanation.changes, style, page);
  page.Add("When", explanation.when, 2);
  const double seconds = static_cast<double>(explanation.seen.age.count()) / 1e6;
  const std::string version =
      explanation.seen.resource_version.empty() ? "" : ", resourceVersion " + explanation.seen.resource_version;
  page.Add("Seen", fmt::format("{:.1f} s ago{}", seconds, version));
  return out + page.Take();
}

}  // namespace kumiko::report
