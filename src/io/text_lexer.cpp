#include "io/text_lexer.h"

#include "io/json_cursor.h"
#include "io/json_text.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace sdfgopt::io {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_word(char c) { return is_letter(c) || is_digit(c); }

constexpr auto keywords = std::to_array<std::string_view>(
    {"access",   "args",      "array",   "block",     "branch",  "break", "consume",
     "continue", "data",      "edge",    "else",      "frame",   "if",    "json",
     "key",      "library",   "loop",    "map",       "nested",  "none",  "order",
     "property", "reference", "region",  "return",    "scalar",  "start", "state",
     "stream",   "symbol",    "tasklet", "transient", "unknown", "via",   "view"});

} // namespace

bool is_keyword(std::string_view word) {
  return std::binary_search(keywords.begin(), keywords.end(), word);
}

bool is_bare_name(std::string_view text, bool dots) {
  if (text.empty() || !is_letter(text.front()) || text.back() == '.' || is_keyword(text))
    return false;
  return std::all_of(text.begin(), text.end(),
                     [&](char c) { return is_word(c) || (dots && c == '.'); });
}

bool is_plain_text(std::string_view text, bool lines) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    if (c == '`' || c == 0x7F || (c < 0x20 && !(lines && (c == '\n' || c == '\t'))))
      return false;
    // A lone surrogate is no valid UTF-8.
    if (c == 0xED && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) >= 0xA0)
      return false;
  }
  return simdjson::validate_utf8(text.data(), text.size());
}

bool is_bare_expression(std::string_view text, ExpressionEnd end) {
  if (text.empty() || text.front() == ' ' || text.back() == ' ' || text.front() == '.' ||
      text.back() == '.' || text == "-" || text.find("..") != std::string_view::npos ||
      text.find(" tile ") != std::string_view::npos || text == "none" ||
      text.find("->") != std::string_view::npos)
    return false;
  int depth = 0;
  for (const char c : text) {
    if (c == '(')
      ++depth;
    else if (c == ')')
      --depth;
    if (depth < 0 || (c == ',' && depth == 0) || (c == ' ' && end == ExpressionEnd::Space))
      return false;
    const bool known =
        is_word(c) || std::string_view("$.+-*/() ,<>=!~%").find(c) != std::string_view::npos;
    if (!known)
      return false;
  }
  return depth == 0;
}

// --- white space and symbols ---------------------------------------------------------------------

void TextLexer::skip(bool lines) {
  lines = lines || brackets_ > 0;
  while (at_ < text_.size()) {
    const char c = text_[at_];
    if (c == '#')
      at_ = std::min(text_.find('\n', at_), text_.size());
    else if (c == ' ' || c == '\t' || c == '\r' || (c == '\n' && lines))
      ++at_;
    else
      break;
  }
}

void TextLexer::skip_head() {
  skip(true);
  while (current() == ';') {
    at_ = std::min(text_.find('\n', at_), text_.size());
    skip(true);
  }
}

char TextLexer::peek() {
  skip();
  return current();
}

bool TextLexer::at_statement_end() {
  const char c = peek();
  return c == '\n' || c == '}' || at_end();
}

void TextLexer::expect_statement_end() {
  if (!at_statement_end())
    expected("the end of the statement");
}

bool TextLexer::accept(std::string_view symbol) {
  skip();
  if (!text_.substr(at_).starts_with(symbol))
    return false;
  at_ += symbol.size();
  return true;
}

bool TextLexer::accept_arrow_before(char next) {
  const std::size_t begin = at_;
  if (accept("->") && peek() == next)
    return true;
  at_ = begin;
  return false;
}

void TextLexer::expect(std::string_view symbol) {
  if (!accept(symbol))
    expected("'" + std::string(symbol) + "'");
}

bool TextLexer::accept_open(char bracket) {
  if (peek() != bracket)
    return false;
  ++at_;
  ++brackets_;
  return true;
}

void TextLexer::expect_open(char bracket) {
  if (!accept_open(bracket))
    expected(std::string("'") + bracket + "'");
}

bool TextLexer::accept_close(char bracket) {
  if (peek() != bracket)
    return false;
  ++at_;
  --brackets_;
  return true;
}

bool TextLexer::list_done(char closing, bool &first) {
  if (accept_close(closing))
    return true;
  if (!first && !accept(","))
    expected(std::string("',' or '") + closing + "'");
  first = false;
  return false;
}

