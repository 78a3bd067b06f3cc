// Times the engine on request. Lines in: "load INDEX JSON-QUESTION", "evaluate INDEX", "compile INDEX"; lines out: the
// verdict, or nanoseconds for each call. The Go program beside it asks, so that both engines take turns.
#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <iostream>
#include <limits>
#include <map>
#include <string>

#include "base/json.h"
#include "cel/device_json.h"
#include "cel/expression.h"

namespace kumiko::cel {
namespace {

constexpr int kWindows = 5;
constexpr std::chrono::milliseconds kWindow{60};

struct Case {
  std::string text;
  Device device;
  Expression expression;
};

// Nanoseconds for each call in the fastest of the windows: other processes take time too.
template <class Function>
double Time(Function&& function) {
  using Clock = std::chrono::steady_clock;
  double fastest = std::numeric_limits<double>::infinity();
  for (int window = 0; window < kWindows; ++window) {
    std::int64_t calls = 0;
    std::int64_t batch = 1;
    const auto start = Clock::now();
    Clock::duration took{};
    while (took < kWindow) {
      for (std::int64_t i = 0; i < batch; ++i) function();
      calls += batch;
      batch = std::min<std::int64_t>(batch * 2, 1'000);
      took = Clock::now() - start;
    }
    fastest = std::min(fastest, std::chrono::duration<double, std::nano>(took).count() / static_cast<double>(calls));
  }
  return fastest;
}

std::string Verdict(const Match& match) {
  if (!match.matches) return "error " + match.matches.error().message;
  return *match.matches ? "true" : "false";
}

int Serve() {
  std::map<int, Case> cases;
  std::string command;
  int index = 0;
  while (std::cin >> command >> index) {
    if (command == "load") {
      std::string line;
      std::getline(std::cin, line);
      const auto question = ParseJson(line);
      if (!question) return 1;
      std::string text(StringAt(*question, {"expression"}));
      auto expression = Expression::Compile(text);
      if (!expression) {
        fmt::print("error {}\n", expression.error().message);
      } else {
        Device device = DeviceFromJson(*Find(*question, "device"), StringAt(*question, {"driver"}));
        fmt::print("{}\n", Verdict(expression->Evaluate(device.view())));
        cases.insert_or_assign(index, Case{std::move(text), std::move(device), *std::move(expression)});
      }
    } else if (const auto it = cases.find(index); it == cases.end()) {
      fmt::print("0\n");
    } else if (command == "evaluate") {
      const Case& loaded = it->second;
      const DeviceView view = loaded.device.view();
      bool all_matched = true;
      fmt::print("{}\n", Time([&] { all_matched &= loaded.expression.Evaluate(view).matches.value_or(false); }));
    } else {
      const Case& loaded = it->second;
      bool all_compiled = true;
      fmt::print("{}\n", Time([&] { all_compiled &= Expression::Compile(loaded.text).has_value(); }));
    }
    std::fflush(stdout);
  }
  return 0;
}

}  // namespace
}  // namespace kumiko::cel

int main() {
  return kumiko::cel::Serve();
}
