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

// runtime.Unknown: typeMeta = 1 (apiVersion = 1, kind = 2), raw = 2, contentEncoding = 3, contentType = 4.
struct Envelope {
  std::string_view api_version;
  std::string_view kind;
  std::string_view raw;
  std::string_view content_encoding;
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
    (number == 1 ? envelope.api_version : envelope.kind) = text;
    return {};
  });
}

Result<Envelope> ReadEnvelope(std::string_view body) {
  if (!body.starts_with(kMagic)) {
    return Fail(Code::kInvalidArgument, "the body does not begin with the bytes 6b 38 73 00 of a protobuf object");
  }
  Envelope envelope;
  const auto take = [&](std::uint32_t number, std::string_view bytes) -> Result<void> {
    if (number == 1) return ReadTypeMeta(body, bytes, envelope);
    if (number == 2) envelope.raw = bytes;
    if (number == 3) envelope.content_encoding = bytes;
    return {};
  };
  KU_TRY_OK(ForEachString(body, body.substr(kMagic.size()), 4, take));
  if (envelope.kind.empty()) return Fail(Code::kInvalidArgument, "Object 'Kind' is missing in the protobuf envelope");
  if (envelope.api_version.empty()) {
    return Fail(Code::kInvalidArgument, "Object 'apiVersion' is missing in the protobuf envelope");
  }
  if (!envelope.content_encoding.empty()) {
    return Fail(Code::kInvalidArgument, "the protobuf object is encoded as \"{}\"; send it plain",
                internal::ValidText(envelope.content_encoding));
  }
  return envelope;
}

}  // namespace

Result<Json> ReadProtobufObject(std::string_view body) {
  KU_TRY(const Envelope envelope, ReadEnvelope(body));
  const internal::Message* const message = internal::FindMessage(envelope.api_version, envelope.kind);
  if (message == nullptr) {
    return Fail(Code::kInvalidArgument, "no kind \"{}\" is registered for version \"{}\" in protobuf; send it as JSON",
                internal::ValidText(envelope.kind), internal::ValidText(envelope.api_version));
  }
  JsonObject object;
  object.emplace("kind", internal::ValidText(envelope.kind));
  object.emplace("apiVersion", internal::ValidText(envelope.api_version));
  KU_TRY_OK(internal::MessageReader(body).Read(*message, envelope.raw, object));
  return Json(std::move(object));
}

}  // namespace kumiko::api
