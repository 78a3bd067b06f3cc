#include "cli/top_command.h"

#include <fmt/format.h>
#include <unistd.h>

#include <map>
#include <optional>
#include <ostream>
#include <utility>

#include "base/term.h"
#include "base/yaml.h"
#include "cli/end_signals.h"
#include "cli/live_screen.h"
#include "cli/server_advice.h"
#include "cli/top/views.h"
#include "localcluster/cluster_model.h"

namespace kumiko::cli {
namespace {

constexpr Duration kBetweenScreens = std::chrono::milliseconds(250);
// Ages grow without a change.
constexpr Duration kBetweenAges = std::chrono::seconds(5);

// What is shown of a cluster at one time.
struct Shot {
  View view;
  Time seen;
  Duration age{};
  std::string trouble;  // why it may be out of date; empty: it is not
};

std::size_t ShownColumns(const View& view, Output output) {
  return view.columns.size() - (output == Output::kWide ? 0 : view.wide_columns);
}

report::Table TableOf(const View& view, Output output) {
  report::Table table;
  const std::size_t columns = ShownColumns(view, output);
  table.columns.assign(view.columns.begin(), view.columns.begin() + static_cast<std::ptrdiff_t>(columns));
  for (const ViewRow& row : view.rows) {
    table.rows.emplace_back(row.cells.begin(), row.cells.begin() + static_cast<std::ptrdiff_t>(columns));
    for (const report::Cell& more : row.more) {
      std::vector<report::Cell> cells(columns, Text(" "));
      cells[view.more_column] = more;
      table.rows.push_back(std::move(cells));
    }
  }
  return table;
}

std::string WithoutFirstLine(const std::string& text) {
  const std::size_t end = text.find('\n');
  return end == std::string::npos ? "" : text.substr(end + 1);
}

std::string TableText(const Shot& shot, const TopOptions& options, const report::Style& style) {
  std::string text = report::Draw(TableOf(shot.view, options.output), style);
  if (!options.headers) return WithoutFirstLine(text);
  if (!shot.view.head.empty()) text = Paint(shot.view.head, report::Hue::kBold, style) + "\n" + text;
  return text;
}

Json Snapshot(const Shot& shot) {
  return JsonObject{{"time", FormatRfc3339Micros(shot.seen)},
                    {"ageSeconds", static_cast<double>(shot.age.count()) / 1e6},
                    {"decision", nullptr},
                    {"staleSources", JsonArray{Json("activity")}}};
}

JsonObject RecordOf(const View& view, const ViewRow& row) {
  JsonObject record{{"apiVersion", "kumiko.dev/v1alpha1"}, {"kind", view.kind}};
  for (const auto& [key, value] : row.record) record[key] = value;
  return record;
}

Json Records(const Shot& shot) {
  JsonArray items;
  for (const ViewRow& row : shot.view.rows) items.push_back(RecordOf(shot.view, row));
  return JsonObject{{"apiVersion", "kumiko.dev/v1alpha1"},
                    {"kind", shot.view.kind + "List"},
                    {"items", std::move(items)},
                    {"snapshot", Snapshot(shot)}};
}

void Write(const Shot& shot, const TopOptions& options, const report::Style& style, std::ostream& out,
           std::ostream& err) {
  switch (options.output) {
    case Output::kJson:
      out << WriteJsonPretty(Records(shot)) << '\n';
      return;
    case Output::kYaml:
      out << WriteYaml(Records(shot));
      return;
    case Output::kName:
      for (const ViewRow& row : shot.view.rows) out << EscapeControls(row.name) << '\n';
      return;
    case Output::kTable:
    case Output::kWide:
      break;
  }
  if (shot.view.rows.empty()) {
    err << shot.view.nothing << '\n';
    return;
  }
  out << TableText(shot, options, style);
}

// Rows of a table or records, as far as they differ from what was written before.
class ChangedRows {
 public:
  void Write(const Shot& shot, const TopOptions& options, const report::Style& style, std::ostream& out) {
    std::map<std::string, std::string> now;
    View changed = shot.view;
    changed.rows.clear();
    for (const ViewRow& row : shot.view.rows) {
      const std::string key = row.name + "\n" + (row.cells.empty() ? "" : row.cells.front().text);
      std::string text = WriteJson(Json(row.record));
      const auto before = written_.find(key);
      if (before == written_.end() || before->second != text) changed.rows.push_back(row);
      now[key] = std::move(text);
    }
    written_ = std::move(now);
    if (options.output == Output::kJson) {
      for (const ViewRow& row : changed.rows) out << WriteJson(Json(RecordOf(shot.view, row))) << '\n';
    } else if (options.output == Output::kName) {
      for (const ViewRow& row : changed.rows) out << EscapeControls(row.name) << '\n';
    } else if (!changed.rows.empty()) {
      const std::string text = report::Draw(TableOf(changed, options.output), style);
      out << (first_ && options.headers ? text : WithoutFirstLine(text));
      first_ = false;
    }
    out << std::flush;
  }

