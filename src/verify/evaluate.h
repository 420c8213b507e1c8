// The number that an expression stands for, given the values of its symbols.
#pragma once

#include "symbolic/context.h"

#include <cstdint>
#include <functional>
#include <optional>

namespace sdfgopt::verify {

/// The value of a symbol; nothing if it has none.
using Lookup = std::function<std::optional<std::int64_t>(support::Name)>;

/// The exact value if it is an integer; comparisons and connectives are 0 or 1. FloorDiv, CeilDiv
/// and Mod round as Python does; fractions on the way are exact. Nothing for calls, subscripts and
/// other parts that are no integer arithmetic, for symbols without a value, division by zero, and
/// where a number on the way leaves int64. An operand that does not decide (the other branch of If,
/// the rest of And once one is false) need not have a value.
std::optional<std::int64_t> evaluate(symbolic::Expr e, const Lookup &lookup);

} // namespace sdfgopt::verify
