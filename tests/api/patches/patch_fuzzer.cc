// Any patch of any object. An input is text: apiVersion, a blank, kind, a blank, and two JSON documents with " ~ "
// between them, the object and the patch, which is tried in every way.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>

#include "api/patch/json_patch.h"
#include "api/patch/merge_patch.h"
#include "api/patch/server_side_apply.h"
#include "api/patch/strategic_merge.h"
#include "api/schema/schema.h"
#include "base/json.h"

namespace kumiko::api {
namespace {

void Check(bool holds) {
  if (!holds) std::abort();
}

int DepthOf(const Json& value) {
  int deepest = 0;
  if (const JsonObject* members = value.if_object()) {
    for (const auto& member : *members) deepest = std::max(deepest, DepthOf(member.value()));
  } else if (const JsonArray* items = value.if_array()) {
    for (const Json& item : *items) deepest = std::max(deepest, DepthOf(item));
  }
  return value.is_structured() ? deepest + 1 : 0;
}

void CheckResult(const PatchResult<Json>& result) {
  if (!result) return Check(!result.error().message.empty());
  Check(DepthOf(*result) <= kMaxJsonDepth);
  const auto again = ParseJson(WriteJson(*result));
  Check(again.has_value() && WriteJson(*again) == WriteJson(*result));
}

// As an API server reads an object before it stores it.
Json WithoutNulls(const Json& object) {
  Json stored = JsonObject();
  MergePatch(stored, object);
  return stored;
}

// What was applied twice can be applied once more and changes nothing. The second time may add lists and maps that are
// empty in the patch and lost their last item the first time.
void CheckApply(const Json& object, const Json& patch, const FieldManagement& kind) {
  const ApplyOptions options{.manager = "kubectl", .force = true, .now = Time{1'000'000'000'000'000}};
  Json stored = object;
  for (int times = 0; times < 3; ++times) {
    const auto applied = Apply(&stored, patch, options, kind);
    CheckResult(applied);
    // Items that lost all members may be left in a list, which is not well formed then.
    if (!applied) return;
    Check(ReadManagedFields(*applied).has_value());
    Json next = WithoutNulls(*applied);
    if (times == 2) Check(EqualButForTimes(stored, next));
    stored = std::move(next);
  }
}

void CheckUpdate(const Json& object, Json after, const FieldManagement& kind) {
  after = UpdateManagedFields(&object, std::move(after), "a", kind, Time{2'000'000'000'000'000});
  Check(ResetsManagedFields(object) || ReadManagedFields(after).has_value() || !ReadManagedFields(object).has_value());
}

void TryEveryWay(std::string_view text) {
  const auto take = [&](std::string_view end) {
    const std::size_t at = text.find(end);
    const std::string_view word = text.substr(0, at);
    text.remove_prefix(at == std::string_view::npos ? text.size() : at + end.size());
    return word;
  };
  const std::string_view api_version = take(" ");
  const std::string_view kind_name = take(" ");
  const auto object = ParseJson(take(" ~ "));
  const auto patch = ParseJson(text);
  if (!object || !patch || !object->is_object()) return;
#ifdef KUMIKO_PLANT_CRASH
  // For the test of the fuzzer: it must find this. The corpus has no such path.
  if (patch->is_array() && text.find(R"("path":"//)") != std::string_view::npos) std::abort();
#endif
  CheckResult(ApplyJsonPatch(*object, *patch));
  const auto checked = CheckJsonPatch(*patch);
  if (!checked) Check(!checked.error().message.empty());
  Json merged = *object;
  MergePatch(merged, *patch);

  const std::size_t slash = api_version.find('/');
  const bool core = slash == std::string_view::npos;
  const std::string_view group = core ? "" : api_version.substr(0, slash);
  const Schema* schema = SchemaOf(group, core ? api_version : api_version.substr(slash + 1), kind_name);
  if (schema == nullptr) return;
  CheckResult(StrategicMerge(*object, *patch, *schema));
  FieldManagement kind;
  kind.schema = schema;
  kind.api_version = api_version;
  kind.kind = kind_name;
  CheckApply(*object, *patch, kind);
  if (merged.is_object()) CheckUpdate(*object, std::move(merged), kind);
}

}  // namespace
}  // namespace kumiko::api

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  kumiko::api::TryEveryWay({reinterpret_cast<const char*>(data), size});
  return 0;
}
