#include "localcluster/apiserver/recent_texts.h"

#include <utility>

#include "base/text.h"

namespace kumiko::localcluster {

std::shared_ptr<const std::string> RecentTexts::Of(const ObjectWriting& writing, const kube::Object& object) {
  const auto number = ParseInt64(StringAt(object.outline(), {"metadata", "resourceVersion"}));
  const auto version = static_cast<std::uint64_t>(number.value_or(0));
  std::string api_version = writing.version.Text();
  const auto is_it = [&](const Text& kept) {
    return kept.version == version && kept.form == writing.form && kept.api_version == api_version;
  };
  auto text = texts_.With([&](const auto& texts) {
    const Text& kept = texts[version % kKept];
    return version != 0 && is_it(kept) ? kept.text : nullptr;
  });
  if (text != nullptr) return text;
  text = std::make_shared<const std::string>(writing.form == Form::kMetadata ? WriteObject(writing, object.outline())
                                                                             : WriteObject(writing, *object.tree()));
  if (version != 0 && text->size() <= kLongest) {
    texts_.With([&](auto& texts) { texts[version % kKept] = {version, std::move(api_version), writing.form, text}; });
  }
  return text;
}

}  // namespace kumiko::localcluster
