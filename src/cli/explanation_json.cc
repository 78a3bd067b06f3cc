#include "cli/explanation_json.h"

#include <variant>

#include "cli/explain/stage.h"

namespace kumiko::cli {
namespace {

JsonObject DeviceJson(const allocator::DeviceId& id) {
  return {{"driver", id.driver}, {"pool", id.pool}, {"device", id.device}};
}

JsonArray DevicesJson(const std::vector<allocator::DeviceId>& ids) {
  JsonArray devices;
  for (const auto& id : ids) devices.push_back(DeviceJson(id));
  return devices;
}

struct ChangeJson {
  static JsonObject Of(std::string_view kind, const allocator::RequestName& of) {
    return {{"kind", kind}, {"claim", of.claim}, {"request", of.request}};
  }

  JsonObject operator()(const allocator::LowerCount& c) const {
    JsonObject json = Of("LowerCount", c.of);
    json["count"] = c.count;
    return json;
  }
  JsonObject operator()(const allocator::LowerCapacity& c) const {
    JsonObject json = Of("LowerCapacity", c.of);
    json["capacity"] = c.capacity;
    if (c.amount) json["amount"] = c.amount->ToString();
    return json;
  }
  JsonObject operator()(const allocator::Tolerate& c) const {
    JsonObject json = Of("Tolerate", c.of);
    json["key"] = c.key;
    return json;
  }
  JsonObject operator()(const allocator::RelaxSelector& c) const {
    JsonObject json = Of("RelaxSelector", c.of);
    json["selector"] = c.selector;
    json["expression"] = c.expression;
    json["condition"] = c.condition;
    return json;
  }
  JsonObject operator()(const allocator::DropConstraint& c) const {
    return {{"kind", "DropConstraint"}, {"claim", c.claim}, {"constraint", c.constraint}, {"attribute", c.attribute}};
  }
  JsonObject operator()(const allocator::DropRequest& c) const { return Of("DropRequest", c.of); }
  JsonObject operator()(const allocator::ReleaseDevices& c) const {
    return {{"kind", "ReleaseDevices"}, {"devices", DevicesJson(c.devices)}};
  }
  JsonObject operator()(const allocator::RelaxClass& c) const {
    return {{"kind", "RelaxClass"},
            {"deviceClass", c.device_class},
            {"selector", c.selector},
            {"expression", c.expression},
            {"condition", c.condition}};
  }
  JsonObject operator()(const allocator::EnableFeature& c) const {
    return {{"kind", "EnableFeature"}, {"feature", c.feature}};
  }
  JsonObject operator()(const allocator::DeclareNodeOperations& c) const {
    return {{"kind", "DeclareNodeOperations"}, {"node", c.node}};
  }
  JsonObject operator()(const allocator::CompletePool& c) const {
    return {{"kind", "CompletePool"},
            {"driver", c.driver},
            {"pool", c.pool},
            {"generation", c.generation},
            {"slices", c.slices}};
  }
  JsonObject operator()(const allocator::AddDevices& c) const {
    return {{"kind", "AddDevices"}, {"node", c.node}, {"like", DeviceJson(c.like)}, {"count", c.count}};
  }
};

}  // namespace

JsonObject ExplanationJson(const allocator::Explanation& explanation) {
  JsonArray reasons;
  for (const allocator::Rejection& row : explanation.rows) {
    JsonObject reason{
        {"reason", CodeOf(row.reason)}, {"detail", row.detail}, {"devices", row.devices}, {"ofClass", row.of_class}};
    if (row.selector) {
      reason["selector"] = JsonObject{{"index", row.selector->index},
                                      {"expression", row.selector->expression},
                                      {"condition", row.selector->condition}};
    }
    if (!row.names.empty()) reason["names"] = DevicesJson(row.names);
    reasons.push_back(std::move(reason));
  }
  return {{"text", allocator::Text(explanation)}, {"claim", explanation.claim},
          {"request", explanation.request},       {"deviceClass", explanation.device_class},
          {"devices", explanation.devices},       {"boardsOutsideClass", explanation.boards_outside_class},
          {"reasons", std::move(reasons)}};
}

Json ProposalJson(const allocator::Proposal& proposal) {
  if (proposal.changes.empty()) return Json();
  JsonArray changes;
  for (const auto& change : proposal.changes) changes.push_back(std::visit(ChangeJson(), change));
  return JsonObject{
      {"text", allocator::Text(proposal.changes)}, {"node", proposal.node}, {"changes", std::move(changes)}};
}

}  // namespace kumiko::cli
