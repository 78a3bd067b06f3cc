#include "cli/explain/explanation_record.h"

#include <chrono>

namespace kumiko::cli {
namespace {

JsonArray Strings(const std::vector<std::string>& strings) {
  JsonArray array;
  for (const std::string& text : strings) array.push_back(Json(text));
  return array;
}

JsonObject PlaceRecord(const report::Place& place, bool all_names) {
  JsonArray rows;
  for (const report::PlaceRow& row : place.rows) {
    JsonObject record{{"count", row.count}, {"reason", row.code}, {"text", row.text}};
    if (all_names && !row.names.empty()) record["names"] = Strings(row.names);
    rows.push_back(std::move(record));
  }
  return {{"unit", place.unit}, {"total", place.total}, {"text", report::PlaceHead(place)}, {"rows", std::move(rows)}};
}

JsonObject SnapshotRecord(const report::Seen& seen) {
  const auto milliseconds = std::chrono::duration_cast<std::chrono::milliseconds>(seen.age).count();
  return {{"time", FormatRfc3339Micros(seen.time)},
          {"ageSeconds", static_cast<double>(milliseconds) / 1000.0},
          {"resourceVersion", seen.resource_version},
          {"decision", nullptr},
          {"staleSources", JsonArray()}};
}

}  // namespace

Json ExplanationRecord(const report::Explanation& explanation, bool all_names) {
  JsonObject record{
      {"apiVersion", "kumiko.dev/v1alpha1"},
      {"kind", "Explanation"},
      {"object",
       JsonObject{{"kind", explanation.kind}, {"namespace", explanation.namespace_}, {"name", explanation.name}}},
      {"verdict", report::VerdictName(explanation.verdict)},
      {"text", report::Sentence(explanation)}};
  if (!explanation.asked.empty()) record["asked"] = Strings(explanation.asked);
  if (!explanation.holds.empty()) record["holds"] = Strings(explanation.holds);
  if (explanation.place) record["place"] = PlaceRecord(*explanation.place, all_names);
  JsonArray nearest;
  for (const report::NearestBoard& board : explanation.nearest) {
    nearest.push_back(JsonObject{{"board", board.name}, {"text", board.text}});
  }
  if (!nearest.empty()) record["nearest"] = std::move(nearest);
  JsonArray changes;
  for (const report::CheckedChange& change : explanation.changes) {
    changes.push_back(JsonObject{{"helps", change.helps}, {"text", change.text}, {"effect", change.effect}});
  }
  if (!changes.empty()) record["changes"] = std::move(changes);
  if (!explanation.when.empty()) record["when"] = explanation.when;
  record["snapshot"] = SnapshotRecord(explanation.seen);
  return record;
}

}  // namespace kumiko::cli
