"""NVIDIA's Python bindings against the simulated library: every function of the driver's list is called, and what it
answers is compared with the board file and the table of MIG profiles.

    interop.py ROOT BOARDS.json MIG_PROFILES.json      ROOT: where the boards were installed
"""

import ctypes
import json
import os
import sys
import unittest

import pynvml as nvml

ROOT, BOARDS, PROFILES = sys.argv[1:4]
CONTROL = f"{ROOT}/usr/lib/x86_64-linux-gnu/fakenvml.control"

# What the node driver calls (specification of the node driver, appendix B) and what health needs.
FUNCTIONS = """
nvmlInit_v2 nvmlInitWithFlags nvmlShutdown nvmlErrorString nvmlSystemGetDriverVersion nvmlSystemGetCudaDriverVersion
nvmlDeviceGetCount_v2 nvmlDeviceGetHandleByIndex_v2 nvmlDeviceGetHandleByUUID nvmlDeviceGetHandleByPciBusId_v2
nvmlDeviceGetUUID nvmlDeviceGetName nvmlDeviceGetIndex nvmlDeviceGetMinorNumber nvmlDeviceGetPciInfo_v3
nvmlDeviceGetBrand
nvmlDeviceGetArchitecture nvmlDeviceGetCudaComputeCapability nvmlDeviceGetMemoryInfo nvmlDeviceGetVirtualizationMode
nvmlDeviceGetAddressingMode nvmlDeviceGetModuleId nvmlDeviceGetGpuFabricInfo nvmlDeviceGetGpuFabricInfoV
nvmlDeviceGetMigMode nvmlDeviceGetMaxMigDeviceCount nvmlDeviceGetMigDeviceHandleByIndex nvmlDeviceIsMigDeviceHandle
nvmlDeviceGetDeviceHandleFromMigDeviceHandle nvmlDeviceGetGpuInstanceId nvmlDeviceGetComputeInstanceId
nvmlDeviceGetGpuInstanceProfileInfo nvmlDeviceGetGpuInstancePossiblePlacements_v2 nvmlDeviceGetGpuInstanceById
nvmlDeviceGetGpuInstances nvmlGpuInstanceGetInfo nvmlGpuInstanceGetComputeInstanceProfileInfo
nvmlGpuInstanceGetComputeInstances nvmlGpuInstanceGetComputeInstanceById nvmlComputeInstanceGetInfo_v2
nvmlDeviceSetMigMode nvmlDeviceCreateGpuInstanceWithPlacement nvmlGpuInstanceCreateComputeInstance
nvmlComputeInstanceDestroy nvmlGpuInstanceDestroy nvmlEventSetCreate nvmlDeviceGetSupportedEventTypes
nvmlDeviceRegisterEvents nvmlEventSetWait_v2 nvmlEventSetFree nvmlDeviceGetPersistenceMode nvmlDeviceSetPersistenceMode
nvmlDeviceGetFieldValues nvmlDeviceGetEccMode nvmlDeviceGetTotalEccErrors nvmlDeviceGetRemappedRows
""".split()

called = set()
_find = nvml._nvmlGetFunctionPointer


def _note(name):
    called.add(name)
    return _find(name)


nvml._nvmlGetFunctionPointer = _note

ARCHITECTURES = {"Turing": 6, "Ampere": 7, "Hopper": 9}


def load(path):
    with open(path) as file:
        return json.load(file)


def expected_boards():
    """One row a board, in the order of the file."""
    rows = []
    for entry in load(BOARDS)["gpus"]:
        for i, uuid in enumerate(entry["uuids"]):
            rows.append(dict(entry, uuid=uuid, bus=entry["pciBusIds"][i], minor=entry.get("firstMinor", 0) + i))
    return rows


def profiles_of(model):
    board = {"A100-80": "A100-80GB", "H100": "H100-80GB"}[model]
    return load(PROFILES)["boards"][board]["profiles"]


def control(text):
    with open(CONTROL + ".new", "w") as file:
        file.write(text)
    os.rename(CONTROL + ".new", CONTROL)


