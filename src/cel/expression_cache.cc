#include "cel/expression_cache.h"

#include <list>
#include <mutex>
#include <string>
#include <unordered_map>

namespace kumiko::cel {

struct ExpressionCache::State {
  struct Entry {
    std::string text;
    Result<Expression> result;
  };
  mutable std::mutex mutex;
  std::size_t capacity;
  std::list<Entry> entries;                                                  // most recently used first
  std::unordered_map<std::string_view, std::list<Entry>::iterator> by_text;  // keys point into entries
};

ExpressionCache::ExpressionCache(std::size_t capacity) : state_(std::make_unique<State>()) {
  state_->capacity = capacity == 0 ? 1 : capacity;
}
ExpressionCache::~ExpressionCache() = default;

Result<Expression> ExpressionCache::Get(std::string_view text) {
  {
    const std::lock_guard lock(state_->mutex);
    if (const auto found = state_->by_text.find(text); found != state_->by_text.end()) {
      state_->entries.splice(state_->entries.begin(), state_->entries, found->second);
      return found->second->result;
    }
  }
  // Compiled without the lock; when two threads do the same work, the first to finish is kept.
  Result<Expression> compiled = Expression::Compile(text);
  const std::lock_guard lock(state_->mutex);
  if (const auto found = state_->by_text.find(text); found != state_->by_text.end()) return found->second->result;
  state_->entries.push_front({std::string(text), std::move(compiled)});
  state_->by_text.emplace(state_->entries.front().text, state_->entries.begin());
  if (state_->entries.size() > state_->capacity) {
    state_->by_text.erase(state_->entries.back().text);
    state_->entries.pop_back();
  }
  return state_->entries.front().result;
}

std::size_t ExpressionCache::size() const {
  const std::lock_guard lock(state_->mutex);
  return state_->entries.size();
}

}  // namespace kumiko::cel
