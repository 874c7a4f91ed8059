// One function an operator, each in a file of its name.
#pragma once

#include "core/op/operator.h"

namespace aprx::ops {

[[nodiscard]] const Operator& embed();
[[nodiscard]] const Operator& linear();
[[nodiscard]] const Operator& add();
[[nodiscard]] const Operator& mul();
[[nodiscard]] const Operator& scale();
[[nodiscard]] const Operator& unary();
[[nodiscard]] const Operator& softcap();
[[nodiscard]] const Operator& glu();
[[nodiscard]] const Operator& rms_norm();
[[nodiscard]] const Operator& l2_norm();
[[nodiscard]] const Operator& gated_rms_norm();
[[nodiscard]] const Operator& rope();
[[nodiscard]] const Operator& kv_store();
[[nodiscard]] const Operator& attention();
[[nodiscard]] const Operator& causal_conv1d();
[[nodiscard]] const Operator& delta_gate();
[[nodiscard]] const Operator& gated_delta_rule();
[[nodiscard]] const Operator& take_rows();
[[nodiscard]] const Operator& linear_group();
[[nodiscard]] const Operator& gated_mlp();
[[nodiscard]] const Operator& logits();
[[nodiscard]] const Operator& moe();
[[nodiscard]] const Operator& gated_delta_net();
[[nodiscard]] const Operator& self_attention();
[[nodiscard]] const Operator& gated_attention();

}  // namespace aprx::ops
