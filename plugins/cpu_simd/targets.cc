#include "plugins/cpu_simd/targets.h"

#include <algorithm>
#include <cctype>
#include <csetjmp>
#include <csignal>

#include "hwy/highway.h"
#include "plugins/cpu_simd/self_test.h"

namespace aprx::cpu {
namespace {

// Where to go on after an illegal instruction of this thread; null while none is expected.
thread_local sigjmp_buf* after_trap = nullptr;

void on_illegal_instruction(int signal) {
  if (after_trap != nullptr) siglongjmp(*after_trap, 1);
  std::signal(signal, SIG_DFL);  // not ours: the instruction runs again and ends the program
}

// Catches illegal instructions for as long as it lives.
class TrapGuard {
 public:
  TrapGuard() {
    struct sigaction action{};
    action.sa_handler = on_illegal_instruction;
    sigemptyset(&action.sa_mask);
    sigaction(SIGILL, &action, &previous_);
  }
  ~TrapGuard() {
    after_trap = nullptr;
    sigaction(SIGILL, &previous_, nullptr);
  }
  TrapGuard(const TrapGuard&) = delete;
  TrapGuard& operator=(const TrapGuard&) = delete;

 private:
  struct sigaction previous_{};
};

enum class Outcome { kRight, kWrong, kTrapped };

// Nothing in here has a destructor, so the jump skips none.
Outcome run_self_test() {
  sigjmp_buf here;
  if (sigsetjmp(here, 1) != 0) return Outcome::kTrapped;
  after_trap = &here;
  return self_test_passes() ? Outcome::kRight : Outcome::kWrong;
}

std::string fault_of(int64_t target) {
  hwy::GetChosenTarget().Update(target);
  const TrapGuard guard;
  switch (run_self_test()) {
    case Outcome::kRight: return "";
    case Outcome::kWrong: return "its self-test gave wrong numbers";
    case Outcome::kTrapped: return "its self-test met an illegal instruction";
  }
  return "";
}

bool same_name(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, [](char x, char y) {
    return std::toupper(static_cast<unsigned char>(x)) == std::toupper(static_cast<unsigned char>(y));
  });
}

}  // namespace

Targets::Targets() {
  hwy::DisableTargets(0);
  const int64_t supported = hwy::SupportedTargets();
  const int64_t compiled = compiled_targets();
  for (int64_t left = compiled; left != 0; left &= left - 1) {
    const int64_t bit = left & -left;  // lower bits are better targets
    targets_.push_back(
        {bit, (supported & bit) != 0 ? fault_of(bit) : "the processor or the system lacks it"});
  }
  select("");
}

std::vector<TargetFacts> Targets::facts() const {
  std::vector<TargetFacts> facts;
  for (const Target& target : targets_) {
    facts.push_back({.name = hwy::TargetName(target.bit),
                     .usable = target.fault.empty(),
                     .in_use = target.bit == in_use_,
                     .detail = target.fault});
  }
  return facts;
}

std::string Targets::in_use() const { return hwy::TargetName(in_use_); }

int64_t Targets::vector_bytes() const {
  const int64_t target = in_use_;
  if ((target & (HWY_AVX3 | HWY_AVX3_DL | HWY_AVX3_ZEN4 | HWY_AVX3_SPR)) != 0) return 64;
  return (target & (HWY_AVX2 | HWY_SVE_256)) != 0 ? 32 : 16;
}

void Targets::select(std::string_view name) {
  std::string usable;
  std::string fault = "isn't part of this build";
  int64_t chosen = 0;
  int64_t allowed = 0;
  for (const Target& target : targets_) {
    const bool is_named = same_name(name, hwy::TargetName(target.bit));
    if (is_named) fault = target.fault;
    if (!target.fault.empty()) continue;
    usable += (usable.empty() ? "" : ", ") + std::string(hwy::TargetName(target.bit));
    if (chosen == 0 && (name.empty() || is_named)) chosen = target.bit;
    if (chosen != 0) allowed |= target.bit;
  }
  if (chosen == 0) {
    throw BackendError{APRX_BAD_CALL,
                       "target " + std::string(name) + " can't be used: " + fault + "; usable: " + usable};
  }
  hwy::DisableTargets(~allowed);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  in_use_ = chosen;
}

}  // namespace aprx::cpu
