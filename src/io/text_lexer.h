// Internal to io: takes the text form apart into words, names, expressions and JSON values.
//
// There is no separate token stream: what a character means depends on where it stands (an
// expression, a code block, JSON), so the parser asks for what it expects.
#pragma once

#include "ir/sdfg.h"
#include "support/result.h"

#include <string>
#include <string_view>

namespace sdfgopt::io {

/// How deep braces may be nested in the text form: each level costs stack. Less than what
/// the JSON reader allows, since a level here passes through more functions; a document that is
/// nested more deeply is printed as its JSON.
inline constexpr unsigned max_text_nesting = 1000;

/// Thrown by the text form's parser, caught by parse_text.
struct TextFault {
  support::ErrorCode code;
  std::string message;
  std::size_t offset; ///< byte in the text
};

/// An expression as it stands in the text form. `exact` ones were quoted: no `$` is to be added.
struct TextExpression {
  std::string_view text;
  bool exact = false;
};

/// Where an unquoted expression may end, besides at `,` `]` `)` `}` `@` `{` `:` `..` and line end.
enum class ExpressionEnd : std::uint8_t {
  Delimiter, ///< spaces belong to it: in brackets and lists
  Space,     ///< or at a space: as an argument of a word
};

class TextLexer {
public:
  TextLexer(std::string_view text, support::TextArena &arena) : text_(text), arena_(arena) {}

  [[nodiscard]] std::size_t offset() const { return at_; }
  [[nodiscard]] bool at_end() const { return at_ >= text_.size(); }

  /// Steps over white space and comments; over line ends only inside brackets (see open) or if
  /// `lines` says so.
  void skip(bool lines = false);
  /// White space, comments, and the lines that begin with `;` in front of the program.
  void skip_head();
  /// Skips, then tells the next character; 0 at the end.
  char peek();
  /// Whether the statement ends here: at a line's end or before `}`.
  bool at_statement_end();
  void expect_statement_end();

  bool accept(std::string_view symbol);
  /// `->`, if `next` comes behind it.
  bool accept_arrow_before(char next);
  void expect(std::string_view symbol);
  /// An opening bracket, inside of which line ends are white space, and its closing one.
  bool accept_open(char bracket);
  void expect_open(char bracket);
  bool accept_close(char bracket);
  /// For items between brackets: true if `closing` was there; otherwise, unless `first`, steps over
  /// the comma before the next item.
  bool list_done(char closing, bool &first);

  /// The word (letters, digits, `_`) that comes next; "" if there is none. Does not step over it.
  std::string_view peek_word();
  bool accept_word(std::string_view word);
  void expect_word(std::string_view word);
  /// A bare name (letters, digits, `_`, and `.` if `dots`) or a JSON string, decoded.
  std::string_view name(const char *what, bool dots = false);
  /// The same, but for a lone `-`, which is no name.
  std::optional<std::string_view> optional_name(const char *what, bool dots = false);
  /// `n12`, `b3`, `e7`: the number behind the letter.
  std::optional<std::uint32_t> accept_id(char letter);
  std::uint32_t expect_id(char letter, const char *what);

  TextExpression expression(ExpressionEnd end);
  /// Text in backquotes, or a JSON string, decoded.
  std::string_view quoted(const char *what);
  /// One JSON value, validated, without white space, kept in the arena.
  std::string_view json();
  /// The rest of the line and the lines up to one that holds nothing but ```, with the closing
  /// line's indentation taken off each; the opening ``` was stepped over.
  std::string_view fenced();
  /// Everything up to the next `}`, without one space at both ends; the `{` was stepped over.
  std::string_view braced();
  /// The rest of the text after the current line.
  std::string_view rest_after_line();

  [[noreturn]] void fault(const std::string &message) const { fault_at(at_, message); }
  [[noreturn]] void expected(const std::string &what);
  [[noreturn]] static void fault_at(std::size_t offset, const std::string &message,
                                    support::ErrorCode code = support::ErrorCode::Syntax) {
    throw TextFault{code, message, offset};
  }
  /// "line 12, column 3".
  [[nodiscard]] std::string place(std::size_t offset) const;

private:
  std::string_view string();
  void json_value(std::string &out, unsigned depth);
  void json_string(std::string &out);
  void json_scalar(std::string &out);
  void json_space();
  [[nodiscard]] char current() const { return at_ < text_.size() ? text_[at_] : '\0'; }

  std::string_view text_;
  support::TextArena &arena_;
  std::size_t at_ = 0;
  unsigned brackets_ = 0;
};

/// Whether `text` can stand as an unquoted expression that ends where `end` says.
bool is_bare_expression(std::string_view text, ExpressionEnd end);
/// Whether `text` can stand as an unquoted name.
bool is_bare_name(std::string_view text, bool dots);
/// Whether `text` can stand between backquotes or in a fence: printable, valid UTF-8.
bool is_plain_text(std::string_view text, bool lines);
/// A word that begins a statement or tells a kind of node; a name that spells one is quoted.
bool is_keyword(std::string_view word);

} // namespace sdfgopt::io
