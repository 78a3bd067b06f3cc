// Turns yaml-cpp's events into JSON trees: keys, merges, aliases, limits. Private to base/yaml.cc, which catches what
// yaml-cpp throws.
#pragma once

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/mark.h>

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/yaml.h"

namespace kumiko {

// Handles one document. Reports problems by throwing YAML::ParserException: the only way to stop yaml-cpp's parser.
class YamlTreeBuilder final : public YAML::EventHandler {
 public:
  // `budget`: how much the aliases of the document may add, in bytes of text and number of values.
  YamlTreeBuilder(std::string_view text, std::size_t budget) : text_(text), budget_(budget) {}

  Json TakeValue() { return std::move(root_); }
  SourceMap TakePositions() { return std::move(positions_); }
  // Where the document begins.
  const YAML::Mark& start() const { return start_; }

  void OnDocumentStart(const YAML::Mark& mark) override;
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override;
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override;
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override;
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value style) override;
  void OnSequenceEnd() override { Close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value style) override;
  void OnMapEnd() override { Close(); }

  // Columns of yaml-cpp count bytes from 0.
  static Position PositionOf(std::string_view text, const YAML::Mark& mark);

 private:
  struct Level {
    Json value;
    std::string path;
    YAML::Mark start;
    YAML::anchor_t anchor = 0;
    // Of maps: the key whose value comes next, where keys stand, and what << names, in the order of precedence.
    std::optional<std::string> key;
    bool merging = false;
    YAML::Mark key_mark;
    std::map<std::string, YAML::Mark, std::less<>> keys;
    std::vector<Json> merges;
  };
  struct Anchored {
    Json value;
    std::size_t weight = 0;
    int depth = 0;
  };

  void Add(Json value, const YAML::Mark& mark, YAML::anchor_t anchor);
  void AddKey(const Json& key, const YAML::Mark& mark);
  void Merge(Level& level, Json value, const YAML::Mark& mark);
  bool AtKey() const;
  void Open(Json value, const YAML::Mark& mark, YAML::anchor_t anchor);
  void Close();
  // The path of the value that comes next.
  std::string NextPath() const;

  std::string_view text_;
  std::size_t budget_;
  std::size_t spent_ = 0;
  Json root_;
  SourceMap positions_;
  YAML::Mark start_;
  std::vector<Level> open_;
  std::map<YAML::anchor_t, Anchored> anchors_;
};

}  // namespace kumiko
