#include <catch2/catch_test_macros.hpp>

#include "runtime/check/structure_gate.h"
#include "tests/check/check_fixture.h"
#include "tests/check/small_model.h"

namespace aprx::test {
namespace {

FileTensor lying_at(std::string name, uint64_t offset, uint64_t size, uint32_t file = 0) {
  FileTensor tensor;
  tensor.name = std::move(name);
  tensor.status = DTypeStatus::kKnown;
  tensor.file = file;
  tensor.offset = offset;
  tensor.size = size;
  return tensor;
}

FileTensor of_type(std::string name, uint32_t type, DTypeStatus status, std::string word) {
  FileTensor tensor;
  tensor.name = std::move(name);
  tensor.status = status;
  tensor.file_dtype = type;
  tensor.dtype_name = std::move(word);
  return tensor;
}

}  // namespace

TEST_CASE("neighbours and tensors of other files don't overlap", "[check]") {
  const std::vector tensors = {lying_at("b", 64, 32), lying_at("a", 0, 64), lying_at("c", 0, 64, 1)};
  CHECK(overlaps("m", tensors).empty());
}

TEST_CASE("an overlap names both tensors, also one that isn't the neighbour", "[check]") {
  const std::vector tensors = {lying_at("long", 0, 100), lying_at("inside", 10, 5), lying_at("late", 99, 1)};
  const std::vector<Error> found = overlaps("m", tensors);
  REQUIRE(found.size() == 2);
  CHECK(found[0].text() ==
        "m: tensor inside: its data from byte 10 on overlaps that of tensor long, expected data from byte "
        "100 on");
  CHECK(found[1].subject == "tensor late");
}

TEST_CASE("types that aren't known are told by name and number, each once", "[check]") {
  const std::vector tensors = {of_type("a", 99, DTypeStatus::kUnknown, "unknown (id 99)"),
                               of_type("b", 31, DTypeStatus::kRetired, "Q4_0_4_4"),
                               of_type("c", 99, DTypeStatus::kUnknown, "unknown (id 99)"),
                               of_type("d", 0, DTypeStatus::kKnown, "F32")};
  const std::vector<Error> found = types_not_known("m", tensors);
  REQUIRE(found.size() == 2);
  CHECK(found[0].code == ErrorCode::kCapability);
  CHECK(found[0].subject == "tensor b");
  CHECK(found[0].found == "has type 31 (Q4_0_4_4), which files no longer use");
  CHECK(found[1].subject == "tensor a");
  CHECK(found[1].found == "has type 99, which is not known, and so have 1 more tensors");
}

TEST_CASE("a file with overlapping tensors has a broken structure and no more gates", "[check]") {
  CheckFixture fixture;
  SmallModel model;
  model.tensors.at("blk.0.ffn_up.weight").offset = 0;
  const ModelCheck check = fixture.check(model.writer());
  CHECK(outcomes(check) == "not_measured broken not_measured not_measured not_measured");
  CHECK(only_finding(check, "structure").subject == "tensor blk.0.ffn_up.weight");
  CHECK(verdict(check) == ErrorCode::kBadFile);
}

TEST_CASE("a type that isn't known breaks the structure; what depends on it is not measured", "[check]") {
  CheckFixture fixture;
  SmallModel model;
  model.tensors.at("blk.0.ffn_up.weight").type = 99;
  const ModelCheck check = fixture.check(model.writer());
  CHECK(outcomes(check) == "not_measured broken not_measured not_measured not_measured");
  const Error finding = only_finding(check, "structure");
  CHECK(finding.subject == "tensor blk.0.ffn_up.weight");
  CHECK(finding.found == "has type 99, which is not known");
  CHECK(gate(check, "values").reason ==
        "1 of 11 tensors can't be decoded, the first blk.0.ffn_up.weight (unknown (id 99))");
  CHECK(verdict(check) == ErrorCode::kCapability);
}

}  // namespace aprx::test
