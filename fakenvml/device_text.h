// Names and identifiers of devices as text.
#pragma once

#include <string>
#include <string_view>

#include "fakenvml/state.h"

namespace kumiko::fakenvml {

std::string MigUuidText(const Uuid& uuid);  // MIG-...
// "2g.20gb"; "1c.2g.20gb" for a compute instance smaller than its GPU instance.
std::string ProfileText(const ProfileRow& profile, std::uint32_t compute_slices);
std::string PciBusIdText(const Board& board, int domain_digits);  // 00000000:1A:00.0

// Whether `text` is the board's address in any of the forms that NVML takes: domain of up to eight digits or none, the
// function or not, letters of either case.
bool IsPciBusId(const Board& board, std::string_view text);

// A UUID that follows from the board's and the serial number of the instance.
Uuid MigUuidOf(const Board& board, std::uint32_t serial);

}  // namespace kumiko::fakenvml
