// Exact rational numbers that refuse to overflow. Internal to symbolic/.
#pragma once

#include "symbolic/expr.h"

#include <cstdint>
#include <optional>

namespace sdfgopt::symbolic {

/// Wide enough for any sum or product of two in-range numbers before it is reduced.
__extension__ typedef __int128 Wide;

/// numerator / denominator, reduced, denominator >= 1.
struct Number {
  std::int64_t num = 0;
  std::int64_t den = 1;
  bool operator==(const Number &) const = default;
};

/// num / den reduced; nothing if that leaves int64 or den is zero.
std::optional<Number> make_number(Wide num, Wide den);
std::optional<Number> multiply(Number a, Number b);
bool less(Number a, Number b);
/// floor(a / b), ceil(a / b); nothing if b is zero or the result leaves int64.
std::optional<std::int64_t> floor_quotient(Number a, Number b);
std::optional<std::int64_t> ceil_quotient(Number a, Number b);
/// base ** exponent; nothing if it overflows or divides by zero.
std::optional<Number> power(Number base, std::int64_t exponent);

/// A sum that is exact as long as it is not `overflowed`, whatever the order of its terms.
class Sum {
public:
  void add(Wide num, std::int64_t den);
  /// The value; nothing if it, or a common denominator on the way, left its range.
  [[nodiscard]] std::optional<Number> value() const;

private:
  Wide num_ = 0;
  std::int64_t den_ = 1;
  bool overflowed_ = false;
};

/// The value of an Integer or Rational node.
std::optional<Number> number_of(Expr e);

} // namespace sdfgopt::symbolic