class Interop(unittest.TestCase):
    def setUp(self):
        nvml.nvmlInit()
        control("")

    def tearDown(self):
        nvml.nvmlShutdown()

    def fails(self, code, call, *arguments):
        with self.assertRaises(nvml.NVMLError) as caught:
            call(*arguments)
        self.assertEqual(caught.exception.value, code, str(caught.exception))

    def boards(self):
        return [(nvml.nvmlDeviceGetHandleByIndex(i), row) for i, row in enumerate(expected_boards())]

    def test_library(self):
        boards = load(BOARDS)
        self.assertEqual(nvml.nvmlSystemGetDriverVersion(), boards["driverVersion"])
        self.assertEqual(nvml.nvmlSystemGetCudaDriverVersion(), 12090)
        self.assertEqual(nvml.nvmlDeviceGetCount(), len(expected_boards()))
        for initialize in (lambda: nvml.nvmlInitWithFlags(1), nvml._nvmlGetFunctionPointer("nvmlInit_v2")):
            initialize()
            nvml.nvmlShutdown()
        self.assertEqual(str(nvml.NVMLError(nvml.NVML_ERROR_GPU_IS_LOST)), "GPU is lost")
        self.assertEqual(nvml.nvmlErrorString(nvml.NVML_ERROR_IN_USE), "In use by another client")

    def test_identity(self):
        for index, (device, row) in enumerate(self.boards()):
            self.assertEqual(nvml.nvmlDeviceGetUUID(device), row["uuid"])
            self.assertEqual(nvml.nvmlDeviceGetName(device), row["productName"])
            self.assertEqual(nvml.nvmlDeviceGetIndex(device), index)
            self.assertEqual(nvml.nvmlDeviceGetMinorNumber(device), row["minor"])
            pci = nvml.nvmlDeviceGetPciInfo(device)
            self.assertEqual(pci.busId, "0000" + row["bus"].upper())
            self.assertEqual(nvml.nvmlDeviceGetBrand(device), nvml.NVML_BRAND_NVIDIA)
            self.assertEqual(nvml.nvmlDeviceGetArchitecture(device), ARCHITECTURES[row["architecture"]])
            self.assertEqual(list(nvml.nvmlDeviceGetCudaComputeCapability(device)),
                             [int(part) for part in row["computeCapability"].split(".")])
            self.assertEqual(nvml.nvmlDeviceGetMemoryInfo(device).total, row["memoryMiB"] << 20)
            self.assertEqual(nvml.nvmlDeviceGetVirtualizationMode(device), 0)
            self.assertEqual(nvml.nvmlDeviceGetModuleId(device), 0 if row["model"] == "T4" else index + 1)
            for found in (nvml.nvmlDeviceGetHandleByUUID(row["uuid"]), nvml.nvmlDeviceGetHandleByPciBusId(row["bus"])):
                self.assertEqual(ctypes.addressof(found.contents), ctypes.addressof(device.contents))

    def test_modes(self):
        for device, row in self.boards():
            if "addressingMode" in row:
                mode = nvml.c_nvmlDeviceAddressingMode_t()
                self.assertEqual(_find("nvmlDeviceGetAddressingMode")(device, ctypes.byref(mode)), 0)
                self.assertEqual(mode.value, 1)
                self.assertEqual(nvml.nvmlDeviceGetAddressingMode(device), 1)
            else:
                self.fails(nvml.NVML_ERROR_NOT_SUPPORTED, nvml.nvmlDeviceGetAddressingMode, device)
            nvml.nvmlDeviceSetPersistenceMode(device, 1)
            self.assertEqual(nvml.nvmlDeviceGetPersistenceMode(device), 1)
            nvml.nvmlDeviceSetPersistenceMode(device, 0)

    def test_fabric(self):
        cluster = bytes.fromhex(load(BOARDS)["fabric"]["clusterUuid"].replace("-", ""))
        for device, _ in self.boards():
            plain = nvml.c_nvmlGpuFabricInfo_t()
            nvml.nvmlDeviceGetGpuFabricInfo(device, ctypes.byref(plain))
            found = [plain]
            for versioned in (nvml.c_nvmlGpuFabricInfo_v2_t(), nvml.c_nvmlGpuFabricInfo_v3_t()):
                nvml.nvmlDeviceGetGpuFabricInfoV(device, ctypes.byref(versioned))
                found.append(versioned)
            for info in found:
                self.assertEqual(bytes(bytearray(info.clusterUuid)), cluster)
                self.assertEqual((info.cliqueId, info.state, info.status), (3, 3, 0))

    def test_wrong_calls(self):
        device = nvml.nvmlDeviceGetHandleByIndex(2)
        self.fails(nvml.NVML_ERROR_INVALID_ARGUMENT, nvml.nvmlDeviceGetHandleByIndex, 99)
        self.fails(nvml.NVML_ERROR_NOT_FOUND, nvml.nvmlDeviceGetHandleByUUID, "GPU-0")
        self.fails(nvml.NVML_ERROR_NOT_FOUND, nvml.nvmlDeviceGetHandleByPciBusId, "0000:ff:00.0")
        self.fails(nvml.NVML_ERROR_INVALID_ARGUMENT, nvml.nvmlDeviceGetGpuInstanceProfileInfo, device, 18, 1)
        self.fails(nvml.NVML_ERROR_NOT_SUPPORTED, nvml.nvmlDeviceGetGpuInstanceProfileInfo, device, 17, 1)
        small = ctypes.create_string_buffer(8)
        self.assertEqual(_find("nvmlDeviceGetUUID")(device, small, 8), nvml.NVML_ERROR_INSUFFICIENT_SIZE)
        for struct in (nvml.c_nvmlGpuFabricInfo_v2_t(), nvml.c_nvmlGpuFabricInfo_v3_t()):
            struct.version += 1
            self.fails(nvml.NVML_ERROR_ARGUMENT_VERSION_MISMATCH, nvml.nvmlDeviceGetGpuFabricInfoV, device,
                       ctypes.byref(struct))
        mode = nvml.c_nvmlDeviceAddressingMode_t()
        mode.version = 0x02000008
        self.assertEqual(_find("nvmlDeviceGetAddressingMode")(device, ctypes.byref(mode)),
                         nvml.NVML_ERROR_ARGUMENT_VERSION_MISMATCH)
        self.fails(nvml.NVML_ERROR_FUNCTION_NOT_FOUND, nvml.nvmlDeviceGetInforomVersion, device, 0)

    def test_profiles(self):
        for device, row in self.boards():
            if row["model"] == "T4":
                self.fails(nvml.NVML_ERROR_NOT_SUPPORTED, nvml.nvmlDeviceGetMigMode, device)
                continue
            self.assertEqual(nvml.nvmlDeviceGetMigMode(device), [1, 1] if row["model"] == "A100-80" else [0, 0])
            table = {profile["nvmlProfileIndex"]: profile for profile in profiles_of(row["model"])}
            for index in range(18):
                if index not in table:
                    self.fails(nvml.NVML_ERROR_NOT_SUPPORTED, nvml.nvmlDeviceGetGpuInstanceProfileInfo, device,
                               index, 1)
                    continue
                self.check_profile(device, index, table[index])

    def check_profile(self, device, index, profile):
        for version in (1, 2):
            info = nvml.nvmlDeviceGetGpuInstanceProfileInfo(device, index, version)
            self.assertEqual(
                (info.id, info.sliceCount, info.instanceCount, info.multiprocessorCount, info.copyEngineCount,
                 info.decoderCount, info.encoderCount, info.jpegCount, info.ofaCount, info.memorySizeMB),
                tuple(profile[key] for key in ("giProfileId", "computeSlices", "maxInstances", "multiprocessors",
                                               "copyEngines", "decoders", "encoders", "jpegEngines", "ofaEngines",
                                               "memoryMiB")))
        self.assertEqual(info.name, "MIG " + profile["name"])
        count = ctypes.c_uint()
        nvml.nvmlDeviceGetGpuInstancePossiblePlacements(device, info.id, None, ctypes.byref(count))
        places = (nvml.c_nvmlGpuInstancePlacement_t * count.value)()
        nvml.nvmlDeviceGetGpuInstancePossiblePlacements(device, info.id, places, ctypes.byref(count))
        self.assertEqual([{"start": place.start, "size": place.size} for place in places], profile["placements"])

    def test_instances(self):
        for device, row in self.boards():
            if row["model"] == "T4":
                continue
            if row["model"] == "H100":
                self.assertEqual(nvml.nvmlDeviceSetMigMode(device, 1), 0)
            self.assertEqual(nvml.nvmlDeviceGetMaxMigDeviceCount(device), 7)
            for profile in profiles_of(row["model"]):
                for placement in profile["placements"]:
                    self.make_and_take(device, row, profile, placement)
            if row["model"] == "H100":
                self.assertEqual(nvml.nvmlDeviceSetMigMode(device, 0), 0)

    def make_and_take(self, device, row, profile, placement):
        place = nvml.c_nvmlGpuInstancePlacement_t(placement["start"], placement["size"])
        create = (nvml.nvmlDeviceCreateGpuInstanceWithPlacement, device, profile["giProfileId"], ctypes.byref(place))
        instance = create[0](*create[1:])
        self.fails(nvml.NVML_ERROR_INSUFFICIENT_RESOURCES, *create)
        info = nvml.nvmlGpuInstanceGetInfo(instance)
        self.assertEqual((info.profileId, info.placement.start, info.placement.size),
                         (profile["giProfileId"], placement["start"], placement["size"]))
        whole = {1: 0, 2: 1, 3: 2, 4: 3, 7: 4}[profile["computeSlices"]]
        compute_profile = nvml.nvmlGpuInstanceGetComputeInstanceProfileInfo(instance, whole, 0, 1)
        self.assertEqual(compute_profile.multiprocessorCount, profile["multiprocessors"])
        compute = nvml.nvmlGpuInstanceCreateComputeInstance(instance, compute_profile.id)
        details = nvml.nvmlComputeInstanceGetInfo(compute)
        mig = details.device
        self.assertEqual(nvml.nvmlDeviceIsMigDeviceHandle(mig).value, 1)
        self.assertEqual(nvml.nvmlDeviceGetGpuInstanceId(mig), info.id)
        self.assertEqual(nvml.nvmlDeviceGetComputeInstanceId(mig), details.id)
        self.assertEqual(nvml.nvmlDeviceGetUUID(nvml.nvmlDeviceGetDeviceHandleFromMigDeviceHandle(mig)), row["uuid"])
        uuid = nvml.nvmlDeviceGetUUID(mig)
        self.assertTrue(uuid.startswith("MIG-"))
        self.assertEqual(nvml.nvmlDeviceGetUUID(nvml.nvmlDeviceGetMigDeviceHandleByIndex(device, 0)), uuid)
        self.fails(nvml.NVML_ERROR_NOT_FOUND, nvml.nvmlDeviceGetMigDeviceHandleByIndex, device, 1)
        self.assertEqual(nvml.nvmlDeviceGetName(mig), f"{row['productName']} MIG {profile['name']}")
        self.assertEqual(nvml.nvmlDeviceGetAttributes(mig).memorySizeMB, profile["memoryMiB"])

        listed = (nvml.c_nvmlGpuInstance_t * 7)()
        count = ctypes.c_uint(7)
        nvml.nvmlDeviceGetGpuInstances(device, profile["giProfileId"], listed, ctypes.byref(count))
        self.assertEqual(count.value, 1)
        parts = (nvml.c_nvmlComputeInstance_t * 7)()
        nvml.nvmlGpuInstanceGetComputeInstances(listed[0], compute_profile.id, parts, ctypes.byref(count))
        self.assertEqual(count.value, 1)
        same = nvml.nvmlDeviceGetGpuInstanceById(device, info.id)
        part = nvml.nvmlGpuInstanceGetComputeInstanceById(same, details.id)
        self.fails(nvml.NVML_ERROR_IN_USE, nvml.nvmlGpuInstanceDestroy, same)
        nvml.nvmlComputeInstanceDestroy(part)
        nvml.nvmlGpuInstanceDestroy(same)
        self.fails(nvml.NVML_ERROR_NOT_FOUND, nvml.nvmlDeviceGetGpuInstanceById, device, info.id)
        self.fails(nvml.NVML_ERROR_NOT_FOUND, nvml.nvmlGpuInstanceDestroy, instance)

    def test_events(self):
        device = nvml.nvmlDeviceGetHandleByIndex(3)
        kinds = nvml.nvmlDeviceGetSupportedEventTypes(device)
        wanted = nvml.nvmlEventTypeXidCriticalError | nvml.nvmlEventTypeDoubleBitEccError
        self.assertEqual(kinds & wanted, wanted)
        events = nvml.nvmlEventSetCreate()
        nvml.nvmlDeviceRegisterEvents(device, wanted, events)
        self.fails(nvml.NVML_ERROR_TIMEOUT, nvml.nvmlEventSetWait_v2, events, 10)
        control("event 1 gpu 3 xid 79\n")
        event = nvml.nvmlEventSetWait_v2(events, 10000)
        self.assertEqual((event.eventType, event.eventData), (nvml.nvmlEventTypeXidCriticalError, 79))
        self.assertEqual(nvml.nvmlDeviceGetUUID(event.device), nvml.nvmlDeviceGetUUID(device))
        self.assertEqual(event.gpuInstanceId, 0xFFFFFFFF)
        nvml.nvmlEventSetFree(events)

    def test_health(self):
        device = nvml.nvmlDeviceGetHandleByIndex(3)
        control("gpu 3 recovery drain-p2p\ngpu 3 ecc corrected 4 uncorrected 2\ngpu 3 remapped corrected 1 pending\n")
        values = nvml.nvmlDeviceGetFieldValues(device, [230, nvml.NVML_FI_DEV_ECC_SBE_VOL_TOTAL, 1000])
        self.assertEqual((values[0].nvmlReturn, values[0].value.uiVal), (0, nvml.NVML_GPU_RECOVERY_ACTION_DRAIN_P2P))
        self.assertEqual(values[1].value.ullVal, 4)
        self.assertEqual(values[2].nvmlReturn, nvml.NVML_ERROR_NOT_SUPPORTED)
        self.assertEqual(nvml.nvmlDeviceGetEccMode(device), [1, 1])
        self.assertEqual(nvml.nvmlDeviceGetTotalEccErrors(device, nvml.NVML_MEMORY_ERROR_TYPE_UNCORRECTED, 0), 2)
        self.assertEqual(nvml.nvmlDeviceGetRemappedRows(device), (1, 0, 1, 0))
        control("gpu 3 lost\n")
        self.fails(nvml.NVML_ERROR_GPU_IS_LOST, nvml.nvmlDeviceGetUUID, device)

    def test_zz_every_function_was_called(self):
        self.assertEqual(sorted(set(FUNCTIONS) - called), [])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
