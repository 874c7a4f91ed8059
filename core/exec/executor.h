// Runs a Route, and nothing but a Route. Weights are prepared once, when the executor is made.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
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
  std::vector<std::vector<Buffer>> buffers_;  // by part
  std::vector<std::vector<void*>> handles_;
  int64_t position_ = 0;
};

// What really ran, noted at the plugin calls: to be compared with what was announced.
struct Record {
  // Of each part of the Route, by its number.
  struct Work {
    std::string device;
    uint64_t operators_run = 0;  // nodes of the stages that it ran, over all runs
  };
  std::vector<Work> work;
  uint64_t runs = 0;  // of the whole model
  uint64_t tokens_run = 0;
  uint64_t weights_prepared = 0;
  uint64_t bytes_copied = 0;       // of weights that a backend didn't take from the mapping
  uint64_t bytes_transferred = 0;  // of activations, between devices
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
  [[nodiscard]] uint64_t bytes_in_use() const;  // on all devices

  [[nodiscard]] Result<SequenceState> new_state() const;

  // Processes the sequence's next tokens: at most Policy::tokens_max of them, and at most as many
  // as the context still holds. `rows` numbers those of them whose logits are wanted, at most
  // Policy::rows_max; `logits` gets rows × vocabulary values. Allocates nothing on success. After an
  // error the state must not be used any more.
  [[nodiscard]] Result<void> run(SequenceState& state, std::span<const int32_t> tokens,
                                 std::span<const int32_t> rows, std::span<float> logits);

 private:
  // What a part of the Route works with.
  struct Worker {
    std::shared_ptr<Context> context;
    std::vector<void*> weight_of;  // by tensor id; nullptr for what isn't a weight of this part
    std::vector<PreparedWeight> weights;
    std::vector<TensorId> states;  // sorted
    std::unique_ptr<Buffer> arena;
  };

  explicit Executor(Route route) : route_(std::move(route)) {}
  Result<void> open_workers();
  Result<void> prepare_weights(ModelFile& file, const Progress& progress);
  Result<void> prepare_weight(Worker& worker, TensorId id, ModelFile& file);
  Result<void> compile();
  Result<CompiledSegment> compile_stage(const Stage& stage) const;
  Result<void> write_inputs(const SequenceState& state, std::span<const int32_t> tokens,
                            std::span<const int32_t> rows);
  Result<void> run_stage(size_t index, SequenceState& state, uint32_t tokens, uint32_t rows);
  Result<void> transfer(const Transfer& transfer, uint32_t to, uint32_t tokens, uint32_t rows);
  Result<void> read_logits(std::span<float> logits);
  [[nodiscard]] std::span<const Node> nodes_of(const Stage& stage) const;

  Route route_;
  std::vector<Worker> workers_;            // by part
  std::vector<CompiledSegment> segments_;  // by stage
  std::vector<int32_t> positions_;
  std::vector<std::byte> staging_;  // for transfers
  uint32_t logits_part_ = 0;
  Record record_;
};

}  // namespace aprx
