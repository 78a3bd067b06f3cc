// Objects in Kubernetes' protobuf form, which client-go sends for the built-in kinds: four bytes of magic, then a
// runtime.Unknown that names apiVersion and kind and holds the message.
// https://kubernetes.io/docs/reference/using-api/api-concepts/#protobuf-encoding-idl
#pragma once

#include <string_view>

#include "base/json.h"
#include "base/result.h"

namespace kumiko::api {

inline constexpr std::string_view kProtobufMediaType = "application/vnd.kubernetes.protobuf";

struct ObjectType {
  std::string_view api_version = {};
  std::string_view kind = {};
};

// The object in `body`: any kind that is served, the kinds of subresources and reviews, and DeleteOptions of any group
// version. The tree is the one that Go's encoding/json writes of the same struct, its members in the same order: what
// is empty is left out or written as there. Members that are not known are passed over, as protobuf wants it.
//
// Fails with kInvalidArgument, naming message, field and offset, on bytes that are damaged or of another form, on kinds
// that are not known, on nesting beyond kMaxJsonDepth and on more fields and values than a million.
Result<Json> ReadProtobufObject(std::string_view body, const ObjectType& absent = {});

}  // namespace kumiko::api
