// NVIDIA's Go bindings against the simulated library: what the node driver of NVIDIA calls, called the way it calls it,
// and compared with the board file and the table of MIG profiles. Exits 1 with a line for each difference.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/NVIDIA/go-nvml/pkg/nvml"
)

type gpuEntry struct {
	Model, ProductName, Architecture, AddressingMode string
	MemoryMiB                                        uint64
	FirstMinor                                       int
	UUIDs, PCIBusIDs                                 []string
}

type placement struct{ Start, Size uint32 }

type profile struct {
	Name             string
	NVMLProfileIndex int
	GIProfileID      uint32
	ComputeSlices    uint32
	MaxInstances     uint32
	Multiprocessors  uint32
	CopyEngines      uint32
	Decoders         uint32
	Encoders         uint32
	JPEGEngines      uint32
	OFAEngines       uint32
	MemoryMiB        uint64
	Placements       []placement
}

var differences int

func same[T comparable](what string, got, want T) {
	if got != want {
		differences++
		fmt.Printf("%s: got %v, want %v\n", what, got, want)
	}
}

func ok(what string, ret nvml.Return) bool {
	same(what, ret, nvml.SUCCESS)
	return ret == nvml.SUCCESS
}

func read(path string, into any) {
	text, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(text, into)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
}

func main() {
	library := flag.String("library", "", "libnvidia-ml.so.1 of an installation")
	boardsFile := flag.String("boards", "", "its board file, as JSON")
	profilesFile := flag.String("profiles", "", "mig-profiles.json")
	flag.Parse()
	var boards struct {
		DriverVersion string
		GPUs          []gpuEntry
	}
	var tables struct {
		Boards map[string]struct{ Profiles []profile }
	}
	read(*boardsFile, &boards)
	read(*profilesFile, &tables)

	lib := nvml.New(nvml.WithLibraryPath(*library))
	if !ok("InitWithFlags", lib.InitWithFlags(nvml.INIT_FLAG_NO_GPUS)) || !ok("Init", lib.Init()) {
		os.Exit(1)
	}
	version, ret := lib.SystemGetDriverVersion()
	ok("SystemGetDriverVersion", ret)
	same("driver version", version, boards.DriverVersion)
	cuda, ret := lib.SystemGetCudaDriverVersion()
	ok("SystemGetCudaDriverVersion", ret)
	same("CUDA version", cuda, 12090)
	same("a text", lib.ErrorString(nvml.ERROR_INSUFFICIENT_RESOURCES), "Insufficient Resources")

	for _, symbol := range []string{"nvmlDeviceGetMigMode", "nvmlDeviceGetAddressingMode", "nvmlDeviceGetGpuFabricInfo",
		"nvmlDeviceGetGpuFabricInfoV", "nvmlDeviceGetPciInfo_v3", "nvmlDeviceGetAttributes_v2"} {
		if err := lib.Extensions().LookupSymbol(symbol); err != nil {
			same(symbol, err.Error(), "found")
		}
	}

	index := 0
	for _, entry := range boards.GPUs {
		for i := range entry.UUIDs {
			checkBoard(lib, index, i, entry, tables.Boards[map[string]string{"A100-80": "A100-80GB", "H100": "H100-80GB"}[entry.Model]].Profiles)
			index++
		}
	}
	count, ret := lib.DeviceGetCount()
	ok("DeviceGetCount", ret)
	same("count", count, index)
	_, ret = lib.DeviceGetHandleByIndex(index)
	same("an index too high", ret, nvml.ERROR_INVALID_ARGUMENT)
	checkEvents(lib, filepath.Join(filepath.Dir(*library), "fakenvml.control"))
	ok("Shutdown", lib.Shutdown())
	ok("Shutdown", lib.Shutdown())
	if differences > 0 {
		os.Exit(1)
	}
	fmt.Printf("%d boards, no difference\n", index)
}