void TextLexer::expected(const std::string &what) {
  skip();
  std::size_t size = 0;
  while (size < 30 && at_ + size < text_.size() && is_word(text_[at_ + size]))
    ++size;
  std::string found = "the end of the text";
  if (current() == '\n')
    found = "the end of the line";
  else if (!at_end())
    found = "'" + std::string(text_.substr(at_, std::max<std::size_t>(size, 1))) + "'";
  fault("expected " + what + ", not " + found);
}

std::string TextLexer::place(std::size_t offset) const {
  const std::string_view before = text_.substr(0, offset);
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  const std::size_t last = before.rfind('\n');
  const std::size_t column = last == std::string_view::npos ? offset + 1 : offset - last;
  return "line " + std::to_string(line) + ", column " + std::to_string(column);
}

// --- words and names -----------------------------------------------------------------------------

std::string_view TextLexer::peek_word() {
  skip();
  std::size_t end = at_;
  while (end < text_.size() && is_word(text_[end]))
    ++end;
  return text_.substr(at_, end - at_);
}

bool TextLexer::accept_word(std::string_view word) {
  if (peek_word() != word)
    return false;
  at_ += word.size();
  return true;
}

void TextLexer::expect_word(std::string_view word) {
  if (!accept_word(word))
    expected("'" + std::string(word) + "'");
}

std::string_view TextLexer::name(const char *what, bool dots) {
  if (peek() == '"')
    return string();
  std::size_t end = at_;
  while (end < text_.size() && (is_word(text_[end]) || (dots && text_[end] == '.' && end > at_ &&
                                                        text_.substr(end, 2) != "..")))
    ++end;
  if (end == at_)
    expected(what);
  const std::string_view found = text_.substr(at_, end - at_);
  at_ = end;
  return found;
}

std::optional<std::string_view> TextLexer::optional_name(const char *what, bool dots) {
  if (peek() == '-' && text_.substr(at_, 2) != "->") {
    ++at_;
    return std::nullopt;
  }
  return name(what, dots);
}

std::optional<std::uint32_t> TextLexer::accept_id(char letter) {
  const std::string_view word = peek_word();
  if (word.size() < 2 || word.front() != letter)
    return std::nullopt;
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(word.data() + 1, word.data() + word.size(), value);
  if (error != std::errc() || end != word.data() + word.size() || value == UINT32_MAX)
    return std::nullopt;
  at_ += word.size();
  return value;
}

std::uint32_t TextLexer::expect_id(char letter, const char *what) {
  const auto id = accept_id(letter);
  if (!id)
    expected(what);
  return *id;
}

// --- expressions, code, strings ------------------------------------------------------------------

std::string_view TextLexer::quoted(const char *what) {
  if (peek() == '"')
    return string();
  if (current() != '`')
    expected(what);
  const std::size_t end = text_.find_first_of("`\n", at_ + 1);
  if (end == std::string_view::npos || text_[end] != '`')
    fault("this '`' is not closed on its line");
  const std::string_view text = text_.substr(at_ + 1, end - at_ - 1);
  at_ = end + 1;
  return text;
}

TextExpression TextLexer::expression(ExpressionEnd end) {
  const char first = peek();
  if (first == '`' || first == '"')
    return {quoted("an expression"), true};
  const std::size_t begin = at_;
  unsigned depth = 0;
  for (; at_ < text_.size(); ++at_) {
    const char c = text_[at_];
    if (c == '\n' || c == '#' || c == '@' || c == '{' || c == '}' || c == '`')
      break;
    if (c == '(')
      ++depth;
    else if (depth > 0) {
      if (c == ')')
        --depth;
    } else if (c == ',' || c == ']' || c == ')' || c == ':' ||
               (c == ' ' && end == ExpressionEnd::Space) || text_.substr(at_, 2) == ".." ||
               text_.substr(at_, 6) == " tile ") {
      break;
    }
  }
  const std::string_view text = trim_json_space(text_.substr(begin, at_ - begin));
  if (text.empty())
    expected("an expression");
  if (depth > 0)
    fault_at(begin, "a '(' in this expression is not closed");
  return {text, false};
}

