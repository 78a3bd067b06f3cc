// The state of one running loop: what it goes over and what it has gathered.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "cel/ast.h"
#include "cel/run_context.h"
#include "cel/value.h"

namespace kumiko::cel {

// Combines two parts of a && (absorbing = false) or || (absorbing = true) chain.
Value Join(const Value& left, const Value& right, bool absorbing);

struct Fold {
  Value range;  // a list, or a map whose pairs are at hand
  Value map;    // of a map of the device: what the keys in `range` lead into
  std::size_t next = 0;
  bool decided = false;  // all and exists: the rest cannot change the result
  // An error, or for all and exists the result so far.
  Value result;
  Value* items = nullptr;  // filter, map: the list; transformMap: the pairs
  std::size_t count = 0;

  // Null, or an error value when `over` cannot be looped over.
  Value Begin(RunContext& run, const Value& over, bool two_variables);
  bool HasNext() const { return next < range.size; }
  void Next(RunContext& run, Value* variables, bool two_variables);

  void Join(const Value& value, bool exists);
  void Append(RunContext& run, const Value& item);
  void Insert(RunContext& run, const Value& key, const Value& value);
  void InsertAll(RunContext& run, const Value& more);
  Value Result(RunContext& run, Macro macro);

 private:
  // The entries of transformMapEntry.
  struct Entries {
    struct KeyLess {
      bool operator()(const Value& a, const Value& b) const { return CompareKeys(a, b) < 0; }
    };
    std::map<Value, Value, KeyLess> found;
    std::vector<std::pair<Value, Value>> lost;  // keys that no map finds again

    bool Has(const Value& key) const;
    void Add(const Value& key, const Value& value);
  };
  std::unique_ptr<Entries> entries_;
};

}  // namespace kumiko::cel
