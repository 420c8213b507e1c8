// Words of a text in any language.
#pragma once

#include <string_view>

namespace sdfgopt::support {

/// Calls `visit` for every maximal run of letters, digits and underscores that does not begin with
/// a digit: all identifiers, and also words in comments and string literals. For code that is not
/// parsed.
template <typename Visit> void for_each_word(std::string_view text, Visit visit) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  const auto in_word = [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || is_digit(c) ||
           static_cast<unsigned char>(c) >= 0x80;
  };
  for (std::size_t i = 0; i < text.size();) {
    if (!in_word(text[i])) {
      ++i;
      continue;
    }
    const std::size_t begin = i;
    while (i < text.size() && in_word(text[i]))
      ++i;
    if (!is_digit(text[begin]))
      visit(text.substr(begin, i - begin));
  }
}

} // namespace sdfgopt::support
