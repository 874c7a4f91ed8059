#include "runtime/template/format.h"

#include <algorithm>

#include "runtime/template/compare.h"
#include "runtime/template/field_spec.h"
#include "runtime/template/print.h"
#include "runtime/template/text.h"

namespace aprx::jinja {

namespace {

class PercentFormatter {
 public:
  PercentFormatter(Meter& meter, const Text& format, const Value& values)
      : meter_(meter), format_(format.bytes), values_(values) {
    const Sequence* sequence = values.sequence();
    is_tuple_ = sequence != nullptr && sequence->kind == SequenceKind::kTuple;
  }
  std::string run();

 private:
  void convert();
  Value next_value();
  Value named_value();
  std::string converted(const Value& value, FieldSpec spec);

  Meter& meter_;
  std::string_view format_;
  const Value& values_;
  bool is_tuple_ = false;
  bool is_named_ = false;
  size_t at_ = 0;
  size_t used_ = 0;
  std::string out_;
};

std::string PercentFormatter::run() {
  while (at_ < format_.size() && meter_.step() && meter_.fits(out_.size())) {
    const size_t percent = std::min(format_.find('%', at_), format_.size());
    out_ += format_.substr(at_, percent - at_);
    at_ = percent + 1;
    if (percent < format_.size()) convert();
  }
  const bool takes_rest = is_named_ || values_.mapping() != nullptr ||
                          (values_.sequence() != nullptr && !is_tuple_ && used_ == 0);
  const size_t available = is_tuple_ ? values_.sequence()->items.size() : 1;
  if (!takes_rest && used_ < available) meter_.fail("not all arguments converted during string formatting");
  return std::move(out_);
}

Value PercentFormatter::next_value() {
  const size_t index = used_++;
  if (is_tuple_ && index < values_.sequence()->items.size()) return values_.sequence()->items[index];
  if (!is_tuple_ && index == 0) return values_;
  meter_.fail("not enough arguments for format string");
  return {};
}

Value PercentFormatter::named_value() {
  const size_t end = format_.find(')', at_);
  const Mapping* mapping = values_.mapping();
  if (end == std::string_view::npos || mapping == nullptr) {
    meter_.fail(mapping == nullptr ? "format requires a mapping" : "incomplete format key");
    at_ = format_.size();
    return {};
  }
  const std::string_view key = format_.substr(at_, end - at_);
  at_ = end + 1;
  is_named_ = true;
  const Value* found = find_entry(meter_, *mapping, key);
  if (found == nullptr) meter_.fail("the format names the key '" + std::string(key) + "', which is absent");
  return found != nullptr ? *found : Value();
}

void PercentFormatter::convert() {
  Value value;
  const bool has_key = at_ < format_.size() && format_[at_] == '(';
  if (has_key) {
    ++at_;
    value = named_value();
  }
  FieldSpec spec;
  for (; at_ < format_.size() && is_one_of(format_[at_], "-+ #0"); ++at_) {
    const char flag = format_[at_];
    if (flag == '-') spec.alignment = '<';
    if (flag == '0' && spec.alignment == 0) spec.alignment = '=';
    if (flag == '#') spec.is_alternate = true;
    if (flag == '+' || (flag == ' ' && spec.sign != '+')) spec.sign = flag;
  }
  spec.width = read_number(meter_, format_, at_, kMaxFieldWidth);
  read_precision(meter_, format_, at_, spec);
  if (at_ >= format_.size()) return meter_.fail("incomplete format");
  spec.type = format_[at_++];
  if (spec.type == '%') {
    out_ += '%';
    return;
  }
  if (!has_key) value = next_value();
  if (meter_.ok()) out_ += converted(value, std::move(spec));
}

std::string PercentFormatter::converted(const Value& value, FieldSpec spec) {
  if (value.is_undefined() && spec.type != 's' && spec.type != 'r') meter_.fail(value.why());
  const bool pads_zeros = spec.alignment == '=';
  if (spec.alignment == 0 || pads_zeros) spec.alignment = '>';
  if (spec.type == 's') return text_text(str_of(meter_, value), spec);
  if (spec.type == 'r') return text_text(repr_of(meter_, value), spec);
  if (spec.type == 'c' && value.text() != nullptr) return text_text(value.text()->bytes, spec);
  if (pads_zeros) {
    spec.alignment = '=';
    spec.fill = "0";
  }
  if (is_one_of(spec.type, "diuxXo") && value.is_number() &&
      (value.integer() || is_one_of(spec.type, "diu"))) {
    const double whole = value.number();
    if (!value.integer() && !(whole > -9e18 && whole < 9e18))
      meter_.fail("an integer does not fit in 64 bits");
    return meter_.ok() ? integer_text(value.integer() ? *value.integer() : static_cast<int64_t>(whole), spec)
                       : "";
  }
  if (is_one_of(spec.type, "eEfFgG") && value.is_number()) return float_text(value.number(), spec);
  meter_.fail(std::string("%") + spec.type + " can't format " + type_name(value));
  return {};
}

}  // namespace

Value format_percent(Meter& meter, const Text& format, const Value& values) {
  PercentFormatter formatter(meter, format, values);
  return make_text(meter, formatter.run(), format.is_markup);
}

}  // namespace aprx::jinja
