// Mistakes planted on purpose. `tests/allocator/run mutants` builds kumiko with each (-DKUMIKO_MUTANT=n) and expects
// that the comparison with the reference finds it; every other build has none. The condition folds away.
#pragma once

#ifndef KUMIKO_MUTANT
#define KUMIKO_MUTANT 0
#endif

namespace kumiko::allocator {

constexpr bool Mutant(int number) {
  return number == KUMIKO_MUTANT;
}

}  // namespace kumiko::allocator