func checkBoard(lib nvml.Interface, index, i int, entry gpuEntry, profiles []profile) {
	device, ret := lib.DeviceGetHandleByIndex(index)
	if !ok("DeviceGetHandleByIndex", ret) {
		return
	}
	name := fmt.Sprintf("GPU %d ", index)
	byUUID, ret := lib.DeviceGetHandleByUUID(entry.UUIDs[i])
	ok(name+"DeviceGetHandleByUUID", ret)
	byBus, ret := lib.DeviceGetHandleByPciBusId(entry.PCIBusIDs[i])
	ok(name+"DeviceGetHandleByPciBusId", ret)
	for _, one := range []nvml.Device{device, byUUID, byBus} {
		uuid, ret := one.GetUUID()
		ok(name+"GetUUID", ret)
		same(name+"UUID", uuid, entry.UUIDs[i])
	}
	product, ret := device.GetName()
	ok(name+"GetName", ret)
	same(name+"name", product, entry.ProductName)
	minor, ret := device.GetMinorNumber()
	ok(name+"GetMinorNumber", ret)
	same(name+"minor", minor, entry.FirstMinor+i)
	position, ret := device.GetIndex()
	ok(name+"GetIndex", ret)
	same(name+"index", position, index)
	pci, ret := device.GetPciInfo()
	ok(name+"GetPciInfo", ret)
	same(name+"bus", text(pci.BusId[:]), "0000"+strings.ToUpper(entry.PCIBusIDs[i]))
	memory, ret := device.GetMemoryInfo()
	ok(name+"GetMemoryInfo", ret)
	same(name+"memory", memory.Total, entry.MemoryMiB<<20)
	brand, ret := device.GetBrand()
	ok(name+"GetBrand", ret)
	same(name+"brand", brand, nvml.BRAND_NVIDIA)
	architecture, ret := device.GetArchitecture()
	ok(name+"GetArchitecture", ret)
	same(name+"architecture", architecture, map[string]nvml.DeviceArchitecture{"Turing": nvml.DEVICE_ARCH_TURING,
		"Ampere": nvml.DEVICE_ARCH_AMPERE, "Hopper": nvml.DEVICE_ARCH_HOPPER}[entry.Architecture])
	_, _, ret = device.GetCudaComputeCapability()
	ok(name+"GetCudaComputeCapability", ret)
	_, ret = device.GetVirtualizationMode()
	ok(name+"GetVirtualizationMode", ret)
	_, ret = device.GetModuleId()
	ok(name+"GetModuleId", ret)
	mode, ret := device.GetAddressingMode()
	if entry.AddressingMode == "hmm" {
		ok(name+"GetAddressingMode", ret)
		same(name+"addressing mode", mode.Value, 1)
	} else {
		same(name+"GetAddressingMode", ret, nvml.ERROR_NOT_SUPPORTED)
	}
	plain, ret := device.GetGpuFabricInfo()
	ok(name+"GetGpuFabricInfo", ret)
	second, ret := device.GetGpuFabricInfoV().V2()
	ok(name+"GetGpuFabricInfoV V2", ret)
	third, ret := device.GetGpuFabricInfoV().V3()
	ok(name+"GetGpuFabricInfoV V3", ret)
	same(name+"clique", [3]uint32{plain.CliqueId, second.CliqueId, third.CliqueId}, [3]uint32{3, 3, 3})
	same(name+"cluster", plain.ClusterUuid, third.ClusterUuid)
	fields := []nvml.FieldValue{{FieldId: nvml.FI_DEV_GET_GPU_RECOVERY_ACTION}}
	ok(name+"GetFieldValues", device.GetFieldValues(fields))
	same(name+"recovery action", fields[0].NvmlReturn, uint32(nvml.SUCCESS))
	ok(name+"SetPersistenceMode", device.SetPersistenceMode(nvml.FEATURE_ENABLED))
	persistence, ret := device.GetPersistenceMode()
	ok(name+"GetPersistenceMode", ret)
	same(name+"persistence mode", persistence, nvml.FEATURE_ENABLED)
	_, _, _, _, ret = device.GetRemappedRows()
	ok(name+"GetRemappedRows", ret)
	checkMig(name, device, entry, profiles)
}

