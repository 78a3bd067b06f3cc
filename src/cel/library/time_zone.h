// Time zones of the system's tz database, by their IANA names.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

namespace kumiko::cel {

// Seconds east of UTC that clocks in zone `name` show at `seconds` since 1970. "" and "Local" are UTC.
// Fails with the text that Go has for it: "unknown time zone X".
tl::expected<std::int64_t, std::string> ZoneOffset(std::string_view name, std::int64_t seconds);

// The same from the content of a TZif file (RFC 8536).
tl::expected<std::int64_t, std::string> ZoneOffsetFromFile(std::string_view content, std::int64_t seconds);

}  // namespace kumiko::cel
