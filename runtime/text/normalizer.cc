#include "runtime/text/normalizer.h"

#include <unicode/bytestream.h>
#include <unicode/normalizer2.h>
#include <unicode/stringpiece.h>

namespace aprx {

namespace {

Error icu_error(UErrorCode status) {
  return Error{.code = ErrorCode::kInternal,
               .file = {},
               .subject = "normalization",
               .found = u_errorName(status),
               .expected = {},
               .hint = "the ICU library of this machine is incomplete"};
}

}  // namespace

Result<std::string> to_nfc(std::string_view text) {
  UErrorCode status = U_ZERO_ERROR;
  const icu::Normalizer2* nfc = icu::Normalizer2::getNFCInstance(status);
  if (U_FAILURE(status)) return icu_error(status);
  const icu::StringPiece piece(text.data(), static_cast<int32_t>(text.size()));
  if (nfc->isNormalizedUTF8(piece, status) && U_SUCCESS(status)) return std::string(text);
  std::string out;
  out.reserve(text.size());
  icu::StringByteSink<std::string> sink(&out);
  nfc->normalizeUTF8(0, piece, sink, nullptr, status);
  if (U_FAILURE(status)) return icu_error(status);
  return out;
}

}  // namespace aprx
