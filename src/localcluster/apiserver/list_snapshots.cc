#include "localcluster/apiserver/list_snapshots.h"

#include <algorithm>

#include "base/text.h"

namespace kumiko::localcluster {
namespace {

constexpr std::size_t kMaxKept = 64;
// As etcd's compaction gives the real API server.
constexpr auto kKeptFor = std::chrono::minutes(5);

}  // namespace

std::string ListSnapshots::Keep(std::shared_ptr<const ListSnapshot> list, std::size_t next, Time now) {
  return lists_.With([&](Lists& lists) {
    const auto same = std::find_if(lists.kept.begin(), lists.kept.end(), [&](const Kept& k) { return k.list == list; });
    std::uint64_t number = 0;
    if (same != lists.kept.end()) {
      number = same->number;
      lists.kept.erase(same);
    } else {
      number = ++lists.last;
    }
    lists.kept.push_back({number, std::move(list), now});
    if (lists.kept.size() > kMaxKept) lists.kept.pop_front();
    return std::to_string(number) + "-" + std::to_string(next);
  });
}

kube::ApiResult<ListSnapshots::Page> ListSnapshots::Continue(std::string_view token, Time now) {
  const auto parts = Split(token, '-');
  const auto number = ParseInt64(parts[0]);
  const auto next = parts.size() == 2 ? ParseInt64(parts[1]) : std::nullopt;
  if (!number || !next || *next < 0) {
    // As kube-apiserver says it, whose tokens are base64.
    const std::size_t wrong =
        token.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_");
    return kube::Refuse(kube::StatusReason::kBadRequest,
                        "invalid continue token: continue key is not valid: illegal base64 data at input byte {}",
                        wrong == std::string_view::npos ? token.size() / 4 * 4 : wrong);
  }
  auto found = lists_.With([&](Lists& lists) -> std::shared_ptr<const ListSnapshot> {
    while (!lists.kept.empty() && now - lists.kept.front().used > kKeptFor) lists.kept.pop_front();
    for (const Kept& kept : lists.kept) {
      if (kept.number == static_cast<std::uint64_t>(*number)) return kept.list;
    }
    return nullptr;
  });
  if (found == nullptr || static_cast<std::size_t>(*next) > found->items.size()) {
    return kube::Refuse(kube::StatusReason::kExpired,
                        "The provided continue parameter is too old to display a consistent list result. You can start "
                        "a new list without the continue parameter.");
  }
  return Page{std::move(found), static_cast<std::size_t>(*next)};
}

}  // namespace kumiko::localcluster
