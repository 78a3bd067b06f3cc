#include "cel/type.h"

#include <gtest/gtest.h>

#include "cel/type_solver.h"

namespace kumiko::cel {
namespace {

TEST(Type, IsSpelledInThreeWays) {
  TypePool pool;
  const TypeRef tuple = pool.Opaque("tuple", &kIntType, pool.Opaque("", &kNullType, pool.Opaque("", &kDynType)));
  struct Row {
    TypeRef type;
    std::string_view plain, qualified, runtime;
  };
  const Row rows[] = {
      {&kNullType, "null", "null_type", "null_type"},
      {pool.List(&kTimestampType), "list(timestamp)", "list(google.protobuf.Timestamp)", "list"},
      {pool.Map(&kStringType, pool.Optional(&kAnyType)), "map(string, optional_type(any))",
       "map(string, optional_type(google.protobuf.Any))", "map"},
      {pool.Wrapper(&kIntType), "wrapper(int)", "wrapper(int)", "int"},
      {pool.TypeOf(&kDurationType), "type(duration)", "type(google.protobuf.Duration)", "type"},
      {&kTypeType, "type", "type", "type"},
      {&kIpType, "net.IP", "net.IP", "net.IP"},
      {&kErrorType, "!error!", "!error!", "dyn"},
      {&kParameterB, "_var1", "_var1", "dyn"},
      {tuple, "tuple(int, null, dyn)", "tuple(int, null_type, dyn)", "tuple"},
  };
  for (const Row& it : rows) {
    EXPECT_EQ(TypeName(it.type), it.plain);
    EXPECT_EQ(QualifiedTypeName(it.type), it.qualified);
    EXPECT_EQ(RuntimeTypeName(it.type), it.runtime);
  }
}

TEST(Type, OpaqueTypesOfSeveralPartsAreSolvedPartByPart) {
  TypePool pool;
  TypeSolver solver(pool, Dialect::kSpecification);
  const auto tuple = [&](TypeRef a, TypeRef b) { return pool.Opaque("tuple", a, pool.Opaque("", b)); };
  const TypeRef open = solver.Fresh();
  EXPECT_TRUE(solver.Assign(tuple(&kIntType, &kStringType), tuple(&kIntType, open)));
  EXPECT_EQ(TypeName(solver.Resolve(tuple(&kIntType, open))), "tuple(int, string)");
  EXPECT_FALSE(solver.Assign(tuple(&kIntType, &kBytesType), tuple(&kIntType, &kStringType)));
}

}  // namespace
}  // namespace kumiko::cel
