#include "report/placement_page.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/table.h"
#include "report/text.h"

namespace kumiko::report {
namespace {

constexpr int kBarCells = 20;

void AddMore(std::string& out, std::size_t all, std::size_t shown, std::string_view what, const Style& style) {
  if (all <= shown) return;
  out += Paint(fmt::format("and {} more {}\n", all - shown, what), Hue::kDim, style);
}

std::string DrawPods(const PlacementPage& page, const Style& style) {
  Table table;
  table.columns = {{"POD", Fit::kCutMiddle, false},
                   {"ASKED FOR", Fit::kCutEnd, false},
                   {"NODE", Fit::kCutMiddle, false},
                   {"DEVICE", Fit::kWhole, false},
                   {"PROFILE", Fit::kWhole, false}};
  for (const PlacedPod& pod : page.pods) {
    if (table.rows.size() == page.max_pods) break;
    table.rows.push_back({{pod.name, Hue::kNone, false},
                          {Worded(pod.asks, style), Hue::kDim, false},
                          {pod.node, Hue::kNone, false},
                          {pod.devices, Hue::kNone, false},
                          {pod.profiles, Hue::kNone, false}});
  }
  std::string out = Draw(table, style);
  AddMore(out, page.pods.size(), page.max_pods, "pods", style);
  return out;
}

std::string DrawGpus(const PlacementPage& page, const Style& style) {
  Table table;
  table.columns = {{"NODE", Fit::kCutMiddle, false},    {"GPU", Fit::kWhole, false},
                   {"MODEL", Fit::kCutMiddle, false},   {"STRIP", Fit::kWhole, false},
                   {"MEMORY USED", Fit::kWhole, false}, {"PODS", Fit::kWhole, true}};
  for (const DrawnGpu& gpu : page.gpus) {
    if (table.rows.size() == page.max_gpus) break;
    const std::string used = gpu.memory_used_bytes == 0 ? "0" : BinarySize(gpu.memory_used_bytes);
    const std::string memory = fmt::format("{} of {}", used, BinarySize(gpu.memory_bytes));
    table.rows.push_back({{gpu.node, Hue::kNone, false},
                          {gpu.gpu, Hue::kNone, false},
                          {gpu.model, Hue::kNone, false},
                          {Draw(gpu.strip, style), Hue::kNone, true},
                          {memory, Hue::kNone, false},
                          {std::to_string(gpu.pods), gpu.pods == 0 ? Hue::kDim : Hue::kNone, false}});
  }
  std::string out = Draw(table, style);
  AddMore(out, page.gpus.size(), page.max_gpus, "GPUs", style);
  return out;
}

// █ used, ▒ held by a claim but not used, · free.
std::string Bar(const Use& use, const Style& style) {
  const auto cells = [&](std::int64_t part) {
    if (use.total <= 0) return 0;
    const std::int64_t rounded = (part * kBarCells + use.total / 2) / use.total;
    return static_cast<int>(std::clamp<std::int64_t>(rounded, 0, kBarCells));
  };
  const int used = cells(use.used);
  const int held = std::max(used, cells(use.held));
  const auto run = [](std::string_view glyph, int n) {
    std::string text;
    for (int i = 0; i < n; ++i) text += glyph;
    return text;
  };
  return Paint(run(Glyph(style, "█", "#"), used), Hue::kGreen, style) +
         Paint(run(Glyph(style, "▒", "-"), held - used), Hue::kYellow, style) +
         Paint(run(Glyph(style, "·", "."), kBarCells - held), Hue::kDim, style) +
         fmt::format(" {:>5}", Percent(use.used, use.total));
}

std::vector<Cell> TotalsRow(std::string_view name, const RunTotals& totals, const Style& style) {
  return {{std::string(name), Hue::kNone, false},
          {fmt::format("{} of {}", totals.pods_running, totals.pods), Hue::kNone, false},
          {fmt::format("{} of {}", totals.gpus_held, totals.gpus), Hue::kNone, false},
          {Bar(totals.memory_bytes, style), Hue::kNone, true},
          {Bar(totals.multiprocessors, style), Hue::kNone, true}};
}

// Who would not run on whole GPUs, in one sentence.
std::string DrawWaitingOnWholeGpus(const PlacementPage& page, const Style& style) {
  if (!page.whole_gpus || page.whole_gpus->waiting.empty()) return "";
  std::string names;
  std::size_t shown = 0;
  for (const WaitingPods& pods : page.whole_gpus->waiting) {
    if (shown == page.max_waiting) break;
    if (shown++ > 0) names += ", ";
    names += EscapeControls(pods.name);
    if (pods.others > 0) names += fmt::format(" and {} more", pods.others);
  }
  if (page.whole_gpus->waiting.size() > shown) {
    names += fmt::format(" and others for {} more reasons", page.whole_gpus->waiting.size() - shown);
  }
  std::string out;
  const std::size_t room = style.width > 0 ? static_cast<std::size_t>(style.width) : 100;
  for (const std::string& line : Wrap("On whole GPUs these would wait: " + names, room)) {
    out += Paint(line, Hue::kDim, style) + "\n";
  }
  return out;
}

std::string DrawTotals(const PlacementPage& page, const Style& style) {
  Table table;
  table.columns = {{"PLACED ON", Fit::kWhole, false},
                   {"PODS RUN", Fit::kWhole, false},
                   {"GPUS HELD", Fit::kWhole, false},
                   {"MEMORY USED", Fit::kWhole, false},
                   {"COMPUTE USED", Fit::kWhole, false}};
  table.rows.push_back(TotalsRow("GPUs and parts", page.totals, style));
  if (page.whole_gpus) table.rows.push_back(TotalsRow("whole GPUs only", page.whole_gpus->totals, style));
  const std::string legend = fmt::format("{} used   {} held by a pod, not used   {} free", Glyph(style, "█", "#"),
                                         Glyph(style, "▒", "-"), Glyph(style, "·", "."));
  return Draw(table, style) + Paint(legend, Hue::kDim, style) + "\n" + DrawWaitingOnWholeGpus(page, style);
}

std::string DrawWaiting(const PlacementPage& page, const Style& style) {
  if (page.waiting.empty()) return Paint("Nothing waits.", Hue::kBold, style) + "\n";
  std::string out = Paint("WAITING", Hue::kBold, style) + "\n";
  std::size_t shown = 0;
  for (const WaitingPods& pods : page.waiting) {
    if (shown++ == page.max_waiting) break;
    std::string head = EscapeControls(pods.name);
    if (pods.others > 0) head += fmt::format(" and {} more", pods.others);
    out += Paint(head, Hue::kYellow, style);
    if (!pods.asks.empty())
      out += Paint((pods.others > 0 ? " ask for " : " asks for ") + EscapeControls(Worded(pods.asks, style)), Hue::kDim,
                   style);
    out += '\n';
    const std::size_t room = style.width > 0 ? static_cast<std::size_t>(style.width) : 100;
    for (const std::string& line : Wrap(EscapeControls(pods.reason), room - 3)) out += "   " + line + "\n";
  }
  AddMore(out, page.waiting.size(), page.max_waiting, "reasons", style);
  return out;
}

std::string DrawFailed(const PlacementPage& page, const Style& style) {
  if (page.failed.empty()) return "";
  std::string out = "\n" + Paint("FAILED", Hue::kBold, style) + "\n";
  std::size_t shown = 0;
  const std::size_t room = style.width > 0 ? static_cast<std::size_t>(style.width) : 100;
  for (const FailedPod& pod : page.failed) {
    if (shown++ == page.max_failed) break;
    out += Paint(EscapeControls(pod.name), Hue::kYellow, style) + "\n";
    for (const std::string& line : Wrap(EscapeControls(pod.reason), room - 3)) out += "   " + line + "\n";
  }
  AddMore(out, page.failed.size(), page.max_failed, "pods", style);
  return out;
}

}  // namespace

std::string Draw(const PlacementPage& page, const Style& style) {
  std::string out = Paint(EscapeControls(page.title), Hue::kBold, style) + "\n\n";
  if (!page.pods.empty()) out += DrawPods(page, style) + "\n";
  if (!page.gpus.empty()) out += DrawGpus(page, style) + "\n";
  out += DrawTotals(page, style) + "\n";
  out += DrawWaiting(page, style);
  out += DrawFailed(page, style);
  return out;
}

}  // namespace kumiko::report
