#include "report/strip.h"

#include <algorithm>

#include "report/text.h"

namespace kumiko::report {
namespace {

constexpr int kInnerCells = 24;

constexpr int kCompactCells = 8;

// Where slot `slot` begins, in cells: even shares for 8, 4, 2 and 12 slots, nearest cell else.
int CellOf(int slot, int slots, int inner_cells = kInnerCells) {
  return (slot * inner_cells + slots / 2) / slots;
}

Hue HueOf(PartState state) {
  switch (state) {
    case PartState::kFree:
      return Hue::kDim;
    case PartState::kUnreachable:
      return Hue::kYellow;
    case PartState::kPart:
      return Hue::kGreen;
    case PartState::kWhole:
      return Hue::kBlue;
    case PartState::kUnhealthy:
      return Hue::kRed;
  }
  return Hue::kNone;
}

std::string Repeated(std::string_view glyph, std::size_t times) {
  std::string out;
  for (std::size_t i = 0; i < times; ++i) out += glyph;
  return out;
}

std::string Inside(const StripPart& part, std::size_t cells, const Style& style) {
  switch (part.state) {
    case PartState::kFree:
      return Repeated(Glyph(style, "·", "."), cells);
    case PartState::kUnreachable:
      return Repeated(Glyph(style, "▒", "x"), cells);
    case PartState::kPart:
    case PartState::kWhole:
    case PartState::kUnhealthy:
      break;
  }
  std::string mark;
  if (part.state == PartState::kWhole) mark = std::string(Glyph(style, "█", "#")) + " ";
  if (part.state == PartState::kUnhealthy) mark = "! ";
  for (const std::string& label : part.labels) {
    const std::string text = mark + EscapeControls(label);
    if (Cells(text) <= cells) return PadRight(text, cells);
  }
  const std::string shortest = mark + (part.labels.empty() ? std::string() : EscapeControls(part.labels.back()));
  return PadRight(CutMiddle(shortest, cells, style), cells);
}

// The parts with the gaps between them filled by free ones.
std::vector<StripPart> WithGaps(const Strip& strip) {
  std::vector<StripPart> all;
  int next = 0;
  const auto free_until = [&](int slot) {
    if (slot > next) all.push_back({.start = next, .size = slot - next, .state = PartState::kFree, .labels = {}});
  };
  for (const StripPart& part : strip.parts) {
    free_until(part.start);
    all.push_back(part);
    next = part.start + part.size;
  }
  free_until(strip.slots);
  return all;
}

// A part of `cells` cells.
std::string CompactPart(const StripPart& part, std::size_t cells) {
  switch (part.state) {
    case PartState::kFree:
      return std::string(cells, '.');
    case PartState::kUnreachable:
      return std::string(cells, 'x');
    case PartState::kWhole:
      return std::string(cells, '=');
    case PartState::kUnhealthy:
      return std::string(cells, '!');
    case PartState::kPart:
      break;
  }
  std::string text(cells, '-');
  const bool sized = !part.labels.empty() && !part.labels.back().empty();
  text.front() = sized && part.labels.back().front() >= '0' && part.labels.back().front() <= '9'
                     ? part.labels.back().front()
                     : '1';
  return text;
}

}  // namespace

std::vector<std::string> ProfileLabels(std::string_view profile) {
  std::vector<std::string> labels = {std::string(profile)};
  const std::size_t unit = profile.find("gb");
  if (unit != std::string_view::npos) labels.emplace_back(profile.substr(0, unit));
  const std::size_t dot = profile.find('.');
  if (dot != std::string_view::npos) labels.emplace_back(profile.substr(0, dot));
  return labels;
}

std::string Draw(const Strip& strip, const Style& style) {
  const int slots = std::clamp(strip.slots, 1, kInnerCells);
  const std::string border = Paint(Glyph(style, "│", "|"), Hue::kDim, style);
  std::string out = border;
  for (const StripPart& part : WithGaps(strip)) {
    const int cells = CellOf(part.start + part.size, slots) - CellOf(part.start, slots);
    if (cells < 1) continue;
    out += Paint(Inside(part, static_cast<std::size_t>(cells - 1), style), HueOf(part.state), style);
    out += border;
  }
  return out;
}

std::string DrawCompact(const Strip& strip, const Style& style) {
  const int slots = std::clamp(strip.slots, 1, kInnerCells);
  std::string out = "[";
  for (const StripPart& part : WithGaps(strip)) {
    const int end = CellOf(part.start + part.size, slots, kCompactCells);
    const int cells = end - CellOf(part.start, slots, kCompactCells);
    if (cells > 0) out += Paint(CompactPart(part, static_cast<std::size_t>(cells)), HueOf(part.state), style);
  }
  return out + "]";
}

}  // namespace kumiko::report
