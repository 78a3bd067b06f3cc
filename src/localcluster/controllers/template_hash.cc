#include "localcluster/controllers/template_hash.h"

#include <algorithm>
#include <string_view>
#include <vector>

namespace kumiko::localcluster {
namespace {

// FNV-1a, 32 bits.
class Hash {
 public:
  void Add(std::string_view bytes) {
    for (const char byte : bytes) {
      value_ ^= static_cast<unsigned char>(byte);
      value_ *= 16777619U;
    }
  }

  void AddTree(const Json& tree) {
    if (const JsonArray* list = tree.if_array()) {
      Add("[");
      for (const Json& item : *list) AddTree(item);
      Add("]");
    } else if (const JsonObject* object = tree.if_object()) {
      std::vector<std::string_view> names;
      for (const auto& member : *object) names.push_back(member.key());
      std::ranges::sort(names);
      Add("{");
      for (const std::string_view name : names) {
        Add(name);
        Add(":");
        AddTree(object->at(name));
      }
      Add("}");
    } else {
      Add(WriteJson(tree));
      Add(",");
    }
  }

  std::uint32_t value() const { return value_; }

 private:
  std::uint32_t value_ = 2166136261U;
};

// Equal apart from the member `name` of both.
bool SameBut(std::string_view name, const JsonObject& a, const JsonObject& b) {
  if (a.size() - a.count(name) != b.size() - b.count(name)) return false;
  return std::ranges::all_of(a, [&](const auto& member) {
    if (member.key() == name) return true;
    const Json* other = b.if_contains(member.key());
    return other != nullptr && *other == member.value();
  });
}

const JsonObject& ObjectAt(const Json& tree, std::initializer_list<std::string_view> path) {
  static const JsonObject kEmpty;
  const Json* found = FindPath(tree, path);
  return found != nullptr && found->is_object() ? found->get_object() : kEmpty;
}

}  // namespace

std::string TreeHash(const Json& tree, std::int64_t collisions) {
  Hash hash;
  hash.AddTree(tree);
  if (collisions > 0) hash.Add(std::to_string(collisions));
  constexpr std::string_view kAlphabet = "bcdfghjklmnpqrstvwxz2456789";
  std::string text = std::to_string(hash.value());
  for (char& digit : text) digit = kAlphabet[static_cast<unsigned char>(digit) % kAlphabet.size()];
  return text;
}

bool SameTemplate(const Json& a, const Json& b) {
  if (!a.is_object() || !b.is_object()) return a == b;
  return SameBut("metadata", a.get_object(), b.get_object()) &&
         SameBut("labels", ObjectAt(a, {"metadata"}), ObjectAt(b, {"metadata"})) &&
         SameBut(kTemplateHashLabel, ObjectAt(a, {"metadata", "labels"}), ObjectAt(b, {"metadata", "labels"}));
}

}  // namespace kumiko::localcluster
