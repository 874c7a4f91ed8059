// Gate `tokenizer`: the vocabulary loads, agrees with the rest of the file and gives back what it is given;
// the chat template parses.
#pragma once

#include "core/graph/graph.h"
#include "core/plugin/model_file.h"
#include "runtime/check/check_context.h"
#include "runtime/check/gate.h"

namespace aprx {

inline constexpr const char* kTokenizerGate = "tokenizer";

// `graph` is the model's, or nullptr where it could not be built: then the number of tokens can't be
// compared with the rows of the embedding table, and the gate holds no more than not measured. A file
// without a chat template needs none.
[[nodiscard]] Gate check_tokenizer(const ModelFile& file, const Graph* graph, const CheckContext& context);

}  // namespace aprx
