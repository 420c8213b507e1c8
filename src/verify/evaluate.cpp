#include "verify/evaluate.h"

#include "verify/operation.h"

#include <vector>

namespace sdfgopt::verify {

namespace {

// Recursion is bounded by Context::max_height.
Value value(symbolic::Expr e, const Lookup &lookup) {
  if (e->kind() == symbolic::Kind::Symbol) {
    const auto found = lookup(e->name());
    return found ? Value(Fraction{*found}) : std::nullopt;
  }
  std::vector<Value> operands;
  operands.reserve(e->args().size());
  for (const symbolic::Expr arg : e->args())
    operands.push_back(value(arg, lookup));
  return apply_operation(e, operands);
}

} // namespace

std::optional<std::int64_t> evaluate(symbolic::Expr e, const Lookup &lookup) {
  const Value result = value(e, lookup);
  return result && result->den == 1 ? std::optional(result->num) : std::nullopt;
}

} // namespace sdfgopt::verify
