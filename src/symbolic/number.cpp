#include "symbolic/number.h"

#include <limits>
#include <numeric>

namespace sdfgopt::symbolic {

namespace {

Wide gcd(Wide a, Wide b) {
  a = a < 0 ? -a : a;
  while (b != 0) {
    const Wide rest = a % b;
    a = b;
    b = rest < 0 ? -rest : rest;
  }
  return a;
}

bool fits(Wide value) {
  return value >= std::numeric_limits<std::int64_t>::min() &&
         value <= std::numeric_limits<std::int64_t>::max();
}

std::optional<std::int64_t> narrow(Wide value) {
  if (!fits(value))
    return std::nullopt;
  return static_cast<std::int64_t>(value);
}

Wide floor_divide(Wide a, Wide b) {
  const Wide quotient = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}

} // namespace

std::optional<Number> make_number(Wide num, Wide den) {
  if (den == 0)
    return std::nullopt;
  const Wide divisor = gcd(num, den);
  num /= divisor;
  den /= divisor;
  if (den < 0) {
    num = -num;
    den = -den;
  }
  if (!fits(num) || !fits(den))
    return std::nullopt;
  return Number{static_cast<std::int64_t>(num), static_cast<std::int64_t>(den)};
}

std::optional<Number> multiply(Number a, Number b) {
  return make_number(Wide{a.num} * b.num, Wide{a.den} * b.den);
}

bool less(Number a, Number b) { return Wide{a.num} * b.den < Wide{b.num} * a.den; }

std::optional<std::int64_t> floor_quotient(Number a, Number b) {
  if (b.num == 0)
    return std::nullopt;
  return narrow(floor_divide(Wide{a.num} * b.den, Wide{b.num} * a.den));
}

std::optional<std::int64_t> ceil_quotient(Number a, Number b) {
  if (b.num == 0)
    return std::nullopt;
  return narrow(-floor_divide(-(Wide{a.num} * b.den), Wide{b.num} * a.den));
}

std::optional<Number> power(Number base, std::int64_t exponent) {
  if (exponent < 0) {
    const auto inverse = make_number(base.den, base.num);
    if (!inverse || exponent == std::numeric_limits<std::int64_t>::min())
      return std::nullopt;
    return power(*inverse, -exponent);
  }
  if (exponent == 0 || base == Number{1, 1})
    return Number{1, 1};
  if (base.num == 0)
    return Number{0, 1};
  if (base == Number{-1, 1})
    return Number{exponent % 2 == 0 ? 1 : -1, 1};
  std::optional<Number> result = Number{1, 1};
  // Any other base overflows within 64 steps.
  for (std::int64_t i = 0; result && i < exponent; ++i)
    result = multiply(*result, base);
  return result;
}

void Sum::add(Wide num, std::int64_t den) {
  const std::int64_t common = std::gcd(den_, den);
  std::int64_t lcm = 0;
  overflowed_ |= __builtin_mul_overflow(den_ / common, den, &lcm);
  if (overflowed_)
    return;
  Wide old_part = 0;
  Wide new_part = 0;
  overflowed_ |= __builtin_mul_overflow(num_, Wide{lcm / den_}, &old_part);
  overflowed_ |= __builtin_mul_overflow(num, Wide{lcm / den}, &new_part);
  overflowed_ |= __builtin_add_overflow(old_part, new_part, &num_);
  den_ = lcm;
}

std::optional<Number> Sum::value() const {
  if (overflowed_)
    return std::nullopt;
  return make_number(num_, den_);
}

std::optional<Number> number_of(Expr e) {
  if (e->kind() != Kind::Integer && e->kind() != Kind::Rational)
    return std::nullopt;
  return Number{e->numerator(), e->denominator()};
}

} // namespace sdfgopt::symbolic
