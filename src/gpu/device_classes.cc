#include "gpu/device_classes.h"

#include <utility>

namespace kumiko::gpu {
namespace {

api::DeviceClass Class(std::string name, std::string expression) {
  api::DeviceClass device_class;
  device_class.metadata.name = std::move(name);
  device_class.spec.selectors.push_back({api::CelDeviceSelector{std::move(expression)}});
  return device_class;
}

}  // namespace

std::vector<api::DeviceClass> DeviceClasses() {
  std::vector<api::DeviceClass> classes;
  classes.push_back(
      Class(kGpuClass, "device.driver == \"gpu.nvidia.com\" && device.attributes[\"gpu.nvidia.com\"].type == \"gpu\""));
  classes.back().spec.extended_resource_name = "nvidia.com/gpu";
  classes.push_back(
      Class(kMigClass, "device.driver == \"gpu.nvidia.com\" && device.attributes[\"gpu.nvidia.com\"].type == \"mig\""));
  classes.push_back(Class("vfio.gpu.nvidia.com",
                          "device.driver == \"gpu.nvidia.com\" && "
                          "device.attributes[\"gpu.nvidia.com\"].type == \"vfio\""));
  classes.push_back(Class("compute-domain-daemon.nvidia.com",
                          "device.driver == \"compute-domain.nvidia.com\" && "
                          "device.attributes[\"compute-domain.nvidia.com\"].type == \"daemon\""));
  classes.push_back(Class("compute-domain-default-channel.nvidia.com",
                          "device.driver == \"compute-domain.nvidia.com\" && "
                          "device.attributes[\"compute-domain.nvidia.com\"].type == \"channel\" && "
                          "device.attributes[\"compute-domain.nvidia.com\"].id == 0"));
  classes.push_back(Class(kGpuOrPartClass,
                          "device.driver == \"gpu.nvidia.com\" && "
                          "device.attributes[\"gpu.nvidia.com\"].type in [\"gpu\", \"mig\"]"));
  return classes;
}

}  // namespace kumiko::gpu
