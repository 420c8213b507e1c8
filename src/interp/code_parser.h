// Parsers of the code that SDFGs hold: tasklets, interstate conditions and assignments, WCR.
//
// Text that is no code gives an error of ErrorCode::Syntax; code that means something which no
// interpreter here runs (a function definition, a C++ loop) one of ErrorCode::Unsupported. Both
// messages end in line and column.
#pragma once

#include "interp/code_ast.h"
#include "support/result.h"

#include <string_view>

namespace sdfgopt::interp {

/// Statements in DaCe's subset of Python.
support::result<ast::Block> parse_python(std::string_view code);

/// C++, as far as it is plain assignments to names and declarations of local variables; one pair of
/// braces around all of it is accepted.
support::result<ast::Block> parse_cpp(std::string_view code);

/// One Python expression.
support::result<ast::ExprPtr> parse_expression(std::string_view code);

/// `lambda a, b: a + b`, in parentheses or not.
support::result<ast::Lambda> parse_lambda(std::string_view code);

} // namespace sdfgopt::interp
