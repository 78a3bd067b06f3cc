#include "api/patch/structured_merge.h"

#include <algorithm>
#include <deque>
#include <utility>
#include <vector>

namespace kumiko::api {
namespace {

std::optional<Json> Merge(const Json* left, const Json* right, const Structure& structure);

Json MergeMaps(const JsonObject* left, const JsonObject* right, const Forms& forms) {
  JsonObject out;
  const auto merge = [&](std::string_view name, const Json* mine, const Json* other) {
    if (auto merged = Merge(mine, other, forms.Member(name))) out[name] = std::move(*merged);
  };
  if (left != nullptr) {
    for (const auto& member : *left) {
      merge(member.key(), &member.value(), right == nullptr ? nullptr : right->if_contains(member.key()));
    }
  }
  if (right != nullptr) {
    for (const auto& member : *right) {
      if (left == nullptr || !left->contains(member.key())) merge(member.key(), nullptr, &member.value());
    }
  }
  return out;
}

// Which items of two lists are the same one.
struct Pairing {
  std::vector<std::optional<std::size_t>> right_of;  // by position in the left list
  std::vector<const Json*> left_of;                  // by position in the right list; null when it has none
  std::deque<std::size_t> shared;                    // positions in the right list, in its order
};

Pairing Pair(const JsonArray& left, const JsonArray& right, const Forms& forms) {
  // Items that the left list has more than once are not merged with the right one but give way to it.
  static const Json kNull;
  struct Entry {
    PathElement element;
    std::size_t position;
  };
  const auto before = [](const Entry& a, const Entry& b) { return Compare(a.element, b.element) < 0; };
  std::vector<Entry> entries;
  for (std::size_t at = 0; at < right.size(); ++at) {
    if (auto element = ItemElement(forms, right[at])) entries.push_back({std::move(*element), at});
  }
  std::ranges::sort(entries, before);

  Pairing pairing;
  pairing.right_of.resize(left.size());
  pairing.left_of.resize(right.size(), nullptr);
  for (std::size_t at = 0; at < left.size(); ++at) {
    auto element = ItemElement(forms, left[at]);
    if (!element) continue;
    const Entry wanted{std::move(*element), 0};
    const auto found = std::lower_bound(entries.begin(), entries.end(), wanted, before);
    if (found == entries.end() || before(wanted, *found)) continue;
    pairing.right_of[at] = found->position;
    const Json*& partner = pairing.left_of[found->position];
    partner = partner == nullptr ? &left[at] : &kNull;
  }
  for (std::size_t at = 0; at < right.size(); ++at) {
    if (pairing.left_of[at] != nullptr) pairing.shared.push_back(at);
  }
  return pairing;
}

// Walks both lists at once. Shared items come in the order of the right list; what only the left one has stays behind
// the item it stood behind, as far as that can be.
Json MergeLists(const JsonArray& left, const JsonArray& right, const Forms& forms) {
  Pairing pairing = Pair(left, right, forms);
  std::vector<bool> taken(right.size(), false);
  JsonArray out;
  const auto take = [&](std::size_t at) {
    taken[at] = true;
    if (auto merged = Merge(pairing.left_of[at], &right[at], forms.item)) out.push_back(std::move(*merged));
    if (!pairing.shared.empty() && pairing.shared.front() == at) pairing.shared.pop_front();
  };
  std::size_t left_at = 0;
  std::size_t right_at = 0;
  while (left_at < left.size() || right_at < right.size()) {
    const std::optional<std::size_t> partner = left_at < left.size() ? pairing.right_of[left_at] : std::nullopt;
    if (left_at < left.size() && right_at < right.size() && partner) {
      if (*partner == right_at) {
        take(right_at++);
        ++left_at;
        continue;
      }
      if (!pairing.shared.empty() && pairing.shared.front() != *partner) {
        ++left_at;  // its turn comes with its partner
        continue;
      }
    }
    if (left_at < left.size()) {
      if (!partner) {
        out.push_back(left[left_at++]);
        continue;
      }
      if (taken[*partner]) ++left_at;
    }
    if (right_at < right.size()) take(right_at++);
  }
  return out;
}

std::optional<Json> MergeAs(const Json* left, const Json* right, const Forms& forms) {
  const Json* kept = right != nullptr ? right : left;
  if (forms.map) {
    const JsonObject* mine = left == nullptr ? nullptr : left->if_object();
    const JsonObject* other = right == nullptr ? nullptr : right->if_object();
    const bool empty = (mine == nullptr || mine->empty()) && (other == nullptr || other->empty());
    if (forms.atomic_map || empty) return *kept;
    return MergeMaps(mine, other, forms);
  }
  if (forms.scalar == Forms::Scalar::kNone && forms.list) {
    static const JsonArray kNone;
    const JsonArray* mine = left == nullptr ? nullptr : left->if_array();
    const JsonArray* other = right == nullptr ? nullptr : right->if_array();
    const bool empty = (mine == nullptr || mine->empty()) && (other == nullptr || other->empty());
    if (forms.list_type == ListType::kAtomic || empty) return *kept;
    return MergeLists(mine == nullptr ? kNone : *mine, other == nullptr ? kNone : *other, forms);
  }
  return *kept;
}

std::optional<Json> Merge(const Json* left, const Json* right, const Structure& structure) {
  if (left == nullptr && right == nullptr) return std::nullopt;
  if (right == nullptr) return *left;
  if (left == nullptr) return *right;
  return MergeAs(left, right, Fitting(FormsOf(structure), right));
}

}  // namespace

Json MergeStructured(const Json& object, const Json& config, const Structure& structure) {
  return Merge(&object, &config, structure).value_or(Json());
}

}  // namespace kumiko::api
