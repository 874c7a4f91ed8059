#include "runtime/check/sha256.h"

#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <vector>

namespace aprx {

namespace {

constexpr size_t kPieceBytes = size_t{4} << 20U;
constexpr size_t kDigestBytes = 32;
constexpr std::string_view kDigits = "0123456789abcdef";

using Hash = std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)>;

Error library_error() {
  return {.code = ErrorCode::kInternal,
          .found = "the OpenSSL library has no SHA-256",
          .hint = "its configuration on this machine may forbid it; see `openssl list -digest-algorithms`"};
}

std::string hex_of(const std::array<unsigned char, kDigestBytes>& digest) {
  std::string out;
  for (const unsigned char byte : digest) {
    out += kDigits[byte >> 4U];
    out += kDigits[byte & 0xFU];
  }
  return out;
}

}  // namespace

Result<std::optional<std::string>> sha256_of(const FileMap& file, const OnHashed& on_hashed) {
  const Hash hash(EVP_MD_CTX_new(), EVP_MD_CTX_free);
  if (!hash || EVP_DigestInit_ex(hash.get(), EVP_sha256(), nullptr) != 1) return library_error();
  std::vector<std::byte> piece(std::min<uint64_t>(kPieceBytes, file.size()));
  for (uint64_t at = 0; at < file.size(); at += piece.size()) {
    piece.resize(std::min<uint64_t>(piece.size(), file.size() - at));
    if (auto ok = file.read(at, piece); !ok) return ok.error();
    if (EVP_DigestUpdate(hash.get(), piece.data(), piece.size()) != 1) return library_error();
    if (!on_hashed(piece.size())) return std::optional<std::string>();
  }
  std::array<unsigned char, kDigestBytes> digest{};
  if (EVP_DigestFinal_ex(hash.get(), digest.data(), nullptr) != 1) return library_error();
  return std::optional(hex_of(digest));
}

std::optional<std::string> sha256_digits(std::string_view text) {
  if (text.size() != 2 * kDigestBytes) return std::nullopt;
  std::string out;
  for (const char c : text) {
    const char lower = c >= 'A' && c <= 'F' ? static_cast<char>(c - 'A' + 'a') : c;
    if (kDigits.find(lower) == std::string_view::npos) return std::nullopt;
    out += lower;
  }
  return out;
}

}  // namespace aprx
