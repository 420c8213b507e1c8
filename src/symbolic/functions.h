// Meaning of function names in expressions. Internal to symbolic/.
#pragma once

#include "symbolic/context.h"

#include <span>
#include <string_view>

namespace sdfgopt::symbolic {

/// `name(args...)` in canonical form: a node of its own kind for what DaCe's functions mean (Max,
/// int_floor, AND, Subscript, ...), else an uninterpreted Call.
Expr apply_function(Context &context, Grammar grammar, std::string_view name,
                    std::span<const Expr> args);

} // namespace sdfgopt::symbolic
