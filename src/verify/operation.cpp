#include "verify/operation.h"

#include <cassert>
#include <limits>

namespace sdfgopt::verify {

using symbolic::Expr;
using symbolic::Kind;

namespace {

/// Holds the product of any two numbers of a Fraction, and the sum of two such products.
__extension__ typedef __int128 Wide;

bool fits(Wide value) {
  return value >= std::numeric_limits<std::int64_t>::min() &&
         value <= std::numeric_limits<std::int64_t>::max();
}

Wide gcd(Wide a, Wide b) {
  a = a < 0 ? -a : a;
  while (b != 0) {
    const Wide rest = a % b;
    a = b;
    b = rest < 0 ? -rest : rest;
  }
  return a;
}

Value fraction(Wide num, Wide den) {
  if (den == 0)
    return std::nullopt;
  if (den != 1) {
    const Wide divisor = den < 0 ? -gcd(num, den) : gcd(num, den);
    num /= divisor;
    den /= divisor;
  }
  if (!fits(num) || !fits(den))
    return std::nullopt;
  return Fraction{static_cast<std::int64_t>(num), static_cast<std::int64_t>(den)};
}

Value truth(bool value) { return Fraction{value}; }

Value add(Fraction a, Fraction b) {
  return fraction(Wide{a.num} * b.den + Wide{b.num} * a.den, Wide{a.den} * b.den);
}
Value multiply(Fraction a, Fraction b) {
  return fraction(Wide{a.num} * b.num, Wide{a.den} * b.den);
}

/// a / b rounded down or up, or what rounding down leaves of it, in the sign of b. The common
/// denominator of a and b cancels in the quotient and stays in the remainder.
Value divide(Kind kind, Fraction a, Fraction b) {
  if (b.num == 0)
    return std::nullopt;
  const Wide num = Wide{a.num} * b.den;
  const Wide den = Wide{b.num} * a.den;
  const Wide cut = num % den;
  const bool above = cut != 0 && (cut < 0) != (den < 0); // the cut quotient, above the exact one
  const bool below = cut != 0 && !above;
  if (kind == Kind::Mod)
    return fraction(above ? cut + den : cut, Wide{a.den} * b.den);
  return fraction(num / den + (kind == Kind::FloorDiv ? -Wide{above} : Wide{below}), 1);
}

Value power(Fraction base, Fraction exponent) {
  if (exponent.den != 1)
    return std::nullopt;
  std::int64_t count = exponent.num;
  if (count < 0) {
    const Value inverse = fraction(base.den, base.num);
    if (!inverse || count == std::numeric_limits<std::int64_t>::min())
      return std::nullopt;
    base = *inverse;
    count = -count;
  }
  if (base.den == 1 && base.num >= -1 && base.num <= 1)
    count = count == 0 ? 0 : 2 - count % 2; // powers repeat, and need no limit
  constexpr std::int64_t longest = 63;      // of any other base that fits
  if (count > longest)
    return std::nullopt;
  Value result = Fraction{1};
  for (; count > 0 && result; --count)
    result = multiply(*result, base);
  return result;
}

Value literal(std::string_view text) {
  if (text == "True" || text == "False")
    return truth(text == "True");
  return std::nullopt;
}

/// Sums, products, Max and Min, operand by operand.
Value fold(Kind kind, std::span<const Value> operands) {
  Value result = operands[0];
  for (const Value &operand : operands.subspan(1)) {
    if (!result || !operand)
      return std::nullopt;
    if (kind == Kind::Add)
      result = add(*result, *operand);
    else if (kind == Kind::Mul)
      result = multiply(*result, *operand);
    else if ((compare(*result, *operand) < 0) == (kind == Kind::Max))
      result = operand;
  }
  return result;
}

Value connective(Kind kind, std::span<const Value> operands) {
  bool known = true;
  for (const Value &operand : operands) {
    known = known && operand;
    if (operand && (operand->num != 0) == (kind == Kind::Or))
      return truth(kind == Kind::Or);
  }
  return known ? truth(kind == Kind::And) : std::nullopt;
}

Value binary(Kind kind, const Value &a, const Value &b) {
  if (!a || !b)
    return std::nullopt;
  switch (kind) {
  case Kind::Pow:
    return power(*a, *b);
  case Kind::Eq:
    return truth(compare(*a, *b) == 0);
  case Kind::Ne:
    return truth(compare(*a, *b) != 0);
  case Kind::Lt:
    return truth(compare(*a, *b) < 0);
  case Kind::Le:
    return truth(compare(*a, *b) <= 0);
  default:
    return divide(kind, *a, *b);
  }
}

} // namespace

int compare(Fraction a, Fraction b) {
  const Wide left = Wide{a.num} * b.den;
  const Wide right = Wide{b.num} * a.den;
  return left < right ? -1 : left > right ? 1 : 0;
}

Value apply_operation(Expr e, std::span<const Value> operands) {
  assert(operands.size() == e->args().size());
  switch (e->kind()) {
  case Kind::Integer:
  case Kind::Rational:
    return Fraction{e->numerator(), e->denominator()};
  case Kind::Literal:
    return literal(e->name().view());
  case Kind::Add:
  case Kind::Mul:
  case Kind::Max:
  case Kind::Min:
    return fold(e->kind(), operands);
  case Kind::And:
  case Kind::Or:
    return connective(e->kind(), operands);
  case Kind::Pow:
  case Kind::FloorDiv:
  case Kind::CeilDiv:
  case Kind::Mod:
  case Kind::Eq:
  case Kind::Ne:
  case Kind::Lt:
  case Kind::Le:
    return binary(e->kind(), operands[0], operands[1]);
  case Kind::Not:
    return operands[0] ? truth(operands[0]->num == 0) : std::nullopt;
  case Kind::If:
    return operands[0] ? operands[operands[0]->num != 0 ? 1 : 2] : std::nullopt;
  case Kind::Symbol:
  case Kind::Undefined:
  case Kind::Call:
  case Kind::Subscript:
  case Kind::Attr:
  case Kind::Opaque:
    return std::nullopt;
  }
  return std::nullopt;
}

} // namespace sdfgopt::verify
