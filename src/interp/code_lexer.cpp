#include "interp/code_lexer.h"

#include "interp/code_error.h"

#include <algorithm>
#include <array>
#include <cassert>

namespace sdfgopt::interp {

namespace {

using support::result;

// Longer ones first where one begins another.
constexpr auto python_operators = std::to_array<std::string_view>(
    {"**=", "//=", ">>=", "<<=", "**", "//", "<<", ">>", "<=", ">=", "==", "!=",
     "->",  ":=",  "+=",  "-=",  "*=", "/=", "%=", "&=", "|=", "^=", "@=", "+",
     "-",   "*",   "/",   "%",   "&",  "|",  "^",  "~",  "<",  ">",  "(",  ")",
     "[",   "]",   "{",   "}",   ",",  ":",  ".",  ";",  "=",  "@"});
constexpr auto cpp_operators = std::to_array<std::string_view>(
    {">>=", "<<=", "<<", ">>", "<=", ">=", "==", "!=", "->", "::", "&&", "||",
     "++",  "--",  "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "+",  "-",
     "*",   "/",   "%",  "&",  "|",  "^",  "~",  "<",  ">",  "(",  ")",  "[",
     "]",   "{",   "}",  ",",  ":",  ".",  ";",  "=",  "!",  "?",  "#"});

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Names in files may hold any letter; all bytes beyond ASCII count as letters.
bool begins_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}

bool continues_name(char c) { return begins_name(c) || is_digit(c); }

class Lexer {
public:
  Lexer(std::string_view source, CodeLanguage language)
      : source_(source), python_(language == CodeLanguage::Python) {}

  result<std::vector<Token>> run();

private:
  [[nodiscard]] char at(std::size_t index) const {
    return index < source_.size() ? source_[index] : '\0';
  }
  [[nodiscard]] bool done() const { return next_ >= source_.size(); }
  [[nodiscard]] ast::Position position() const {
    return {line_, static_cast<std::uint32_t>(next_ - line_begin_) + 1};
  }
  void add(TokenKind kind, std::size_t length) {
    tokens_.push_back({kind, source_.substr(next_, length), position()});
    next_ += length;
  }
  void new_line() {
    ++next_;
    ++line_;
    line_begin_ = next_;
  }

  result<void> line_begin();
  result<void> line_end();
  result<void> step();
  result<void> comment();
  result<void> string();
  void number();
  result<void> punctuation();

