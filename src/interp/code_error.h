// Errors about code: the sentence, with line and column.
#pragma once

#include "interp/code_ast.h"
#include "support/result.h"

#include <string>

namespace sdfgopt::interp {

inline support::Error code_error(support::ErrorCode code, std::string message,
                                 ast::Position position) {
  message += " (line " + std::to_string(position.line) + ", column " +
             std::to_string(position.column) + ")";
  return {code, std::move(message), {}};
}

/// The text is not code of the language.
inline support::Error syntax_error(std::string message, ast::Position position) {
  return code_error(support::ErrorCode::Syntax, std::move(message), position);
}

/// The code is well-formed, but has no meaning here.
inline support::Error cannot_run(const std::string &reason, ast::Position position) {
  return code_error(support::ErrorCode::Unsupported, "cannot run: " + reason, position);
}

} // namespace sdfgopt::interp