func checkMig(name string, device nvml.Device, entry gpuEntry, profiles []profile) {
	_, _, ret := device.GetMigMode()
	if profiles == nil {
		same(name+"GetMigMode", ret, nvml.ERROR_NOT_SUPPORTED)
		return
	}
	ok(name+"GetMigMode", ret)
	activation, ret := device.SetMigMode(nvml.DEVICE_MIG_ENABLE)
	ok(name+"SetMigMode", ret)
	ok(name+"activation", activation)
	most, ret := device.GetMaxMigDeviceCount()
	ok(name+"GetMaxMigDeviceCount", ret)
	same(name+"MIG devices", most, 7)
	byIndex := map[int]profile{}
	for _, row := range profiles {
		byIndex[row.NVMLProfileIndex] = row
	}
	for index := 0; index < nvml.GPU_INSTANCE_PROFILE_COUNT; index++ {
		info, ret := device.GetGpuInstanceProfileInfo(index)
		row, known := byIndex[index]
		if !known {
			same(name+"GetGpuInstanceProfileInfo", ret, nvml.ERROR_NOT_SUPPORTED)
			continue
		}
		ok(name+"GetGpuInstanceProfileInfo", ret)
		same(name+row.Name, info, nvml.GpuInstanceProfileInfo{Id: row.GIProfileID, SliceCount: row.ComputeSlices,
			InstanceCount: row.MaxInstances, MultiprocessorCount: row.Multiprocessors, CopyEngineCount: row.CopyEngines,
			DecoderCount: row.Decoders, EncoderCount: row.Encoders, JpegCount: row.JPEGEngines, OfaCount: row.OFAEngines,
			MemorySizeMB: row.MemoryMiB})
		for _, version := range []func() (string, nvml.Return){
			func() (string, nvml.Return) {
				v, ret := device.GetGpuInstanceProfileInfoV(index).V2()
				return text(v.Name[:]), ret
			},
			func() (string, nvml.Return) {
				v, ret := device.GetGpuInstanceProfileInfoV(index).V3()
				return text(v.Name[:]), ret
			},
		} {
			label, ret := version()
			ok(name+"GetGpuInstanceProfileInfoV", ret)
			same(name+"profile name", label, "MIG "+row.Name)
		}
		places, ret := device.GetGpuInstancePossiblePlacements(&info)
		ok(name+"GetGpuInstancePossiblePlacements", ret)
		same(name+row.Name+" placements", len(places), len(row.Placements))
		for p, place := range places {
			same(name+row.Name+" placement", placement{place.Start, place.Size}, row.Placements[p])
			makeAndTake(name+row.Name+" ", device, entry, row, info, place)
		}
	}
}

