// get, list and watch.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "localcluster/apiserver/resource_api.h"
#include "localcluster/apiserver/selector.h"
#include "localcluster/apiserver/watch_stream.h"

namespace kumiko::localcluster {
namespace {

using kube::Refuse;
using kube::StatusReason;

// A watch that sets no limit ends after half an hour, as apiserver's do; clients start it anew where it ended.
constexpr std::int64_t kDefaultWatchSeconds = 1800;

const api::KindInfo kListOptions{.group = "meta.k8s.io", .version = "v1", .kind = "ListOptions", .plural = ""};

struct Selection {
  LabelSelector labels;
  FieldSelector fields;

  bool empty() const { return labels.empty() && fields.empty(); }
  bool Selects(const Json& object) const { return labels.Matches(object) && fields.Matches(object); }
};

kube::ApiResult<Selection> ReadSelection(const ResourceCall& call) {
  KU_TRY_API(LabelSelector labels, LabelSelector::Parse(call.info.query.Get("labelSelector")));
  KU_TRY_API(FieldSelector fields, FieldSelector::Parse(call.info.query.Get("fieldSelector"), call.kind.kind,
                                                        call.version.group, call.selectable_fields()));
  return Selection{std::move(labels), std::move(fields)};
}

kube::ApiResult<ListSnapshot> ListSelected(Store& store, kube::ObjectKey key, const Selection& selection) {
  if (const auto name = selection.fields.Name(); key.name.empty() && !name.empty()) key.name = std::string(name);
  auto listed = store.List(key);
  if (!listed) return Refuse(StatusReason::kInternalError, "{}", listed.error().message);
  if (!selection.empty()) {
    std::erase_if(listed->items, [&](const auto& item) { return !selection.Selects(item.outline()); });
  }
  return ListSnapshot{std::move(listed->resource_version), std::move(listed->items)};
}

// resourceVersion of a request: absent and "0" mean any.
kube::ApiResult<std::optional<std::uint64_t>> ReadVersion(const Query& query) {
  const std::string_view text = query.Get("resourceVersion");
  if (text.empty() || text == "0") return std::nullopt;
  const auto version = query.Integer("resourceVersion");
  if (!version || *version < 0) {
    return Refuse(StatusReason::kBadRequest,
                  "invalid resource version: resourceVersion: Invalid value: \"{0}\": strconv.ParseUint: parsing "
                  "\"{0}\": invalid syntax",
                  text);
  }
  return static_cast<std::uint64_t>(*version);
}

// What is wrong with the options of a list, as the API server words it.
std::optional<kube::ApiError> CheckListOptions(const Query& query) {
  if (const std::string_view limit = query.Get("limit"); !limit.empty() && !query.Integer("limit")) {
    return kube::ApiError{.reason = StatusReason::kBadRequest,
                          .message = fmt::format("strconv.ParseInt: parsing \"{}\": invalid syntax", limit)};
  }
  if (query.Get("resourceVersionMatch").empty() || !query.Get("resourceVersion").empty() ||
      query.Has("sendInitialEvents")) {
    return std::nullopt;
  }
  const std::array errors{api::FieldError{
      "resourceVersionMatch", "Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided"}};
  return kube::Invalid(kListOptions, "", errors);
}

}  // namespace

ResourceApi::Answered ResourceApi::Get(const ResourceCall& call) {
  KU_TRY_API(const ObjectWriting writing, call.Writing(clock_.Now()));
  KU_TRY_API(const auto object, store_.Find(call.key));
  if (writing.form != Form::kTable) return JsonResponse(200, WriteObject(writing, *object) + "\n");
  const ListPosition position{.resource_version = std::string(StringAt(*object, {"metadata", "resourceVersion"}))};
  const kube::Object shown(object);
  return JsonResponse(200, WriteList(writing, position, std::span(&shown, 1)));
}

ResourceApi::Answered ResourceApi::List(const ResourceCall& call) {
  const Time now = clock_.Now();
  if (auto error = CheckListOptions(call.info.query)) return Refuse(std::move(*error));
  KU_TRY_API(const ObjectWriting writing, call.Writing(now));
  KU_TRY_API(const Selection selection, ReadSelection(call));
  KU_TRY_API(const auto version, ReadVersion(call.info.query));
  if (version && *version > store_.Revision()) {
    return Refuse(StatusReason::kTimeout, "Too large resource version: {}, current: {}", *version, store_.Revision());
  }
  std::shared_ptr<const ListSnapshot> list;
  std::size_t begin = 0;
  if (const std::string_view token = call.info.query.Get("continue"); !token.empty()) {
    KU_TRY_API(const auto page, snapshots_.Continue(token, now));
    list = page.list;
    begin = page.next;
  } else {
    KU_TRY_API(ListSnapshot selected, ListSelected(store_, call.key, selection));
    list = std::make_shared<const ListSnapshot>(std::move(selected));
  }
  const std::size_t left = list->items.size() - begin;
  const auto limit = call.info.query.Integer("limit").value_or(0);
  const std::size_t count = limit > 0 ? std::min(left, static_cast<std::size_t>(limit)) : left;
  ListPosition position{.resource_version = list->resource_version};
  if (count < left) {
    position.continue_token = snapshots_.Keep(list, begin + count, now);
    position.remaining_item_count = static_cast<std::int64_t>(left - count);
  }
  return JsonResponse(200, WriteList(writing, position, std::span(list->items).subspan(begin, count)));
}

ResourceApi::Answered ResourceApi::Watch(const ResourceCall& call) {
  const Query& query = call.info.query;
  KU_TRY_API(const ObjectWriting writing, call.Writing(clock_.Now()));
  KU_TRY_API(Selection selection, ReadSelection(call));
  KU_TRY_API(std::optional<std::uint64_t> version, ReadVersion(query));
  const bool send_initial = query.IsTrue("sendInitialEvents");
  if (query.Has("sendInitialEvents") && query.Get("resourceVersionMatch") != "NotOlderThan") {
    return Refuse(StatusReason::kInvalid,
                  "resourceVersionMatch: Forbidden: sendInitialEvents requires setting resourceVersionMatch to "
                  "NotOlderThan");
  }
  kube::ObjectKey key = call.key;
  if (const auto name = selection.fields.Name(); key.name.empty() && !name.empty()) key.name = std::string(name);
  WatchOptions options{.writing = writing,
                       .labels = {},
                       .fields = {},
                       .bookmarks = query.IsTrue("allowWatchBookmarks"),
                       .timeout = std::chrono::seconds(query.Integer("timeoutSeconds").value_or(kDefaultWatchSeconds)),
                       .initial = {},
                       .marks_initial_end = send_initial};
  if (send_initial || !version) {
    KU_TRY_API(ListSnapshot list, ListSelected(store_, key, selection));
    version = static_cast<std::uint64_t>(std::stoull(list.resource_version));
    // `sendInitialEvents=false` asks for changes only.
    if (send_initial || !query.Has("sendInitialEvents")) options.initial = std::move(list.items);
  }
  KU_TRY_API(auto changes, store_.ReadChanges(key, *version));
  options.labels = std::move(selection.labels);
  options.fields = std::move(selection.fields);
  HttpResponse response = JsonResponse(200, "");
  response.stream = MakeWatchStream(std::move(changes), std::move(options), texts_, clock_);
  return response;
}

}  // namespace kumiko::localcluster
