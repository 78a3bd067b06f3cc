#include "localcluster/tables/table.h"

namespace kumiko::localcluster {
namespace {

constexpr std::string_view kColumns =
    R"([{"name":"Name","type":"string","format":"name","description":"Name must be unique within a namespace.",)"
    R"("priority":0},{"name":"Age","type":"string","format":"","description":"When the object was created.",)"
    R"("priority":0}])";

std::string AgeOf(const Json& object, Time now) {
  const Result<Time> created = ParseRfc3339(StringAt(object, {"metadata", "creationTimestamp"}));
  return created ? FormatAge(now - *created) : "<unknown>";
}

}  // namespace

std::string WriteTable(const api::KindInfo&, std::string_view metadata,
                       std::span<const std::shared_ptr<const Json>> objects, const TableOptions& options) {
  std::string out = R"({"kind":"Table","apiVersion":"meta.k8s.io/v1","metadata":)";
  out += metadata;
  out += R"(,"columnDefinitions":)";
  out += options.with_columns ? kColumns : "null";
  out += R"(,"rows":[)";
  for (std::size_t i = 0; i < objects.size(); ++i) {
    const Json& object = *objects[i];
    if (i > 0) out += ',';
    out += R"({"cells":[)" + WriteJson(Json(StringAt(object, {"metadata", "name"}))) + "," +
           WriteJson(Json(AgeOf(object, options.now))) + "]";
    switch (options.include) {
      case TableOptions::Include::kNone:
        break;
      case TableOptions::Include::kMetadata:
        out += R"(,"object":{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":)" +
               WriteJson(object.at("metadata")) + "}";
        break;
      case TableOptions::Include::kObject:
        out += R"(,"object":)" + options.write_object(object);
        break;
    }
    out += '}';
  }
  out += "]}\n";
  return out;
}

}  // namespace kumiko::localcluster
