// The activation functions, in F64.
#pragma once

#include <cmath>
#include <numbers>

#include "aprx/op.hpp"

namespace aprx::conformance {

inline double sigmoid(double x) { return 1.0 / (1.0 + std::exp(-x)); }
inline double silu(double x) { return x / (1.0 + std::exp(-x)); }
inline double softplus(double x) { return std::fmax(x, 0.0) + std::log1p(std::exp(-std::fabs(x))); }
inline double gelu_erf(double x) { return 0.5 * x * (1.0 + std::erf(x / std::numbers::sqrt2)); }

// Source of the constants: Gaussian Error Linear Units, arXiv 1606.08415.
inline double gelu_tanh(double x) {
  const double root = std::sqrt(2.0 * std::numbers::inv_pi);
  return 0.5 * x * (1.0 + std::tanh(root * (x + 0.044715 * x * x * x)));
}

inline double relu2(double x) { return x < 0.0 ? 0.0 : x * x; }  // a NaN stays one

using ActivationFn = double (*)(double);

// The function that a word names, or nullptr.
inline ActivationFn activation(Word word) {
  switch (word) {
    case Word::kSilu: return silu;
    case Word::kGeluTanh: return gelu_tanh;
    case Word::kGeluErf: return gelu_erf;
    case Word::kSigmoid: return sigmoid;
    case Word::kSoftplus: return softplus;
    case Word::kRelu2: return relu2;
    case Word::kTanh: return [](double x) { return std::tanh(x); };
    case Word::kNegExp: return [](double x) { return -std::exp(x); };
    default: return nullptr;
  }
}

}  // namespace aprx::conformance
