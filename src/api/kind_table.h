// The table behind api/kinds.h: each stored kind with the functions that check it.
#pragma once

#include <vector>

#include "api/kinds.h"

namespace kumiko::api {

struct KindEntry {
  KindInfo info;
  std::vector<FieldError> (*check_fields)(const Json&);  // null for kinds without a struct
  std::vector<FieldError> (*validate)(const Json&);
};

// Ordered by (group, kind).
const std::vector<KindEntry>& KindTable();

}  // namespace kumiko::api
