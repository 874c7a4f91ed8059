// Good plugins work whatever stands beside them; bad ones are refused in words that help.
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <filesystem>
#include <fstream>

#include "tests/support/plugin_host.h"
#include "tests/support/privilege.h"
#include "tests/support/temp_dir.h"

namespace aprx::test {
namespace {

namespace fs = std::filesystem;

fs::path bad_plugin(const std::string& name) {
  return fs::path(APRX_BINARY_DIR) / "tests" / "bad_plugins" / name;
}

bool has(const std::string& text, const std::string& part) {
  INFO(text);
  return text.find(part) != std::string::npos;
}

PluginCandidate candidate(const std::vector<PluginCandidate>& all, const std::string& name) {
  for (const PluginCandidate& one : all) {
    if (one.name == name) return one;
  }
  FAIL("no candidate named " + name);
  return {};
}

struct Refused {
  const char* folder;
  const char* reason;
};

TEST_CASE("each bad plugin is refused by name, and the good one works", "[plugin]") {
  const Refused refused = GENERATE(values<Refused>({
      {"other_major", "it was built for plugin contract 9.1, expected 0.1, this program's"},
      {"other_minor", "it was built for plugin contract 0.77, expected 0.1, this program's"},
      {"wrong_kind", "its kind is format, expected backend, as the file's name says"},
      {"unknown_kind", "its kind is unknown (99)"},
      {"other_name", "its name is sheep, expected bad, as the file's name says"},
      {"no_name", "it has no name"},
      {"no_interface", "open gave no table of functions"},
      {"null_function", "the function segment_compile is missing"},
      {"short_table", "the function weight_release is missing"},
      {"short_plugin", "the function close is missing"},
      {"tiny_plugin", "it was built for plugin contract 0.0"},
      {"throws", "the plugin let an exception out: thrown in open"},
      {"wrapped_throw", "thrown by the constructor"},
      {"fails", "can't be opened: the moon is in the wrong phase"},
      {"no_symbol", "exports no symbol aprx_plugin_v1"},
      {"missing_dependency", "libaprx_absent_dependency.so: cannot open shared object file"},
  }));
  INFO(refused.folder);
  PluginHost host({bad_plugin(refused.folder), bad_plugin("good")});
  const auto backend = host.registry().backend("bad");
  REQUIRE_FALSE(backend);
  CHECK(backend.error().code == ErrorCode::kCapability);
  CHECK(backend.error().subject == "backend bad");
  CHECK(has(backend.error().found, refused.reason));
  CHECK(has(backend.error().found, "aprx_backend_bad.so"));
  CHECK(backend.error().expected == "one of good");
  CHECK(has(backend.error().hint, bad_plugin("good").string()));
  CHECK(host.registry().backend("good"));

  const auto all = host.registry().candidates();
  CHECK_FALSE(candidate(all, "bad").is_usable);
  CHECK(has(candidate(all, "bad").why_not, refused.reason));
  CHECK(candidate(all, "good").is_usable);
  CHECK(candidate(all, "good").why_not.empty());
  CHECK(candidate(all, "good").version == "1.2.3");
}

TEST_CASE("a plugin without an open function is refused", "[plugin]") {
  TempDir folder;
  fs::copy_file(bad_plugin("no_open") / "aprx_backend_bad.so", folder / "aprx_backend_good.so");
  PluginHost host({folder.path()});
  const auto backend = host.registry().backend("good");
  REQUIRE_FALSE(backend);
  CHECK(has(backend.error().found, "the function open is missing"));
}

TEST_CASE("tables that are longer than ours are used as far as we know them", "[plugin]") {
  PluginHost host({bad_plugin("longer_structs")});
  auto backend = host.registry().backend("good");
  REQUIRE(backend);
  CHECK((*backend)->devices().empty());
  CHECK((*backend)->targets().empty());
  CHECK((*backend)->availability().reason == APRX_DEVICE_ABSENT);
  CHECK(std::string((*backend)->availability().detail) == "there is nothing to run on");
}

TEST_CASE("files that are no libraries are refused in the loader's words", "[plugin]") {
  TempDir folder;
  std::ofstream(folder / "aprx_backend_text.so") << std::string(4096, 'x');
  std::ofstream(folder / "aprx_backend_empty.so");
  fs::create_directory(folder / "aprx_backend_folder.so");
  fs::create_symlink("nowhere", folder / "aprx_backend_link.so");
  PluginHost host({folder.path(), bad_plugin("good")});
  const auto all = host.registry().candidates();
  CHECK(has(candidate(all, "text").why_not, "aprx_backend_text.so: invalid ELF header"));
  CHECK(has(candidate(all, "empty").why_not, "aprx_backend_empty.so: file too short"));
  CHECK(has(candidate(all, "folder").why_not, "cannot read file data: Is a directory"));
  CHECK(has(candidate(all, "link").why_not, "No such file or directory"));
  CHECK(host.registry().backend("good"));
}

TEST_CASE("a file without read permission is refused in the loader's words", "[plugin]") {
  TempDir folder;
  fs::copy_file(bad_plugin("good") / "aprx_backend_good.so", folder / "aprx_backend_good.so");
  fs::permissions(folder / "aprx_backend_good.so", fs::perms::none);
  PluginHost host({folder.path()});
  const OrdinaryUser user;
  if (!user.is_ordinary()) SKIP("root can't become an ordinary user here");
  CHECK(has(candidate(host.registry().candidates(), "good").why_not, "Permission denied"));
}

TEST_CASE("of two plugins with one name the first counts and the other is listed", "[plugin]") {
  PluginHost host({bad_plugin("longer_structs"), bad_plugin("good")});
  const auto all = host.registry().candidates();
  REQUIRE(all.size() == 2);
  CHECK(all[0].is_usable);
  CHECK_FALSE(all[1].is_usable);
  CHECK(all[1].why_not == "shadowed by " + (bad_plugin("longer_structs") / "aprx_backend_good.so").string());
  CHECK(host.registry().backend_names() == std::vector<std::string>{"good"});
}

TEST_CASE("a broken file does not hide a good one of its name", "[plugin]") {
  TempDir folder;
  std::ofstream(folder / "aprx_backend_good.so") << "hello\n";
  PluginHost host({folder.path(), bad_plugin("good")});
  auto backend = host.registry().backend("good");
  REQUIRE(backend);
  CHECK((*backend)->path() == (bad_plugin("good") / "aprx_backend_good.so").string());
  const auto all = host.registry().candidates();
  CHECK_FALSE(all[0].is_usable);
  CHECK(all[1].is_usable);
}

TEST_CASE("asking for one backend opens no other", "[plugin]") {
  PluginHost host({bad_plugin("good"), bad_plugin("throws")});
  REQUIRE(host.registry().backend("good"));
  std::ifstream maps("/proc/self/maps");
  const std::string mapped{std::istreambuf_iterator<char>(maps), {}};
  CHECK(has(mapped, "aprx_backend_good.so"));
  CHECK_FALSE(has(mapped, "aprx_backend_bad.so"));
}

TEST_CASE("with no plugin at all, one error names every place", "[plugin]") {
  TempDir folder;
  std::ofstream(folder / "model.gguf") << "GGUF";
  PluginHost host({folder.path(), folder / "missing"});
  const auto backend = host.registry().backend("cpu");
  REQUIRE_FALSE(backend);
  CHECK(backend.error().found == "no plugin of this name was found");
  CHECK(backend.error().expected.empty());
  CHECK(backend.error().hint ==
        "searched " + folder.path().string() + ", " + (folder / "missing").string() + " (no such directory)");
  const auto model = host.registry().open_model(folder / "model.gguf");
  REQUIRE_FALSE(model);
  CHECK(model.error().code == ErrorCode::kPlugin);
  CHECK(has(model.error().found, "no usable format plugin"));
  CHECK(has(model.error().hint, "missing (no such directory)"));
}

TEST_CASE("what a format plugin says is checked", "[plugin]") {
  TempDir folder;
  PluginHost host({bad_plugin("bad_format")});
  const auto refusal = [&](const std::string& content) {
    std::ofstream(folder / "m.bad") << content << "four";
    auto model = host.registry().open_model(folder / "m.bad");
    return model ? std::string("opened") : model.error().text();
  };
  CHECK(refusal("g") == "opened");
  CHECK(has(refusal("r"), "a rank or file number that can't be"));
  CHECK(has(refusal("f"), "a rank or file number that can't be"));
  CHECK(has(refusal("o"), "data outside the file"));
  CHECK(has(refusal("d"), "dtype 4000, which can't be"));
  CHECK(has(refusal("n"), "opened nothing"));
  CHECK(has(refusal("t"), "thrown while opening"));
  std::ofstream(folder / "m.throws") << "x";
  CHECK(has(host.registry().open_model(folder / "m.throws").error().text(), "whose magic is 78"));
}

TEST_CASE("plugins can be opened and closed many times", "[plugin]") {
  for (int i = 0; i < 100; ++i) {
    PluginHost host({bad_plugin("good"), plugin_dir()});
    REQUIRE(host.registry().backend("good"));
  }
}

}  // namespace
}  // namespace aprx::test
