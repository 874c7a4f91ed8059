#include "plugins/cpu_simd/targets.h"

#include <algorithm>

#include "plugins/cpu_simd/self_test.h"
#include "tests/cpu_ops/check.h"

namespace aprx::test {

using cpu::Targets;

TEST_CASE("each target of the build is listed, and those that aren't usable say why") {
  const Targets targets;
  const auto facts = targets.facts();
  REQUIRE(facts.size() >= 2);
  CHECK(std::ranges::count_if(facts, [](const TargetFacts& f) { return f.in_use; }) == 1);
  const auto first_usable = std::ranges::find_if(facts, [](const TargetFacts& f) { return f.usable; });
  REQUIRE(first_usable != facts.end());
  CHECK(first_usable->in_use);  // the best
  CHECK(facts.back().usable);   // the baseline
  for (const TargetFacts& fact : facts) CHECK(fact.usable == fact.detail.empty());
}

TEST_CASE("the self-test passes on every target of this machine") {
  on_every_target([] { CHECK(cpu::self_test_passes()); });
}

TEST_CASE("a lower target can be selected by name in any case, and the best by none") {
  Targets targets;
  const auto facts = targets.facts();
  const std::string best = targets.in_use();
  std::string baseline = facts.back().name;
  targets.select(baseline);
  CHECK(targets.in_use() == baseline);
  CHECK(hwy::TargetName(hwy::SupportedTargets() & cpu::compiled_targets()) == baseline);
  std::ranges::transform(baseline, baseline.begin(), [](unsigned char c) { return std::tolower(c); });
  targets.select(best);
  CHECK(targets.in_use() == best);
  targets.select(baseline);
  CHECK(targets.in_use() == facts.back().name);
  targets.select("");
  CHECK(targets.in_use() == best);
}

TEST_CASE("a target that can't be used is refused with those that can, and changes nothing") {
  Targets targets;
  const std::string before = targets.in_use();
  std::string usable;
  for (const TargetFacts& fact : targets.facts()) {
    if (fact.usable) usable += (usable.empty() ? "" : ", ") + fact.name;
  }
  try {
    targets.select("AVX9");
    FAIL("AVX9 was taken");
  } catch (const BackendError& error) {
    CHECK(error.status == APRX_BAD_CALL);
    CHECK(error.found == "target AVX9 can't be used: isn't part of this build; usable: " + usable);
  }
  CHECK(targets.in_use() == before);
  for (const TargetFacts& fact : targets.facts()) {
    if (!fact.usable) CHECK_THROWS_AS(targets.select(fact.name), BackendError);
  }
}

}  // namespace aprx::test
