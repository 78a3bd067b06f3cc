// The binary interface of NVIDIA's management library as far as kumiko calls it: names, numbers and struct layouts,
// which are facts of the interface (spec node-driver, appendix B; checked against NVIDIA's own bindings by
// tests/fakenvml). The loader of the node driver calls through these types, the simulated library of fakenvml/ answers
// through them.
//
// Sizes are those of 64-bit systems. A struct with a version holds `sizeof | number << 24` in its first field.
#pragma once

#include <cstdint>

extern "C" {

enum nvmlReturn_t : unsigned int {
  NVML_SUCCESS = 0,
  NVML_ERROR_UNINITIALIZED = 1,
  NVML_ERROR_INVALID_ARGUMENT = 2,
  NVML_ERROR_NOT_SUPPORTED = 3,
  NVML_ERROR_NO_PERMISSION = 4,
  NVML_ERROR_NOT_FOUND = 6,
  NVML_ERROR_INSUFFICIENT_SIZE = 7,
  NVML_ERROR_DRIVER_NOT_LOADED = 9,
  NVML_ERROR_TIMEOUT = 10,
  NVML_ERROR_LIBRARY_NOT_FOUND = 12,
  NVML_ERROR_FUNCTION_NOT_FOUND = 13,
  NVML_ERROR_GPU_IS_LOST = 15,
  NVML_ERROR_RESET_REQUIRED = 16,
  NVML_ERROR_IN_USE = 19,
  NVML_ERROR_MEMORY = 20,
  NVML_ERROR_INSUFFICIENT_RESOURCES = 23,
  NVML_ERROR_ARGUMENT_VERSION_MISMATCH = 25,
  NVML_ERROR_UNKNOWN = 999,
};

// Handles are opaque: they are passed on, never followed.
using nvmlDevice_t = struct nvmlDevice_st*;
using nvmlGpuInstance_t = struct nvmlGpuInstance_st*;
using nvmlComputeInstance_t = struct nvmlComputeInstance_st*;
using nvmlEventSet_t = struct nvmlEventSet_st*;

inline constexpr unsigned NVML_INIT_FLAG_NO_GPUS = 1;
inline constexpr unsigned NVML_DEVICE_MIG_DISABLE = 0;
inline constexpr unsigned NVML_DEVICE_MIG_ENABLE = 1;
inline constexpr unsigned NVML_DEVICE_UUID_V2_BUFFER_SIZE = 96;
inline constexpr unsigned NVML_DEVICE_NAME_V2_BUFFER_SIZE = 96;
inline constexpr unsigned NVML_GPU_INSTANCE_PROFILE_COUNT = 18;
inline constexpr unsigned NVML_COMPUTE_INSTANCE_PROFILE_COUNT = 9;
inline constexpr unsigned NVML_NO_INSTANCE = 0xFFFFFFFF;  // of an event or process that belongs to the whole GPU

inline constexpr unsigned long long nvmlEventTypeSingleBitEccError = 0x1;
inline constexpr unsigned long long nvmlEventTypeDoubleBitEccError = 0x2;
inline constexpr unsigned long long nvmlEventTypeXidCriticalError = 0x8;
inline constexpr unsigned long long nvmlEventTypeGpuRecoveryAction = 0x8000;

// Fields of nvmlDeviceGetFieldValues.
inline constexpr unsigned NVML_FI_DEV_ECC_CURRENT = 1;
inline constexpr unsigned NVML_FI_DEV_ECC_PENDING = 2;
inline constexpr unsigned NVML_FI_DEV_ECC_SBE_VOL_TOTAL = 3;
inline constexpr unsigned NVML_FI_DEV_ECC_DBE_VOL_TOTAL = 4;
inline constexpr unsigned NVML_FI_DEV_ECC_SBE_AGG_TOTAL = 5;
inline constexpr unsigned NVML_FI_DEV_ECC_DBE_AGG_TOTAL = 6;
inline constexpr unsigned NVML_FI_DEV_REMAPPED_COR = 142;
inline constexpr unsigned NVML_FI_DEV_REMAPPED_UNC = 143;
inline constexpr unsigned NVML_FI_DEV_REMAPPED_PENDING = 144;
inline constexpr unsigned NVML_FI_DEV_REMAPPED_FAILURE = 145;
inline constexpr unsigned NVML_FI_DEV_GET_GPU_RECOVERY_ACTION = 230;

inline constexpr unsigned NVML_VALUE_TYPE_UNSIGNED_INT = 1;
inline constexpr unsigned NVML_VALUE_TYPE_UNSIGNED_LONG_LONG = 3;

// What the driver wants done with a sick GPU: field 230.
enum nvmlDeviceGpuRecoveryAction_t : unsigned int {
  NVML_GPU_RECOVERY_ACTION_NONE = 0,
  NVML_GPU_RECOVERY_ACTION_GPU_RESET = 1,
  NVML_GPU_RECOVERY_ACTION_NODE_REBOOT = 2,
  NVML_GPU_RECOVERY_ACTION_DRAIN_P2P = 3,
  NVML_GPU_RECOVERY_ACTION_DRAIN_AND_RESET = 4,
  NVML_GPU_RECOVERY_ACTION_RECOVER_IMEX_DOMAIN = 5,
  NVML_GPU_RECOVERY_ACTION_BUS_RESET = 6,
  NVML_GPU_RECOVERY_ACTION_SYSTEM_REBOOT = 7,
};

struct nvmlPciInfo_t {
  char busIdLegacy[16];
  unsigned domain;
  unsigned bus;
  unsigned device;
  unsigned pciDeviceId;  // device << 16 | vendor
  unsigned pciSubSystemId;
  char busId[32];  // 00000000:1A:00.0
};
static_assert(sizeof(nvmlPciInfo_t) == 68);

struct nvmlMemory_t {
  unsigned long long total;
  unsigned long long free;
  unsigned long long used;
};
static_assert(sizeof(nvmlMemory_t) == 24);

struct nvmlUtilization_t {
  unsigned gpu;
  unsigned memory;
};

struct nvmlProcessInfo_t {
  unsigned pid;
  unsigned long long usedGpuMemory;
  unsigned gpuInstanceId;
  unsigned computeInstanceId;
};
static_assert(sizeof(nvmlProcessInfo_t) == 24);

struct nvmlGpuInstancePlacement_t {
  unsigned start;
  unsigned size;
};
using nvmlComputeInstancePlacement_t = nvmlGpuInstancePlacement_t;
static_assert(sizeof(nvmlGpuInstancePlacement_t) == 8);

struct nvmlGpuInstanceProfileInfo_t {
  unsigned id;
  unsigned isP2pSupported;
  unsigned sliceCount;
  unsigned instanceCount;
  unsigned multiprocessorCount;
  unsigned copyEngineCount;
  unsigned decoderCount;
  unsigned encoderCount;
  unsigned jpegCount;
  unsigned ofaCount;
  unsigned long long memorySizeMB;
};
static_assert(sizeof(nvmlGpuInstanceProfileInfo_t) == 48);

inline constexpr unsigned nvmlGpuInstanceProfileInfo_v2 = 0x02000098;
struct nvmlGpuInstanceProfileInfo_v2_t {
  unsigned version;
  unsigned id;
  unsigned isP2pSupported;
  unsigned sliceCount;
  unsigned instanceCount;
  unsigned multiprocessorCount;
  unsigned copyEngineCount;
  unsigned decoderCount;
  unsigned encoderCount;
  unsigned jpegCount;
  unsigned ofaCount;
  unsigned long long memorySizeMB;
  char name[NVML_DEVICE_NAME_V2_BUFFER_SIZE];
};
static_assert(sizeof(nvmlGpuInstanceProfileInfo_v2_t) == 152);

inline constexpr unsigned nvmlGpuInstanceProfileInfo_v3 = 0x03000098;
struct nvmlGpuInstanceProfileInfo_v3_t {
  unsigned version;
  unsigned id;
  unsigned sliceCount;
  unsigned instanceCount;
  unsigned multiprocessorCount;
  unsigned copyEngineCount;
  unsigned decoderCount;
  unsigned encoderCount;
  unsigned jpegCount;
  unsigned ofaCount;
  unsigned long long memorySizeMB;
  char name[NVML_DEVICE_NAME_V2_BUFFER_SIZE];
  unsigned capabilities;
};
static_assert(sizeof(nvmlGpuInstanceProfileInfo_v3_t) == 152);

struct nvmlGpuInstanceInfo_t {
  nvmlDevice_t device;
  unsigned id;
  unsigned profileId;
  nvmlGpuInstancePlacement_t placement;
};
static_assert(sizeof(nvmlGpuInstanceInfo_t) == 24);

struct nvmlComputeInstanceProfileInfo_t {
  unsigned id;
  unsigned sliceCount;
  unsigned instanceCount;
  unsigned multiprocessorCount;
  unsigned sharedCopyEngineCount;
  unsigned sharedDecoderCount;
  unsigned sharedEncoderCount;
  unsigned sharedJpegCount;
  unsigned sharedOfaCount;
};
static_assert(sizeof(nvmlComputeInstanceProfileInfo_t) == 36);

inline constexpr unsigned nvmlComputeInstanceProfileInfo_v2 = 0x02000088;
struct nvmlComputeInstanceProfileInfo_v2_t {
  unsigned version;
  nvmlComputeInstanceProfileInfo_t info;
  char name[NVML_DEVICE_NAME_V2_BUFFER_SIZE];
};
static_assert(sizeof(nvmlComputeInstanceProfileInfo_v2_t) == 136);

struct nvmlComputeInstanceInfo_t {
  nvmlDevice_t device;  // the MIG device
  nvmlGpuInstance_t gpuInstance;
  unsigned id;
  unsigned profileId;
  nvmlComputeInstancePlacement_t placement;
};
static_assert(sizeof(nvmlComputeInstanceInfo_t) == 32);

struct nvmlDeviceAttributes_t {
  unsigned multiprocessorCount;
  unsigned sharedCopyEngineCount;
  unsigned sharedDecoderCount;
  unsigned sharedEncoderCount;
  unsigned sharedJpegCount;
  unsigned sharedOfaCount;
  unsigned gpuInstanceSliceCount;
  unsigned computeInstanceSliceCount;
  unsigned long long memorySizeMB;
};
static_assert(sizeof(nvmlDeviceAttributes_t) == 40);

struct nvmlEventData_t {
  nvmlDevice_t device;
  unsigned long long eventType;
  unsigned long long eventData;
  unsigned gpuInstanceId;
  unsigned computeInstanceId;
};
static_assert(sizeof(nvmlEventData_t) == 32);

union nvmlValue_t {
  double dVal;
  int siVal;
  unsigned uiVal;
  unsigned long ulVal;
  unsigned long long ullVal;
  long long sllVal;
};

struct nvmlFieldValue_t {
  unsigned fieldId;
  unsigned scopeId;
  long long timestamp;    // microseconds since 1970
  long long latencyUsec;  // what updating the value took
  unsigned valueType;
  nvmlReturn_t nvmlReturn;  // the members below and above hold when this is NVML_SUCCESS
  nvmlValue_t value;
};
static_assert(sizeof(nvmlFieldValue_t) == 40);

inline constexpr unsigned nvmlDeviceAddressingMode_v1 = 0x01000008;
struct nvmlDeviceAddressingMode_t {
  unsigned version;
  unsigned value;  // 0 none, 1 HMM, 2 ATS
};
static_assert(sizeof(nvmlDeviceAddressingMode_t) == 8);

struct nvmlGpuFabricInfo_t {
  unsigned char clusterUuid[16];
  nvmlReturn_t status;
  unsigned cliqueId;
  unsigned char state;  // 0 not supported, 1 not started, 2 in progress, 3 completed
};
static_assert(sizeof(nvmlGpuFabricInfo_t) == 28);

inline constexpr unsigned nvmlGpuFabricInfo_v2 = 0x02000024;
struct nvmlGpuFabricInfo_v2_t {
  unsigned version;
  unsigned char clusterUuid[16];
  nvmlReturn_t status;
  unsigned cliqueId;
  unsigned char state;
  unsigned healthMask;
};
static_assert(sizeof(nvmlGpuFabricInfo_v2_t) == 36);

inline constexpr unsigned nvmlGpuFabricInfo_v3 = 0x03000028;
struct nvmlGpuFabricInfo_v3_t {
  unsigned version;
  unsigned char clusterUuid[16];
  nvmlReturn_t status;
  unsigned cliqueId;
  unsigned char state;
  unsigned healthMask;
  unsigned char healthSummary;
};
static_assert(sizeof(nvmlGpuFabricInfo_v3_t) == 40);

}  // extern "C"
