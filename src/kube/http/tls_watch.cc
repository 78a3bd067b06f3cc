#include "kube/http/tls_watch.h"

namespace kumiko::kube {

namespace {
constexpr std::chrono::seconds kGap(1);
// A certificate and its key are written one after the other, so a change is believed when two looks agree. When nobody
// looked for a while, there is no time to wait for the second.
constexpr std::chrono::seconds kLongAgo(5);
}  // namespace

bool TlsWatch::IsDue(const State& state, Instant now) const {
  return state.current.material == nullptr || (may_change_ && now - state.looked >= kGap);
}

Result<TlsWatch::Current> TlsWatch::Look() {
  const Instant now = std::chrono::steady_clock::now();
  const Current known = state_.With([&](State& state) { return IsDue(state, now) ? Current{} : state.current; });
  if (known.material != nullptr) return known;
  Result<TlsMaterial> found = read_();
  return state_.With([&](State& state) -> Result<Current> {
    const bool first = state.current.material == nullptr;
    if (!found) {
      if (first) return tl::unexpected<Error>(found.error());
      return state.current;
    }
    const bool believed = first || *found == state.candidate || now - state.looked >= kLongAgo;
    state.looked = now;
    state.candidate = *found;
    if (first || (believed && *found != *state.current.material)) {
      state.current = {std::make_shared<const TlsMaterial>(*std::move(found)), state.current.version + 1};
    }
    return state.current;
  });
}

}  // namespace kumiko::kube
