#include "interp/functions.h"

#include "interp/arithmetic.h"

#include <array>
#include <cassert>
#include <cmath>

namespace sdfgopt::interp {

namespace {

constexpr std::array<std::string_view, 42> names = {
    "Sqrt",  "Cbrt",   "Exp",      "Exp2",  "Expm1", "Log",      "Log2",  "Log10", "Log1p",
    "Sin",   "Cos",    "Tan",      "Asin",  "Acos",  "Atan",     "Sinh",  "Cosh",  "Tanh",
    "Asinh", "Acosh",  "Atanh",    "Floor", "Ceil",  "Round",    "Trunc", "Rint",  "Erf",
    "Erfc",  "Tgamma", "Lgamma",   "IsNan", "IsInf", "IsFinite", "Pow",   "Atan2", "Hypot",
    "Fmod",  "PyMod",  "Copysign", "Fmin",  "Fmax",  "Nextafter"};
static_assert(names.size() == static_cast<std::size_t>(Function::Nextafter) + 1);

template <typename T> Value number(T value) {
  Value result;
  arithmetic::put(result, value);
  return result;
}

/// As DaCe's generated code: one rounding for each operation.
template <typename T> T python_modulo(T x, T y) {
  const T quotient = std::floor(x / y);
  const T product = quotient * y;
  return x - product;
}

// A table in code: one line a function.
template <typename T> Value call_one(Function function, T x) {
  switch (function) {
  case Function::Sqrt:
    return number(std::sqrt(x));
  case Function::Cbrt:
    return number(std::cbrt(x));
  case Function::Exp:
    return number(std::exp(x));
  case Function::Exp2:
    return number(std::exp2(x));
  case Function::Expm1:
    return number(std::expm1(x));
  case Function::Log:
    return number(std::log(x));
  case Function::Log2:
    return number(std::log2(x));
  case Function::Log10:
    return number(std::log10(x));
  case Function::Log1p:
    return number(std::log1p(x));
  case Function::Sin:
    return number(std::sin(x));
  case Function::Cos:
    return number(std::cos(x));
  case Function::Tan:
    return number(std::tan(x));
  case Function::Asin:
    return number(std::asin(x));
  case Function::Acos:
    return number(std::acos(x));
  case Function::Atan:
    return number(std::atan(x));
  case Function::Sinh:
    return number(std::sinh(x));
  case Function::Cosh:
    return number(std::cosh(x));
  case Function::Tanh:
    return number(std::tanh(x));
  case Function::Asinh:
    return number(std::asinh(x));
  case Function::Acosh:
    return number(std::acosh(x));
  case Function::Atanh:
    return number(std::atanh(x));
  case Function::Floor:
    return number(std::floor(x));
  case Function::Ceil:
    return number(std::ceil(x));
  case Function::Round:
    return number(std::round(x));
  case Function::Trunc:
    return number(std::trunc(x));
  case Function::Rint:
    return number(std::rint(x));
  case Function::Erf:
    return number(std::erf(x));
  case Function::Erfc:
    return number(std::erfc(x));
  case Function::Tgamma:
    return number(std::tgamma(x));
  case Function::Lgamma:
    return number(std::lgamma(x));
  case Function::IsNan:
    return number(std::isnan(x));
  case Function::IsInf:
    return number(std::isinf(x));
  case Function::IsFinite:
    return number(std::isfinite(x));
  default:
    assert(false && "not a function of one argument");
    return Value{};
  }
}

template <typename T> Value call_two(Function function, T x, T y) {
  switch (function) {
  case Function::Pow:
    return number(std::pow(x, y));
  case Function::Atan2:
    return number(std::atan2(x, y));
  case Function::Hypot:
    return number(std::hypot(x, y));
  case Function::Fmod:
    return number(std::fmod(x, y));
  case Function::PyMod:
    return number(python_modulo(x, y));
  case Function::Copysign:
    return number(std::copysign(x, y));
  case Function::Fmin:
    return number(std::fmin(x, y));
  case Function::Fmax:
    return number(std::fmax(x, y));
  case Function::Nextafter:
    return number(std::nextafter(x, y));
  default:
    assert(false && "not a function of two arguments");
    return Value{};
  }
}

} // namespace

unsigned arity(Function function) { return function < Function::Pow ? 1 : 2; }

std::string_view name_of(Function function) { return names[static_cast<std::size_t>(function)]; }

Value call(Function function, float x) { return call_one(function, x); }
Value call(Function function, double x) { return call_one(function, x); }
Value call(Function function, float x, float y) { return call_two(function, x, y); }
Value call(Function function, double x, double y) { return call_two(function, x, y); }

} // namespace sdfgopt::interp
