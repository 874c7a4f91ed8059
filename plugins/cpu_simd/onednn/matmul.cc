#include "plugins/cpu_simd/onednn/matmul.h"

#include <exception>
#include <oneapi/dnnl/dnnl.hpp>

#if DNNL_CPU_THREADING_RUNTIME == DNNL_RUNTIME_OMP
// Declared here because clang brings no omp.h that goes with the OpenMP library of GCC, which oneDNN uses.
extern "C" {
void omp_set_num_threads(int threads);
int omp_get_max_threads();
}
#endif

namespace aprx::cpu {
namespace {

// Makes oneDNN work in this thread only, as the host's pool already has one for each core.
class SingleThread {
 public:
#if DNNL_CPU_THREADING_RUNTIME == DNNL_RUNTIME_OMP
  SingleThread() : before_(omp_get_max_threads()) { omp_set_num_threads(1); }
  ~SingleThread() { omp_set_num_threads(before_); }
#else
  SingleThread() = default;
#endif
  SingleThread(const SingleThread&) = delete;
  SingleThread& operator=(const SingleThread&) = delete;

 private:
  [[maybe_unused]] int before_ = 1;
};

dnnl::memory::desc strided(int64_t rows, int64_t columns, int64_t row_stride, int64_t column_stride) {
  return {{rows, columns}, dnnl::memory::data_type::f32, dnnl::memory::dims{row_stride, column_stride}};
}

dnnl::matmul matmul_of(const dnnl::engine& engine, const dnnl::memory::desc& x, const dnnl::memory::desc& w,
                       const dnnl::memory::desc& y) {
#if DNNL_VERSION_MAJOR >= 3
  return dnnl::matmul(dnnl::matmul::primitive_desc(engine, x, w, y));
#else
  return dnnl::matmul(dnnl::matmul::primitive_desc(dnnl::matmul::desc(x, w, y), engine));
#endif
}

// oneDNN reads through these pointers only.
dnnl::memory memory_of(const dnnl::memory::desc& desc, const dnnl::engine& engine, const float* data) {
  return {desc, engine, const_cast<float*>(data)};
}

}  // namespace

bool onednn_suits(int64_t vector_bytes) {
  if (vector_bytes < 32) return false;
  if (vector_bytes >= 64) return true;
  constexpr auto kAvx512 = static_cast<unsigned>(dnnl::cpu_isa::avx512_core);
  return (static_cast<unsigned>(dnnl::get_effective_cpu_isa()) & kAvx512) != kAvx512;
}

bool onednn_multiply_f32(const float* w, int64_t rows, int64_t k, const FloatRows& x, const Output& out) try {
  const SingleThread single;
  const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  dnnl::stream stream(engine);
  const auto x_desc = strided(x.rows, k, x.stride, 1);
  const auto w_desc = strided(k, rows, 1, k);
  const auto y_desc = strided(x.rows, rows, out.stride, 1);
  // Primitives of one shape are kept in oneDNN's own cache.
  matmul_of(engine, x_desc, w_desc, y_desc)
      .execute(stream, {{DNNL_ARG_SRC, memory_of(x_desc, engine, x.data)},
                        {DNNL_ARG_WEIGHTS, memory_of(w_desc, engine, w)},
                        {DNNL_ARG_DST, memory_of(y_desc, engine, out.y)}});
  stream.wait();
  return true;
} catch (const std::exception&) {
  // A refusal or exhausted memory; nothing may be thrown across the host's pool, and the caller has kernels
  // that need neither.
  return false;
}

}  // namespace aprx::cpu
