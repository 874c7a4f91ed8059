// What went wrong, as a value: code, place, what was found, what was expected, what helps.
//
// Layers add context by filling empty fields, never by prefixing text, so a message is made once
// and reads as one sentence. Not thread-safe; copyable.
#pragma once

#include <string>

namespace aprx {

// The class of a failure. The numeric value is the program's exit code (docs/exit-codes.md).
enum class ErrorCode : int {
  kInternal = 1,     // a bug in aprx
  kUsage = 2,        // the command line is wrong
  kBadFile = 3,      // a file is damaged, unreadable or contradicts itself
  kPlugin = 4,       // a plugin failed or is not trusted
  kLimit = 5,        // a limit was reached at run time (context, memory, disk)
  kCheckFailed = 6,  // a check gave the wrong result
  kDevice = 7,       // a device failed at run time
  kCapability = 8,   // nothing that was asked for can run this
  kUnchecked = 9,    // nothing failed, but something could not be checked
  kInterrupted = 130,
};

struct Error {
  ErrorCode code = ErrorCode::kInternal;
  std::string file = {};      // path of the file concerned, if any
  std::string subject = {};   // tensor, metadata key, option or device concerned, if any
  std::string found = {};     // what is wrong; the only field that is never empty
  std::string expected = {};  // what would have been right, if that adds anything
  std::string hint = {};      // what the reader can do, if anything

  // One line, with the hint on a second: `file: subject: found, expected EXPECTED`.
  // Control characters and invalid UTF-8 are escaped, so a message is safe on a terminal.
  [[nodiscard]] std::string text() const;
};

[[nodiscard]] int exit_code(const Error& error);

// A short stable word for the code, as `--json` prints it: "bad_file", "capability", ...
[[nodiscard]] const char* error_word(ErrorCode code);

// Makes bytes from a file safe to print: control characters, and bytes that are not UTF-8, become
// \xNN; a backslash stays. Printable UTF-8 passes unchanged.
[[nodiscard]] std::string printable(const std::string& bytes);

}  // namespace aprx
