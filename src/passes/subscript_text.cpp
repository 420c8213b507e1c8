#include "passes/subscript_text.h"

#include <cctype>
#include <charconv>

namespace sdfgopt::passes {

namespace {

bool starts_identifier(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_';
}
bool continues_identifier(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

/// The comma-separated texts between the bracket at `open` and its partner, whose position is set
/// in `close`. Nothing if it is not closed, or holds a slice.
std::optional<std::vector<std::string_view>> indices_at(std::string_view text, std::size_t open,
                                                        std::size_t &close) {
  std::vector<std::string_view> parts;
  std::size_t depth = 0;
  std::size_t begin = open + 1;
  for (std::size_t i = open; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '[' || c == '(') {
      ++depth;
    } else if (c == ']' || c == ')') {
      if (--depth > 0)
        continue;
      parts.push_back(text.substr(begin, i - begin));
      close = i;
      return parts;
    } else if (depth == 1 && c == ',') {
      parts.push_back(text.substr(begin, i - begin));
      begin = i + 1;
    } else if (c == ':') {
      return std::nullopt;
    }
  }
  return std::nullopt;
}

/// The text itself if it is one name, number, subscript or group; else in parentheses.
std::string grouped(const std::string &text) {
  std::size_t depth = 0;
  bool group = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '[' || c == '(') {
      group = group || (c == '(' && i > 0 && depth == 0 && !continues_identifier(text[i - 1]));
      ++depth;
    } else if (c == ']' || c == ')') {
      --depth;
      group = group || (depth == 0 && i + 1 < text.size());
    } else if (depth == 0) {
      group = group || !continues_identifier(c);
    }
  }
  return group ? "(" + text + ")" : text;
}

class Redirector {
public:
  Redirector(support::Name from, support::Name to, const std::vector<symbolic::Expr> &offset,
             symbolic::Context &context)
      : from_(from), to_(to), offset_(offset), context_(context) {}

  /// Appends the rewritten text; false if it cannot be.
  bool append(std::string_view text, std::string &out) const {
    for (std::size_t i = 0; i < text.size();) {
      if (text[i] == '\'' || text[i] == '"')
        return false;
      if (!starts_identifier(text[i])) {
        const bool digit = std::isdigit(static_cast<unsigned char>(text[i])) != 0;
        do // a number with its letters, so that 1e5 is not taken for a name
          out += text[i++];
        while (digit && i < text.size() && continues_identifier(text[i]));
        continue;
      }
      const std::size_t begin = i;
      while (i < text.size() && continues_identifier(text[i]))
        ++i;
      const std::string_view word = text.substr(begin, i - begin);
      const bool member = begin > 0 && text[begin - 1] == '.';
      if (word != from_.view() || member) {
        out += word;
        continue;
      }
      if (!append_access(text, i, out))
        return false;
    }
    return true;
  }

private:
  bool append_access(std::string_view text, std::size_t &i, std::string &out) const {
    std::size_t open = i;
    while (open < text.size() && text[open] == ' ')
      ++open;
    if (open == text.size() || text[open] != '[')
      return false;
    std::size_t close = 0;
    const auto indices = indices_at(text, open, close);
    if (!indices || indices->size() != offset_.size())
      return false;
    out += to_.view();
    out += '[';
    for (std::size_t d = 0; d < offset_.size(); ++d) {
      if (d > 0)
        out += ", ";
      std::string index;
      if (!append((*indices)[d], index))
        return false;
      const std::size_t first = index.find_first_not_of(' ');
      if (first == std::string::npos)
        return false;
      index.erase(0, first);
      index.erase(index.find_last_not_of(' ') + 1);
      std::int64_t constant = 0;
      const auto parsed = std::from_chars(index.data(), index.data() + index.size(), constant);
      const bool is_constant =
          parsed.ec == std::errc() && parsed.ptr == index.data() + index.size();
      if (offset_[d]->is_integer(0))
        out += index;
      else if (is_constant)
        out += context_.print(context_.add(context_.integer(constant), offset_[d]),
                              symbolic::Grammar::Python);
      else // as DaCe spells sums in conditions
        out += "(" + grouped(index) + " + " +
               grouped(context_.print(offset_[d], symbolic::Grammar::Python)) + ")";
    }
    out += ']';
    i = close + 1;
    return true;
  }

  support::Name from_;
  support::Name to_;
  const std::vector<symbolic::Expr> &offset_;
  symbolic::Context &context_;
};

} // namespace

std::optional<std::string> redirect_subscripts(std::string_view text, support::Name from,
                                               support::Name to,
                                               const std::vector<symbolic::Expr> &offset,
                                               symbolic::Context &context) {
  std::string out;
  if (!Redirector(from, to, offset, context).append(text, out))
    return std::nullopt;
  return out;
}

} // namespace sdfgopt::passes
