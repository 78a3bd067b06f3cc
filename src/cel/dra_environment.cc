// The environment of device selectors: the variable `device`, as new and as stored expressions see it. Sizes are the
// limits of resource.k8s.io on names, values and entries.
#include <array>
#include <memory>

#include "cel/environment.h"
#include "cel/library/libraries.h"

namespace kumiko::cel {
namespace {

constexpr std::uint64_t kMaxDomain = 63;
constexpr std::uint64_t kMaxId = 32;
constexpr std::uint64_t kMaxDriver = 63;
constexpr std::uint64_t kMaxValue = 64;
constexpr std::uint64_t kMaxEntries = 32;

constexpr Type kDevice{TypeKind::kObject, nullptr, nullptr, 0, "kubernetes.DRADevice"};

class DraEnvironment : public Environment {
 public:
  DraEnvironment(Mode mode, DraFeatures features) {
    const bool stored = mode == Mode::kStored;
    AddKubernetesLibraries(*this, mode);
    if (stored || features.list_type_attributes) AddLibrary(IncludesOverloads());
    attribute_type = stored || features.list_type_attributes ? &kDynType : &kAnyType;

    const auto map_of = [this](TypeRef value) { return pool().Map(&kStringType, pool().Map(&kStringType, value)); };
    std::vector<ObjectField> fields = {
        {"driver", &kStringType}, {"attributes", map_of(attribute_type)}, {"capacity", map_of(&kQuantityType)}};
    Shape& device = NewShape();
    device.fields = {{"driver", &Text(kMaxDriver)},
                     {"attributes", &MapOfMaps(Text(kMaxValue), true)},
                     {"capacity", &MapOfMaps(Text(0), false)}};
    if (stored || features.consumable_capacity) {
      fields.push_back({"allowMultipleAllocations", &kBoolType});
      device.fields.emplace_back("allowMultipleAllocations", &Text(1));
    }
    AddType("kubernetes.DRADevice", &kDevice);
    AddObject(&kDevice, std::move(fields));
    AddVariable({"device", &kDevice, &device});
  }

 private:
  Shape& Text(std::uint64_t max_elements) {
    Shape& shape = NewShape();
    shape.max_elements = max_elements;
    return shape;
  }
  Shape& MapOfMaps(const Shape& value, bool any_field) {
    Shape& inner = Text(kMaxEntries);
    inner.key = &Text(kMaxId);
    inner.element = &value;
    inner.any_field = any_field;
    Shape& outer = Text(kMaxEntries);
    outer.key = &Text(kMaxDomain);
    outer.element = &inner;
    return outer;
  }
};

}  // namespace

const Environment& Environment::Dra(Mode mode, DraFeatures features) {
  static const auto kAll = [] {
    std::array<std::unique_ptr<const Environment>, 8> all;
    for (std::size_t i = 0; i < all.size(); ++i) {
      all[i] = std::make_unique<DraEnvironment>((i & 4) != 0 ? Mode::kNew : Mode::kStored,
                                                DraFeatures{(i & 1) != 0, (i & 2) != 0});
    }
    return all;
  }();
  return *kAll[(features.consumable_capacity ? 1U : 0U) + (features.list_type_attributes ? 2U : 0U) +
               (mode == Mode::kNew ? 4U : 0U)];
}

}  // namespace kumiko::cel
