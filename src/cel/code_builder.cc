#include "cel/code_builder.h"

#include <iterator>
#include <utility>

namespace kumiko::cel {
namespace {

// Equal for constants that are the same in every way; empty for those that are not worth a comparison.
std::string Fingerprint(const Value& value) {
  std::string print(1, static_cast<char>(value.kind));
  switch (value.kind) {
    case ValueKind::kNull:
      return print;
    case ValueKind::kBool:
      return print + (value.boolean ? '1' : '0');
    case ValueKind::kInt:
    case ValueKind::kUint:
    case ValueKind::kDouble:
      return print.append(reinterpret_cast<const char*>(&value.integer), sizeof(value.integer));
    case ValueKind::kDuration:
      print.append(reinterpret_cast<const char*>(&value.integer), sizeof(value.integer));
      return print.append(reinterpret_cast<const char*>(&value.offset), sizeof(value.offset));
    case ValueKind::kString:
    case ValueKind::kBytes:
    case ValueKind::kType:
      return print.append(value.view());
    case ValueKind::kTimestamp:
    case ValueKind::kList:
    case ValueKind::kMap:
    case ValueKind::kOptional:
    case ValueKind::kQuantity:
    case ValueKind::kSemver:
    case ValueKind::kIp:
    case ValueKind::kCidr:
    case ValueKind::kUrl:
    case ValueKind::kNamedFormat:
    case ValueKind::kDevice:
    case ValueKind::kDomains:
    case ValueKind::kDomain:
    case ValueKind::kError:
      break;
  }
  return "";
}

}  // namespace

std::uint32_t CodeBuilder::Emit(Instruction instruction, int effect) {
  code().push_back(instruction);
  depth_ += effect;
  set_peak(std::max(peak_, depth_));
  return Here() - 1;
}

void CodeBuilder::EmitConstant(const Value& value, std::uint32_t cost) {
  Emit({.op = Op::kConstant, .cost = static_cast<std::uint16_t>(cost), .a = AddConstant(value)}, 1);
}

bool CodeBuilder::AreConstants(std::uint32_t begin, std::size_t count) const {
  const auto& code = program_.code;
  return code.size() - begin == count &&
         std::all_of(code.begin() + begin, code.end(), [](const Instruction& it) { return it.op == Op::kConstant; });
}

std::uint32_t CodeBuilder::CostSince(std::uint32_t begin) const {
  std::uint32_t cost = 0;
  for (std::size_t i = begin; i < program_.code.size(); ++i) cost += program_.code[i].cost;
  return cost;
}

void CodeBuilder::Drop(std::uint32_t begin) {
  depth_ -= static_cast<int>(code().size() - begin);
  code().resize(begin);
}

std::uint32_t CodeBuilder::AddConstant(const Value& value) {
  std::string print = Fingerprint(value);
  if (!print.empty()) {
    if (const auto found = known_.find(print); found != known_.end()) return found->second;
  }
  Value stored = value;
  if (value.kind == ValueKind::kString || value.kind == ValueKind::kBytes || value.kind == ValueKind::kType) {
    stored = Value::Text(value.kind, program_.arena.Text(value.view()));
  }
  program_.constants.push_back(stored);
  const auto index = static_cast<std::uint32_t>(program_.constants.size() - 1);
  if (!print.empty()) known_.emplace(std::move(print), index);
  return index;
}

std::uint32_t CodeBuilder::AddText(std::string_view text) {
  return AddConstant(Value::String(text));
}

std::uint32_t CodeBuilder::AddCallee(Callee callee) {
  const auto found = std::find(program_.callees.begin(), program_.callees.end(), callee);
  if (found == program_.callees.end()) {
    program_.callees.push_back(std::move(callee));
    return static_cast<std::uint32_t>(program_.callees.size() - 1);
  }
  return static_cast<std::uint32_t>(std::distance(program_.callees.begin(), found));
}

}  // namespace kumiko::cel
