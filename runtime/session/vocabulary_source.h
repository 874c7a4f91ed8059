// The tokenizer's keys of a model file, as plain data for Tokenizer::create.
#pragma once

#include "core/plugin/model_file.h"
#include "runtime/text/vocabulary.h"

namespace aprx {

// Errors: kBadFile for a key of the wrong type; absent keys are left empty.
[[nodiscard]] Result<VocabularySource> vocabulary_source(const ModelFile& file);

}  // namespace aprx
