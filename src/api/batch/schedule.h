// Whether text is a schedule of a CronJob: five fields of cron, or @hourly and the like, or @every 5m.
#pragma once

#include <string>
#include <string_view>

namespace kumiko::api {

// "" when it is one, else the reason, in the words of the parser that Kubernetes uses (robfig/cron v3).
std::string CheckSchedule(std::string_view text);

}  // namespace kumiko::api
