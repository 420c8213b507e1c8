// Character classes and string literals, shared by the parser and the identifier scan. Internal to
// symbolic/.
#pragma once

#include <cstddef>
#include <string_view>

namespace sdfgopt::symbolic {

inline bool is_digit(char c) { return c >= '0' && c <= '9'; }
inline bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f';
}
/// Bytes above 0x7f count: Python identifiers need not be ASCII.
inline bool starts_identifier(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}
inline bool in_identifier(char c) { return starts_identifier(c) || is_digit(c); }

/// The identifier that starts at `pos`; empty if none does.
inline std::string_view identifier_at(std::string_view text, std::size_t pos) {
  if (pos >= text.size() || !starts_identifier(text[pos]))
    return {};
  std::size_t end = pos + 1;
  while (end < text.size() && in_identifier(text[end]))
    ++end;
  return text.substr(pos, end - pos);
}

/// The string literal, quotes included, whose opening quote is at `pos`; empty if it is not closed.
std::string_view string_literal_at(std::string_view text, std::size_t pos);

} // namespace sdfgopt::symbolic
