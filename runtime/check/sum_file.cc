#include "runtime/check/sum_file.h"

#include <algorithm>
#include <filesystem>
#include <span>
#include <system_error>

#include "core/base/file_map.h"
#include "runtime/check/sha256.h"

namespace aprx {

namespace fs = std::filesystem;

namespace {

constexpr uint64_t kMostListBytes = uint64_t{16} << 20U;
constexpr size_t kDigits = 64;
constexpr const char* kLineForm = "lines of 64 hexadecimal digits, two spaces and a file name";

struct Line {
  std::string digits;
  std::string_view name;  // the last part of the path; empty for a line of digits alone
};

std::optional<Line> parse_line(std::string_view text) {
  auto digits = sha256_digits(text.substr(0, kDigits));
  if (!digits) return std::nullopt;
  std::string_view name = text.substr(kDigits);
  if (name.empty()) return Line{*std::move(digits), {}};
  if (name.size() < 3 || name[0] != ' ' || (name[1] != ' ' && name[1] != '*')) return std::nullopt;
  name.remove_prefix(2);
  return Line{*std::move(digits), name.substr(name.find_last_of('/') + 1)};
}

Result<std::string> read_list(const std::string& path) {
  auto file = FileMap::open(path);
  if (!file) return file.error();
  if ((*file)->size() > kMostListBytes) {
    return Error{.code = ErrorCode::kBadFile,
                 .file = path,
                 .found = "has " + std::to_string((*file)->size()) + " bytes",
                 .expected = "a list of sums of at most 16 MiB"};
  }
  std::string text((*file)->size(), '\0');
  auto ok = (*file)->read(0, std::as_writable_bytes(std::span(text)));
  if (!ok) return ok.error();
  return text;
}

Result<std::optional<WrittenSum>> sum_from(const std::string& list, const std::string& name) {
  auto text = read_list(list);
  if (!text) return text.error();
  auto digits = sum_in(*text, name);
  if (!digits) {
    digits.error().file = list;
    return digits.error();
  }
  if (!*digits) return std::optional<WrittenSum>();
  return std::optional(WrittenSum{**digits, list});
}

}  // namespace

Result<std::optional<std::string>> sum_in(std::string_view list, std::string_view name) {
  std::optional<std::string> found;
  size_t number = 0;
  while (!list.empty()) {
    const size_t end = std::min(list.find('\n'), list.size());
    std::string_view text = list.substr(0, end);
    list.remove_prefix(std::min(end + 1, list.size()));
    ++number;
    if (text.ends_with('\r')) text.remove_suffix(1);
    if (text.empty()) continue;
    auto line = parse_line(text);
    if (!line) {
      return Error{.code = ErrorCode::kBadFile,
                   .subject = "line " + std::to_string(number),
                   .found = "is no SHA-256 sum",
                   .expected = kLineForm};
    }
    if (!found && (line->name.empty() || line->name == name)) found = std::move(line->digits);
  }
  return found;
}

Result<std::optional<WrittenSum>> written_sum(const std::string& path) {
  const std::string name = fs::path(path).filename().string();
  const std::string beside = path + ".sha256";
  std::error_code ignored;
  if (fs::exists(beside, ignored)) {
    auto sum = sum_from(beside, name);
    if (sum && !*sum) {
      return Error{.code = ErrorCode::kBadFile, .file = beside, .found = "has no line for " + name};
    }
    return sum;
  }
  const std::string list = (fs::path(path).parent_path() / "SHA256SUMS").string();
  if (!fs::exists(list, ignored)) return std::optional<WrittenSum>();
  return sum_from(list, name);
}

}  // namespace aprx
