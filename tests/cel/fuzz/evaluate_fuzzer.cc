// Any bytes as a selector and as a derived attribute: compiled, run on two devices, explained.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "cel/expression.h"

namespace kumiko::cel {
namespace {

const std::vector<DeviceAttribute>& Attributes() {
  static const std::vector<DeviceAttribute> attributes = {
      {"d", "i", std::int64_t{7}},
      {"d", "s", std::string("H200")},
      {"d", "b", true},
      {"d", "v", Version{"1.2.3"}},
      {"d", "l", std::vector<std::int64_t>{1, 2, 2}},
      {"other.com", "s", std::vector<std::string>{"a", "\xc3\xa9"}},
  };
  return attributes;
}

const std::vector<DeviceCapacity>& Capacities() {
  static const std::vector<DeviceCapacity> capacities = {{"d", "memory", *Quantity::Parse("80Gi")}};
  return capacities;
}

void Try(std::string_view text, const CompileOptions& options) {
  // The text ends before the expression does: nothing may borrow from it.
  const auto expression = Expression::Compile(std::string(text), options);
  if (!expression) {
    if (expression.error().message.empty()) std::abort();
    return;
  }
  for (const DeviceView& device : {DeviceView{}, DeviceView{"d", Attributes(), Capacities(), true}}) {
    if (options.derived_attribute) {
      static_cast<void>(expression->EvaluateAttribute(device));
      continue;
    }
    const Match match = expression->Evaluate(device);
    // The parts of a selector together say what the whole says.
    const Mismatch mismatch = expression->ExplainMismatch(device);
    if (match.matches && *match.matches != (mismatch.kind == Mismatch::Kind::kNone)) std::abort();
  }
}

}  // namespace
}  // namespace kumiko::cel

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
#ifdef KUMIKO_PLANT_CRASH
  // For the test of the fuzzer: it must find this.
  if (text.find(")?(") != std::string_view::npos) std::abort();
#endif
  // Short runs: what they find, they find soon.
  kumiko::cel::CompileOptions options;
  options.max_evaluation_cost = 20'000;
  kumiko::cel::Try(text, options);
  options.mode = kumiko::cel::Mode::kNew;
  options.derived_attribute = true;
  kumiko::cel::Try(text, options);
  return 0;
}
