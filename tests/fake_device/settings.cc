#include "tests/fake_device/settings.h"

#include <cstdlib>
#include <stdexcept>

namespace aprx::test {

namespace {

std::string variable(const char* name) {
  const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe)
  return value == nullptr ? "" : value;
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == separator) {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

DType dtype_of(const std::string& name) {
  const std::optional<DType> dtype = dtype_named(name);
  if (!dtype) throw std::invalid_argument("no dtype " + name);
  return *dtype;
}

Op op_of(const std::string& name) {
  const std::optional<Op> op = op_named(name);
  if (!op) throw std::invalid_argument("no operator " + name);
  return *op;
}

void apply(FakeDevice& device, const std::string& key, const std::string& value) {
  if (key == "id") {
    device.id = value;
  } else if (key == "linear") {
    device.linear.emplace();
    for (const std::string& name : split(value, '+')) device.linear->push_back(dtype_of(name));
  } else if (key == "without") {
    for (const std::string& name : split(value, '+')) device.without.push_back(op_of(name));
  } else if (key == "memory") {
    device.memory = std::stoull(value);
  } else if (key == "bandwidth") {
    device.bandwidth = std::stod(value);
  } else {
    throw std::invalid_argument("no setting " + key);
  }
}

FakeDevice device_of(const std::string& text, size_t place) {
  FakeDevice device;
  device.id = "fake:" + std::to_string(place);
  for (const std::string& setting : split(text, ',')) {
    if (setting.empty()) continue;
    const size_t equals = setting.find('=');
    if (equals == std::string::npos) throw std::invalid_argument("no value in " + setting);
    apply(device, setting.substr(0, equals), setting.substr(equals + 1));
  }
  return device;
}

}  // namespace

FakeSettings fake_settings() {
  FakeSettings settings;
  for (const std::string& text : split(variable("APRX_FAKE_DEVICES"), ';')) {
    settings.devices.push_back(device_of(text, settings.devices.size()));
  }
  settings.unavailable = variable("APRX_FAKE_UNAVAILABLE");
  const std::string lost_after = variable("APRX_FAKE_LOST_AFTER");
  if (!lost_after.empty()) settings.lost_after = std::stoull(lost_after);
  return settings;
}

}  // namespace aprx::test
