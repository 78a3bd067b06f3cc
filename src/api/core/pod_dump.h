// The spec of a pod as messages of kube-apiserver print it: in the structs that it keeps pods in, whose members are not
// those of the API (data/pod-structs.txt).
#pragma once

#include <string>
#include <string_view>

#include "base/json.h"

namespace kumiko::api {

// The object that encoding/json writes of such a struct, `spec` being of the API's version. A member that is absent is
// null, or the zero of its type.
Json PodSpecInGo(const Json& spec);
// The same of a template of pods: its metadata, and `Spec`.
Json PodTemplateInGo(const Json& pod_template);

// How `after` differs from `before`, both trees as above, line by line: a unified diff without the names of files,
// three lines around each change. Ends with a line break; "" when nothing differs.
std::string DiffInGo(const Json& before, const Json& after);

}  // namespace kumiko::api
