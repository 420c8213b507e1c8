// Edits of the text itself, where its spelling makes them simple. What they give need not parse.
#include "verify/reducer_edits.h"

#include <array>
#include <cctype>
#include <charconv>

namespace sdfgopt::verify::reducer {

namespace {

bool is_word_part(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// Behind the bracketed, quoted or plain item that begins at `at`.
std::size_t end_of_item(std::string_view text, std::size_t at) {
  if (at >= text.size())
    return at;
  if (text[at] == '`')
    return std::min(text.find('`', at + 1), text.size() - 1) + 1;
  std::size_t depth = 0;
  bool quoted = false;
  for (; at < text.size() && text[at] != '\n'; ++at) {
    const char c = text[at];
    if (quoted) {
      if (c == '\\')
        ++at;
      else if (c == '"')
        quoted = false;
      continue;
    }
    if (c == '"')
      quoted = true;
    else if (c == '[' || c == '(' || c == '{')
      ++depth;
    else if (c == ']' || c == ')' || c == '}') {
      if (depth == 0)
        return at;
      if (--depth == 0)
        return at + 1;
    } else if (depth == 0 && (c == ' ' || c == ','))
      return at;
  }
  return at;
}

/// "..N" behind the same number.
std::size_t end_of_repetition(std::string_view text, std::size_t at) {
  if (!text.substr(at).starts_with(".."))
    return at;
  std::size_t begin = at;
  while (begin > 0 && is_word_part(text[begin - 1]))
    --begin;
  const std::string_view word = text.substr(begin, at - begin);
  const std::size_t end = at + 2 + word.size();
  const bool alone = begin > 0 && (text[begin - 1] == '[' || text[begin - 1] == ' ') &&
                     end < text.size() && (text[end] == ']' || text[end] == ',');
  return !word.empty() && alone && text.substr(at + 2, word.size()) == word ? end : at;
}

/// Where the clause that begins at `at` ends; `at` itself if none does.
std::size_t end_of_clause(std::string_view text, std::size_t at) {
  static constexpr auto alone =
      std::to_array<std::string_view>({" may_alias", " setzero", " dynamic", " + 0", " - 0"});
  static constexpr auto with_item = std::to_array<std::string_view>(
      {" strides ", " total_size ", " offset ", " lifetime ", " storage ", " schedule ", " wcr ",
       " volume ", " order ", " of "});
  const std::string_view rest = text.substr(at);
  for (const std::string_view word : alone)
    if (rest.starts_with(word) && rest.size() > word.size() && !is_word_part(rest[word.size()]) &&
        (rest[word.size()] != '.' || rest.substr(word.size()).starts_with("..")))
      return at + word.size();
  for (const std::string_view word : with_item)
    if (rest.starts_with(word))
      return end_of_item(text, at + word.size());
  if (rest.starts_with(" @{"))
    return end_of_item(text, at + 2);
  if (rest.starts_with(" @@{"))
    return end_of_item(text, at + 3);
  return at;
}

/// Lines that say something about what is around them.
bool is_droppable_line(std::string_view line) {
  const std::size_t begin = line.find_first_not_of(' ');
  if (begin == std::string_view::npos)
    return false;
  static constexpr auto words =
      std::to_array<std::string_view>({"property ", "key ", "frame ", "order ", "args "});
  for (const std::string_view word : words)
    if (line.substr(begin).starts_with(word))
      return true;
  return false;
}

using Change = std::string (*)(std::uint64_t);

/// Applies `change` to integers of at least `least` that stand for themselves.
std::string change_numbers(const std::string &text, Selection &selection, std::uint64_t least,
                           Change change) {
  std::string result;
  std::size_t at = std::min(text.find('\n'), text.size()); // the first line tells the version
  result.assign(text, 0, at);
  while (at < text.size()) {
    if (!is_word_part(text[at])) {
      result += text[at++];
      continue;
    }
    std::size_t end = at;
    while (end < text.size() && is_word_part(text[end]))
      ++end;
    const std::string_view word = std::string_view(text).substr(at, end - at);
    std::uint64_t value = 0;
    const auto [stop, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    const auto dot = [&](std::size_t here, std::size_t beyond) {
      return here < text.size() && text[here] == '.' &&
             (beyond >= text.size() || text[beyond] != '.');
    };
    const bool fraction = dot(end, end + 1) || (at > 0 && dot(at - 1, at - 2));
    const bool number = error == std::errc() && stop == word.data() + word.size() && !fraction;
    if (number && value >= least && selection.next())
      result += change(value);
    else
      result += word;
    at = end;
  }
  return result;
}

} // namespace

std::string drop_clauses(const std::string &text, Selection &selection) {
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    const bool line_begins = at == 0 || text[at - 1] == '\n';
    if (line_begins) {
      const std::size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
      if (is_droppable_line(std::string_view(text).substr(at, end - at)) && selection.next()) {
        at = end;
        continue;
      }
    }
    const std::size_t end = text[at] == ' ' ? end_of_clause(text, at) : end_of_repetition(text, at);
    if (end > at && selection.next()) {
      at = end;
      continue;
    }
    result += text[at++];
  }
  return result;
}

std::string halve_numbers(const std::string &text, Selection &selection) {
  return change_numbers(text, selection, 2,
                        [](std::uint64_t value) { return std::to_string(value / 2); });
}

std::string decrement_numbers(const std::string &text, Selection &selection) {
  return change_numbers(text, selection, 1,
                        [](std::uint64_t value) { return std::to_string(value - 1); });
}

} // namespace sdfgopt::verify::reducer
