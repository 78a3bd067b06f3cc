// An explanation as a JSON document (spec interface §2.2).
#pragma once

#include "base/json.h"
#include "report/explanation.h"

namespace kumiko::cli {

// {apiVersion, kind: Explanation, object{kind, namespace, name}, verdict, text, asked[], holds[], place{unit, total,
// text, rows[{count, reason, text, names[]}]}, nearest[{board, text}], changes[{helps, text, effect}], when,
// snapshot{time, ageSeconds, resourceVersion, decision, staleSources[]}}. Empty sections are left out; names of rows
// are written with `all_names`. Fields are only ever added.
Json ExplanationRecord(const report::Explanation& explanation, bool all_names);

}  // namespace kumiko::cli
