#include "symbolic/annotation.h"

#include "symbolic/scan.h"

#include <algorithm>

namespace sdfgopt::symbolic {

namespace {

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_space(text.front()))
    text.remove_prefix(1);
  while (!text.empty() && is_space(text.back()))
    text.remove_suffix(1);
  return text;
}

} // namespace

bool Annotation::assumes(std::string_view assumption) const {
  std::string_view rest = parameters;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(','), rest.size());
    const std::string_view parameter = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    const std::size_t equals = parameter.find('=');
    if (equals != std::string_view::npos && trimmed(parameter.substr(0, equals)) == assumption &&
        trimmed(parameter.substr(equals + 1)) == "True")
      return true;
  }
  return false;
}

void for_each_annotation(std::string_view text,
                         const std::function<void(const Annotation &)> &visit) {
  static constexpr std::string_view opening = "symbol($";
  for (std::size_t at = text.find(opening); at != std::string_view::npos;
       at = text.find(opening, at + 1)) {
    const auto word = identifier_at(text, at + opening.size());
    const std::size_t begin = at + opening.size() + word.size();
    if (word.empty() || (at > 0 && in_identifier(text[at - 1])) || begin >= text.size() ||
        text[begin] != ',')
      continue;
    std::size_t end = begin;
    int depth = 1;
    for (; end < text.size() && depth > 0; ++end)
      depth += text[end] == '(' ? 1 : text[end] == ')' ? -1 : 0;
    if (depth == 0)
      visit({word, text.substr(at, end - at), text.substr(begin, end - 1 - begin)});
  }
}

} // namespace sdfgopt::symbolic
