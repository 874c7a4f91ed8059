// What a kernel file starts with. The file names itself first, because Highway compiles it again for every
// target:
//
//   #undef HWY_TARGET_INCLUDE
//   #define HWY_TARGET_INCLUDE "plugins/cpu_simd/ops/norm.cc"
//   #include "plugins/cpu_simd/kernel_file-inl.h"
//
// Bodies stand between HWY_BEFORE_NAMESPACE() and HWY_AFTER_NAMESPACE() in aprx::cpu::HWY_NAMESPACE; what is
// compiled once stands below `#if HWY_ONCE`. There is no include guard, on purpose.
#ifndef HWY_WANT_AVX3_DL
#error "without HWY_WANT_AVX3_DL the VNNI targets are silently left out"
#endif
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"
