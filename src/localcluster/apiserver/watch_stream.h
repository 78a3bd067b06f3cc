// The body of a watch: events as JSON lines, in the form that the client asked for.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "kube/api_client.h"
#include "localcluster/apiserver/recent_texts.h"
#include "localcluster/apiserver/response_form.h"
#include "localcluster/apiserver/selector.h"
#include "localcluster/http/http_message.h"
#include "localcluster/store.h"

namespace kumiko::localcluster {

struct WatchOptions {
  ObjectWriting writing;
  LabelSelector labels;
  FieldSelector fields;
  bool bookmarks = false;
  Duration timeout{};
  // Sent as ADDED before anything else.
  std::vector<kube::Object> initial;
  bool marks_initial_end = false;  // sendInitialEvents: a bookmark tells when they are through
};

// `texts` and `clock` must outlive the stream.
std::unique_ptr<BodyStream> MakeWatchStream(std::unique_ptr<ChangeReader> changes, WatchOptions options,
                                            RecentTexts& texts, const Clock& clock);

}  // namespace kumiko::localcluster
