// An object as the store, lists and watches hold it: shared and immutable, and kept small when it is large.
//
// Most objects are kept as trees, which readers in this process need not parse. The text of a large one, such as the
// ResourceSlices of nodes with hundreds of partitions, is a twentieth of its tree and compresses to a hundredth; so it
// is kept as compressed text, beside an outline of it for those who only want to know which object it is.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "base/json.h"

namespace kumiko::kube {

// A value: copies share what they hold. Thread safe as shared_ptr is.
class Object {
 public:
  // An object whose text is longer than this is kept as compressed text by Compact.
  static constexpr std::size_t kLargeBytes = std::size_t{8} << 10;

  Object() = default;        // none
  Object(std::nullptr_t) {}  // NOLINT(google-explicit-constructor): as a pointer
  // Keeps the tree as it is.
  Object(std::shared_ptr<const Json> tree) : seen_(std::move(tree)) {}  // NOLINT(google-explicit-constructor)
  // Keeps a large one as compressed text, any other as it is.
  static Object Compact(std::shared_ptr<const Json> tree);

  // What tells which object this is and how it is doing: metadata, and of all other members those that are plain and
  // short or maps of such. The whole of an object that is kept as a tree. There must be one.
  const Json& outline() const { return *seen_; }
  // The whole. Of compressed text this is parsed anew by each call, so keep it while it is needed. Null: none.
  std::shared_ptr<const Json> tree() const;
  // The outline alone, without what metadata carries along: as much as selectors look at, in a tenth of the room.
  Object Selectable() const;
  // The compressed JSON text (base/compression.h), or "" when it is kept as a tree.
  std::string_view compressed() const { return text_ == nullptr ? std::string_view() : std::string_view(*text_); }

  explicit operator bool() const { return seen_ != nullptr; }
  // Whether they hold the same copy; equal objects are not the same.
  friend bool operator==(const Object& a, const Object& b) { return a.seen_ == b.seen_; }
  friend bool operator==(const Object& a, std::nullptr_t) { return a.seen_ == nullptr; }

 private:
  std::shared_ptr<const Json> seen_;         // the tree, or the outline of `text_`
  std::shared_ptr<const std::string> text_;  // null when `seen_` is all of it
};

}  // namespace kumiko::kube