 private:
  std::map<std::string, std::string> written_;
  bool first_ = true;
};

class Top {
 public:
  Top(const TopOptions& options, kube::ApiClient& api, const Clock& clock, ViewChoice choice)
      : options_(options), clock_(clock), choice_(std::move(choice)), model_(api, options.features) {}

  // Whether anything changed since the last call.
  Result<bool> Sync() {
    const Time listed = clock_.Now();
    const auto changes = model_.Sync();
    if (!changes) return tl::unexpected<Error>(Advised(changes.error()));
    trouble_ = model_.Trouble();
    if (!trouble_) seen_ = listed;
    return changes->any;
  }

  Time seen() const { return seen_; }

  Shot Take(const report::Style& style) const {
    const GpuCluster cluster(model_);
    Shot shot;
    shot.view = ViewOf(cluster, style);
    shot.seen = seen_;
    shot.age = clock_.Now() - seen_;
    if (trouble_) shot.trouble = trouble_->message;
    return shot;
  }

 private:
  View ViewOf(const GpuCluster& cluster, const report::Style& style) const {
    if (options_.what == "gpus") return GpusView(cluster, choice_, style);
    if (options_.what == "pods") return PodsView(cluster, choice_, seen_);
    if (options_.what == "pending") return PendingView(cluster, choice_, seen_);
    return NodesView(cluster, choice_, style, seen_);
  }

  const TopOptions& options_;
  const Clock& clock_;
  ViewChoice choice_;
  localcluster::ClusterModel model_;
  Time seen_;
  std::optional<Error> trouble_;
};

std::string Footer(const Shot& shot, bool paused) {
  const std::string seen = fmt::format("Seen {:.1f} s ago", static_cast<double>(shot.age.count()) / 1e6);
  return fmt::format("{}{}; used: no source of GPU activity   {}\n", seen,
                     shot.trouble.empty() ? "" : ", out of date: " + EscapeControls(shot.trouble),
                     paused ? "paused, p goes on" : "q quits, p pauses");
}

Status WatchOnTerminal(Top& top, const TopOptions& options, const std::function<report::Style()>& style,
                       std::ostream& out) {
  const EndSignals signals;
  LiveScreen screen(out);
  bool paused = false;
  bool due = true;
  Time drawn;
  int width = -1;
  std::string shown;
  while (out) {
    KU_TRY(const bool changed, top.Sync());
    const report::Style now = style();
    const bool older = top.seen() - drawn >= kBetweenAges;
    if (width != now.width || due || (!paused && (changed || older))) {
      const Shot shot = top.Take(now);
      const std::string text = (shot.view.rows.empty() ? shot.view.nothing + "\n" : TableText(shot, options, now)) +
                               "\n" + Footer(shot, paused);
      if (text != shown) screen.Show(text);
      shown = text;
      width = now.width;
      drawn = shot.seen;
      due = false;
    }
    if (signals.Arrived(kBetweenScreens)) return {};
    for (char key = screen.Key(); key != 0; key = screen.Key()) {
      if (key == 'q') return {};
      if (key != 'p') continue;
      paused = !paused;
      due = true;
    }
  }
  return {};
}

Status WatchRows(Top& top, const TopOptions& options, const report::Style& style, std::ostream& out) {
  const EndSignals signals;
  ChangedRows rows;
  bool first = true;
  while (out) {
    KU_TRY(const bool changed, top.Sync());
    if (changed || first) rows.Write(top.Take(style), options, style, out);
    first = false;
    if (signals.Arrived(kBetweenScreens)) return {};
  }
  return {};
}

Status Run(const TopOptions& options, kube::ApiClient& api, const std::string& namespace_, const Clock& clock,
           const std::function<report::Style()>& style, std::ostream& out, std::ostream& err) {
  ViewChoice choice{.node = options.node, .namespace_ = options.all_namespaces ? "" : namespace_, .selector = {}};
  auto selector = localcluster::LabelSelector::Parse(options.selector);
  if (!selector) return Fail(Code::kInvalidArgument, "-l {}: {}", options.selector, selector.error().message);
  choice.selector = std::move(*selector);
  Top top(options, api, clock, std::move(choice));
  if (options.watch && IsTerminal(STDOUT_FILENO) && options.output != Output::kJson &&
      options.output != Output::kName) {
    return WatchOnTerminal(top, options, style, out);
  }
  if (options.watch) return WatchRows(top, options, style(), out);
  KU_TRY_OK(top.Sync());
  const std::string slow = SlowReading(clock.Now() - top.seen());
  if (!slow.empty()) err << slow << '\n';
  const report::Style now = style();
  Write(top.Take(now), options, now, out, err);
  return {};
}

}  // namespace

ExitCode RunTop(const TopOptions& options, kube::ApiClient& api, const std::string& namespace_, const Clock& clock,
                const std::function<report::Style()>& style, std::ostream& out, std::ostream& err) {
  const Status ran = Run(options, api, namespace_, clock, style, out, err);
  if (ran) return ExitCode::kDone;
  err << EscapeControls(ran.error().message) << '\n';
  return ExitCodeFor(ran.error());
}

}  // namespace kumiko::cli
