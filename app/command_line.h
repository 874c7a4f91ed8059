// The command line of one command: its options, its help, and clear errors for what it can't take.
#pragma once

#include <boost/program_options.hpp>
#include <span>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace aprx::app {

class CommandLine {
 public:
  // `usage` is what follows "aprx "; `about` a paragraph; `examples` whole lines.
  CommandLine(std::string usage, std::string about, std::vector<std::string> examples);

  // Declares options under a heading; returns what boost needs to add them.
  boost::program_options::options_description& section(const std::string& heading);
  // Declares a positional argument, stored as the option of this name.
  void positional(const std::string& name, bool is_repeated = false);

  // Parses and stores. Errors: kUsage, naming the option.
  Result<void> parse(std::span<const std::string> arguments);

  [[nodiscard]] bool wants_help() const { return values_.count("help") > 0; }
  [[nodiscard]] std::string help() const;
  [[nodiscard]] bool has(const std::string& option) const { return values_.count(option) > 0; }
  [[nodiscard]] bool flag(const std::string& option) const {
    return has(option) && values_[option].as<bool>();
  }
  template <typename T>
  [[nodiscard]] const T& get(const std::string& option) const {
    return values_[option].as<T>();
  }

 private:
  std::string usage_;
  std::string about_;
  std::vector<std::string> examples_;
  std::vector<boost::program_options::options_description> sections_;
  boost::program_options::options_description hidden_;
  boost::program_options::positional_options_description positional_;
  boost::program_options::variables_map values_;
};

}  // namespace aprx::app
