#include "recipes.h"

#include <algorithm>
#include <initializer_list>
#include <string_view>

namespace aprx::gguf {

namespace {

struct Choice {
  uint32_t wide;    // the usual type
  uint32_t narrow;  // its stand-in
};

constexpr aprx_recipe recipe(std::string_view name, std::initializer_list<Choice> choices) {
  aprx_recipe out{};
  out.struct_size = sizeof out;
  std::copy(name.begin(), name.end(), out.name);
  for (const Choice& choice : choices) {
    out.matrices[out.matrix_count] = choice.wide;
    out.narrow[out.matrix_count] = choice.narrow;
    ++out.matrix_count;
  }
  return out;
}

constexpr Choice kQ2{APRX_Q2_K, APRX_IQ4_NL};
constexpr Choice kQ3{APRX_Q3_K, APRX_IQ4_NL};
constexpr Choice kQ4{APRX_Q4_K, APRX_Q5_0};
constexpr Choice kQ5{APRX_Q5_K, APRX_Q5_1};
constexpr Choice kQ6{APRX_Q6_K, APRX_Q8_0};

constexpr aprx_recipe kRecipes[] = {
    recipe("Q4_K_M", {kQ4, kQ6}),
    recipe("Q5_K_M", {kQ5, kQ6}),
    recipe("Q6_K", {kQ6}),
    recipe("Q8_0", {{APRX_Q8_0, APRX_F16}}),
    recipe("Q4_0", {{APRX_Q4_0, APRX_F16}, kQ6}),
    recipe("IQ4_XS", {{APRX_IQ4_XS, APRX_IQ4_NL}, kQ5, kQ6}),
    recipe("Q3_K_M", {kQ3, kQ4, kQ5, kQ6}),
    recipe("Q2_K", {kQ2, kQ3, kQ4, kQ6}),
    recipe("F16", {{APRX_F16, APRX_F16}}),
    recipe("BF16", {{APRX_BF16, APRX_BF16}}),
    recipe("F32", {{APRX_F32, APRX_F32}}),
};

}  // namespace

std::span<const aprx_recipe> recipes() { return kRecipes; }

}  // namespace aprx::gguf
