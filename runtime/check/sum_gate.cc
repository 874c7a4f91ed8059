#include "runtime/check/sum_gate.h"

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <vector>

#include "core/base/file_map.h"
#include "runtime/check/sha256.h"
#include "runtime/check/sum_file.h"

namespace aprx {

namespace {

// A file and what it should hash to.
struct Summed {
  std::unique_ptr<FileMap> file;
  WrittenSum sum;
};

class SumCheck {
 public:
  SumCheck(const CheckContext& context, const std::string& given) : context_(context), given_(given) {}

  Gate run(std::span<const std::string> paths) {
    for (const std::string& path : paths) find(path);
    if (files_.empty() && problem_.empty()) {
      Gate gate = not_measured(kSumGate, "no sum given");
      gate.is_asked_for = false;
      return gate;
    }
    for (const Summed& summed : files_) total_ += summed.file->size();
    for (const Summed& summed : files_) {
      if (!compare(summed)) break;
    }
    return result(paths.size());
  }

 private:
  void find(const std::string& path) {
    auto sum = given_.empty() ? written_sum(path) : std::optional(WrittenSum{given_, "--sha256"});
    if (!sum) return keep_problem(sum.error());
    if (!*sum) {
      ++without_sum_;
      return;
    }
    auto file = FileMap::open(path);
    if (!file) return keep_problem(file.error());
    files_.push_back({std::move(*file), std::move(**sum)});
  }

  void keep_problem(Error error) {
    error.hint.clear();
    if (problem_.empty()) problem_ = error.text();
  }

  // False where there is no point in going on.
  bool compare(const Summed& summed) {
    auto digits = sha256_of(*summed.file, [&](uint64_t bytes) {
      done_ += bytes;
      context_.tell("hashing", done_, total_);
      return !context_.cancelled;
    });
    if (!digits || !*digits) {
      keep_problem(digits ? Error{.code = ErrorCode::kInterrupted, .found = kInterruptedReason}
                          : digits.error());
      return false;
    }
    if (**digits == summed.sum.digits) return true;
    findings_.push_back({.code = ErrorCode::kBadFile,
                         .file = summed.file->path(),
                         .subject = "SHA-256",
                         .found = **digits,
                         .expected = summed.sum.digits + ", by " + summed.sum.path,
                         .hint = "get the file again; or the sum is that of another version"});
    return true;
  }

  [[nodiscard]] Gate result(size_t count) {
    if (!findings_.empty()) return broken(kSumGate, std::move(findings_));
    if (!problem_.empty()) return not_measured(kSumGate, problem_);
    if (without_sum_ > 0) {
      return not_measured(kSumGate, fmt::format("no sum for {} of {} files", without_sum_, count));
    }
    const std::string& by = files_.front().sum.path;
    return held(kSumGate, count == 1 ? "as " + by + " says" : fmt::format("{} files, as {} says", count, by));
  }

  const CheckContext& context_;
  const std::string& given_;
  std::vector<Summed> files_;
  std::vector<Error> findings_;
  std::string problem_;
  size_t without_sum_ = 0;
  uint64_t done_ = 0;
  uint64_t total_ = 0;
};

}  // namespace

Gate check_sums(std::span<const std::string> paths, const std::string& given, const CheckContext& context) {
  return SumCheck(context, given).run(paths);
}

}  // namespace aprx
