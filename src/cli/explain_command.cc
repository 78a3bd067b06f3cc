#include "cli/explain_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <ostream>
#include <string_view>
#include <vector>

#include "base/term.h"
#include "base/text.h"
#include "base/yaml.h"
#include "cli/explain/explain.h"
#include "cli/explain/explanation_record.h"
#include "cli/server_advice.h"

namespace kumiko::cli {
namespace {

struct Asked {
  ExplainedKind what = ExplainedKind::kPod;
  std::string namespace_;
  std::string name;
};

// "pod NAME", "pod/NAME", "pod NAMESPACE/NAME".
Result<Asked> AskedOf(const ExplainOptions& options, const std::string& namespace_) {
  std::string kind = options.kind;
  std::string name = options.name;
  if (const std::size_t slash = kind.find('/'); slash != std::string::npos && name.empty()) {
    name = kind.substr(slash + 1);
    kind.resize(slash);
  }
  Asked asked;
  KU_TRY(asked.what, KindToExplain(kind));
  asked.namespace_ = namespace_;
  if (const std::size_t slash = name.find('/'); slash != std::string::npos) {
    asked.namespace_ = name.substr(0, slash);
    name.erase(0, slash + 1);
  }
  if (name.empty()) return Fail(Code::kInvalidArgument, "no name given; write: kumiko explain {} NAME", kind);
  asked.name = name;
  return asked;
}

Result<report::Explanation> Explanation(const ExplainOptions& options, kube::ApiClient& api,
                                        const std::string& namespace_, const Clock& clock, Duration& reading) {
  KU_TRY(const Asked asked, AskedOf(options, namespace_));
  const Time listed = clock.Now();
  localcluster::ClusterModel model(api, options.features);
  const auto synced = model.Sync();
  if (!synced) return tl::unexpected<Error>(Advised(synced.error()));
  reading = clock.Now() - listed;
  auto explanation = asked.what == ExplainedKind::kPod ? ExplainPod(model, asked.namespace_, asked.name, listed)
                                                       : ExplainClaim(model, asked.namespace_, asked.name, listed);
  if (!explanation) return explanation;
  explanation->seen.time = listed;
  explanation->seen.age = clock.Now() - listed;
  return explanation;
}

}  // namespace

Result<ExplainedKind> KindToExplain(const std::string& word) {
  static constexpr std::array<std::string_view, 4> kPods = {"pod", "pods", "po", "Pod"};
  static constexpr std::array<std::string_view, 5> kClaims = {"claim", "claims", "resourceclaim", "resourceclaims",
                                                              "ResourceClaim"};
  if (std::find(kPods.begin(), kPods.end(), word) != kPods.end()) return ExplainedKind::kPod;
  if (std::find(kClaims.begin(), kClaims.end(), word) != kClaims.end()) return ExplainedKind::kClaim;
  return Fail(Code::kInvalidArgument, "kind {} cannot be explained; write pod or claim", word);
}

ExitCode RunExplain(const ExplainOptions& options, kube::ApiClient& api, const std::string& namespace_,
                    const Clock& clock, const report::Style& style, std::ostream& out, std::ostream& err) {
  Duration reading{};
  const auto explanation = Explanation(options, api, namespace_, clock, reading);
  if (!explanation) {
    err << EscapeControls(explanation.error().message) << '\n';
    return ExitCodeFor(explanation.error());
  }
  const std::string slow = SlowReading(reading);
  if (!slow.empty()) err << slow << '\n';
  switch (options.output) {
    case Output::kTable:
    case Output::kWide:
      out << report::Draw(*explanation, style, options.all_names || options.output == Output::kWide);
      break;
    case Output::kJson:
      out << WriteJsonPretty(ExplanationRecord(*explanation, options.all_names)) << '\n';
      break;
    case Output::kYaml:
      out << WriteYaml(ExplanationRecord(*explanation, options.all_names));
      break;
    case Output::kName:
      out << fmt::format("{}/{}\n", ToLower(explanation->kind), explanation->name);
      break;
  }
  const bool runs = explanation->verdict == report::Verdict::kRuns;
  return options.check && !runs ? ExitCode::kCheckFailed : ExitCode::kDone;
}

}  // namespace kumiko::cli
