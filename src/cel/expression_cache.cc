#include "cel/expression_cache.h"

#include <list>
#include <mutex>
#include <string>
#include <unordered_map>

namespace kumiko::cel {
namespace {

std::string Key(std::string_view text, const CompileOptions& options) {
  const int variant = (options.mode == Mode::kNew ? 1 : 0) + (options.features.consumable_capacity ? 2 : 0) +
                      (options.features.list_type_attributes ? 4 : 0) + (options.derived_attribute ? 8 : 0);
  std::string key(1, static_cast<char>('A' + variant));
  key += text;
  return key;
}

}  // namespace

struct ExpressionCache::State {
  struct Entry {
    std::string key;
    Result<Expression> result;
  };
  mutable std::mutex mutex;
  std::size_t capacity;
  std::list<Entry> entries;                                                 // most recently used first
  std::unordered_map<std::string_view, std::list<Entry>::iterator> by_key;  // keys point into entries
};

ExpressionCache::ExpressionCache(std::size_t capacity) : state_(std::make_unique<State>()) {
  state_->capacity = capacity == 0 ? 1 : capacity;
}
ExpressionCache::~ExpressionCache() = default;

Result<Expression> ExpressionCache::Get(std::string_view text, const CompileOptions& options) {
  const std::string key = Key(text, options);
  {
    const std::lock_guard lock(state_->mutex);
    if (const auto found = state_->by_key.find(key); found != state_->by_key.end()) {
      state_->entries.splice(state_->entries.begin(), state_->entries, found->second);
      return found->second->result;
    }
  }
  // Compiled without the lock; when two threads do the same work, the first to finish is kept.
  Result<Expression> compiled = Expression::Compile(text, options);
  const std::lock_guard lock(state_->mutex);
  if (const auto found = state_->by_key.find(key); found != state_->by_key.end()) return found->second->result;
  state_->entries.push_front({key, std::move(compiled)});
  state_->by_key.emplace(state_->entries.front().key, state_->entries.begin());
  if (state_->entries.size() > state_->capacity) {
    state_->by_key.erase(state_->entries.back().key);
    state_->entries.pop_back();
  }
  return state_->entries.front().result;
}

std::size_t ExpressionCache::size() const {
  const std::lock_guard lock(state_->mutex);
  return state_->entries.size();
}

}  // namespace kumiko::cel
