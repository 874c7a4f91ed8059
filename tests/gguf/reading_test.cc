// Good files of versions 2 and 3 give exactly what was written.
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <cstring>
#include <string>

#include "tests/gguf/gguf_fixture.h"

namespace aprx::test {
namespace {

constexpr uint32_t kF32 = 0;
constexpr uint32_t kF16 = 1;
constexpr uint32_t kQ4_K = 12;

GgufWriter every_scalar() {
  GgufWriter w;
  w.set("k.uint8", GgufType::kUint8, little_endian<uint8_t>(255));
  w.set("k.int8", GgufType::kInt8, little_endian<int8_t>(-128));
  w.set("k.uint16", GgufType::kUint16, little_endian<uint16_t>(65535));
  w.set("k.int16", GgufType::kInt16, little_endian<int16_t>(-32768));
  w.set("k.uint32", GgufType::kUint32, little_endian<uint32_t>(4294967295U));
  w.set("k.int32", GgufType::kInt32, little_endian<int32_t>(INT32_MIN));
  w.set("k.float32", GgufType::kFloat32, little_endian<float>(1.5F));
  w.set("k.bool", GgufType::kBool, little_endian<uint8_t>(1));
  w.set("k.string", GgufType::kString, gguf_text(std::string_view("a\0b\xff", 4)));
  w.set("k.uint64", GgufType::kUint64, little_endian<uint64_t>(UINT64_MAX));
  w.set("k.int64", GgufType::kInt64, little_endian<int64_t>(INT64_MIN));
  w.set("k.float64", GgufType::kFloat64, little_endian<double>(-1e300));
  return w;
}

TEST_CASE("every scalar type is read exactly, in version 2 and 3", "[gguf]") {
  GgufFixture fixture;
  GgufWriter writer = every_scalar();
  writer.version = GENERATE(2U, 3U);
  auto file = fixture.open(writer);
  REQUIRE(file);
  const ModelFile& model = **file;
  CHECK(model.version_text() == "GGUF v" + std::to_string(writer.version));
  CHECK(model.scheme() == "gguf");
  CHECK(model.metadata().size() == 12);
  CHECK(*model.integer("k.uint8") == 255);
  CHECK(*model.integer("k.int8") == -128);
  CHECK(*model.integer("k.uint16") == 65535);
  CHECK(*model.integer("k.int16") == -32768);
  CHECK(*model.integer("k.uint32") == 4294967295);
  CHECK(*model.integer("k.int32") == INT32_MIN);
  CHECK(*model.real("k.float32") == 1.5);
  CHECK(*model.boolean("k.bool"));
  CHECK(*model.text("k.string") == std::string("a\0b\xff", 4));
  CHECK(model.find("k.uint64")->kind == ValueKind::kUnsigned);
  CHECK(model.find("k.uint64")->unsigned_integer == UINT64_MAX);
  CHECK(*model.integer("k.int64") == INT64_MIN);
  CHECK(*model.real("k.float64") == -1e300);
  for (const MetadataEntry& entry : model.metadata()) CHECK("k." + entry.value.type_name == entry.key);
  CHECK(model.warnings().empty());
}

TEST_CASE("arrays of every item type are read exactly", "[gguf]") {
  GgufFixture fixture;
  GgufWriter w;
  w.set("a.int8", GgufType::kArray, gguf_array(GgufType::kInt8, {"\xff", "\x7f"}));
  w.set("a.bool", GgufType::kArray,
        gguf_array(GgufType::kBool, {std::string(1, '\0'), std::string(1, '\1')}));
  w.set("a.uint16", GgufType::kArray, gguf_array(GgufType::kUint16, {little_endian<uint16_t>(65535)}));
  w.set("a.int32", GgufType::kArray,
        gguf_array(GgufType::kInt32, {little_endian<int32_t>(-7), little_endian<int32_t>(8)}));
  w.set("a.float32", GgufType::kArray, gguf_array(GgufType::kFloat32, {little_endian<float>(0.25F)}));
  w.set("a.float64", GgufType::kArray, gguf_array(GgufType::kFloat64, {little_endian<double>(1e-300)}));
  w.set("a.int64", GgufType::kArray, gguf_array(GgufType::kInt64, {little_endian<int64_t>(INT64_MIN)}));
  w.set("a.string", GgufType::kArray, gguf_texts({"", "one", std::string("t\0w", 3)}));
  w.set("a.empty", GgufType::kArray, gguf_array(GgufType::kString, {}));
  auto file = fixture.open(w);
  REQUIRE(file);
  const ModelFile& model = **file;
  CHECK(*model.integers("a.int8") == std::vector<int64_t>{-1, 127});
  CHECK(*model.integers("a.bool") == std::vector<int64_t>{0, 1});
  CHECK(*model.integers("a.uint16") == std::vector<int64_t>{65535});
  CHECK(*model.integers("a.int32") == std::vector<int64_t>{-7, 8});
  CHECK(*model.reals("a.float32") == std::vector<double>{0.25});
  CHECK(*model.reals("a.float64") == std::vector<double>{1e-300});
  CHECK(*model.integers("a.int64") == std::vector<int64_t>{INT64_MIN});
  CHECK(*model.texts("a.string") == std::vector<std::string>{"", "one", std::string("t\0w", 3)});
  CHECK(model.texts("a.empty")->empty());
  CHECK(model.find("a.string")->type_name == "array of string");
  const std::vector<Value> part = model.items(7, 1, 9);
  REQUIRE(part.size() == 2);
  CHECK(part[0].text == "one");
}

TEST_CASE("a uint64 array with a huge value says so and keeps it", "[gguf]") {
  GgufFixture fixture;
  GgufWriter w;
  w.set("a.u", GgufType::kArray,
        gguf_array(GgufType::kUint64, {little_endian<uint64_t>(5), little_endian<uint64_t>(UINT64_MAX)}));
  auto file = fixture.open(w);
  REQUIRE(file);
  CHECK((*file)->find("a.u")->item_kind == ValueKind::kUnsigned);
  const std::vector<Value> items = (*file)->items(0, 0, 2);
  CHECK(items[0].unsigned_integer == 5);
  CHECK(items[1].unsigned_integer == UINT64_MAX);
  CHECK_FALSE((*file)->integers("a.u"));
}

TEST_CASE("a nested array is passed over, and what follows it is read", "[gguf]") {
  GgufFixture fixture;
  GgufWriter w;
  const std::string inner = gguf_texts({"x", "yy"});
  w.set("a.nested", GgufType::kArray, gguf_array(GgufType::kArray, {inner, inner}));
  w.set_u32("after", 77);
  auto file = fixture.open(w);
  REQUIRE(file);
  CHECK((*file)->find("a.nested")->type_name == "array of array");
  CHECK((*file)->find("a.nested")->count == 2);
  CHECK((*file)->items(0, 0, 2).empty());
  CHECK_FALSE((*file)->texts("a.nested"));
  CHECK(*(*file)->integer("after") == 77);
}

TEST_CASE("tensors have their name, type, shape and bytes", "[gguf]") {
  GgufFixture fixture;
  GgufWriter w;
  w.alignment = GENERATE(8U, 32U, 64U, 4096U);
  w.set_u32("general.alignment", static_cast<uint32_t>(w.alignment));
  const std::string f16 = counting_bytes(size_t{3} * 5 * 2);
  const std::string q4_k = counting_bytes(size_t{144} * 2 * 3);
  const std::string f32 = counting_bytes(4);
  w.add({"blk.0.f16", {3, 5}, kF16, f16});
  w.add({"blk.0.q4_k", {512, 3}, kQ4_K, q4_k});
  w.add({"blk.0.four", {1, 1, 1, 1}, kF32, f32});
  auto file = fixture.open(w);
  REQUIRE(file);
  const ModelFile& model = **file;
  REQUIRE(model.tensors().size() == 3);
  const FileTensor* tensor = model.find_tensor("blk.0.q4_k");
  REQUIRE(tensor != nullptr);
  CHECK(tensor->dtype == DType::kQ4_K);
  CHECK(tensor->status == DTypeStatus::kKnown);
  CHECK(tensor->dtype_name == "Q4_K");
  CHECK(tensor->shape == std::vector<int64_t>{3, 512});
  CHECK(tensor->size == q4_k.size());
  CHECK(model.tensors()[0].shape == std::vector<int64_t>{5, 3});
  CHECK(model.tensors()[2].shape == std::vector<int64_t>{1, 1, 1, 1});
  for (const auto& [name, bytes] : {std::pair("blk.0.f16", f16), {"blk.0.q4_k", q4_k}, {"blk.0.four", f32}}) {
    const auto data = model.data(*model.find_tensor(name));
    REQUIRE(data);
    CHECK(std::memcmp(*data, bytes.data(), bytes.size()) == 0);
  }
  model.release(*tensor, tensor->size);
  CHECK(std::memcmp(*model.data(*tensor), q4_k.data(), q4_k.size()) == 0);
  CHECK(model.find_tensor("blk.0") == nullptr);
}

struct TypeId {
  uint32_t id;
  const char* name;
  uint64_t elements, bytes;  // of a block
};

// Written out here as the format defines them, so that a wrong row of the plugin's table shows.
constexpr TypeId kKnownTypes[] = {
    {0, "F32", 1, 4},         {1, "F16", 1, 2},         {2, "Q4_0", 32, 18},      {3, "Q4_1", 32, 20},
    {6, "Q5_0", 32, 22},      {7, "Q5_1", 32, 24},      {8, "Q8_0", 32, 34},      {9, "Q8_1", 32, 36},
    {10, "Q2_K", 256, 84},    {11, "Q3_K", 256, 110},   {12, "Q4_K", 256, 144},   {13, "Q5_K", 256, 176},
    {14, "Q6_K", 256, 210},   {15, "Q8_K", 256, 292},   {16, "IQ2_XXS", 256, 66}, {17, "IQ2_XS", 256, 74},
    {18, "IQ3_XXS", 256, 98}, {19, "IQ1_S", 256, 50},   {20, "IQ4_NL", 32, 18},   {21, "IQ3_S", 256, 110},
    {22, "IQ2_S", 256, 82},   {23, "IQ4_XS", 256, 136}, {24, "I8", 1, 1},         {25, "I16", 1, 2},
    {26, "I32", 1, 4},        {27, "I64", 1, 8},        {28, "F64", 1, 8},        {29, "IQ1_M", 256, 56},
    {30, "BF16", 1, 2},       {34, "TQ1_0", 256, 54},   {35, "TQ2_0", 256, 66},   {39, "MXFP4", 32, 17},
    {40, "NVFP4", 64, 36},    {41, "Q1_0", 128, 18},    {42, "Q2_0", 64, 18},
};

TEST_CASE("every known type id is described with its own name and size", "[gguf]") {
  GgufFixture fixture;
  GgufWriter w;
  for (const TypeId& type : kKnownTypes) {
    w.add({type.name, {type.elements * 2, 3}, type.id, counting_bytes(type.bytes * 2 * 3)});
  }
  auto file = fixture.open(w);
  REQUIRE(file);
  for (const TypeId& type : kKnownTypes) {
    INFO(type.name);
    const FileTensor* tensor = (*file)->find_tensor(type.name);
    REQUIRE(tensor != nullptr);
    CHECK(tensor->status == DTypeStatus::kKnown);
    CHECK(tensor->dtype_name == type.name);
    CHECK(dtype_name(tensor->dtype) == type.name);
    CHECK(tensor->file_dtype == type.id);
    CHECK(tensor->size == type.bytes * 2 * 3);
  }
}

TEST_CASE("retired and unknown type ids are described as such, and the rest is read", "[gguf]") {
  constexpr std::pair<uint32_t, const char*> kRetired[] = {
      {4, "Q4_2"},      {5, "Q4_3"},        {31, "Q4_0_4_4"},   {32, "Q4_0_4_8"},
      {33, "Q4_0_8_8"}, {36, "IQ4_NL_4_4"}, {37, "IQ4_NL_4_8"}, {38, "IQ4_NL_8_8"}};
  constexpr uint32_t kUnknown[] = {43, 44, 99, 255, 256, 999, 65536, 0x8000'0000, 4294967295U};
  GgufFixture fixture;
  GgufWriter w;
  for (const auto& [id, name] : kRetired) w.add({name, {32, 2}, id, counting_bytes(64)});
  for (const uint32_t id : kUnknown) w.add({std::to_string(id), {32, 2}, id, counting_bytes(64)});
  w.add({"good", {4}, kF32, counting_bytes(16)});
  auto file = fixture.open(w);
  REQUIRE(file);
  for (const auto& [id, name] : kRetired) {
    const FileTensor* tensor = (*file)->find_tensor(name);
    CHECK(tensor->status == DTypeStatus::kRetired);
    CHECK(tensor->dtype == DType::kUnknown);
    CHECK(tensor->file_dtype == id);
    CHECK(tensor->dtype_name == name);
    CHECK(tensor->size == 0);
  }
  for (const uint32_t id : kUnknown) {
    const FileTensor* tensor = (*file)->find_tensor(std::to_string(id));
    CHECK(tensor->status == DTypeStatus::kUnknown);
    CHECK(tensor->dtype == DType::kUnknown);
    CHECK(tensor->file_dtype == id);
    CHECK(tensor->dtype_name == "unknown (id " + std::to_string(id) + ")");
    CHECK(tensor->shape == std::vector<int64_t>{2, 32});
  }
  CHECK((*file)->find_tensor("good")->size == 16);
}

TEST_CASE("a large vocabulary is read whole", "[gguf]") {
  constexpr size_t kTokens = 248320;
  std::vector<std::string> tokens;
  for (size_t i = 0; i < kTokens; ++i) tokens.push_back("token" + std::to_string(i));
  GgufFixture fixture;
  GgufWriter w;
  w.set("tokenizer.ggml.tokens", GgufType::kArray, gguf_texts(tokens));
  w.set_u32("after", 1);
  auto file = fixture.open(w);
  REQUIRE(file);
  CHECK(*(*file)->texts("tokenizer.ggml.tokens") == tokens);
  CHECK(*(*file)->integer("after") == 1);
}

TEST_CASE("a file that shrinks after it was opened is refused when its data is asked for", "[gguf]") {
  GgufFixture fixture;
  GgufWriter w;
  w.add({"first", {4}, kF32, counting_bytes(16)});
  w.add({"last", {1024}, kF32, counting_bytes(4096)});
  auto file = fixture.open(w);
  REQUIRE(file);
  std::filesystem::resize_file(fixture.folder / "m.gguf", 200);
  CHECK((*file)->data(*(*file)->find_tensor("first")));
  const auto data = (*file)->data(*(*file)->find_tensor("last"));
  REQUIRE_FALSE(data);
  CHECK(data.error().subject == "tensor last");
  CHECK(data.error().found.find("the file has 200 bytes: it shrank") != std::string::npos);
}

}  // namespace
}  // namespace aprx::test
