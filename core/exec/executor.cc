#include "core/exec/executor.h"

#include <algorithm>
#include <cassert>
#include <numeric>
#include <set>

#include "core/graph/abi_form.h"

namespace aprx {

namespace {

// Weights and states that the nodes use, in graph order.
struct Used {
  std::vector<TensorId> weights;
  std::vector<TensorId> states;
};

Used used_tensors(const Graph& graph) {
  std::set<TensorId> seen;
  for (const Node& node : graph.nodes()) {
    for (const Operand& operand : node.operands) seen.insert(operand.tensor);
  }
  Used used;
  for (const TensorId id : seen) {
    const aprx_tensor_kind kind = graph.tensor(id).kind;
    if (kind == APRX_WEIGHT || kind == APRX_VECTOR) used.weights.push_back(id);
    if (kind == APRX_STATE) used.states.push_back(id);
  }
  return used;
}

}  // namespace

Result<std::unique_ptr<Executor>> Executor::create(Route route, ModelFile& file, const Progress& progress) {
  // A target that nobody asked for is the device's own choice already.
  const std::string target = route.policy().target.empty() ? "" : route.target();
  auto context = Context::create(route.device(), target);
  if (!context) return context.error();
  std::unique_ptr<Executor> executor(new Executor(std::move(route), std::move(*context)));
  executor->record_.device = executor->route_.device().id;
  if (auto ok = executor->prepare_weights(file, progress); !ok) return ok.error();
  if (auto ok = executor->compile(); !ok) return ok.error();
  return executor;
}

Result<void> Executor::prepare_weights(ModelFile& file, const Progress& progress) {
  const Graph& graph = route_.graph();
  const Used used = used_tensors(graph);
  weight_of_.assign(graph.tensors().size(), nullptr);
  uint64_t done = 0;
  for (const TensorId id : used.weights) {
    const Tensor& tensor = graph.tensor(id);
    const FileTensor* source = file.find_tensor(tensor.name);
    assert(source != nullptr);
    auto data = file.data(*source);
    if (!data) return data.error();
    const aprx_weight_source form{sizeof(aprx_weight_source), 0, abi_tensor(tensor), *data, source->size};
    auto weight = PreparedWeight::create(context_, form);
    if (!weight) {
      weight.error().subject = tensor.name;
      return weight.error();
    }
    if (!weight->keeps_source()) {
      record_.bytes_copied += source->size;
      file.release(*source);
    }
    weight_of_[id] = weight->handle();
    weights_.push_back(std::move(*weight));
    ++record_.weights_prepared;
    done += source->size;
    if (progress) progress(done, route_.memory_need().weights);
  }
  states_ = used.states;
  return {};
}

Result<void> Executor::compile() {
  const Graph& graph = route_.graph();
  const AbiNodes form(graph, graph.nodes());
  std::vector<aprx_place> places;
  for (const TensorId id : form.tensor_ids()) {
    aprx_place place{};
    const Tensor& tensor = graph.tensor(id);
    if (tensor.kind == APRX_STATE) {
      place.kind = APRX_PLACE_STATE;
      place.state = static_cast<uint32_t>(std::ranges::lower_bound(states_, id) - states_.begin());
    } else if (weight_of_[id] != nullptr) {
      place.kind = APRX_PLACE_WEIGHT;
      place.weight = weight_of_[id];
    } else {
      place.kind = APRX_PLACE_ARENA;
      place.offset = route_.memory_plan().offset_of(graph, id);
    }
    places.push_back(place);
  }
  const aprx_segment segment{sizeof(aprx_segment),
                             route_.policy().tokens_max,
                             route_.policy().rows_max,
                             static_cast<uint32_t>(form.nodes().size()),
                             static_cast<uint32_t>(form.tensors().size()),
                             0,
                             form.nodes().data(),
                             form.tensors().data(),
                             places.data(),
                             route_.workspace_offset(),
                             route_.workspace_size()};
  auto arena = Buffer::create(context_, route_.workspace_offset() + route_.workspace_size());
  if (!arena) return arena.error();
  arena_ = std::make_unique<Buffer>(std::move(*arena));
  auto compiled = CompiledSegment::create(context_, segment);
  if (!compiled) return compiled.error();
  segment_ = std::make_unique<CompiledSegment>(std::move(*compiled));
  positions_.resize(route_.policy().tokens_max);
  return {};
}

Result<SequenceState> Executor::new_state() const {
  SequenceState state;
  for (const TensorId id : states_) {
    auto buffer = Buffer::create(context_, tensor_bytes(route_.graph().tensor(id), 0, 0));
    if (!buffer) return buffer.error();
    state.handles_.push_back(buffer->handle());
    state.buffers_.push_back(std::move(*buffer));
  }
  return state;
}

Result<void> Executor::write_inputs(const SequenceState& state, std::span<const int32_t> tokens,
                                    std::span<const int32_t> rows) {
  const Graph& graph = route_.graph();
  std::iota(positions_.begin(), positions_.begin() + static_cast<std::ptrdiff_t>(tokens.size()),
            static_cast<int32_t>(state.position_));
  const std::pair<TensorId, std::span<const int32_t>> inputs[] = {
      {graph.ids, tokens}, {graph.positions, std::span(positions_).first(tokens.size())}, {graph.rows, rows}};
  for (const auto& [id, values] : inputs) {
    auto ok = arena_->write(route_.memory_plan().offset_of(graph, id), std::as_bytes(values));
    if (!ok) return ok;
  }
  return {};
}

Result<void> Executor::run(SequenceState& state, std::span<const int32_t> tokens,
                           std::span<const int32_t> rows, std::span<float> logits) {
  const Graph& graph = route_.graph();
  assert(tokens.size() <= route_.policy().tokens_max && rows.size() <= route_.policy().rows_max);
  assert(state.position_ + static_cast<int64_t>(tokens.size()) <= graph.context);
  if (auto ok = write_inputs(state, tokens, rows); !ok) return ok;
  const aprx_run run{sizeof(aprx_run),
                     static_cast<uint32_t>(tokens.size()),
                     static_cast<uint32_t>(rows.size()),
                     static_cast<uint32_t>(state.handles_.size()),
                     arena_->handle(),
                     state.handles_.data()};
  if (auto ok = segment_->run(run); !ok) return ok;
  ++record_.segments_run;
  record_.tokens_run += tokens.size();
  state.position_ += static_cast<int64_t>(tokens.size());
  return arena_->read(route_.memory_plan().offset_of(graph, graph.logits), std::as_writable_bytes(logits));
}

}  // namespace aprx
