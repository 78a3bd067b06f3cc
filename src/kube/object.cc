#include "kube/object.h"

#include "base/check.h"
#include "base/compression.h"

namespace kumiko::kube {
namespace {

constexpr std::size_t kMaxTextBytes = std::size_t{1} << 30;
constexpr std::size_t kLongText = 256;
// Of maps below the object: spec, and spec.pool.
constexpr int kOutlineDepth = 2;

// About how long the text of `value` is; no further than `enough`.
std::size_t TextBytes(const Json& value, std::size_t enough) {
  std::size_t bytes = 0;
  if (const JsonObject* members = value.if_object()) {
    for (const auto& member : *members) {
      if (bytes > enough) break;
      bytes += member.key().size() + 4 + TextBytes(member.value(), enough - bytes);
    }
  } else if (const JsonArray* list = value.if_array()) {
    for (const Json& item : *list) {
      if (bytes > enough) break;
      bytes += 1 + TextBytes(item, enough - bytes);
    }
  } else if (const auto* text = value.if_string()) {
    bytes = text->size() + 2;
  } else {
    bytes = 4;
  }
  return bytes;
}

bool IsPlain(const Json& value) {
  if (const auto* text = value.if_string()) return text->size() <= kLongText;
  return !value.is_array() && !value.is_object();
}

JsonObject OutlineOf(const JsonObject& members, int depth) {
  JsonObject outline;
  for (const auto& [name, value] : members) {
    if (IsPlain(value)) {
      outline[name] = value;
    } else if (const JsonObject* inner = value.if_object(); inner != nullptr && depth > 0) {
      outline[name] = OutlineOf(*inner, depth - 1);
    }
  }
  return outline;
}

}  // namespace

Object Object::Compact(std::shared_ptr<const Json> tree) {
  Object object(std::move(tree));
  if (object.seen_ == nullptr || !object.seen_->is_object()) return object;
  if (TextBytes(*object.seen_, kLargeBytes) <= kLargeBytes) return object;
  object.text_ = std::make_shared<const std::string>(Compress(WriteJson(*object.seen_)));
  JsonObject outline = OutlineOf(object.seen_->get_object(), kOutlineDepth);
  if (const Json* metadata = kumiko::Find(*object.seen_, "metadata")) outline["metadata"] = *metadata;
  object.seen_ = std::make_shared<const Json>(std::move(outline));
  return object;
}

Object Object::Selectable() const {
  if (seen_ == nullptr || !seen_->is_object()) return *this;
  JsonObject outline = OutlineOf(seen_->get_object(), kOutlineDepth);
  if (Json* metadata = outline.if_contains("metadata"); metadata != nullptr && metadata->is_object()) {
    metadata->get_object().erase("annotations");
  }
  return std::make_shared<const Json>(std::move(outline));
}

std::shared_ptr<const Json> Object::tree() const {
  if (text_ == nullptr) return seen_;
  const Result<std::string> text = Decompress(*text_, kMaxTextBytes);
  KU_CHECK(text.has_value()) << text.error().message;
  Result<Json> tree = ParseJson(*text);
  KU_CHECK(tree.has_value()) << tree.error().message;
  return std::make_shared<const Json>(std::move(*tree));
}

}  // namespace kumiko::kube
