// A visitor for std::visit out of lambdas, one per alternative:
//   std::visit(Overloaded{[](const Circle& c) { … }, [](const Square& s) { … }}, shape);
#pragma once

namespace kumiko {

template <class... Functions>
struct Overloaded : Functions... {
  using Functions::operator()...;
};
template <class... Functions>
Overloaded(Functions...) -> Overloaded<Functions...>;

}  // namespace kumiko