  std::string_view source_;
  bool python_;
  std::size_t next_ = 0;
  std::size_t line_begin_ = 0;
  std::uint32_t line_ = 1;
  bool at_line_begin_ = true;
  std::vector<char> brackets_;
  std::vector<std::uint32_t>
      indents_; // columns of the open blocks; the first one is the code's own
  std::vector<Token> tokens_;
};

result<std::vector<Token>> Lexer::run() {
  while (!done()) {
    if (python_ && at_line_begin_)
      SDFGOPT_CHECK(line_begin());
    if (!done())
      SDFGOPT_CHECK(step());
  }
  if (!brackets_.empty())
    return syntax_error(std::string("'") + brackets_.back() + "' is not closed", position());
  if (python_) {
    if (!tokens_.empty() && tokens_.back().kind != TokenKind::Newline)
      add(TokenKind::Newline, 0);
    for (std::size_t k = 1; k < indents_.size(); ++k)
      add(TokenKind::Dedent, 0);
  }
  add(TokenKind::End, 0);
  return std::move(tokens_);
}

// Compares the indentation of a line that holds code with the open blocks.
result<void> Lexer::line_begin() {
  std::uint32_t column = 0;
  for (; at(next_) == ' ' || at(next_) == '\t' || at(next_) == '\f'; ++next_)
    column = at(next_) == '\t' ? (column / 8 + 1) * 8 : column + 1;
  const char c = at(next_);
  if (done() || c == '\n' || c == '\r' || c == '#')
    return {}; // without code: no part of the block structure; the line end keeps at_line_begin_
  at_line_begin_ = false;
  if (indents_.empty())
    indents_.push_back(column);
  if (column > indents_.back()) {
    indents_.push_back(column);
    if (indents_.size() > ast::max_nesting)
      return syntax_error("too many blocks inside each other", position());
    add(TokenKind::Indent, 0);
  }
  while (column < indents_.back()) {
    if (indents_.size() == 1)
      return syntax_error("the line is indented less than the first one", position());
    indents_.pop_back();
    add(TokenKind::Dedent, 0);
  }
  if (column != indents_.back())
    return syntax_error("the indentation fits no open block", position());
  return {};
}

result<void> Lexer::line_end() {
  if (python_ && brackets_.empty() && !at_line_begin_) {
    add(TokenKind::Newline, 0);
    at_line_begin_ = true;
  }
  if (at(next_) == '\r' && at(next_ + 1) == '\n')
    ++next_;
  new_line();
  return {};
}

result<void> Lexer::step() {
  const char c = at(next_);
  if (c == '\n' || c == '\r')
    return line_end();
  if (c == ' ' || c == '\t' || c == '\f') {
    ++next_;
    return {};
  }
  if (c == '\\' && (at(next_ + 1) == '\n' || (at(next_ + 1) == '\r' && at(next_ + 2) == '\n'))) {
    next_ += at(next_ + 1) == '\r' ? 2 : 1;
    new_line();
    return {};
  }
  if (python_ ? c == '#' : c == '/' && (at(next_ + 1) == '/' || at(next_ + 1) == '*'))
    return comment();
  if (c == '"' || c == '\'')
    return string();
  if (is_digit(c) || (c == '.' && is_digit(at(next_ + 1)))) {
    number();
    return {};
  }
  if (begins_name(c)) {
    std::size_t length = 1;
    while (continues_name(at(next_ + length)))
      ++length;
    add(TokenKind::Name, length);
    return {};
  }
  return punctuation();
}

result<void> Lexer::comment() {
  if (python_ || at(next_ + 1) == '/') {
    while (!done() && at(next_) != '\n')
      ++next_;
    return {};
  }
  const ast::Position begin = position();
  next_ += 2;
  while (!done() && !(at(next_) == '*' && at(next_ + 1) == '/')) {
    if (at(next_) == '\n')
      new_line();
    else
      ++next_;
  }
  if (done())
    return syntax_error("the comment is not closed", begin);
  next_ += 2;
  return {};
}

// Strings have no meaning but as documentation, so escapes are only skipped.
result<void> Lexer::string() {
  const ast::Position begin = position();
  const std::size_t first = next_;
  const char quote = at(next_);
  const bool triple = python_ && at(next_ + 1) == quote && at(next_ + 2) == quote;
  next_ += triple ? 3 : 1;
  while (true) {
    const char c = at(next_);
    if (done() || (c == '\n' && !triple))
      return syntax_error("the string is not closed", begin);
    if (c == quote && (!triple || (at(next_ + 1) == quote && at(next_ + 2) == quote)))
      break;
    if (c == '\\' && next_ + 1 < source_.size())
      ++next_;
    if (at(next_) == '\n')
      new_line();
    else
      ++next_;
  }
  next_ += triple ? 3 : 1;
  tokens_.push_back({TokenKind::String, source_.substr(first, next_ - first), begin});
  return {};
}

// All that could belong to a number; whether it is one is found out when it is read.
void Lexer::number() {
  const bool hexadecimal = at(next_) == '0' && (at(next_ + 1) | 0x20) == 'x';
  std::size_t length = 0;
  while (true) {
    const char c = at(next_ + length);
    const char before = length == 0 ? '\0' : at(next_ + length - 1);
    const bool sign_of_exponent =
        (c == '+' || c == '-') && !hexadecimal && (before == 'e' || before == 'E');
    const bool separator = !python_ && c == '\'';
    if (!continues_name(c) && c != '.' && !sign_of_exponent && !separator)
      break;
    ++length;
  }
  add(TokenKind::Number, length);
}

result<void> Lexer::punctuation() {
  const std::string_view rest = source_.substr(next_);
  const auto begins_rest = [&](std::string_view text) { return rest.starts_with(text); };
  std::string_view found;
  if (python_) {
    if (const auto *it = std::ranges::find_if(python_operators, begins_rest);
        it != python_operators.end())
      found = *it;
  } else if (const auto *it = std::ranges::find_if(cpp_operators, begins_rest);
             it != cpp_operators.end()) {
    found = *it;
  }
  if (found.empty())
    return syntax_error(std::string("'") + rest.front() + "' belongs to no token", position());
  const char c = found.front();
  if (c == '(' || c == '[' || c == '{') {
    brackets_.push_back(c);
  } else if (c == ')' || c == ']' || c == '}') {
    const char opening = c == ')' ? '(' : c == ']' ? '[' : '{';
    if (brackets_.empty() || brackets_.back() != opening)
      return syntax_error(std::string("'") + c + "' closes nothing", position());
    brackets_.pop_back();
  }
  add(TokenKind::Operator, found.size());
  return {};
}

} // namespace

result<std::vector<Token>> tokenize(std::string_view source, CodeLanguage language) {
  return Lexer(source, language).run();
}

const Token &TokenCursor::peek(std::size_t ahead) const {
  assert(!tokens_.empty() && tokens_.back().kind == TokenKind::End);
  return tokens_[std::min(next_ + ahead, tokens_.size() - 1)];
}

const Token &TokenCursor::take() {
  const Token &token = peek();
  if (token.kind != TokenKind::End)
    ++next_;
  return token;
}

bool TokenCursor::at(std::string_view text, std::size_t ahead) const {
  const Token &token = peek(ahead);
  return (token.kind == TokenKind::Operator || token.kind == TokenKind::Name) && token.text == text;
}

bool TokenCursor::accept(std::string_view text) {
  if (!at(text))
    return false;
  take();
  return true;
}

bool TokenCursor::accept(TokenKind kind) {
  if (!at(kind))
    return false;
  take();
  return true;
}

result<void> TokenCursor::expect(std::string_view text) {
  if (!accept(text))
    return expected("'" + std::string(text) + "'");
  return {};
}

support::Error TokenCursor::expected(std::string_view what) const {
  const Token &token = peek();
  std::string found;
  switch (token.kind) {
  case TokenKind::Newline:
    found = "the end of the line";
    break;
  case TokenKind::Indent:
    found = "an indented line";
    break;
  case TokenKind::Dedent:
    found = "the end of the block";
    break;
  case TokenKind::End:
    found = "the end of the code";
    break;
  default:
    found = "'" + std::string(token.text.substr(0, 40)) + "'";
  }
  return syntax_error("expected " + std::string(what) + ", found " + found, token.position);
}

} // namespace sdfgopt::interp
