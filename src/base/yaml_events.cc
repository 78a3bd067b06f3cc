#include "base/yaml_events.h"

#include <yaml-cpp/exceptions.h>

#include <algorithm>

#include "base/base64.h"
#include "base/field_path.h"
#include "base/term.h"
#include "base/yaml_scalar.h"

namespace kumiko {
namespace {

[[noreturn]] void Refuse(const YAML::Mark& mark, const std::string& problem) {
  throw YAML::ParserException(mark, problem);
}

// Values and bytes of text in a tree, and its levels.
void Measure(const Json& value, std::size_t& weight, int& depth) {
  weight += 1;
  int deepest = 0;
  if (const JsonObject* object = value.if_object()) {
    for (const auto& [key, member] : *object) {
      int below = 0;
      weight += key.size();
      Measure(member, weight, below);
      deepest = std::max(deepest, below);
    }
    depth = deepest + 1;
  } else if (const JsonArray* list = value.if_array()) {
    for (const Json& item : *list) {
      int below = 0;
      Measure(item, weight, below);
      deepest = std::max(deepest, below);
    }
    depth = deepest + 1;
  } else if (const auto* text = value.if_string()) {
    weight += text->size();
  }
}

constexpr std::string_view kCoreTag = "tag:yaml.org,2002:";

// The value of a scalar with an explicit tag.
Json ResolveTagged(const YAML::Mark& mark, std::string_view tag, const std::string& text) {
  if (!tag.starts_with(kCoreTag)) return Json(text);
  tag.remove_prefix(kCoreTag.size());
  if (tag == "str") return Json(text);
  if (tag == "binary") {
    std::string without_blanks = text;
    std::erase(without_blanks, ' ');
    auto bytes = DecodeBase64(without_blanks);
    if (!bytes) Refuse(mark, "!!binary needs base64 text");
    return Json(*bytes);
  }
  auto value = ResolvePlainScalar(text);
  if (!value) Refuse(mark, value.error().message);
  const bool fits = (tag == "int" && (value->is_int64() || value->is_uint64())) ||
                    (tag == "float" && value->is_number()) || (tag == "bool" && value->is_bool()) ||
                    (tag == "null" && value->is_null());
  if (!fits) Refuse(mark, fmt::format("\"{}\" is not what its tag !!{} says", EscapeControls(text), tag));
  return *value;
}

// Whether the single-quoted scalar at `start` ends; '' inside it stands for one quote.
bool SingleQuoteCloses(std::string_view text, std::size_t start) {
  for (std::size_t quote = text.find('\'', start + 1); quote != text.npos; quote = text.find('\'', quote + 2)) {
    if (quote + 1 == text.size() || text[quote + 1] != '\'') return true;
  }
  return false;
}

}  // namespace

Position YamlTreeBuilder::PositionOf(std::string_view text, const YAML::Mark& mark) {
  if (mark.is_null()) return {};
  const std::size_t end = std::min(text.size(), static_cast<std::size_t>(mark.pos));
  const std::size_t begin = end - std::min(end, static_cast<std::size_t>(mark.column));
  const std::string_view before = text.substr(begin, end - begin);
  const auto continuations = std::count_if(before.begin(), before.end(),
                                           [](char byte) { return (static_cast<unsigned char>(byte) & 0xC0) == 0x80; });
  return {mark.line + 1, mark.column + 1 - static_cast<int>(continuations)};
}

void YamlTreeBuilder::OnDocumentStart(const YAML::Mark& mark) {
  start_ = mark;
}

void YamlTreeBuilder::OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) {
  Add(nullptr, mark, anchor);
}

void YamlTreeBuilder::OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) {
  const auto found = anchors_.find(anchor);
  if (found == anchors_.end()) Refuse(mark, "an alias inside the value it stands for");
  const Anchored& target = found->second;
  spent_ += target.weight;
  if (spent_ > budget_) {
    Refuse(mark, fmt::format("aliases make the document more than {} times larger", kMaxAliasExpansion));
  }
  if (static_cast<int>(open_.size()) + target.depth > kMaxJsonDepth) {
    Refuse(mark, fmt::format("nested deeper than {} levels", kMaxJsonDepth));
  }
  Add(target.value, mark, 0);
}

void YamlTreeBuilder::OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                               const std::string& value) {
  // At the end of the file yaml-cpp takes what it has got for the scalar.
  const auto start = static_cast<std::size_t>(std::max(0, mark.pos));
  if (start < text_.size() && text_[start] == '\'' && !SingleQuoteCloses(text_, start)) {
    Refuse(mark, "the quote ' that begins here is never closed");
  }
  if (tag == "?" && value == "<<" && AtKey()) {
    open_.back().merging = true;
    open_.back().key_mark = mark;
    return;
  }
  if (tag == "?" || tag.empty()) {
    auto resolved = ResolvePlainScalar(value);
    if (!resolved) Refuse(mark, resolved.error().message);
    Add(*std::move(resolved), mark, anchor);
    return;
  }
  Add(tag == "!" ? Json(value) : ResolveTagged(mark, tag, value), mark, anchor);
}

