#include "symbolic/scan.h"

#include "symbolic/context.h"

#include <algorithm>
#include <array>

namespace sdfgopt::symbolic {

namespace {

bool is_keyword(std::string_view word) {
  static constexpr std::array<std::string_view, 11> keywords = {
      "and", "or", "not", "if", "else", "is", "in", "True", "False", "None", "lambda"};
  return std::find(keywords.begin(), keywords.end(), word) != keywords.end();
}

/// A prefix of a Python string literal: r, b, f, u in any case, alone or in pairs.
bool is_string_prefix(std::string_view word) {
  return word.size() <= 2 && word.find_first_not_of("rbfuRBFU") == std::string_view::npos;
}

/// End of the number that starts at `pos`: digits, suffixes, and the ' between digits in C++.
std::size_t number_end(std::string_view text, std::size_t pos) {
  while (pos < text.size()) {
    const bool separator =
        text[pos] == '\'' && pos + 1 < text.size() && in_identifier(text[pos + 1]);
    if (!in_identifier(text[pos]) && text[pos] != '.' && !separator)
      break;
    ++pos;
  }
  return pos;
}

} // namespace

std::string_view string_literal_at(std::string_view text, std::size_t pos) {
  const char quote = text[pos];
  const bool triple = text.substr(pos).starts_with(std::string(3, quote));
  const std::size_t width = triple ? 3 : 1;
  for (std::size_t i = pos + width; i < text.size(); ++i) {
    if (text[i] == '\\')
      ++i;
    else if (text[i] == '\n' && !triple)
      return {};
    else if (text[i] == quote && (!triple || text.substr(i).starts_with(std::string(3, quote))))
      return text.substr(pos, i + width - pos);
  }
  return {};
}

void for_each_identifier(std::string_view text,
                         const std::function<void(std::string_view)> &visit) {
  std::size_t plain_end = 0; // up to here quotes are taken as plain characters
  // The size of the literal at `pos` that may be skipped, behind a prefix; 0 if there is none.
  const auto skippable = [&](std::size_t pos, std::string_view prefix) -> std::size_t {
    if (pos >= text.size() || pos < plain_end || (text[pos] != '"' && text[pos] != '\''))
      return 0;
    const std::size_t size = string_literal_at(text, pos).size();
    // What follows a quote that is never closed is visited; so are the replacement fields of an
    // f-string, which are code, and with them its text.
    const bool formatted = prefix.find_first_of("fF") != std::string_view::npos;
    if (size == 0)
      plain_end = std::min(text.find('\n', pos), text.size());
    else if (formatted)
      plain_end = pos + size;
    return formatted ? 0 : size;
  };
  std::size_t pos = 0;
  while (pos < text.size()) {
    if (const auto word = identifier_at(text, pos); !word.empty()) {
      pos += word.size();
      const std::size_t literal = is_string_prefix(word) ? skippable(pos, word) : 0;
      if (literal == 0 && !is_keyword(word))
        visit(word);
      pos += literal;
    } else if (is_digit(text[pos])) {
      pos = number_end(text, pos);
    } else {
      pos += std::max<std::size_t>(skippable(pos, ""), 1);
    }
  }
}

} // namespace sdfgopt::symbolic
