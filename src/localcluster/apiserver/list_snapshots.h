// Lists that are read page by page: all pages of one list are of the moment of its first. The real API server reads
// them from old revisions of etcd; here the list itself is remembered, which are pointers only.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "base/guarded.h"
#include "base/json.h"
#include "base/time.h"
#include "kube/api_error.h"
#include "kube/object.h"

namespace kumiko::localcluster {

struct ListSnapshot {
  std::string resource_version;
  std::vector<kube::Object> items;  // those that the selectors select
};

// Thread safe.
class ListSnapshots {
 public:
  // Keeps the list and returns a token that stands for the items from `next` on.
  std::string Keep(std::shared_ptr<const ListSnapshot> list, std::size_t next, Time now);

  struct Page {
    std::shared_ptr<const ListSnapshot> list;
    std::size_t next = 0;
  };
  // Errors: kBadRequest for what is no token, kExpired when the list is no longer kept.
  kube::ApiResult<Page> Continue(std::string_view token, Time now);

 private:
  struct Kept {
    std::uint64_t number = 0;
    std::shared_ptr<const ListSnapshot> list;
    Time used;
  };
  struct Lists {
    std::uint64_t last = 0;
    std::deque<Kept> kept;  // the one used last at the end
  };
  Guarded<Lists> lists_;
};

}  // namespace kumiko::localcluster
