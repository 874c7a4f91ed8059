// Where plugins are looked for, and in which order.
#include <catch2/catch_test_macros.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>

#include "core/plugin/search_path.h"
#include "tests/support/temp_dir.h"

namespace aprx::test {
namespace {

namespace fs = std::filesystem;

// Sets an environment variable for the time of a test.
class Variable {
 public:
  Variable(const char* name, const std::string& value) : name_(name) {
    const char* before = std::getenv(name);  // NOLINT(concurrency-mt-unsafe)
    if (before != nullptr) before_ = before;
    ::setenv(name, value.c_str(), 1);  // NOLINT(concurrency-mt-unsafe)
  }
  ~Variable() {
    if (before_) ::setenv(name_, before_->c_str(), 1);  // NOLINT(concurrency-mt-unsafe)
    if (!before_) ::unsetenv(name_);                    // NOLINT(concurrency-mt-unsafe)
  }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
  std::optional<std::string> before_;
};

std::vector<std::string> directories(const SearchPath& path) {
  std::vector<std::string> out;
  for (const SearchPlace& place : path.places()) out.push_back(place.directory.string());
  return out;
}

TEST_CASE("the order is option, variable, program, user, system", "[plugin]") {
  TempDir folder;
  for (const char* name : {"one", "two", "three", "data"}) fs::create_directory(folder / name);
  const Variable variable("APRX_PLUGIN_PATH",
                          (folder / "two").string() + "::" + (folder / "three").string() + ":");
  const Variable data("XDG_DATA_HOME", (folder / "data").string());
  const SearchPath path = SearchPath::standard(std::vector<std::string>{(folder / "one").string()});
  const fs::path program = fs::read_symlink("/proc/self/exe");
  CHECK(directories(path) ==
        std::vector<std::string>{(folder / "one").string(), (folder / "two").string(),
                                 (folder / "three").string(),
                                 (program.parent_path().parent_path() / "lib/aprx/plugins").string(),
                                 (folder / "data" / "aprx/plugins").string(), "/usr/local/lib/aprx/plugins",
                                 "/usr/lib/aprx/plugins"});
  CHECK(path.places()[0].source == "--plugin-dir");
  CHECK(path.places()[0].unusable.empty());
  CHECK(path.places()[1].source == "APRX_PLUGIN_PATH");
  CHECK(path.places()[4].unusable == "no such directory");
}

TEST_CASE("the working directory is searched only when it is asked for", "[plugin]") {
  TempDir folder;
  const fs::path before = fs::current_path();
  fs::current_path(folder.path());
  const Variable variable("APRX_PLUGIN_PATH", ".:relative");
  const Variable data("XDG_DATA_HOME", "also/relative");
  const SearchPath path = SearchPath::standard({});
  for (const SearchPlace& place : path.places()) {
    if (place.directory.is_absolute()) continue;
    CHECK(place.source == "APRX_PLUGIN_PATH");
    CHECK(place.unusable == "not an absolute path");
  }
  for (const std::string& directory : directories(path)) {
    CHECK(directory.find(folder.path().string()) == std::string::npos);
    CHECK(directory.find("also") == std::string::npos);
  }
  const SearchPath asked = SearchPath::standard(std::vector<std::string>{"."});
  CHECK(asked.places()[0].directory == fs::canonical(folder.path()));
  CHECK(asked.places()[0].unusable.empty());
  fs::current_path(before);
}

TEST_CASE("a directory counts once, however it is named", "[plugin]") {
  TempDir folder;
  fs::create_directory(folder / "real");
  fs::create_directory_symlink("real", folder / "link");
  const SearchPath path =
      SearchPath::only(std::vector<fs::path>{folder / "link", folder / "real", folder / "real" / "."});
  REQUIRE(path.places().size() == 1);
  CHECK(path.places()[0].directory == fs::canonical(folder / "real"));
}

TEST_CASE("places that can't be searched say why", "[plugin]") {
  TempDir folder;
  std::ofstream(folder / "file");
  const SearchPath path = SearchPath::only(std::vector<fs::path>{folder / "gone", folder / "file"});
  CHECK(path.text() == (folder / "gone").string() + " (no such directory), " + (folder / "file").string() +
                           " (not a directory)");
}

}  // namespace
}  // namespace aprx::test
