// The list of strict decoding errors: unknown and duplicate fields, each once, at most 100.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace kumiko::api {

class StrictErrors {
 public:
  void Unknown(const std::string& path) { Add("unknown field", path); }
  void Duplicate(const std::string& path) { Add("duplicate field", path); }
  std::vector<std::string> Take() { return std::move(errors_); }

 private:
  void Add(std::string_view what, const std::string& path);

  std::vector<std::string> errors_;
  std::set<std::string> seen_;
};

}  // namespace kumiko::api
