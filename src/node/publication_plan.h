// How the slices that a pool has become those that it should have: which are deleted, changed, created, and under which
// generation, so that a scheduler never takes a part of the new pool for the whole. Pure.
// Source: spec node-driver §1.9; KEP-4381 on pools and generations.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "api/resource/types.h"

namespace kumiko::node {

// What the API server made of a slice: it may drop fields whose features are off. The same wish is then not written
// again and again.
struct PublishedSlice {
  api::ResourceSliceSpec wanted;
  api::ResourceSliceSpec answered;
};

struct SliceWrite {
  std::size_t index = 0;  // in the pool
  std::string replaces;   // name of the slice to be updated; empty: created
  api::ResourceSlice slice;
};

struct PublicationPlan {
  std::vector<std::string> deletions;  // first
  std::vector<SliceWrite> writes;
  std::int64_t generation = 0;  // of the pool afterwards
  bool IsEmpty() const { return deletions.empty() && writes.empty(); }
};

// `existing`: the slices of the driver and pool as the API server has them; `wanted`: complete slices in the order of
// the pool, their generation does not matter. `published`: what was answered to earlier writes, by index.
//
// A slice that has the highest generation and the name of an index of the pool stays that index; any other is deleted.
// When none is missing and one differs, it is updated and the generation stays; else all are written under the next
// generation. The time that the server added to an equal taint stays.
PublicationPlan PlanPublication(const std::vector<api::ResourceSlice>& existing, std::vector<api::ResourceSlice> wanted,
                                const std::map<std::size_t, PublishedSlice>& published);

// Compares by value: the order of devices counts, how a quantity is written does not. The generation is left out.
bool IsSamePublication(const api::ResourceSliceSpec& a, const api::ResourceSliceSpec& b);

}  // namespace kumiko::node