func makeAndTake(name string, device nvml.Device, entry gpuEntry, row profile, info nvml.GpuInstanceProfileInfo, place nvml.GpuInstancePlacement) {
	instance, ret := device.CreateGpuInstanceWithPlacement(&info, &place)
	if !ok(name+"CreateGpuInstanceWithPlacement", ret) {
		return
	}
	_, ret = device.CreateGpuInstanceWithPlacement(&info, &place)
	same(name+"again", ret, nvml.ERROR_INSUFFICIENT_RESOURCES)
	details, ret := instance.GetInfo()
	ok(name+"GetInfo", ret)
	same(name+"placement", details.Placement, place)
	whole := map[uint32]int{1: 0, 2: 1, 3: 2, 4: 3, 7: 4}[row.ComputeSlices]
	computeInfo, ret := instance.GetComputeInstanceProfileInfo(whole, nvml.COMPUTE_INSTANCE_ENGINE_PROFILE_SHARED)
	ok(name+"GetComputeInstanceProfileInfo", ret)
	_, ret = instance.GetComputeInstanceProfileInfoV(whole, nvml.COMPUTE_INSTANCE_ENGINE_PROFILE_SHARED).V2()
	ok(name+"GetComputeInstanceProfileInfoV", ret)
	_, ret = instance.GetComputeInstanceProfileInfo(nvml.COMPUTE_INSTANCE_PROFILE_COUNT, 0)
	same(name+"a compute profile too high", ret, nvml.ERROR_INVALID_ARGUMENT)
	compute, ret := instance.CreateComputeInstance(&computeInfo)
	ok(name+"CreateComputeInstance", ret)
	part, ret := compute.GetInfo()
	ok(name+"compute instance GetInfo", ret)
	mig := part.Device
	isMig, ret := mig.IsMigDeviceHandle()
	ok(name+"IsMigDeviceHandle", ret)
	same(name+"MIG", isMig, true)
	gi, ret := mig.GetGpuInstanceId()
	ok(name+"GetGpuInstanceId", ret)
	same(name+"instance", uint32(gi), details.Id)
	_, ret = mig.GetComputeInstanceId()
	ok(name+"GetComputeInstanceId", ret)
	parent, ret := mig.GetDeviceHandleFromMigDeviceHandle()
	ok(name+"GetDeviceHandleFromMigDeviceHandle", ret)
	_, ret = parent.GetUUID()
	ok(name+"parent", ret)
	label, ret := mig.GetName()
	ok(name+"MIG GetName", ret)
	same(name+"MIG name", label, entry.ProductName+" MIG "+row.Name)
	attributes, ret := mig.GetAttributes()
	ok(name+"GetAttributes", ret)
	same(name+"attributes", attributes.MemorySizeMB, row.MemoryMiB)
	listed, ret := device.GetGpuInstances(&info)
	ok(name+"GetGpuInstances", ret)
	same(name+"instances", len(listed), 1)
	parts, ret := instance.GetComputeInstances(&computeInfo)
	ok(name+"GetComputeInstances", ret)
	same(name+"compute instances", len(parts), 1)
	found, ret := device.GetGpuInstanceById(int(details.Id))
	ok(name+"GetGpuInstanceById", ret)
	same(name+"Destroy", found.Destroy(), nvml.ERROR_IN_USE)
	one, ret := found.GetComputeInstanceById(int(part.Id))
	ok(name+"GetComputeInstanceById", ret)
	ok(name+"compute Destroy", one.Destroy())
	ok(name+"Destroy", found.Destroy())
	same(name+"Destroy again", instance.Destroy(), nvml.ERROR_NOT_FOUND)
}

func checkEvents(lib nvml.Interface, control string) {
	device, ret := lib.DeviceGetHandleByIndex(1)
	ok("DeviceGetHandleByIndex", ret)
	kinds, ret := device.GetSupportedEventTypes()
	ok("GetSupportedEventTypes", ret)
	set, ret := lib.EventSetCreate()
	ok("EventSetCreate", ret)
	ok("RegisterEvents", device.RegisterEvents(kinds&nvml.EventTypeXidCriticalError, set))
	_, ret = set.Wait(10)
	same("Wait", ret, nvml.ERROR_TIMEOUT)
	if err := os.WriteFile(control+".new", []byte("event 1 gpu 1 xid 48\n"), 0o644); err != nil {
		same("control file", err.Error(), "written")
	}
	os.Rename(control+".new", control)
	event, ret := set.Wait(10000)
	ok("Wait", ret)
	same("event", event.EventData, 48)
	ok("Free", set.Free())
}

// The bindings give C's characters as signed numbers.
func text(characters []int8) string {
	var out strings.Builder
	for _, c := range characters {
		if c == 0 {
			break
		}
		out.WriteByte(byte(c))
	}
	return out.String()
}
