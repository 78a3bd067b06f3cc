#include "api/protobuf/protobuf_object.h"

#include <string>

#include "api/protobuf/message_reader.h"
#include "api/protobuf/message_table.h"
#include "api/protobuf/wire.h"

namespace kumiko::api {

namespace {

using internal::WireField;
using internal::WireReader;
using internal::WireType;

constexpr std::string_view kMagic("k8s\0", 4);

// runtime.Unknown: typeMeta = 1 (apiVersion = 1, kind = 2), raw = 2, contentEncoding = 3, contentType = 4. As in
// Kubernetes, nothing looks at the last two.
struct Envelope {
  ObjectType type;
  std::string_view raw;
};

tl::unexpected<Error> Wrong(std::string_view body, const char* at, std::string_view what) {
  return Fail(Code::kInvalidArgument, "protobuf envelope, byte {}: {}", at - body.data(), what);
}

// Calls `take` with the number and bytes of each of the fields that are strings or messages, up to `last`.
template <class Take>
Result<void> ForEachString(std::string_view body, std::string_view message, std::uint32_t last, const Take& take) {
  for (WireReader reader(message); !reader.AtEnd();) {
    const char* const at = reader.at();
    const Result<WireField> field = reader.Next();
    if (!field) return Wrong(body, at, field.error().message);
    if (field->number > last) continue;
    if (field->type != WireType::kBytes) return Wrong(body, at, fmt::format("field {} is no string", field->number));
    KU_TRY_OK(take(field->number, field->bytes));
  }
  return {};
}

Result<void> ReadTypeMeta(std::string_view body, std::string_view message, Envelope& envelope) {
  return ForEachString(body, message, 2, [&](std::uint32_t number, std::string_view text) -> Result<void> {
    (number == 1 ? envelope.type.api_version : envelope.type.kind) = text;
    return {};
  });
}

Result<Envelope> ReadEnvelope(std::string_view body) {
  if (body.empty()) return Fail(Code::kInvalidArgument, "empty data");
  if (body == kMagic) return Fail(Code::kInvalidArgument, "empty body");
  if (!body.starts_with(kMagic)) {
    return Fail(Code::kInvalidArgument,
                "provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]");
  }
  Envelope envelope;
  const auto take = [&](std::uint32_t number, std::string_view bytes) -> Result<void> {
    if (number == 1) return ReadTypeMeta(body, bytes, envelope);
    if (number == 2) envelope.raw = bytes;
    return {};
  };
  KU_TRY_OK(ForEachString(body, body.substr(kMagic.size()), 4, take));
  return envelope;
}

}  // namespace

Result<Json> ReadProtobufObject(std::string_view body, const ObjectType& absent) {
  KU_TRY(const Envelope envelope, ReadEnvelope(body));
  ObjectType type = envelope.type;
  if (type.kind.empty()) type.kind = absent.kind;
  if (type.api_version.empty()) type.api_version = absent.api_version;
  if (type.kind.empty()) return Fail(Code::kInvalidArgument, "Object 'Kind' is missing in the protobuf envelope");
  if (type.api_version.empty()) {
    return Fail(Code::kInvalidArgument, "Object 'apiVersion' is missing in the protobuf envelope");
  }
  const std::string kind = internal::ValidText(type.kind);
  const std::string api_version = internal::ValidText(type.api_version);
  const internal::Message* const message = internal::FindMessage(api_version, kind);
  if (message == nullptr) {
    return Fail(Code::kInvalidArgument, "no kind \"{}\" is registered for version \"{}\"; send it as JSON", kind,
                api_version);
  }
  JsonObject object;
  object.emplace("kind", kind);
  object.emplace("apiVersion", api_version);
  KU_TRY_OK(internal::MessageReader(body).Read(*message, envelope.raw, object));
  return Json(std::move(object));
}

}  // namespace kumiko::api
