// What the CUDA driver says of this machine: whether it can be used, and its devices.
#pragma once

#include <string>
#include <vector>

#include "aprx/backend.hpp"

namespace aprx::cuda {

struct Device {
  std::string id;           // "cuda:0"; the number is the driver's order
  std::string name;         // "NVIDIA H200"
  std::string target;       // compute capability: "sm_90"
  double bytes_per_second;  // of its memory, from clock and bus width; 0 where the driver doesn't say
};

struct DeviceProbe {
  Availability availability;
  std::vector<Device> devices;  // empty unless available
};

// Asks the driver. The first call of a process initialises it, which may take a second or two; any thread may
// call.
DeviceProbe probe_devices();

// Total and free memory of device `index`; zero where the driver doesn't say. Makes the device's context.
aprx_memory_info device_memory(uint32_t index);

}  // namespace aprx::cuda
