#include <catch2/catch_test_macros.hpp>
#include <fstream>

#include "tests/check/check_fixture.h"
#include "tests/check/small_model.h"

namespace aprx::test {
namespace {

Gate with_outcome(Outcome outcome, bool is_asked_for = true) {
  Gate gate;
  gate.outcome = outcome;
  gate.is_asked_for = is_asked_for;
  return gate;
}

Gate broken_by(ErrorCode code) { return broken("g", {Error{.code = code, .found = "f"}}); }

}  // namespace

TEST_CASE("the demo model is whole", "[check]") {
  CheckFixture fixture;
  const ModelCheck check = fixture.check(demo_model());
  CHECK(outcomes(check) == "not_measured held held held held");
  CHECK(gate(check, "structure").reason ==
        "108 tensors inside the file, none overlap; types F16 F32 Q4_K Q6_K");
  CHECK(gate(check, "shapes").reason == "qwen35: 108 tensors as qwen35.json describes them");
  CHECK(gate(check, "values").reason == "8431664 values, all finite, none above 10000 in magnitude");
  CHECK_FALSE(verdict(check));
}

TEST_CASE("a wrong sum breaks the check of a file that is whole otherwise", "[check]") {
  CheckFixture fixture;
  const ModelCheck check = fixture.check(demo_model(), std::string(64, '0'));
  CHECK(outcomes(check) == "broken held held held held");
  CHECK(only_finding(check, "sha256").file == demo_model().string());
  CHECK(verdict(check) == ErrorCode::kCheckFailed);
}

TEST_CASE("an unknown architecture is a capability with the known names", "[check]") {
  CheckFixture fixture;
  SmallModel model;
  model.architecture = "qwen99";
  const ModelCheck check = fixture.check(model.writer());
  CHECK(outcomes(check) == "not_measured held broken held not_measured");
  const Error finding = only_finding(check, "shapes");
  CHECK(finding.code == ErrorCode::kCapability);
  CHECK(finding.subject == "general.architecture");
  CHECK(finding.found == "'qwen99' is not known");
  CHECK(finding.expected == "one of llama, qwen35");
  CHECK(verdict(check) == ErrorCode::kCapability);
}

TEST_CASE("damage outweighs what aprx lacks, and that what was not measured", "[check]") {
  const auto verdict_of = [](std::vector<Gate> gates) { return verdict({.gates = std::move(gates)}); };
  const Gate held = with_outcome(Outcome::kHeld);
  const Gate skipped = with_outcome(Outcome::kNotMeasured);
  CHECK_FALSE(verdict_of({held, held}));
  CHECK_FALSE(verdict_of({held, with_outcome(Outcome::kNotMeasured, false)}));
  CHECK(verdict_of({held, skipped}) == ErrorCode::kUnchecked);
  CHECK(verdict_of({skipped, broken_by(ErrorCode::kCapability)}) == ErrorCode::kCapability);
  CHECK(verdict_of({broken_by(ErrorCode::kCapability), broken_by(ErrorCode::kBadFile)}) ==
        ErrorCode::kCheckFailed);
}

TEST_CASE("a file that isn't there has no gate that held", "[check]") {
  CheckFixture fixture;
  const ModelCheck check = fixture.check(fixture.folder / "none.gguf");
  CHECK(outcomes(check) == "not_measured broken not_measured not_measured not_measured");
  CHECK(verdict(check) == ErrorCode::kBadFile);
}

TEST_CASE("one sum for a model of several files can't be meant; a list of them can", "[check]") {
  CheckFixture fixture;
  const auto write_shard = [&](uint32_t number, const std::string& name) {
    GgufWriter writer;
    writer.set_u32("split.no", number).set_u32("split.count", 2).set_u32("split.tensors.count", 2);
    writer.add({"t" + std::to_string(number), {1}, SmallModel::kF32, std::string(4, '\0')});
    writer.write(fixture.folder / name);
  };
  write_shard(0, "m-00001-of-00002.gguf");
  write_shard(1, "m-00002-of-00002.gguf");
  const ModelCheck one = fixture.check(fixture.folder / "m-00001-of-00002.gguf", std::string(64, '0'));
  CHECK(verdict(one) == ErrorCode::kUsage);
  CHECK(one.error->subject == "--sha256");
  CHECK(outcomes(one) == "not_measured not_measured not_measured not_measured not_measured");

  std::ofstream(fixture.folder / "SHA256SUMS") << std::string(64, '0') << "  m-00002-of-00002.gguf\n";
  const ModelCheck listed = fixture.check(fixture.folder / "m-00001-of-00002.gguf");
  CHECK(listed.files.size() == 2);
  CHECK(only_finding(listed, "sha256").file == (fixture.folder / "m-00002-of-00002.gguf").string());
}

TEST_CASE("a check that was stopped says so", "[check]") {
  CheckFixture fixture;
  fixture.cancelled = true;
  const ModelCheck check = fixture.check(demo_model());
  CHECK(outcomes(check) == "not_measured held held not_measured not_measured");
  CHECK(verdict(check) == ErrorCode::kInterrupted);
}

TEST_CASE("many findings are counted, and the first ones kept", "[check]") {
  const Gate gate = broken("g", std::vector<Error>(25, Error{.subject = "s", .found = "f"}));
  CHECK(gate.findings.size() == 20);
  CHECK(gate.finding_count == 25);
  CHECK(gate.reason == "s: f, and 24 more findings");
}

}  // namespace aprx::test
