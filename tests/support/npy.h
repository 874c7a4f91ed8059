// Reads the arrays of the test pack: .npy (versions 1 to 3) and .npz with stored members.
// A file that isn't one of these throws std::runtime_error with the path: the test then fails with the
// reason.
#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "aprx/dtype/bytes.hpp"
#include "aprx/dtype/f16.hpp"

namespace aprx::test {

// Values in row-major order. `dtype` is numpy's text, such as "<f4".
struct Array {
  std::vector<int64_t> shape;
  std::string dtype;
  std::vector<std::byte> bytes;

  [[nodiscard]] size_t size() const {
    size_t n = 1;
    for (const int64_t axis : shape) n *= static_cast<size_t>(axis);
    return n;
  }

  // The values as T, whose size must be the array's.
  template <typename T>
  [[nodiscard]] std::vector<T> as() const {
    if (size() * sizeof(T) != bytes.size())
      throw std::runtime_error("array of " + dtype + " read as another type");
    std::vector<T> values(size());
    if (!values.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
    return values;
  }

  // The values as floats; half precision is widened.
  [[nodiscard]] std::vector<float> floats() const {
    if (dtype == "<f4") return as<float>();
    if (dtype != "<f2") throw std::runtime_error("array of " + dtype + " read as floats");
    std::vector<float> values;
    for (const uint16_t half : as<uint16_t>()) values.push_back(codec::f16_to_f32(half));
    return values;
  }
};

namespace npy {

inline uint32_t u16(std::span<const std::byte> data, size_t at) {
  if (at + 2 > data.size()) throw std::runtime_error("ends early");
  return codec::load_u16(reinterpret_cast<const uint8_t*>(data.data()) + at);
}

inline uint32_t u32(std::span<const std::byte> data, size_t at) {
  return u16(data, at) | (u16(data, at + 2) << 16);
}

inline std::span<const std::byte> part(std::span<const std::byte> data, size_t at, size_t size) {
  if (at > data.size() || size > data.size() - at) throw std::runtime_error("ends early");
  return data.subspan(at, size);
}

inline std::string_view text(std::span<const std::byte> data) {
  return {reinterpret_cast<const char*>(data.data()), data.size()};
}

// What follows 'key': in the header's dictionary.
inline std::string_view value_of(std::string_view header, std::string_view key) {
  std::string quoted(1, '\'');
  quoted.append(key).append("':");
  const size_t at = header.find(quoted);
  if (at == std::string_view::npos) throw std::runtime_error("header lacks " + std::string(key));
  std::string_view rest = header.substr(at + quoted.size());
  return rest.substr(rest.find_first_not_of(' '));
}

inline std::vector<int64_t> shape_of(std::string_view header) {
  std::string_view list = value_of(header, "shape");
  list = list.substr(1, list.find(')') - 1);
  std::vector<int64_t> shape;
  while (!list.empty()) {
    int64_t axis = 0;
    const auto [end, error] = std::from_chars(list.data(), list.data() + list.size(), axis);
    if (error != std::errc{}) throw std::runtime_error("shape isn't a list of numbers");
    shape.push_back(axis);
    const size_t next = list.find_first_of("0123456789", static_cast<size_t>(end - list.data()));
    list = next == std::string_view::npos ? std::string_view{} : list.substr(next);
  }
  return shape;
}

inline size_t value_size(std::string_view dtype) {
  size_t size = 0;
  if (dtype.size() < 3) throw std::runtime_error("unknown dtype");
  std::from_chars(dtype.data() + 2, dtype.data() + dtype.size(), size);
  return size;
}

inline Array parse(std::span<const std::byte> data) {
  if (text(part(data, 0, 6)) != "\x93NUMPY") throw std::runtime_error("isn't a numpy array");
  const bool is_v1 = data[6] == std::byte{1};
  const size_t header_at = is_v1 ? 10 : 12;
  const size_t header_size = is_v1 ? u16(data, 8) : u32(data, 8);
  const std::string_view header = text(part(data, header_at, header_size));
  if (value_of(header, "fortran_order").starts_with("True")) throw std::runtime_error("is column-major");

  Array array;
  const std::string_view descr = value_of(header, "descr");
  array.dtype = descr.substr(1, descr.find('\'', 1) - 1);
  array.shape = shape_of(header);
  const auto values = part(data, header_at + header_size, array.size() * value_size(array.dtype));
  array.bytes.assign(values.begin(), values.end());
  return array;
}

// Walks the central directory, which has the true sizes; local headers may leave them out.
inline std::map<std::string, Array> parse_zip(std::span<const std::byte> data) {
  constexpr size_t kEndSize = 22;
  if (data.size() < kEndSize) throw std::runtime_error("is too small for a zip file");
  size_t end = data.size() - kEndSize;
  while (end > 0 && u32(data, end) != 0x0605'4B50) --end;
  if (u32(data, end) != 0x0605'4B50) throw std::runtime_error("has no zip directory");

  std::map<std::string, Array> arrays;
  size_t at = u32(data, end + 16);
  for (uint32_t left = u16(data, end + 10); left > 0; --left) {
    if (u32(data, at) != 0x0201'4B50) throw std::runtime_error("has a broken zip directory");
    if (u16(data, at + 10) != 0) throw std::runtime_error("has compressed members");
    const size_t size = u32(data, at + 24);
    const size_t name_size = u16(data, at + 28);
    const size_t local = u32(data, at + 42);
    std::string name(text(part(data, at + 46, name_size)));
    if (name.ends_with(".npy")) name.resize(name.size() - 4);
    const size_t body = local + 30 + u16(data, local + 26) + u16(data, local + 28);
    arrays.emplace(std::move(name), parse(part(data, body, size)));
    at += 46 + name_size + u16(data, at + 30) + u16(data, at + 32);
  }
  return arrays;
}

inline std::vector<std::byte> read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("can't be read");
  std::vector<std::byte> data(std::filesystem::file_size(path));
  file.read(reinterpret_cast<char*>(data.data()), static_cast<std::streamsize>(data.size()));
  return data;
}

}  // namespace npy

inline Array read_npy(const std::filesystem::path& path) try {
  return npy::parse(npy::read_file(path));
} catch (const std::exception& error) {
  throw std::runtime_error(path.string() + ": " + error.what());
}

// The arrays of a .npz by name, without the .npy suffix.
inline std::map<std::string, Array> read_npz(const std::filesystem::path& path) try {
  return npy::parse_zip(npy::read_file(path));
} catch (const std::exception& error) {
  throw std::runtime_error(path.string() + ": " + error.what());
}

}  // namespace aprx::test
