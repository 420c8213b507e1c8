// Expressions as sums of terms with integer coefficients, and what one needs to know about terms.
#pragma once

#include "symbolic/context.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace sdfgopt::sets {

using symbolic::Context;
using symbolic::Expr;

struct Term {
  std::int64_t coefficient;
  Expr base; ///< neither a sum nor an integer; a product only if it has no integer factor
};

struct Linear {
  std::int64_t constant = 0;
  std::vector<Term> terms;
};

/// `e` as constant + sum of coefficient * base. A term with a coefficient that is not an integer
/// stays whole (N/2 is a base of its own). Nothing if the numeric part is not an int64.
std::optional<Linear> linear_form(Context &context, Expr e);

/// The integer that a Literal spells ("123456789012345678901234567890" is one, "1.0" is not).
bool is_integer_literal(Expr e);

/// Properties of expressions that decide whether a term may stand for one unknown integer.
class Traits {
public:
  static constexpr std::uint8_t has_undefined = 1; ///< `$?`: no two of them are the same
  static constexpr std::uint8_t has_local = 2;     ///< a symbol made by `local`
  static constexpr std::uint8_t has_fraction = 4;  ///< may have a value that is not an integer

  /// The traits of `e` and of all parts of it; remembered for each node.
  std::uint8_t of(Expr e);
  [[nodiscard]] bool any(Expr e, std::uint8_t mask) { return (of(e) & mask) != 0; }

  /// A symbol that no text can spell, for a variable of our own: binder, coordinate.
  static Expr local(Context &context, const char *kind, std::size_t index);

private:
  static std::uint8_t own(Expr e);
  static constexpr std::uint8_t known = 128;
  std::vector<std::uint8_t> by_id_;
};

/// a - b where it is a constant for a reason that can be seen without solving anything.
class Difference {
public:
  /// With a context it subtracts expressions; without, it only knows integers and equal handles.
  Difference(Traits &traits, Context *context) : traits_(traits), context_(context) {}
  std::optional<std::int64_t> operator()(Expr a, Expr b);

private:
  Traits &traits_;
  Context *context_;
};

} // namespace sdfgopt::sets
