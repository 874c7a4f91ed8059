// What the fake devices are like, from the environment.
//
//   APRX_FAKE_DEVICES      devices separated by ';', each of settings separated by ',':
//     id=fake:0            (default: fake:N, by its place)
//     linear=F32+Q4_K      dtypes that `linear` takes (default: all)
//     without=attention    operators that it doesn't have, joined by '+'
//     memory=1000000       bytes that are free (default: plenty)
//     bandwidth=1e12       bytes a second (default: 1e12; 0 = unknown)
//   APRX_FAKE_UNAVAILABLE  why there is no device: "no driver is installed"
//   APRX_FAKE_LOST_AFTER   runs after which a device is lost
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "aprx/dtype.hpp"
#include "aprx/op.hpp"

namespace aprx::test {

struct FakeDevice {
  std::string id;
  std::optional<std::vector<DType>> linear;  // absent: all
  std::vector<Op> without;
  uint64_t memory = uint64_t{1} << 40U;
  double bandwidth = 1e12;
};

struct FakeSettings {
  std::vector<FakeDevice> devices;
  std::string unavailable;
  std::optional<uint64_t> lost_after;
};

// Throws std::invalid_argument for a setting that it doesn't know.
[[nodiscard]] FakeSettings fake_settings();

}  // namespace aprx::test
