#include "interp/code_number.h"

#include "interp/code_error.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <string>

namespace sdfgopt::interp {

namespace {

using support::result;

struct Suffix {
  bool is_unsigned = false;
  bool is_long = false;
  bool is_float = false;
};

std::string lower(std::string_view text) {
  std::string out(text);
  for (char &c : out)
    if (c >= 'A' && c <= 'Z')
      c = static_cast<char>(c - 'A' + 'a');
  return out;
}

/// Takes the base's prefix off. A leading 0 alone means octal in C++ only.
int take_base(std::string_view &digits, CodeLanguage language) {
  if (digits.size() < 2 || digits[0] != '0')
    return 10;
  const char letter = digits[1];
  if (letter == 'x' || letter == 'b' || (letter == 'o' && language == CodeLanguage::Python)) {
    digits.remove_prefix(2);
    return letter == 'x' ? 16 : letter == 'b' ? 2 : 8;
  }
  if (language == CodeLanguage::Cpp) {
    digits.remove_prefix(1);
    return 8;
  }
  return 10;
}

/// Cuts a C++ suffix off the end; `real` tells which letters can be one.
Suffix take_suffix(std::string_view &digits, bool real) {
  Suffix suffix;
  while (!digits.empty()) {
    const char c = digits.back();
    if (real && c == 'f')
      suffix.is_float = true;
    else if (!real && c == 'u')
      suffix.is_unsigned = true;
    else if (!real && (c == 'l' || c == 'z'))
      suffix.is_long = true;
    else
      break;
    digits.remove_suffix(1);
  }
  return suffix;
}

ScalarType cpp_integer_type(std::uint64_t value, Suffix suffix, int base) {
  const bool fits_int = value <= std::numeric_limits<std::int32_t>::max();
  const bool fits_unsigned = value <= std::numeric_limits<std::uint32_t>::max();
  const bool fits_long = value <= std::uint64_t{std::numeric_limits<std::int64_t>::max()};
  if (!suffix.is_long && fits_int)
    return suffix.is_unsigned ? ScalarType::UInt32 : ScalarType::Int32;
  // Decimal literals without `u` never become unsigned.
  if (!suffix.is_long && fits_unsigned && (suffix.is_unsigned || base != 10))
    return ScalarType::UInt32;
  return fits_long && !suffix.is_unsigned ? ScalarType::Int64 : ScalarType::UInt64;
}

// Python reads a value too large as infinity and one too small as 0, and so does a C++ compiler.
double out_of_range(std::string_view digits) {
  const std::size_t exponent = digits.find('e');
  const bool small = exponent == std::string_view::npos
                         ? digits.starts_with("0.") || digits.starts_with('.')
                         : exponent + 1 < digits.size() && digits[exponent + 1] == '-';
  return small ? 0.0 : std::numeric_limits<double>::infinity();
}

result<NumberLiteral> read_real(std::string_view digits, Suffix suffix, ast::Position position) {
  double value = 0;
  const char *const end = digits.data() + digits.size();
  const auto [stop, status] = std::from_chars(digits.data(), end, value);
  if (stop != end || status == std::errc::invalid_argument)
    return syntax_error("'" + std::string(digits) + "' is not a number", position);
  if (status == std::errc::result_out_of_range)
    value = out_of_range(digits);
  NumberLiteral literal;
  if (suffix.is_float) {
    // Rounded from the decimal text: rounding the double would round twice.
    float narrow = 0;
    if (std::from_chars(digits.data(), end, narrow).ec == std::errc::result_out_of_range)
      narrow = static_cast<float>(value);
    literal.real = ast::RealLiteral{narrow, ScalarType::Float32};
  } else {
    literal.real = ast::RealLiteral{value, ScalarType::Float64};
  }
  return literal;
}

} // namespace

result<NumberLiteral> read_number(std::string_view text, CodeLanguage language,
                                  ast::Position position) {
  const bool python = language == CodeLanguage::Python;
  std::string plain = lower(text);
  std::erase(plain, python ? '_' : '\'');
  std::string_view digits = plain;
  const bool prefixed = plain.starts_with("0x") || plain.starts_with("0b");
  if (python && plain.ends_with('j') && !prefixed)
    return cannot_run("complex numbers are not supported", position);
  const bool real = !prefixed && plain.find_first_of(python ? ".e" : ".ef") != std::string::npos;
  Suffix suffix;
  if (!python)
    suffix = take_suffix(digits, real);
  if (real)
    return read_real(digits, suffix, position);

  const int base = take_base(digits, language);
  std::uint64_t value = 0;
  const char *const end = digits.data() + digits.size();
  const auto [stop, status] = std::from_chars(digits.data(), end, value, base);
  if (stop != end || status == std::errc::invalid_argument)
    return syntax_error("'" + std::string(text) + "' is not a number", position);
  if (status == std::errc::result_out_of_range)
    return cannot_run("'" + std::string(text) + "' needs more than 64 bits", position);
  NumberLiteral literal;
  literal.integer.magnitude = value;
  if (!python)
    literal.integer.type = cpp_integer_type(value, suffix, base);
  return literal;
}

} // namespace sdfgopt::interp
