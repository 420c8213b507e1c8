#include "symbolic/numeral.h"

#include "symbolic/scan.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string>

namespace sdfgopt::symbolic {

namespace {

constexpr std::array<std::string_view, 15> suffixes = {"i8",  "i16", "i32",    "i64",  "u8",
                                                       "u16", "u32", "u64",    "f16",  "bf16",
                                                       "f32", "f64", "e4m3fn", "e5m2", "j"};

int digit_value(char c) {
  if (is_digit(c))
    return c - '0';
  if (c >= 'a' && c <= 'f')
    return c - 'a' + 10;
  if (c >= 'A' && c <= 'F')
    return c - 'A' + 10;
  return 16;
}

/// End of a run of digits that starts at `pos`; single underscores may stand between digits.
std::size_t digits_end(std::string_view text, std::size_t pos, int base) {
  const auto digit_at = [&](std::size_t i) {
    return i < text.size() && digit_value(text[i]) < base;
  };
  std::size_t end = pos;
  while (digit_at(end) || (end > pos && text.substr(end).starts_with('_') && digit_at(end + 1)))
    ++end;
  return end;
}

std::string without_underscores(std::string_view text) {
  std::string result(text);
  std::erase(result, '_');
  return result;
}

/// Digits without leading zeros as an Integer, or as a Literal behind `prefix`.
Expr integer_value(Context &context, std::string_view prefix, std::string_view digits, int base) {
  std::string text = without_underscores(digits);
  text.erase(0, std::min(text.find_first_not_of('0'), text.size() - 1));
  std::int64_t value = 0;
  const char *end = text.data() + text.size();
  if (auto [stop, error] = std::from_chars(text.data(), end, value, base);
      error == std::errc() && stop == end)
    return context.integer(value);
  std::ranges::transform(text, text.begin(), [](char c) {
    return c >= 'A' && c <= 'F' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return context.literal(std::string(prefix) + text);
}

Numeral read_prefixed(Context &context, std::string_view text) {
  struct Base {
    std::string_view lower, upper;
    int base;
  };
  for (const Base &b : {Base{"0x", "0X", 16}, Base{"0o", "0O", 8}, Base{"0b", "0B", 2}}) {
    if (!text.starts_with(b.lower) && !text.starts_with(b.upper))
      continue;
    const std::size_t end = digits_end(text, 2, b.base);
    if (end == 2 || !identifier_at(text, end).empty())
      return {};
    return {end, integer_value(context, b.lower, text.substr(2, end - 2), b.base)};
  }
  return {};
}

bool is_suffix(std::string_view word) {
  return std::find(suffixes.begin(), suffixes.end(), word) != suffixes.end();
}

} // namespace

Numeral read_numeral(Context &context, std::string_view text) {
  if (text.size() > 1 && text[0] == '0' && starts_identifier(text[1]))
    if (Numeral prefixed = read_prefixed(context, text); prefixed.size > 0)
      return prefixed;
  std::size_t end = digits_end(text, 0, 10);
  const std::string_view whole = text.substr(0, end);
  bool is_float = false;
  if (end < text.size() && text[end] == '.') {
    is_float = true;
    end = digits_end(text, end + 1, 10);
  }
  std::string_view suffix = identifier_at(text, end);
  if ((suffix.starts_with('e') || suffix.starts_with('E')) && !is_suffix(suffix)) {
    const bool has_sign = end + 1 < text.size() && (text[end + 1] == '+' || text[end + 1] == '-');
    const std::size_t exponent = end + (has_sign ? 2 : 1);
    const std::size_t exponent_end = digits_end(text, exponent, 10);
    if (exponent_end == exponent)
      return {};
    is_float = true;
    end = exponent_end;
    suffix = identifier_at(text, end);
  }
  if (!suffix.empty() && !is_suffix(suffix))
    return {};
  end += suffix.size();
  if (is_float || !suffix.empty())
    return {end, context.literal(without_underscores(text.substr(0, end)))};
  const bool is_zero = whole.find_first_not_of("0_") == std::string_view::npos;
  if (whole.size() > 1 && whole[0] == '0' && !is_zero) // Python refuses it: octal or decimal?
    return {};
  return {end, integer_value(context, "", whole, 10)};
}

} // namespace sdfgopt::symbolic
