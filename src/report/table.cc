#include "report/table.h"

#include <algorithm>

#include "report/text.h"

namespace kumiko::report {
namespace {

constexpr std::size_t kGap = 3;
constexpr std::size_t kNarrowest = 8;

const Cell kNone = {.text = "<none>", .hue = Hue::kNone, .painted = false};

const Cell& CellAt(const std::vector<Cell>& row, std::size_t column) {
  return column < row.size() && !row[column].text.empty() ? row[column] : kNone;
}

std::size_t WidthOf(const Cell& cell) {
  return Cells(cell.painted ? cell.text : EscapeControls(cell.text));
}

std::vector<std::size_t> NaturalWidths(const Table& table) {
  std::vector<std::size_t> widths;
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    std::size_t width = Cells(table.columns[c].header);
    for (const auto& row : table.rows) width = std::max(width, WidthOf(CellAt(row, c)));
    widths.push_back(width);
  }
  return widths;
}

void Shrink(const Table& table, std::size_t room, std::vector<std::size_t>& widths) {
  std::size_t total = kGap * (widths.size() - 1);
  for (const std::size_t width : widths) total += width;
  while (total > room) {
    std::size_t widest = widths.size();
    for (std::size_t c = 0; c < widths.size(); ++c) {
      if (table.columns[c].fit == Fit::kWhole || widths[c] <= kNarrowest) continue;
      if (widest == widths.size() || widths[c] > widths[widest]) widest = c;
    }
    if (widest == widths.size()) return;
    --widths[widest];
    --total;
  }
}

std::string Aligned(const Cell& cell, const Column& column, std::size_t width, bool last, const Style& style) {
  std::string text = cell.text;
  if (!cell.painted) {
    text = EscapeControls(text);
    if (column.fit == Fit::kCutMiddle) text = CutMiddle(text, width, style);
    if (column.fit == Fit::kCutEnd) text = CutEnd(text, width, style);
  }
  const std::size_t cells = Cells(text);
  const std::string blanks(cells < width ? width - cells : 0, ' ');
  const std::string painted = cell.painted ? text : Paint(text, cell.hue, style);
  if (column.right) return blanks + painted;
  return last ? painted : painted + blanks;
}

}  // namespace

std::string Draw(const Table& table, const Style& style, std::size_t indent) {
  if (table.columns.empty()) return "";
  std::vector<std::size_t> widths = NaturalWidths(table);
  if (style.width > 0) {
    const auto room = static_cast<std::size_t>(style.width);
    Shrink(table, room > indent ? room - indent : 0, widths);
  }
  std::string out;
  const auto add_row = [&](const std::vector<Cell>& row) {
    out.append(indent, ' ');
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
      const bool last = c + 1 == table.columns.size();
      out += Aligned(CellAt(row, c), table.columns[c], widths[c], last, style);
      if (!last) out.append(kGap, ' ');
    }
    out += '\n';
  };
  std::vector<Cell> headers;
  for (const Column& column : table.columns)
    headers.push_back({.text = column.header, .hue = Hue::kBold, .painted = false});
  add_row(headers);
  for (const auto& row : table.rows) add_row(row);
  return out;
}

}  // namespace kumiko::report
