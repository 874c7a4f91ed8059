// Why a device can't run a graph: one value for each distinct cause, however many tensors share it.
#pragma once

#include <string>
#include <vector>

#include "aprx/abi.h"
#include "aprx/dtype.hpp"
#include "aprx/op.hpp"

namespace aprx {

struct Refusal {
  std::string device;  // id of the device, or name of the backend that has none
  aprx_reason reason = APRX_SUPPORTED;
  Op op = Op::kNone;                  // operator refused, if one was
  DType dtype = DType::kUnknown;      // dtype of the operand at fault, if one was
  std::vector<std::string> tensors;   // all tensors with this cause, in graph order
  std::string detail;                 // facts of the device: "K=100 is not a multiple of 32"
  std::vector<std::string> accepted;  // for a dtype: those that the device takes for this operator
};

// A stable word for the reason, as `--json` prints it: "dtype_unsupported".
[[nodiscard]] const char* reason_word(aprx_reason reason);

// What the reason means, in words: "no kernel for this tensor type".
[[nodiscard]] const char* reason_text(aprx_reason reason);

// One sentence without a full stop: "linear: blk.0.ssm_alpha.weight is F16, and 35 more like
// blk.*.ssm_{alpha,beta}.weight; cuda:0 takes F32 Q4_0".
[[nodiscard]] std::string refusal_text(const Refusal& refusal);

// "blk.*.ssm_{alpha,beta}.weight" of names that differ in numbers and at most one other part;
// empty if there is no such pattern.
[[nodiscard]] std::string common_pattern(const std::vector<std::string>& names);

}  // namespace aprx