void YamlTreeBuilder::OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                                      YAML::EmitterStyle::value) {
  Open(JsonArray(), mark, anchor);
}

void YamlTreeBuilder::OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                                 YAML::EmitterStyle::value) {
  Open(JsonObject(), mark, anchor);
}

bool YamlTreeBuilder::AtKey() const {
  return !open_.empty() && open_.back().value.is_object() && !open_.back().key && !open_.back().merging;
}

std::string YamlTreeBuilder::NextPath() const {
  if (open_.empty()) return {};
  const Level& level = open_.back();
  if (const JsonArray* list = level.value.if_array()) return ItemPath(level.path, list->size());
  return level.key ? ChildPath(level.path, *level.key) : level.path;
}

void YamlTreeBuilder::Open(Json value, const YAML::Mark& mark, YAML::anchor_t anchor) {
  if (AtKey()) Refuse(mark, "a key must be plain text, not a list or map; quote text that begins with { or [");
  if (open_.size() >= static_cast<std::size_t>(kMaxJsonDepth)) {
    Refuse(mark, fmt::format("nested deeper than {} levels", kMaxJsonDepth));
  }
  Level level;
  level.value = std::move(value);
  level.path = NextPath();
  level.start = mark;
  level.anchor = anchor;
  open_.push_back(std::move(level));
}

void YamlTreeBuilder::Close() {
  Level level = std::move(open_.back());
  open_.pop_back();
  // Written keys win over merged ones, earlier merges over later ones.
  for (Json& merged : level.merges) {
    for (auto& [key, member] : merged.get_object()) {
      JsonObject& object = level.value.get_object();
      if (object.contains(key)) continue;
      positions_.Set(ChildPath(level.path, std::string_view(key.data(), key.size())),
                     PositionOf(text_, level.key_mark));
      object.emplace(key, std::move(member));
    }
  }
  Add(std::move(level.value), level.start, level.anchor);
}

void YamlTreeBuilder::Add(Json value, const YAML::Mark& mark, YAML::anchor_t anchor) {
  if (anchor != 0) {
    Anchored& target = anchors_[anchor];
    target = {value, 0, 0};
    Measure(target.value, target.weight, target.depth);
    // Keeping the copy costs as much as an alias would.
    spent_ += target.weight;
    if (spent_ > budget_) {
      Refuse(mark, fmt::format("anchors make the document more than {} times larger", kMaxAliasExpansion));
    }
  }
  if (open_.empty()) {
    positions_.Set("", PositionOf(text_, mark));
    root_ = std::move(value);
    return;
  }
  Level& level = open_.back();
  if (JsonArray* list = level.value.if_array()) {
    positions_.Set(ItemPath(level.path, list->size()), PositionOf(text_, mark));
    list->push_back(std::move(value));
    return;
  }
  if (level.merging) {
    level.merging = false;
    Merge(level, std::move(value), mark);
  } else if (!level.key) {
    AddKey(value, mark);
  } else {
    positions_.Set(ChildPath(level.path, *level.key), PositionOf(text_, level.key_mark));
    level.value.get_object().emplace(*level.key, std::move(value));
    level.key.reset();
  }
}

void YamlTreeBuilder::AddKey(const Json& key, const YAML::Mark& mark) {
  Level& level = open_.back();
  if (key.is_null()) Refuse(mark, "a key is missing; quote it if it is the word null or ~");
  if (key.is_object() || key.is_array()) Refuse(mark, "a key must be plain text, not a list or map");
  // As kubectl has it, numbers and bools as keys become their text.
  std::string name = key.is_string() ? std::string(StringAt(key, {})) : WriteJson(key);
  const auto [known, is_new] = level.keys.emplace(name, mark);
  if (!is_new) {
    Refuse(mark,
           fmt::format("duplicate key \"{}\", first used on line {}", EscapeControls(name), known->second.line + 1));
  }
  level.key = std::move(name);
  level.key_mark = mark;
}

void YamlTreeBuilder::Merge(Level& level, Json value, const YAML::Mark& mark) {
  if (value.is_object()) {
    level.merges.push_back(std::move(value));
    return;
  }
  JsonArray* list = value.if_array();
  if (list == nullptr) Refuse(mark, "<< needs a map or a list of maps");
  for (Json& item : *list) {
    if (!item.is_object()) Refuse(mark, "<< needs a map or a list of maps");
    level.merges.push_back(std::move(item));
  }
}

}  // namespace kumiko
