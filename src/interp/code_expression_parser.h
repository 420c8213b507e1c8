// Expressions of tasklet code, for the statement parsers of both languages.
#pragma once

#include "interp/code_ast.h"
#include "interp/code_lexer.h"
#include "support/result.h"

#include <optional>
#include <string>

namespace sdfgopt::interp {

class ExpressionParser {
public:
  ExpressionParser(TokenCursor &cursor, CodeLanguage language)
      : cursor_(cursor), python_(language == CodeLanguage::Python) {}

  /// The longest expression from the current token on; without lambdas and bare tuples.
  support::result<ast::ExprPtr> expression();

  /// `name` or `name[index, ...]`, what an assignment may be to.
  support::result<ast::Target> target();

  /// A name with its modules, joined by dots.
  support::result<std::string> dotted_name();

  /// C++: the type at the current token, passed over; nothing (and no token passed) if there is
  /// none. `const` is dropped.
  std::optional<std::string> cpp_type();

private:
  using Parsed = support::result<ast::ExprPtr>;

  Parsed conditional();
  Parsed disjunction();
  Parsed conjunction();
  Parsed negation();
  Parsed comparison();
  Parsed binary(int lowest);
  Parsed unary();
  Parsed power();
  Parsed primary();
  Parsed number();
  Parsed named();
  Parsed parenthesised();
  Parsed static_cast_expression();
  support::result<std::vector<ast::ExprPtr>> list(std::string_view closing);
  support::result<ast::ExprPtr> logical(bool conjunction, Parsed (ExpressionParser::*operand)(),
                                        std::string_view word);
  support::result<ast::ExprPtr> make_operator(std::string_view text, ast::ExprPtr left,
                                              ast::ExprPtr right, ast::Position position);
  [[nodiscard]] int level(const Token &token) const;

  TokenCursor &cursor_;
  bool python_;
  std::uint32_t nesting_ = 0;
};

} // namespace sdfgopt::interp
