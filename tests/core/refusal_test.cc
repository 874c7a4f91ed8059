#include "core/capability/refusal.h"

#include <catch2/catch_test_macros.hpp>
#include <set>

#include "core/route/render.h"

using namespace aprx;

TEST_CASE("names that differ in layers and in one part share a pattern") {
  CHECK(common_pattern({"blk.0.ssm_alpha.weight", "blk.0.ssm_beta.weight", "blk.11.ssm_alpha.weight"}) ==
        "blk.*.ssm_{alpha,beta}.weight");
  CHECK(common_pattern({"blk.0.ffn_up.weight", "blk.7.ffn_up.weight"}) == "blk.*.ffn_up.weight");
  CHECK(common_pattern({"blk.0.ffn_up.weight", "output.weight"}).empty());
  CHECK(common_pattern({"blk.0.attn_q.weight", "blk.0.attn_q.bias", "blk.0.attn_k.weight"}).empty());
}

TEST_CASE("a refusal names the first tensor, its dtype, how many more and what the device takes") {
  const Refusal refusal{"gpu:0",
                        APRX_DTYPE_UNSUPPORTED,
                        Op::kLinear,
                        DType::kF16,
                        {"blk.0.ssm_alpha.weight", "blk.0.ssm_beta.weight", "blk.1.ssm_alpha.weight"},
                        "",
                        {"F32", "Q4_0"}};
  CHECK(refusal_text(refusal) ==
        "linear: no kernel for this tensor type: blk.0.ssm_alpha.weight is F16, and 2 more like "
        "blk.*.ssm_{alpha,beta}.weight; gpu:0 takes F32 Q4_0");
}

TEST_CASE("every reason has a word of its own") {
  std::set<std::string> words;
  for (uint32_t i = 0; i < APRX_REASON_COUNT; ++i) words.insert(reason_word(static_cast<aprx_reason>(i)));
  CHECK(words.size() == APRX_REASON_COUNT);
  CHECK(std::string(reason_word(APRX_DRIVER_MISSING)) == "driver_missing");
}

TEST_CASE("every reason renders with its words, the operator, the tensor, the dtype and the remedy") {
  for (uint32_t i = 1; i < APRX_REASON_COUNT; ++i) {
    const auto reason = static_cast<aprx_reason>(i);
    const PassedOver passed{
        "gpu:0",
        {{"gpu:0", reason, Op::kLinear, DType::kF16, {"blk.0.ssm_alpha.weight"}, "fact", {"F32"}}},
        {"a Q4_K_M build of this model runs on gpu:0"}};
    const Error error = capability_error(std::span(&passed, 1), {});
    INFO(reason_word(reason));
    CHECK(error.code == ErrorCode::kCapability);
    CHECK(error.text() == std::string("gpu:0 can't run this model: linear: ") + reason_text(reason) +
                              ": blk.0.ssm_alpha.weight is F16 (fact); gpu:0 takes F32\n"
                              "  a Q4_K_M build of this model runs on gpu:0");
  }
}
