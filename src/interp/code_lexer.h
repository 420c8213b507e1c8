// Tokens of tasklet code.
#pragma once

#include "interp/code_ast.h"
#include "support/result.h"

#include <string_view>
#include <vector>

namespace sdfgopt::interp {

enum class CodeLanguage : std::uint8_t { Python, Cpp };

enum class TokenKind : std::uint8_t {
  Name, ///< keywords included
  Number,
  String,
  Operator, ///< brackets and punctuation included
  Newline,  ///< Python only, as are the next two: end of a statement's last line
  Indent,
  Dedent,
  End, ///< the last token, always there
};

struct Token {
  TokenKind kind;
  std::string_view text; ///< in the source
  ast::Position position;
};

/// Comments and, within brackets, line ends are dropped. Python code whose first line is indented
/// counts from there.
support::result<std::vector<Token>> tokenize(std::string_view source, CodeLanguage language);

/// A place in tokens. The tokens must end with End, which is never passed.
class TokenCursor {
public:
  explicit TokenCursor(std::vector<Token> tokens) : tokens_(std::move(tokens)) {}

  [[nodiscard]] const Token &peek(std::size_t ahead = 0) const;
  const Token &take();
  /// The token is this operator or keyword.
  [[nodiscard]] bool at(std::string_view text, std::size_t ahead = 0) const;
  [[nodiscard]] bool at(TokenKind kind) const { return peek().kind == kind; }
  bool accept(std::string_view text);
  bool accept(TokenKind kind);
  support::result<void> expect(std::string_view text);
  /// "expected WHAT, found ..." at the current token.
  [[nodiscard]] support::Error expected(std::string_view what) const;

private:
  std::vector<Token> tokens_;
  std::size_t next_ = 0;
};

} // namespace sdfgopt::interp