std::string_view TextLexer::braced() {
  const std::size_t begin = at_;
  const std::size_t end = text_.find_first_of("{}\n", begin);
  if (end == std::string_view::npos || text_[end] != '}')
    fault("code in braces holds no other brace and ends on its line; else use ```");
  at_ = end + 1;
  std::string_view code = text_.substr(begin, end - begin);
  if (code.starts_with(' '))
    code.remove_prefix(1);
  if (code.ends_with(' '))
    code.remove_suffix(1);
  return code;
}

std::string_view TextLexer::fenced() {
  const std::size_t opening = at_;
  skip();
  if (current() != '\n')
    expected("the end of the line after '```'");
  const std::size_t begin = ++at_;
  std::size_t line = begin;
  std::string_view indent;
  for (;; line = text_.find('\n', line) + 1) {
    if (line == 0 || line >= text_.size())
      fault_at(opening, "no closing '```'");
    const std::size_t mark = text_.find_first_not_of(" \t", line);
    if (mark == std::string_view::npos || text_.substr(mark, 3) != "```")
      continue;
    indent = text_.substr(line, mark - line);
    at_ = mark + 3;
    break;
  }
  std::string code;
  std::string_view lines = text_.substr(begin, line - begin);
  while (!lines.empty()) {
    std::string_view one = lines.substr(0, lines.find('\n'));
    lines.remove_prefix(one.size() + 1);
    if (one.starts_with(indent))
      one.remove_prefix(indent.size());
    code += one;
    if (!lines.empty())
      code += '\n';
  }
  return arena_.store(code);
}

std::string_view TextLexer::rest_after_line() {
  skip();
  if (current() != '\n')
    expected("the end of the line");
  return text_.substr(at_ + 1);
}

std::string_view TextLexer::string() {
  const std::size_t begin = at_;
  std::string quoted_text;
  json_string(quoted_text);
  std::string decoded;
  if (!unescape(std::string_view(quoted_text).substr(1, quoted_text.size() - 2), decoded))
    fault_at(begin, "malformed escape sequence in a string");
  return arena_.store(decoded);
}

// --- JSON ----------------------------------------------------------------------------------------

std::string_view TextLexer::json() {
  skip();
  std::string out;
  json_value(out, 0);
  return arena_.store(out);
}

void TextLexer::json_space() {
  while (at_ < text_.size() &&
         std::string_view(" \t\r\n").find(text_[at_]) != std::string_view::npos)
    ++at_;
}

void TextLexer::json_value(std::string &out, unsigned depth) {
  if (depth > max_nesting)
    fault_at(at_, "nested too deeply", support::ErrorCode::Limit);
  json_space();
  const char c = current();
  if (c == '"')
    return json_string(out);
  if (c != '{' && c != '[')
    return json_scalar(out);
  const char closing = c == '{' ? '}' : ']';
  out += text_[at_++];
  for (bool first = true;; first = false) {
    json_space();
    if (current() == closing && (first || out.back() != ','))
      break;
    if (!first) {
      if (current() != ',')
        expected(std::string("',' or '") + closing + "' in JSON");
      out += text_[at_++];
      json_space();
    }
    if (c == '{') {
      if (current() != '"')
        expected("a key in quotes in JSON");
      json_string(out);
      json_space();
      if (current() != ':')
        expected("':' in JSON");
      out += text_[at_++];
    }
    json_value(out, depth + 1);
  }
  out += text_[at_++];
}

void TextLexer::json_string(std::string &out) {
  const std::size_t begin = at_++;
  for (;; ++at_) {
    const char c = current();
    if (at_end() || static_cast<unsigned char>(c) < 0x20)
      fault_at(begin, "a string that is not closed on its line");
    if (c == '"')
      break;
    if (c == '\\')
      ++at_;
  }
  const std::string_view token = text_.substr(begin, ++at_ - begin);
  if (token.find('\\') != std::string_view::npos) {
    std::string decoded;
    if (!unescape(token.substr(1, token.size() - 2), decoded))
      fault_at(begin, "malformed escape sequence in a string");
  }
  out += token;
}

void TextLexer::json_scalar(std::string &out) {
  const std::size_t begin = at_;
  while (at_ < text_.size() &&
         (is_word(text_[at_]) || text_[at_] == '-' || text_[at_] == '+' || text_[at_] == '.'))
    ++at_;
  const std::string_view token = text_.substr(begin, at_ - begin);
  if (!is_scalar_token(token)) {
    at_ = begin;
    expected("a JSON value");
  }
  out += token;
}

} // namespace sdfgopt::io
