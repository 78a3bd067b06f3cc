#include "base/table.h"

#include <algorithm>

#include "base/check.h"
#include "base/text.h"

namespace kumiko {
namespace {

// kubectl never makes a column narrower than this, its blanks included.
constexpr std::size_t kMinColumn = 6;
constexpr std::size_t kBlanks = 3;

struct Shown {
  std::string text;
  std::optional<Color> color;
};

}  // namespace

void Table::AddRow(std::vector<Cell> cells) {
  KU_CHECK(cells.size() == headers_.size()) << cells.size() << " cells for " << headers_.size() << " columns";
  rows_.push_back(std::move(cells));
}

std::string Table::ToString(Headers headers, Coloring coloring) const {
  std::vector<std::vector<Shown>> lines;
  if (headers == Headers::kShow) {
    auto& line = lines.emplace_back();
    for (const std::string& header : headers_) line.push_back({ToUpper(EscapeControls(header)), std::nullopt});
  }
  for (const auto& row : rows_) {
    auto& line = lines.emplace_back();
    for (const Cell& cell : row) line.push_back({cell.text.empty() ? "<none>" : EscapeControls(cell.text), cell.color});
  }

  std::vector<std::size_t> widths(headers_.size(), kMinColumn);
  for (const auto& line : lines) {
    for (std::size_t i = 0; i < line.size(); ++i) {
      widths[i] = std::max(widths[i], static_cast<std::size_t>(DisplayWidth(line[i].text)) + kBlanks);
    }
  }

  std::string out;
  for (const auto& line : lines) {
    for (std::size_t i = 0; i < line.size(); ++i) {
      const Shown& cell = line[i];
      out += cell.color ? Colored(cell.text, *cell.color, coloring) : cell.text;
      if (i + 1 < line.size()) out.append(widths[i] - static_cast<std::size_t>(DisplayWidth(cell.text)), ' ');
    }
    out += '\n';
  }
  return out;
}

}  // namespace kumiko
