#include "core/exec/executor.h"

#include <algorithm>
#include <cassert>
#include <numeric>
#include <set>

#include "core/graph/abi_form.h"

namespace aprx {

namespace {

// Weights and states that a part's nodes use, in graph order.
struct Used {
  std::vector<TensorId> weights;
  std::vector<TensorId> states;
};

// A tensor of the file that a backend is reading.
struct SourceReader {
  const ModelFile& file;
  const FileTensor& tensor;
};

void let_go(void* reader, uint64_t bytes) {
  const auto& source = *static_cast<const SourceReader*>(reader);
  source.file.release(source.tensor, std::min(bytes, source.tensor.size));
}

Used used_tensors(const Route& route, uint32_t part) {
  const Graph& graph = route.graph();
  std::set<TensorId> seen;
  for (const Stage& stage : route.stages()) {
    if (stage.part != part) continue;
    for (const Node& node : graph.nodes().subspan(stage.first_node, stage.node_count)) {
      for (const Operand& operand : node.operands) seen.insert(operand.tensor);
    }
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
  std::unique_ptr<Executor> executor(new Executor(std::move(route)));
  if (auto ok = executor->open_workers(); !ok) return ok.error();
  if (auto ok = executor->prepare_weights(file, progress); !ok) return ok.error();
  if (auto ok = executor->compile(); !ok) return ok.error();
  return executor;
}

Result<void> Executor::open_workers() {
  for (const Part& part : route_.parts()) {
    // A target that nobody asked for is the device's own choice already.
    auto context = Context::create(part.device, route_.policy().target.empty() ? "" : part.target);
    if (!context) return context.error();
    Worker worker;
    worker.context = std::move(*context);
    record_.work.push_back({part.device.id, 0});
    workers_.push_back(std::move(worker));
  }
  return {};
}

Result<void> Executor::prepare_weights(ModelFile& file, const Progress& progress) {
  const Graph& graph = route_.graph();
  const uint64_t total = route_.memory_need().weights;
  uint64_t done = 0;
  for (uint32_t part = 0; part < workers_.size(); ++part) {
    Used used = used_tensors(route_, part);
    Worker& worker = workers_[part];
    worker.states = std::move(used.states);
    worker.weight_of.assign(graph.tensors().size(), nullptr);
    for (const TensorId id : used.weights) {
      if (auto ok = prepare_weight(worker, id, file); !ok) return ok;
      done += tensor_bytes(graph.tensor(id), 0, 0);
      if (progress) progress(done, total);
    }
  }
  return {};
}

Result<void> Executor::prepare_weight(Worker& worker, TensorId id, ModelFile& file) {
  const Tensor& tensor = route_.graph().tensor(id);
  const FileTensor* source = file.find_tensor(tensor.name);
  assert(source != nullptr);
  auto data = file.data(*source);
  if (!data) return data.error();
  SourceReader reader{file, *source};
  const aprx_weight_source form{
      sizeof(aprx_weight_source), 0, abi_tensor(tensor), *data, source->size, let_go, &reader};
  auto weight = PreparedWeight::create(worker.context, form);
  if (!weight) {
    weight.error().subject = tensor.name;
    return weight.error();
  }
  if (!weight->keeps_source()) {
    record_.bytes_copied += source->size;
    file.release(*source, source->size);
  }
  worker.weight_of[id] = weight->handle();
  worker.weights.push_back(std::move(*weight));
  ++record_.weights_prepared;
  return {};
}

std::span<const Node> Executor::nodes_of(const Stage& stage) const {
  return route_.graph().nodes().subspan(stage.first_node, stage.node_count);
}

Result<void> Executor::compile() {
  const Graph& graph = route_.graph();
  const MemoryPlan& plan = route_.memory_plan();
  for (uint32_t part = 0; part < workers_.size(); ++part) {
    Worker& worker = workers_[part];
    auto arena = Buffer::create(worker.context, plan.size + route_.parts()[part].workspace_size);
    if (!arena) return arena.error();
    worker.arena = std::make_unique<Buffer>(std::move(*arena));
  }
  const TensorId logits = root_of(graph, graph.logits);
  uint64_t largest = 0;
  for (const Stage& stage : route_.stages()) {
    auto compiled = compile_stage(stage);
    if (!compiled) return compiled.error();
    segments_.push_back(std::move(*compiled));
    for (const Node& node : nodes_of(stage)) {
      for (const Operand& operand : node.operands) {
        if (operand.is_output && root_of(graph, operand.tensor) == logits) logits_part_ = stage.part;
      }
    }
    for (const Transfer& each : stage.transfers) {
      const Tensor& tensor = graph.tensor(each.tensor);
      largest = std::max(largest, tensor_bytes(tensor, route_.policy().tokens_max, route_.policy().rows_max));
    }
  }
  staging_.resize(largest);
  positions_.resize(route_.policy().tokens_max);
  return {};
}

Result<CompiledSegment> Executor::compile_stage(const Stage& stage) const {
  const Graph& graph = route_.graph();
  const Worker& worker = workers_[stage.part];
  const AbiNodes form(graph, nodes_of(stage));
  std::vector<aprx_place> places;
  for (const TensorId id : form.tensor_ids()) {
    aprx_place place{};
    if (graph.tensor(id).kind == APRX_STATE) {
      place.kind = APRX_PLACE_STATE;
      place.state =
          static_cast<uint32_t>(std::ranges::lower_bound(worker.states, id) - worker.states.begin());
    } else if (worker.weight_of[id] != nullptr) {
      place.kind = APRX_PLACE_WEIGHT;
      place.weight = worker.weight_of[id];
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
                             route_.memory_plan().size,
                             route_.parts()[stage.part].workspace_size};
  return CompiledSegment::create(worker.context, segment);
}

uint64_t Executor::bytes_in_use() const {
  uint64_t bytes = 0;
  for (const Worker& worker : workers_) bytes += worker.context->bytes_in_use();
  return bytes;
}

Result<SequenceState> Executor::new_state() const {
  SequenceState state;
  for (const Worker& worker : workers_) {
    std::vector<Buffer>& buffers = state.buffers_.emplace_back();
    std::vector<void*>& handles = state.handles_.emplace_back();
    for (const TensorId id : worker.states) {
      auto buffer = Buffer::create(worker.context, tensor_bytes(route_.graph().tensor(id), 0, 0));
      if (!buffer) return buffer.error();
      handles.push_back(buffer->handle());
      buffers.push_back(std::move(*buffer));
    }
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
  for (Worker& worker : workers_) {
    for (const auto& [id, values] : inputs) {
      auto ok = worker.arena->write(route_.memory_plan().offset_of(graph, id), std::as_bytes(values));
      if (!ok) return ok;
    }
  }
  return {};
}

Result<void> Executor::transfer(const Transfer& transfer, uint32_t to, uint32_t tokens, uint32_t rows) {
  const Graph& graph = route_.graph();
  const uint64_t offset = route_.memory_plan().offset_of(graph, transfer.tensor);
  const std::span<std::byte> bytes =
      std::span(staging_).first(tensor_bytes(graph.tensor(transfer.tensor), tokens, rows));
  if (auto ok = workers_[transfer.from].arena->read(offset, bytes); !ok) return ok;
  if (auto ok = workers_[to].arena->write(offset, bytes); !ok) return ok;
  record_.bytes_transferred += bytes.size();
  return {};
}

Result<void> Executor::run_stage(size_t index, SequenceState& state, uint32_t tokens, uint32_t rows) {
  const Stage& stage = route_.stages()[index];
  for (const Transfer& each : stage.transfers) {
    if (auto ok = transfer(each, stage.part, tokens, rows); !ok) return ok;
  }
  const std::vector<void*>& states = state.handles_[stage.part];
  const aprx_run run{sizeof(aprx_run),
                     tokens,
                     rows,
                     static_cast<uint32_t>(states.size()),
                     workers_[stage.part].arena->handle(),
                     states.data()};
  if (auto ok = segments_[index].run(run); !ok) return ok;
  record_.work[stage.part].operators_run += stage.node_count;
  return {};
}

Result<void> Executor::read_logits(std::span<float> logits) {
  const uint64_t offset = route_.memory_plan().offset_of(route_.graph(), route_.graph().logits);
  return workers_[logits_part_].arena->read(offset, std::as_writable_bytes(logits));
}

Result<void> Executor::run(SequenceState& state, std::span<const int32_t> tokens,
                           std::span<const int32_t> rows, std::span<float> logits) {
  assert(tokens.size() <= route_.policy().tokens_max && rows.size() <= route_.policy().rows_max);
  assert(state.position_ + static_cast<int64_t>(tokens.size()) <= route_.graph().context);
  if (auto ok = write_inputs(state, tokens, rows); !ok) return ok;
  for (size_t i = 0; i < segments_.size(); ++i) {
    auto ok = run_stage(i, state, static_cast<uint32_t>(tokens.size()), static_cast<uint32_t>(rows.size()));
    if (!ok) return ok;
  }
  ++record_.runs;
  record_.tokens_run += tokens.size();
  state.position_ += static_cast<int64_t>(tokens.size());
  return read_logits(logits);
}

}  // namespace aprx
