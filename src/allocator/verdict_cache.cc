#include "allocator/verdict_cache.h"

#include <type_traits>
#include <variant>

namespace kumiko::allocator {
namespace {

// Long-running processes see devices come and go; answers about contents of old slices are dropped in bulk.
constexpr std::size_t kMaxAnswers = 1'000'000;

void Append(std::string& out, std::string_view text) {
  out += std::to_string(text.size());
  out += ':';
  out += text;
}

template <class T>
void AppendValue(std::string& out, const T& value) {
  if constexpr (std::is_same_v<T, std::string>) {
    out += 's';
    Append(out, value);
  } else if constexpr (std::is_same_v<T, cel::Version>) {
    out += 'v';
    Append(out, value.text);
  } else if constexpr (std::is_same_v<T, bool>) {
    out += value ? "b1" : "b0";
  } else if constexpr (std::is_same_v<T, std::int64_t>) {
    out += 'i';
    out += std::to_string(value);
    out += ';';
  } else {
    out += '[';
    for (std::size_t i = 0; i < value.size(); ++i) AppendValue(out, typename T::value_type(value[i]));
    out += ']';
  }
}

bool Selected(const std::string& domain, const std::string& id, cel::AttributeKey::Map map,
              const std::optional<std::vector<cel::AttributeKey>>& keys) {
  if (!keys) return true;
  for (const auto& key : *keys) {
    if (key.map == map && key.domain == domain && (key.id.empty() || key.id == id)) return true;
  }
  return false;
}

}  // namespace

std::string ProjectContent(const DeviceContent& content, const std::optional<std::vector<cel::AttributeKey>>& keys) {
  std::string out;
  Append(out, content.driver);
  out += content.allow_multiple_allocations ? 'm' : 'x';
  for (const auto& attribute : content.attributes) {
    if (!Selected(attribute.domain, attribute.id, cel::AttributeKey::Map::kAttributes, keys)) continue;
    Append(out, attribute.domain);
    Append(out, attribute.id);
    std::visit([&out](const auto& value) { AppendValue(out, value); }, attribute.value);
  }
  out += '|';
  for (const auto& capacity : content.capacity) {
    if (!Selected(capacity.domain, capacity.id, cel::AttributeKey::Map::kCapacity, keys)) continue;
    Append(out, capacity.domain);
    Append(out, capacity.id);
    Append(out, capacity.value.ToString());
  }
  return out;
}

const Verdict& VerdictCache::Evaluate(const cel::Expression& expression, const DeviceContent& content) {
  auto& memo = expressions_[expression.text()];
  if (memo.by_serial.size() >= kMaxAnswers) memo.by_serial.clear();
  if (memo.by_values.size() >= kMaxAnswers) memo.by_values.clear();
  if (const auto found = memo.by_serial.find(content.serial); found != memo.by_serial.end()) return *found->second;
  auto& answer = memo.by_values[ProjectContent(content, expression.ReadKeys())];
  if (!answer) {
    Verdict verdict;
    if (const auto matches = expression.Matches(content.View()); !matches) {
      verdict.kind = Verdict::Kind::kError;
      verdict.error = matches.error().message;
    } else {
      verdict.kind = *matches ? Verdict::Kind::kTrue : Verdict::Kind::kFalse;
    }
    answer = std::make_shared<const Verdict>(std::move(verdict));
  }
  memo.by_serial.emplace(content.serial, answer);
  return *answer;
}

}  // namespace kumiko::allocator
