#include "cel/library/semver.h"

#include "cel/run_context.h"
#include "cel/semver.h"

namespace kumiko::cel {
namespace {

bool TakesText(std::span<const Value> args) {
  return args[0].kind == ValueKind::kString && (args.size() == 1 || args[1].kind == ValueKind::kBool);
}

Result<Semver> Read(std::span<const Value> args) {
  const bool normalize = args.size() == 2 && args[1].boolean;
  return normalize ? Semver::ParseNormalized(args[0].view()) : Semver::Parse(args[0].view());
}

Value MakeSemver(RunContext& run, std::span<const Value> args) {
  if (!TakesText(args)) return NoSuchOverload();
  auto version = Read(args);
  if (!version) return run.arena.Error(version.error().message);
  return Value::Of(run.arena.Put(*std::move(version)));
}

Value IsSemver(RunContext&, std::span<const Value> args) {
  return TakesText(args) ? Value::Bool(Read(args).has_value()) : NoSuchOverload();
}

template <std::uint64_t (Semver::*number)() const>
Value Number(RunContext&, std::span<const Value> args) {
  if (args[0].kind != ValueKind::kSemver) return NoSuchOverload();
  // Numbers above the largest int wrap, as they do in Kubernetes.
  return Value::Int(static_cast<std::int64_t>((args[0].semver->*number)()));
}

bool AreSemvers(std::span<const Value> args) {
  return args[0].kind == ValueKind::kSemver && args[1].kind == ValueKind::kSemver;
}

Value IsGreaterThan(RunContext&, std::span<const Value> args) {
  return AreSemvers(args) ? Value::Bool(*args[0].semver > *args[1].semver) : NoSuchOverload();
}

Value IsLessThan(RunContext&, std::span<const Value> args) {
  return AreSemvers(args) ? Value::Bool(*args[0].semver < *args[1].semver) : NoSuchOverload();
}

Value CompareTo(RunContext&, std::span<const Value> args) {
  if (!AreSemvers(args)) return NoSuchOverload();
  const auto order = *args[0].semver <=> *args[1].semver;
  return Value::Int(order < 0 ? -1 : (order > 0 ? 1 : 0));
}

constexpr Overload kOverloads[] = {
    Global("semver", MakeSemver, CostRule::kParseText, &kSemverType, 1, &kStringType),
    Global("semver", MakeSemver, CostRule::kParseText, &kSemverType, 2, &kStringType, &kBoolType),
    Global("isSemver", IsSemver, CostRule::kParseText, &kBoolType, 1, &kStringType),
    Global("isSemver", IsSemver, CostRule::kParseText, &kBoolType, 2, &kStringType, &kBoolType),
    Member("isGreaterThan", IsGreaterThan, CostRule::kAccessor, &kBoolType, 2, &kSemverType, &kSemverType),
    Member("isLessThan", IsLessThan, CostRule::kAccessor, &kBoolType, 2, &kSemverType, &kSemverType),
    Member("compareTo", CompareTo, CostRule::kAccessor, &kIntType, 2, &kSemverType, &kSemverType),
    Member("major", Number<&Semver::major>, CostRule::kAccessor, &kIntType, 1, &kSemverType),
    Member("minor", Number<&Semver::minor>, CostRule::kAccessor, &kIntType, 1, &kSemverType),
    Member("patch", Number<&Semver::patch>, CostRule::kAccessor, &kIntType, 1, &kSemverType),
};

}  // namespace

std::span<const Overload> SemverOverloads() {
  return kOverloads;
}

}  // namespace kumiko::cel
