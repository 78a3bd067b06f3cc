#include "api/schema/structural.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "api/schema/embedded_resources.h"
#include "api/schema/go_error_text.h"
#include "api/schema/list_types.h"
#include "api/schema/pruning.h"
#include "api/schema/rule_run.h"
#include "api/schema/structural_node.h"
#include "api/schema/value_validation.h"

namespace kumiko::api {

std::shared_ptr<const CustomSchema> CustomSchema::Create(Json open_api_schema) {
  // Not make_shared: the constructor is private.
  struct Made : CustomSchema {};
  auto made = std::make_shared<Made>();
  CustomSchema& schema = *made;
  schema.json_ = std::move(open_api_schema);
  schema.node_ = internal::ReadStructural(schema.json_, internal::Root::kYes, schema.nodes_);
  schema.type_ = schema.schemas_.AddResource(schema.json_, internal::ObjectMetaSchema());
  return made;
}

CustomSchema::~CustomSchema() = default;

Result<DecodedObject> CustomSchema::Decode(Json object, std::span<const DuplicateMember> duplicates) const {
  DecodedObject decoded;
  decoded.strict_errors = StrictErrorsOf(duplicates);
  JsonObject* members = object.if_object();
  if (members == nullptr) return Fail(Code::kInvalidArgument, "expected an object, got {}", JsonTypeName(object));
  internal::DropNulls(object, node_);
  internal::WriteDefaults(object, node_);

  if (Json* metadata = members->if_contains("metadata")) {
    KU_TRY(DecodedObject meta, DecodeBySchema(*metadata, internal::ObjectMetaSchema()));
    *metadata = std::move(meta.object);
    for (const std::string& error : meta.strict_errors) {
      decoded.strict_errors.push_back(StrictErrorBelow("metadata", error));
    }
  }
  for (const std::string& path : internal::PruneUnknown(object, *node_, true)) {
    decoded.strict_errors.push_back(fmt::format("unknown field \"{}\"", path));
  }
  internal::DropNulls(object, node_);
  std::vector<std::string> embedded;
  KU_TRY_OK(internal::ReadEmbeddedMeta(object, node_, "", embedded));
  std::ranges::sort(embedded);
  decoded.strict_errors.insert(decoded.strict_errors.end(), embedded.begin(), embedded.end());
  decoded.object = std::move(object);
  return decoded;
}

std::vector<FieldError> CustomSchema::Validate(const Json& object, const Json* old) const {
  std::vector<FieldError> errors;
  bool blocked = false;
  for (internal::ValueProblem& problem : internal::ValidateValue(object, old, *node_)) {
    blocked = blocked || problem.blocks_rules;
    errors.push_back(std::move(problem.error));
  }
  const std::size_t values = errors.size();
  internal::CheckEmbedded(object, node_, "", errors);
  for (std::size_t index = values; index < errors.size(); ++index) {
    blocked = blocked || errors[index].message.starts_with("Required value");
  }
  return CheckWhole(object, old, std::move(errors), blocked);
}

std::vector<FieldError> CustomSchema::ValidateStatus(const Json& object, const Json& old) const {
  std::vector<FieldError> errors;
  bool blocked = false;
  const Json* status = Find(object, "status");
  const internal::StructuralNode* node = node_->Property("status");
  if (status != nullptr && node != nullptr) {
    for (internal::ValueProblem& problem : internal::ValidateValue(*status, Find(old, "status"), *node)) {
      blocked = blocked || problem.blocks_rules;
      FieldError& error = problem.error;
      error.path = error.path == "<nil>" || error.path.empty() ? "status" : fmt::format("status.{}", error.path);
      errors.push_back(std::move(error));
    }
  }
  return CheckWhole(object, &old, std::move(errors), blocked);
}

std::vector<FieldError> CustomSchema::CheckWhole(const Json& object, const Json* old, std::vector<FieldError> errors,
                                                 bool blocked) const {
  std::vector<FieldError> lists = internal::CheckListTypes(object, *node_);
  if (!lists.empty() && (old == nullptr || internal::CheckListTypes(*old, *node_).empty())) {
    std::ranges::move(lists, std::back_inserter(errors));
  }
  if (!node_->has_rules) return errors;
  if (blocked) {
    errors.push_back(InvalidValue("", Json(),
                                  "some validation rules were not checked because the object was invalid; correct the "
                                  "existing errors to complete validation"));
    return errors;
  }
  std::ranges::move(internal::RunRules(object, old, *node_), std::back_inserter(errors));
  return errors;
}

}  // namespace kumiko::api
