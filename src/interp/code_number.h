// Number literals.
#pragma once

#include "interp/code_ast.h"
#include "interp/code_lexer.h"

#include <optional>
#include <string_view>

namespace sdfgopt::interp {

struct NumberLiteral {
  std::optional<ast::RealLiteral> real; ///< else it is the integer
  ast::IntLiteral integer{0, {}};
};

/// The value of a Number token. Of Python: digits in groups (1_000), 0x, 0o, 0b; integers carry no
/// type. Of C++: suffixes, 0x, 0b, octal; integers get the first of the language's types that fits.
support::result<NumberLiteral> read_number(std::string_view text, CodeLanguage language,
                                           ast::Position position);

} // namespace sdfgopt::interp
