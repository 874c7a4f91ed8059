// Runs a Route, and nothing but a Route. Weights are prepared once, when the executor is made.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "core/exec/context.h"
#include "core/plugin/model_file.h"
#include "core/route/route.h"

namespace aprx {

// State of one sequence: its KV caches and recurrent states, zero at first.
class SequenceState {
 public:
  [[nodiscard]] int64_t position() const { return position_; }  // tokens processed so far

 private:
  friend class Executor;
  std::vector<Buffer> buffers_;
  std::vector<void*> handles_;
  int64_t position_ = 0;
};

// What really ran, noted at the plugin call: to be compared with what was announced.
struct Record {
  std::string device;
  uint64_t segments_run = 0;
  uint64_t tokens_run = 0;
  uint64_t weights_prepared = 0;
  uint64_t bytes_copied = 0;  // of weights that the backend didn't take from the mapping
};

class Executor {
 public:
  // Called as weights become ready, with bytes done and bytes in all.
  using Progress = std::function<void(uint64_t done, uint64_t total)>;

  // `file` must outlive the executor. Errors: kLimit out of memory, kDevice, kBadFile for a tensor
  // whose bytes can't be had.
  [[nodiscard]] static Result<std::unique_ptr<Executor>> create(Route route, ModelFile& file,
                                                                const Progress& progress);

  [[nodiscard]] const Route& route() const { return route_; }
  [[nodiscard]] const Record& record() const { return record_; }
  [[nodiscard]] uint64_t bytes_in_use() const { return context_->bytes_in_use(); }

  [[nodiscard]] Result<SequenceState> new_state() const;

  // Processes the sequence's next tokens: at most Policy::tokens_max of them, and at most as many
  // as the context still holds. `rows` numbers those of them whose logits are wanted, at most
  // Policy::rows_max; `logits` gets rows × vocabulary values. Allocates nothing on success.
  [[nodiscard]] Result<void> run(SequenceState& state, std::span<const int32_t> tokens,
                                 std::span<const int32_t> rows, std::span<float> logits);

 private:
  Executor(Route route, std::shared_ptr<Context> context)
      : route_(std::move(route)), context_(std::move(context)) {}
  Result<void> prepare_weights(ModelFile& file, const Progress& progress);
  Result<void> compile();
  Result<void> write_inputs(const SequenceState& state, std::span<const int32_t> tokens,
                            std::span<const int32_t> rows);

  Route route_;
  std::shared_ptr<Context> context_;
  std::vector<void*> weight_of_;  // by tensor id; nullptr for tensors that aren't weights
  std::vector<PreparedWeight> weights_;
  std::vector<TensorId> states_;
  std::vector<int32_t> positions_;
  std::unique_ptr<Buffer> arena_;
  std::unique_ptr<CompiledSegment> segment_;
  Record record_;
};

}  // namespace aprx
