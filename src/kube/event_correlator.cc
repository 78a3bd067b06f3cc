#include "kube/event_correlator.h"

#include "base/text.h"

namespace kumiko::kube {
namespace {

std::string KeyFrom(std::initializer_list<std::string_view> parts) {
  std::string key;
  for (const std::string_view part : parts) {
    key += part;
    key += '\n';  // no part of a name
  }
  return key;
}

// core/v1 ObjectReference: of a whole object, or as it is.
Json ReferenceTo(const Json& object) {
  const Json* metadata = Find(object, "metadata");
  const Json& from = metadata == nullptr ? object : *metadata;
  JsonObject reference;
  const auto take = [&](std::string_view member, const Json& source) {
    const std::string_view value = StringAt(source, {member});
    if (!value.empty()) reference[member] = value;
  };
  take("kind", object);
  take("namespace", from);
  take("name", from);
  take("uid", from);
  take("apiVersion", object);
  take("resourceVersion", from);
  take("fieldPath", object);
  return reference;
}

}  // namespace

EventCorrelator::EventCorrelator(std::string component, std::string host, EventLimits limits)
    : component_(std::move(component)),
      host_(std::move(host)),
      limits_(limits),
      similar_(limits.remembered),
      seen_(limits.remembered),
      buckets_(limits.remembered) {}

Json EventCorrelator::Make(const Json& reference, const EventText& text, std::string_view name, Time now) const {
  // Objects of no namespace have their events in the default one.
  const std::string_view own_namespace = StringAt(reference, {"namespace"});
  const std::string_view namespace_ = own_namespace.empty() ? "default" : own_namespace;
  JsonObject source{{"component", component_}};
  if (!host_.empty()) source["host"] = host_;
  return JsonObject{{"apiVersion", "v1"},
                    {"kind", "Event"},
                    {"metadata", JsonObject{{"name", name}, {"namespace", namespace_}}},
                    {"involvedObject", reference},
                    {"reason", text.reason},
                    {"message", text.message},
                    {"source", std::move(source)},
                    {"firstTimestamp", FormatRfc3339(now)},
                    {"lastTimestamp", FormatRfc3339(now)},
                    {"count", 1},
                    {"type", text.type},
                    {"reportingComponent", component_},
                    {"reportingInstance", host_}};
}

std::optional<EventWrite> EventCorrelator::Add(const Json& object, const EventText& text, Time now) {
  const Json reference = ReferenceTo(object);
  const std::string about =
      KeyFrom({StringAt(reference, {"kind"}), StringAt(reference, {"namespace"}), StringAt(reference, {"name"}),
               StringAt(reference, {"uid"}), StringAt(reference, {"fieldPath"})});

  // Many messages of one reason become one event, whose message is the newest.
  const std::string group = about + KeyFrom({text.type, text.reason});
  Similar* similar = similar_.Find(group);
  if (similar == nullptr || now - similar->last > limits_.similar_within) similar = &similar_.Put(group, {});
  similar->last = now;
  similar->messages.insert(text.message);
  EventText told = text;
  std::string key = group + KeyFrom({text.message});
  if (similar->messages.size() >= limits_.similar) {
    // The set need not grow further to know that there are many.
    similar->messages.erase(similar->messages.begin());
    told.message = "(combined from similar events): " + text.message;
    key = group;
  }

  // client-go names events by object and time; the name of what is counted is that of the first.
  const std::string_view subject = StringAt(reference, {"name"});
  EventWrite write{.key = key,
                   .name = fmt::format("{}.{:x}", subject, now.micros * 1000),
                   .namespace_ = {},
                   .event = {},
                   .patch = {}};
  const Seen* seen = seen_.Find(key);
  if (seen != nullptr) write.name = seen->name;
  write.event = Make(reference, told, write.name, now);
  write.namespace_ = StringAt(write.event, {"metadata", "namespace"});
  Seen next{.count = 1, .name = write.name, .first = FormatRfc3339(now)};
  if (seen != nullptr) {
    next.count = seen->count + 1;
    next.first = seen->first;
    write.event.as_object()["count"] = next.count;
    write.event.as_object()["firstTimestamp"] = next.first;
    write.patch = JsonObject{{"count", next.count}, {"lastTimestamp", FormatRfc3339(now)}, {"message", told.message}};
  }
  seen_.Put(key, std::move(next));

  TokenBucket* bucket = buckets_.Find(about);
  const double per_second = 1e6 / static_cast<double>(limits_.refill.count());
  if (bucket == nullptr) bucket = &buckets_.Put(about, TokenBucket(per_second, limits_.burst));
  return bucket->TryTake(now) ? std::optional(std::move(write)) : std::nullopt;
}

void EventCorrelator::Written(const EventWrite& write, std::string name) {
  if (Seen* seen = seen_.Find(write.key)) seen->name = std::move(name);
}

}  // namespace kumiko::kube
