#include "core/base/error.h"

#include <catch2/catch_test_macros.hpp>

#include "core/base/format.h"

using aprx::Error;
using aprx::ErrorCode;

TEST_CASE("an error is one sentence with its fields in a fixed order") {
  const Error error{ErrorCode::kBadFile, "m.gguf",   "blk.0.ffn_up.weight",
                    "data ends at 10",   "12 bytes", "download it again"};
  CHECK(error.text() ==
        "m.gguf: blk.0.ffn_up.weight: data ends at 10, expected 12 bytes\n  download it again");
  CHECK(exit_code(error) == 3);
}

TEST_CASE("empty fields leave no trace") {
  const Error error{ErrorCode::kUsage, "", "", "no model given", "", ""};
  CHECK(error.text() == "no model given");
  CHECK(exit_code(error) == 2);
}

TEST_CASE("control characters and broken UTF-8 of a file never reach a terminal raw") {
  const Error error{ErrorCode::kBadFile, "", std::string("a\x1b[2Jb\n\0c", 9), "\xff\xc3", "", ""};
  CHECK(error.text() == "a\\x1b[2Jb\\x0a\\x00c: \\xff\\xc3");
  CHECK(aprx::printable("größe 模型") == "größe 模型");
  CHECK(aprx::printable("\xc2\x85") == "\\xc2\\x85");
}

TEST_CASE("byte counts are rounded to one decimal of a binary unit") {
  CHECK(aprx::bytes_text(0) == "0 B");
  CHECK(aprx::bytes_text(1023) == "1023 B");
  CHECK(aprx::bytes_text(1536) == "1.5 KiB");
  CHECK(aprx::bytes_text(5576288) == "5.3 MiB");
  CHECK(aprx::bytes_text(1ULL << 40U) == "1.0 TiB");
}
