#include "app/command_line.h"

#include <sstream>

namespace aprx::app {

namespace po = boost::program_options;

CommandLine::CommandLine(std::string usage, std::string about, std::vector<std::string> examples)
    : usage_(std::move(usage)), about_(std::move(about)), examples_(std::move(examples)) {
  // A reference to a section must stay valid while others are added.
  constexpr size_t kMostSections = 8;
  sections_.reserve(kMostSections);
}

po::options_description& CommandLine::section(const std::string& heading) {
  constexpr unsigned kLineLength = 100;
  constexpr unsigned kDescriptionLength = 62;
  return sections_.emplace_back(heading, kLineLength, kDescriptionLength);
}

void CommandLine::positional(const std::string& name, bool is_repeated) {
  if (is_repeated) {
    hidden_.add_options()(name.c_str(), po::value<std::vector<std::string>>());
  } else {
    hidden_.add_options()(name.c_str(), po::value<std::string>());
  }
  positional_.add(name.c_str(), is_repeated ? -1 : 1);
}

Result<void> CommandLine::parse(std::span<const std::string> arguments) {
  section("General").add_options()("help,h", "show this help and exit");
  po::options_description all;
  for (const auto& part : sections_) all.add(part);
  all.add(hidden_);
  try {
    const std::vector<std::string> list(arguments.begin(), arguments.end());
    using Style = po::command_line_style::style_t;
    const int style = po::command_line_style::unix_style & ~Style::allow_guessing;
    po::store(po::command_line_parser(list).options(all).positional(positional_).style(style).run(), values_);
    po::notify(values_);
  } catch (const po::error& e) {
    return Error{ErrorCode::kUsage,
                 "",
                 "",
                 e.what(),
                 "",
                 "`aprx " + usage_.substr(0, usage_.find(' ')) + " --help` lists what it takes"};
  }
  return {};
}

std::string CommandLine::help() const {
  std::ostringstream out;
  out << "Usage: aprx " << usage_ << "\n\n" << about_ << "\n";
  for (const auto& part : sections_) out << "\n" << part;
  if (!examples_.empty()) out << "\nExamples:\n";
  for (const std::string& line : examples_) out << "  " << line << "\n";
  return out.str();
}

}  // namespace aprx::app
