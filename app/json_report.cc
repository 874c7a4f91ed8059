#include "app/json_report.h"

#include <nlohmann/json.hpp>

#include "app/terminal/console.h"

namespace aprx::app {

nlohmann::ordered_json error_json(const Error& error) {
  return {{"code", error_word(error.code)},  {"exit_code", exit_code(error)},
          {"file", printable(error.file)},   {"subject", printable(error.subject)},
          {"found", printable(error.found)}, {"expected", printable(error.expected)},
          {"hint", printable(error.hint)}};
}

void print_json(const nlohmann::ordered_json& object) {
  // Whoever closed the pipe doesn't want the object.
  static_cast<void>(
      print(object.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n"));
}

int fail(const Error& error, bool as_json) {
  if (as_json) {
    print_json({{"error", error_json(error)}});
  } else {
    print_error(error);
  }
  return exit_code(error);
}

}  // namespace aprx::app
