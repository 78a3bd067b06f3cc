// What a real kube-apiserver 1.37.2 answered to `kubectl create --dry-run=server` of objects that are wrong, one a line
// in refusals.jsonl: our validation must find the same, in the same words.
#include <gtest/gtest.h>

#include <fstream>

#include "api/kinds.h"

namespace kumiko::api {
namespace {

TEST(Refusals, AreThoseOfTheApiServer) {
  std::ifstream file(KUMIKO_SOURCE_DIR "/src/api/refusals.jsonl");
  std::string line;
  int number = 0;
  while (std::getline(file, line)) {
    SCOPED_TRACE("line " + std::to_string(++number) + ": " + line);
    const Result<Json> row = ParseJson(line);
    ASSERT_TRUE(row) << row.error().message;
    Result<Json> object = ToStored(row->at("object"));
    ASSERT_TRUE(object) << object.error().message;
    SetDefaults(*object);
    std::vector<FieldError> expected;
    for (const Json& error : row->at("errors").as_array()) {
      expected.push_back({std::string(StringAt(error, {"path"})), std::string(StringAt(error, {"message"}))});
    }
    EXPECT_EQ(Describe(Validate(*object)), Describe(expected));
  }
  EXPECT_GT(number, 100);
}

}  // namespace
}  // namespace kumiko::api
