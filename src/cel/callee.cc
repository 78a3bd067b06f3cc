#include "cel/callee.h"

#include <algorithm>
#include <array>

namespace kumiko::cel {
namespace {

bool IsLetter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

}  // namespace

Callee CalleeOf(const CheckedAst& checked, ExprId id) {
  Callee callee;
  const auto overloads = checked.Overloads(id);
  if (overloads.empty()) return callee;
  callee.call = overloads.front()->call;
  callee.cost = overloads.front()->cost;
  callee.overloads.assign(overloads.begin(), overloads.end());
  if (overloads.size() > 1) {
    // The reference does not know which overload runs.
    if (callee.cost < CostRule::kFirstByName) callee.cost = CostRule::kUnit;
    if (callee.cost == CostRule::kContainsIpText) callee.cost = CostRule::kContainsIp;
    if (callee.cost == CostRule::kContainsCidrText) callee.cost = CostRule::kContainsCidr;
  }
  static constexpr std::array kUnits = {CostRule::kConcatLists, CostRule::kIndexList, CostRule::kIndexMap,
                                        CostRule::kDyn, CostRule::kAccessor};
  if (std::find(kUnits.begin(), kUnits.end(), callee.cost) != kUnits.end()) callee.cost = CostRule::kUnit;
  return callee;
}

bool ChecksArguments(const CheckedAst& checked, ExprId id) {
  static constexpr std::array<std::string_view, 9> kTakeAll = {"contains", "dyn",  "endsWith",   "flatten", "matches",
                                                               "size",     "sort", "startsWith", "type"};
  const std::string_view name = checked.ast.At(id).name;
  return checked.guesses_types && checked.Overloads(id).size() == 1 && IsLetter(name.front()) &&
         std::find(kTakeAll.begin(), kTakeAll.end(), name) == kTakeAll.end();
}

bool StopsAtErrors(const CheckedAst& checked, ExprId id, std::size_t args) {
  const std::string_view name = checked.ast.At(id).name;
  // The reference takes arguments as a list when there are three, and when it looks for the overload as it runs;
  // operators are one function for all types.
  const bool searches = checked.Overloads(id).size() != 1 && IsLetter(name.front());
  return args > 2 || (args == 2 && searches) || name == "format";
}

}  // namespace kumiko::cel
