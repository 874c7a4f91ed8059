#include "runtime/sample/sampling_options.h"

#include <fmt/format.h>

#include <cmath>
#include <string>
#include <utility>

namespace aprx {

namespace {

template <typename Number>
Error out_of_range(std::string option, Number found, std::string expected) {
  return Error{.code = ErrorCode::kUsage,
               .file = {},
               .subject = std::move(option),
               .found = fmt::format("is {}", found),
               .expected = std::move(expected),
               .hint = {}};
}

}  // namespace

// The comparisons are written so that NaN fails them.
Result<void> validate(const SamplingOptions& options) {
  if (!(options.temperature >= 0.0F) || !std::isfinite(options.temperature)) {
    return out_of_range("--temperature", options.temperature, "a number of at least 0");
  }
  if (options.top_k < 0) {
    return out_of_range("--top-k", options.top_k, "a count, or 0 for no limit");
  }
  if (!(options.top_p > 0.0F && options.top_p <= 1.0F)) {
    return out_of_range("--top-p", options.top_p, "a number above 0 and up to 1");
  }
  if (!(options.min_p >= 0.0F && options.min_p <= 1.0F)) {
    return out_of_range("--min-p", options.min_p, "a number from 0 to 1");
  }
  if (!(options.repeat_penalty > 0.0F) || !std::isfinite(options.repeat_penalty)) {
    return out_of_range("--repeat-penalty", options.repeat_penalty, "a number above 0");
  }
  if (options.repeat_last_n < -1) {
    return out_of_range("--repeat-last-n", options.repeat_last_n, "a count, or -1 for the whole history");
  }
  return {};
}

}  // namespace aprx
