// Opens GGUF files that a test writes, through the plugin as the program loads it.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "tests/support/gguf_writer.h"
#include "tests/support/plugin_host.h"
#include "tests/support/temp_dir.h"

namespace aprx::test {

class GgufFixture {
 public:
  Result<std::unique_ptr<ModelFile>> open(const GgufWriter& writer, const std::string& name = "m.gguf") {
    writer.write(folder / name);
    return host.registry().open_model(folder / name);
  }
  // The text of the error that opening gives; "opened" if there is none.
  std::string refusal(const GgufWriter& writer) {
    auto file = open(writer);
    return file ? "opened" : file.error().text();
  }

  TempDir folder;
  PluginHost host;
};

// Data of `bytes` bytes, no two neighbours alike.
inline std::string counting_bytes(size_t bytes) {
  std::string out(bytes, '\0');
  for (size_t i = 0; i < bytes; ++i) out[i] = static_cast<char>(i * 7 + 1);
  return out;
}

}  // namespace aprx::test
