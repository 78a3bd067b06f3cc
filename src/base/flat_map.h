// Hash maps and sets for hot paths. Order of iteration is arbitrary: never iterate one into a decision or output.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <boost/unordered/unordered_flat_set.hpp>
#include <functional>
#include <string>
#include <string_view>

namespace kumiko {

// Lets maps keyed by std::string be searched by std::string_view: FlatMap<std::string, int, StringHash,
// std::equal_to<>>.
struct StringHash {
  using is_transparent = void;
  using is_avalanching = void;
  std::size_t operator()(std::string_view text) const { return boost::hash<std::string_view>()(text); }
};

// References and iterators are lost when the map grows.
template <class Key, class Value, class Hash = boost::hash<Key>, class Equal = std::equal_to<Key>>
using FlatMap = boost::unordered_flat_map<Key, Value, Hash, Equal>;
template <class Key, class Hash = boost::hash<Key>, class Equal = std::equal_to<Key>>
using FlatSet = boost::unordered_flat_set<Key, Hash, Equal>;

template <class Value>
using StringFlatMap = FlatMap<std::string, Value, StringHash, std::equal_to<>>;

}  // namespace kumiko
