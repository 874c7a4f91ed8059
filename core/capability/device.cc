#include "core/capability/device.h"

#include <algorithm>

#include "core/graph/abi_form.h"

namespace aprx {

aprx_verdict probe(const Device& device, const Graph& graph, const Node& node, uint32_t tokens_max) {
  const AbiNode form(graph, node);
  const aprx_query query{sizeof(aprx_query),
                         tokens_max,
                         &form.node(),
                         form.tensors().data(),
                         static_cast<uint32_t>(form.tensors().size()),
                         0};
  aprx_verdict verdict{};
  verdict.struct_size = sizeof verdict;
  device.table->probe(device.self, device.index, &query, &verdict);
  return verdict;
}

aprx_memory_info memory_of(const Device& device) {
  aprx_memory_info info{sizeof(aprx_memory_info), 0, 0, 0};
  if (device.table->memory_info(device.self, device.index, &info) != APRX_OK) return {sizeof info, 0, 0, 0};
  return info;
}

std::vector<Op> operators_of(const Device& device) {
  std::vector<Op> operators;
  aprx_kernel_row row{};
  row.struct_size = sizeof row;
  for (uint32_t i = 0; device.table->kernel_row(device.self, device.index, i, &row) != 0; ++i) {
    const auto op = static_cast<Op>(row.op);
    if (op <= Op::kNone || op >= Op::kCount) continue;
    if (std::ranges::find(operators, op) == operators.end()) operators.push_back(op);
  }
  return operators;
}

std::vector<std::string> dtypes_of(const Device& device, Op op) {
  std::vector<std::string> names;
  aprx_kernel_row row{};
  row.struct_size = sizeof row;
  for (uint32_t i = 0; device.table->kernel_row(device.self, device.index, i, &row) != 0; ++i) {
    if (row.op != static_cast<uint32_t>(op) || row.dtype == APRX_DTYPE_UNKNOWN) continue;
    std::string name(dtype_name(static_cast<DType>(row.dtype)));
    if (std::ranges::find(names, name) == names.end()) names.push_back(std::move(name));
  }
  return names;
}

}  // namespace aprx
