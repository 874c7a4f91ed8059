// Checks files with the plugins and descriptions of the build tree, on two threads.
#pragma once

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <string>

#include "runtime/check/check_model.h"
#include "tests/support/gguf_writer.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_host.h"

namespace aprx::test {

class CheckFixture {
 public:
  ModelCheck check(const std::filesystem::path& path, const std::string& sum = "") {
    TestHost& host = TestHost::instance();
    return check_model(host.registry(), host.descriptions(), path.string(), sum, context);
  }
  ModelCheck check(const GgufWriter& writer) {
    writer.write(folder / "m.gguf");
    return check(folder / "m.gguf");
  }

  TempDir folder;
  ThreadPool pool{2};
  std::atomic<bool> cancelled = false;
  CheckContext context{pool, cancelled};
};

inline const Gate& gate(const ModelCheck& check, const std::string& name) {
  const auto found = std::ranges::find(check.gates, name, &Gate::name);
  REQUIRE(found != check.gates.end());
  return *found;
}

// "held broken not_measured …", in the order of the gates.
inline std::string outcomes(const ModelCheck& check) {
  std::string out;
  for (const Gate& gate : check.gates)
    out += (out.empty() ? "" : " ") + std::string(outcome_word(gate.outcome));
  return out;
}

// The only finding of a gate that must be broken.
inline Error only_finding(const ModelCheck& check, const std::string& name) {
  const Gate& broken = gate(check, name);
  INFO(broken.reason);
  REQUIRE(broken.outcome == Outcome::kBroken);
  REQUIRE(broken.findings.size() == 1);
  return broken.findings[0];
}

}  // namespace aprx::test
