#include "cel/library/libraries.h"

#include "cel/library/authorizer.h"
#include "cel/library/conversions.h"
#include "cel/library/format_string.h"
#include "cel/library/ip.h"
#include "cel/library/lists.h"
#include "cel/library/named_formats.h"
#include "cel/library/operators.h"
#include "cel/library/optionals.h"
#include "cel/library/quantity.h"
#include "cel/library/regex.h"
#include "cel/library/semver.h"
#include "cel/library/sets.h"
#include "cel/library/strings.h"
#include "cel/library/time.h"
#include "cel/library/url.h"

namespace kumiko::cel {

void AddKubernetesLibraries(Environment& environment, Mode mode) {
  const Dialect dialect = environment.dialect();
  if (mode == Mode::kNew) environment.AddLibrary(KubernetesListsOverloads());
  for (const auto overloads : {OperatorsOverloads(dialect), ConversionsOverloads(dialect), StringsOverloads(dialect),
                               FormatStringOverloads(), RegexOverloads(), TimeOverloads(dialect), OptionalsOverloads(),
                               ExtendedListsOverloads(), SetsOverloads(), QuantityOverloads(), SemverOverloads(),
                               UrlOverloads(), IpOverloads(), NamedFormatsOverloads(), AuthorizerOverloads()}) {
    environment.AddLibrary(overloads);
  }
  if (mode == Mode::kStored) environment.AddLibrary(KubernetesListsOverloads());
  environment.AddType("optional_type", environment.pool().Optional(&kDynType));
  environment.AddType("net.IP", &kIpType);
  environment.AddType("net.CIDR", &kCidrType);
}

}  // namespace kumiko::cel
