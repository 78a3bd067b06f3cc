// The named formats of strings that the schemas of custom resources may ask for. Source: kube-openapi's strfmt and
// apiextensions' list of formats that take effect.
#pragma once

#include <string>
#include <string_view>

namespace kumiko::api::internal {

// The name by which a format is known, dashes left out; "" for one that has no effect on values of this type.
std::string EffectiveFormat(std::string_view format, std::string_view type);

// `format` is one of strings, as EffectiveFormat gives it.
bool HasFormat(std::string_view text, std::string_view format);

}  // namespace kumiko::api::internal
