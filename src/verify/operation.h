// One operation of an expression on exact values.
#pragma once

#include "symbolic/expr.h"

#include <cstdint>
#include <optional>
#include <span>

namespace sdfgopt::verify {

/// Reduced; den >= 1.
struct Fraction {
  std::int64_t num;
  std::int64_t den = 1;
  bool operator==(const Fraction &) const = default;
};

/// Nothing: a number left int64, a division by zero, or what is no integer arithmetic.
using Value = std::optional<Fraction>;

/// -1, 0 or 1.
int compare(Fraction a, Fraction b);

/// The value of `e`, which is no symbol, given those of its arguments. An argument that does not
/// decide (the other branch of If, the rest of And once one is false) need not have a value.
Value apply_operation(symbolic::Expr e, std::span<const Value> operands);

} // namespace sdfgopt::verify
