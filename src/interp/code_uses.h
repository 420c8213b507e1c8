// What can be told of code without running it: which names it uses, and how.
#pragma once

#include "interp/code_ast.h"

#include <functional>
#include <set>
#include <string>
#include <string_view>

namespace sdfgopt::interp {

struct CodeUses {
  std::set<std::string, std::less<>> indexed; ///< followed by an index somewhere
  std::set<std::string, std::less<>> bare;    ///< not followed by one somewhere
  bool branches = false;                      ///< some statement may be left out
};
CodeUses uses_of(const ast::Block &block);

/// Some part of the value is a float: a literal, or a name (also of an array that is indexed) that
/// `is_float_name` says to be one.
bool any_float(const ast::Expr &expr, const std::function<bool(std::string_view)> &is_float_name);

} // namespace sdfgopt::interp
