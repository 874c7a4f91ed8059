#include "plugins/cuda/device_probe.h"

#include <cuda_runtime_api.h>

namespace aprx::cuda {
namespace {

// CUDA writes a version as 1000 * major + 10 * minor.
std::string version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

// A failed call says the same for a driver that is too old and for none at all; the versions tell them apart.
Availability unavailable(cudaError_t error) {
  int driver = 0;
  int runtime = 0;
  const bool known =
      cudaDriverGetVersion(&driver) == cudaSuccess && cudaRuntimeGetVersion(&runtime) == cudaSuccess;
  const std::string says = cudaGetErrorString(error);
  if (!known || driver == 0) return {APRX_DRIVER_MISSING, "no NVIDIA driver is installed (" + says + ")"};
  if (error == cudaErrorInsufficientDriver) {
    return {APRX_DEVICE_TOO_OLD, "the NVIDIA driver is made for CUDA " + version_text(driver) +
                                     ", this plugin needs one for CUDA " + version_text(runtime)};
  }
  return {APRX_DEVICE_ABSENT, "the NVIDIA driver finds no usable device (" + says + ")"};
}

int attribute(cudaDeviceAttr which, int index) {
  int value = 0;
  return cudaDeviceGetAttribute(&value, which, index) == cudaSuccess ? value : 0;
}

Device describe(int index) {
  cudaDeviceProp properties{};
  const bool known = cudaGetDeviceProperties(&properties, index) == cudaSuccess;
  const int major = attribute(cudaDevAttrComputeCapabilityMajor, index);
  const int minor = attribute(cudaDevAttrComputeCapabilityMinor, index);
  const double clock_hz = 1e3 * attribute(cudaDevAttrMemoryClockRate, index);
  const double bus_bytes = attribute(cudaDevAttrGlobalMemoryBusWidth, index) / 8.0;
  return {.id = "cuda:" + std::to_string(index),
          .name = known ? properties.name : "unknown CUDA device",
          .target = "sm_" + std::to_string(major) + std::to_string(minor),
          .bytes_per_second = 2 * clock_hz * bus_bytes};  // memory moves data on both edges of its clock
}

}  // namespace

DeviceProbe probe_devices() {
  int count = 0;
  const cudaError_t error = cudaGetDeviceCount(&count);
  // On an error the count is not to be trusted: it may keep an older value.
  if (error != cudaSuccess) return {unavailable(error), {}};
  if (count <= 0) return {unavailable(cudaErrorNoDevice), {}};
  DeviceProbe probe;
  for (int index = 0; index < count; ++index) probe.devices.push_back(describe(index));
  return probe;
}

aprx_memory_info device_memory(uint32_t index) {
  aprx_memory_info info{sizeof(aprx_memory_info), 0, 0, 0};
  size_t free = 0;
  size_t total = 0;
  if (cudaSetDevice(static_cast<int>(index)) != cudaSuccess) return info;
  if (cudaMemGetInfo(&free, &total) != cudaSuccess) return info;
  info.free = free;
  info.total = total;
  return info;
}

}  // namespace aprx::cuda
