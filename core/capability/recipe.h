// A quantization recipe: the tensor types that a build of a model by this name holds.
#pragma once

#include <string>
#include <vector>

#include "aprx/dtype.hpp"

namespace aprx {

struct Recipe {
  std::string name;             // as users know it: "Q4_K_M"
  std::vector<DType> matrices;  // each that a matrix may get
  std::vector<DType> narrow;    // of each: what stands in where rows aren't a multiple of its block
};

}  // namespace aprx
