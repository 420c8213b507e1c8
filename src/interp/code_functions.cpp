#include "interp/code_functions.h"

#include "interp/code_error.h"
#include "interp/code_types.h"

#include <algorithm>
#include <array>
#include <limits>
#include <numbers>
#include <optional>
#include <string_view>

namespace sdfgopt::interp {

namespace {

using support::result;
using Arguments = std::span<const Operand>;

/// Which declaration of a function C++ finds.
enum class Home : std::uint8_t {
  Global, ///< no module: C's functions, in double, and DaCe's templates
  Math,   ///< `math`: DaCe's templates, in the type of the argument
  Std,    ///< `std`: overloads, in Float32 for Float32 alone, else in double
};

struct MathEntry {
  std::string_view name;
  Function function;
};

constexpr auto one_argument = std::to_array<MathEntry>({
    {"sqrt", Function::Sqrt},     {"cbrt", Function::Cbrt},     {"exp", Function::Exp},
    {"exp2", Function::Exp2},     {"expm1", Function::Expm1},   {"log", Function::Log},
    {"log2", Function::Log2},     {"log10", Function::Log10},   {"log1p", Function::Log1p},
    {"sin", Function::Sin},       {"cos", Function::Cos},       {"tan", Function::Tan},
    {"asin", Function::Asin},     {"acos", Function::Acos},     {"atan", Function::Atan},
    {"arcsin", Function::Asin},   {"arccos", Function::Acos},   {"arctan", Function::Atan},
    {"sinh", Function::Sinh},     {"cosh", Function::Cosh},     {"tanh", Function::Tanh},
    {"asinh", Function::Asinh},   {"acosh", Function::Acosh},   {"atanh", Function::Atanh},
    {"arcsinh", Function::Asinh}, {"arccosh", Function::Acosh}, {"arctanh", Function::Atanh},
    {"floor", Function::Floor},   {"ceil", Function::Ceil},     {"round", Function::Round},
    {"trunc", Function::Trunc},   {"rint", Function::Rint},     {"nearbyint", Function::Rint},
    {"erf", Function::Erf},       {"erfc", Function::Erfc},     {"tgamma", Function::Tgamma},
    {"gamma", Function::Tgamma},  {"lgamma", Function::Lgamma},
});

constexpr auto two_arguments = std::to_array<MathEntry>({
    {"atan2", Function::Atan2},
    {"arctan2", Function::Atan2},
    {"hypot", Function::Hypot},
    {"fmod", Function::Fmod},
    {"copysign", Function::Copysign},
    {"fmin", Function::Fmin},
    {"fmax", Function::Fmax},
    {"nextafter", Function::Nextafter},
});

constexpr auto predicates = std::to_array<MathEntry>({
    {"isnan", Function::IsNan},
    {"isinf", Function::IsInf},
    {"isfinite", Function::IsFinite},
});

template <std::size_t N>
const MathEntry *find(const std::array<MathEntry, N> &entries, std::string_view name) {
  const auto *const found = std::ranges::find(entries, name, &MathEntry::name);
  return found == entries.end() ? nullptr : found;
}

/// A call that is being compiled.
struct Site {
  std::string_view name; ///< without its module
  Home home;
  Arguments arguments;
  Emitter &emitter;

  [[nodiscard]] ScalarType type(std::size_t k = 0) const { return arguments[k].type; }
  [[nodiscard]] bool integers() const {
    return std::ranges::none_of(arguments, [](Operand a) { return is_float(a.type); });
  }
};

Operand one(ScalarType type, Emitter &emitter) {
  return emitter.convert(emitter.integer(1, ScalarType::Int32), type);
}

Operand zero(ScalarType type, Emitter &emitter) {
  return emitter.convert(emitter.integer(0, ScalarType::Int32), type);
}

// --- math library ------------------------------------------------------------------------------

Operand in_double(Operand a, Emitter &emitter) { return emitter.convert(a, ScalarType::Float64); }

Operand math(const Site &site, Function function) {
  Emitter &emitter = site.emitter;
  if (site.arguments.size() == 1) {
    const Operand a = site.arguments[0];
    if (site.home == Home::Global)
      return emitter.math(function, in_double(a, emitter));
    const Operand value = emitter.math(function, a);
    return site.home == Home::Math ? emitter.convert(value, a.type) : value;
  }
  const Operand a = site.arguments[0];
  const Operand b = site.arguments[1];
  if (site.home == Home::Global)
    return emitter.math(function, in_double(a, emitter), in_double(b, emitter));
  const Operand value = emitter.math(function, a, b);
  return site.home == Home::Math ? emitter.convert(value, common_type(a.type, b.type)) : value;
}

Operand absolute(Operand a, Emitter &emitter) {
  // std::abs has no unsigned overloads; DaCe adds them, and they include bool.
  if (a.type == ScalarType::Bool || is_unsigned(a.type))
    return a;
  return emitter.unary(Unary::Abs, a);
}

Operand floor_to_int(Operand a, Emitter &emitter) {
  if (!is_float(a.type))
    return a;
  return emitter.convert(emitter.math(Function::Floor, a), ScalarType::Int32);
}

// --- minimum and maximum -----------------------------------------------------------------------

// DaCe's min(a, b) is `a < b ? a : b`: the second operand if they are equal or not ordered, which
// is std::min(b, a). More operands are folded from the right.
Operand extremum(const Site &site, bool minimum) {
  Emitter &emitter = site.emitter;
  const Binary op = minimum ? Binary::Min : Binary::Max;
  Operand result = site.arguments.back();
  ScalarType type = site.type(0);
  for (const Operand a : site.arguments.subspan(1))
    type = common_type(type, a.type);
  for (std::size_t k = site.arguments.size() - 1; k-- > 0;) {
    const Operand a = site.arguments[k];
    const ScalarType common = common_type(a.type, result.type);
    const Operand chosen =
        site.home == Home::Std ? emitter.binary(op, a, result) : emitter.binary(op, result, a);
    result = emitter.convert(chosen, common);
  }
  return emitter.convert(result, type);
}

// --- DaCe's runtime ----------------------------------------------------------------------------

// (T(0) < a) - (a < T(0))
Operand sign(Operand a, Emitter &emitter) {
  const Operand none = zero(a.type, emitter);
  return emitter.binary(Binary::Sub, emitter.binary(Binary::Lt, none, a),
                        emitter.binary(Binary::Lt, a, none));
}

/// a < 0 ? 0 : (a > 0 ? 1 : b)
Operand heaviside(Operand a, Operand b, Emitter &emitter) {
  const Operand result = emitter.new_operand(a.type);
  const Operand none = zero(a.type, emitter);
  const Label done = emitter.new_label();
  emitter.assign(result, none);
  emitter.jump_if(emitter.binary(Binary::Lt, a, none), done);
  emitter.assign(result, one(a.type, emitter));
  emitter.jump_if(emitter.binary(Binary::Lt, none, a), done);
  emitter.assign(result, b);
  emitter.bind(done);
  return result;
}

/// value - floor(value / modulus) * modulus, where floor computes in double.
Operand modulo(const Site &site) {
  Emitter &emitter = site.emitter;
  const Operand a = site.arguments[0];
  const Operand b = emitter.convert(site.arguments[1], a.type);
  const bool narrow = site.name == "Modulo"; // which divides in float to begin with
  const Operand dividend = narrow ? emitter.convert(a, ScalarType::Float32) : a;
  const Operand quotient =
      emitter.math(Function::Floor, in_double(emitter.binary(Binary::Div, dividend, b), emitter));
  const Operand product = emitter.binary(Binary::Mul, quotient, b);
  return emitter.convert(emitter.binary(Binary::Sub, a, product), a.type);
}

/// value - int(value / modulus) * modulus
Operand modulo_float(const Site &site) {
  Emitter &emitter = site.emitter;
  const Operand a = site.arguments[0];
  const Operand b = emitter.convert(site.arguments[1], a.type);
  const Operand quotient = emitter.convert(emitter.binary(Binary::Div, a, b), ScalarType::Int32);
  const Operand product = emitter.binary(Binary::Mul, quotient, b);
  return emitter.convert(emitter.binary(Binary::Sub, a, product), a.type);
}

/// Python's `//`, in the type of the operands.
Operand python_floor(Operand a, Operand b, Emitter &emitter) {
  const ScalarType type = common_type(a.type, b.type);
  if (!is_float(type))
    return emitter.convert(emitter.binary(Binary::FloorDiv, a, b), type);
  return emitter.math(Function::Floor, emitter.binary(Binary::Div, a, b));
}

Operand python_mod(Operand a, Operand b, Emitter &emitter) {
  const ScalarType type = common_type(a.type, b.type);
  const Operand quotient = python_floor(a, b, emitter);
  const Operand product = emitter.binary(Binary::Mul, quotient, emitter.convert(b, type));
  return emitter.convert(emitter.binary(Binary::Sub, a, product), type);
}

/// (a + b - 1) / b
Operand ceil_division(Operand a, Operand b, Emitter &emitter) {
  const Operand sum = emitter.binary(Binary::Sub, emitter.binary(Binary::Add, a, b),
                                     emitter.integer(1, ScalarType::Int32));
  return emitter.binary(Binary::Div, sum, b);
}

/// A shift has the type of its left operand.
Operand shift(Binary op, Operand a, Operand count, Emitter &emitter) {
  const ScalarType type = promoted(a.type);
  return emitter.binary(op, emitter.convert(a, type), emitter.convert(count, type));
}

// --- tables ------------------------------------------------------------------------------------

struct RuntimeEntry {
  std::string_view name;
  std::size_t least_arguments;
  std::size_t most_arguments;
  bool integers_only;
  Operand (*compile)(const Site &);
};

constexpr std::size_t any = std::numeric_limits<std::size_t>::max();

/// Of the operations that give the type of their first operand.
Operand in_first_type(const Site &site, Operand value) {
  return site.emitter.convert(value, site.type());
}

template <Binary op> Operand of_first_type(const Site &site) {
  return in_first_type(site, site.emitter.binary(op, site.arguments[0], site.arguments[1]));
}

template <Binary op> Operand shift_of_first_type(const Site &site) {
  return in_first_type(site, shift(op, site.arguments[0], site.arguments[1], site.emitter));
}

// fabs is C's function on doubles, and has an overload for floats in `std`.
Operand fabs_call(const Site &site) {
  const Operand a = site.arguments[0];
  const bool as_it_is =
      site.home == Home::Math || (site.home == Home::Std && a.type == ScalarType::Float32);
  return absolute(as_it_is ? a : in_double(a, site.emitter), site.emitter);
}

Operand pow_call(const Site &site) {
  if (site.home == Home::Math)
    return power(site.arguments[0], site.arguments[1], site.emitter);
  return math(site, Function::Pow);
}

Operand ipow_call(const Site &site) {
  const Operand exponent = site.emitter.convert(site.arguments[1], ScalarType::UInt32);
  return in_first_type(site, power(site.arguments[0], exponent, site.emitter));
}

Operand sign_bit(const Site &site) {
  Emitter &emitter = site.emitter;
  const Operand copied =
      emitter.math(Function::Copysign, emitter.real(1.0), in_double(site.arguments[0], emitter));
  return emitter.binary(Binary::Lt, copied, emitter.real(0.0));
}

// deg2rad and rad2deg: products and quotients with M_PI, a double.
Operand degrees(const Site &site, bool to_radians) {
  Emitter &emitter = site.emitter;
  const Operand pi = emitter.real(std::numbers::pi);
  const Operand half = emitter.convert(emitter.integer(180, ScalarType::Int32), site.type());
  const Operand scaled = emitter.binary(Binary::Mul, site.arguments[0], to_radians ? pi : half);
  return in_first_type(site, emitter.binary(Binary::Div, scaled, to_radians ? half : pi));
}

constexpr auto runtime = std::to_array<RuntimeEntry>({
    {"abs", 1, 1, false, [](const Site &s) { return absolute(s.arguments[0], s.emitter); }},
    {"Abs", 1, 1, false, [](const Site &s) { return absolute(s.arguments[0], s.emitter); }},
    {"absolute", 1, 1, false, [](const Site &s) { return absolute(s.arguments[0], s.emitter); }},
    {"fabs", 1, 1, false, fabs_call},
    {"min", 1, any, false, [](const Site &s) { return extremum(s, true); }},
    {"max", 1, any, false, [](const Site &s) { return extremum(s, false); }},
    {"minimum", 2, 2, false, [](const Site &s) { return extremum(s, true); }},
    {"maximum", 2, 2, false, [](const Site &s) { return extremum(s, false); }},
    {"Min", 1, any, false, [](const Site &s) { return in_first_type(s, extremum(s, true)); }},
    {"Max", 1, any, false, [](const Site &s) { return in_first_type(s, extremum(s, false)); }},
    {"pow", 2, 2, false, pow_call},
    {"power", 2, 2, false, pow_call},
    {"ipow", 2, 2, false, ipow_call},
    {"ifloor", 1, 1, false, [](const Site &s) { return floor_to_int(s.arguments[0], s.emitter); }},
    {"iround", 1, 1, false,
     [](const Site &s) {
       const Operand wide = in_double(s.arguments[0], s.emitter);
       return s.emitter.convert(s.emitter.math(Function::Round, wide), ScalarType::Int32);
     }},
    {"ROUND", 1, 1, false,
     [](const Site &s) {
       const Operand wide = in_double(s.arguments[0], s.emitter);
       return in_first_type(s, s.emitter.math(Function::Round, wide));
     }},
    {"ceiling", 1, 1, true,
     [](const Site &s) { return s.emitter.convert(s.arguments[0], promoted(s.type())); }},
    {"signbit", 1, 1, false, sign_bit},
    {"sgn", 1, 1, false, [](const Site &s) { return sign(s.arguments[0], s.emitter); }},
    {"sign", 1, 1, false,
     [](const Site &s) { return in_first_type(s, sign(s.arguments[0], s.emitter)); }},
    {"heaviside", 1, 2, false,
     [](const Site &s) {
       const Operand at_zero = s.arguments.size() == 2 ? s.arguments[1] : zero(s.type(), s.emitter);
       return heaviside(s.arguments[0], at_zero, s.emitter);
     }},
    {"reciprocal", 1, 1, false,
     [](const Site &s) { return reciprocal(s.arguments[0], s.emitter); }},
    {"conj", 1, 1, false, [](const Site &s) { return s.arguments[0]; }},
    {"deg2rad", 1, 1, false, [](const Site &s) { return degrees(s, true); }},
    {"rad2deg", 1, 1, false, [](const Site &s) { return degrees(s, false); }},
    {"Mod", 2, 2, true, of_first_type<Binary::Rem>},
    {"Mod_float", 2, 2, false, modulo_float},
    {"Modulo", 2, 2, false, modulo},
    {"Modulo_float", 2, 2, false, modulo},
    {"int_floor", 2, 2, false, of_first_type<Binary::Div>},
    {"int_ceil", 2, 2, false,
     [](const Site &s) {
       return in_first_type(s, ceil_division(s.arguments[0], s.arguments[1], s.emitter));
     }},
    {"int_floor_ni", 2, 2, true,
     [](const Site &s) { return python_floor(s.arguments[0], s.arguments[1], s.emitter); }},
    {"py_floor", 2, 2, false,
     [](const Site &s) { return python_floor(s.arguments[0], s.arguments[1], s.emitter); }},
    {"py_mod", 2, 2, false,
     [](const Site &s) { return python_mod(s.arguments[0], s.arguments[1], s.emitter); }},
    {"cpp_mod", 2, 2, false,
     [](const Site &s) {
       return s.integers() ? of_first_type<Binary::Rem>(s)
                           : s.emitter.math(Function::Fmod, s.arguments[0], s.arguments[1]);
     }},
    {"np_float_pow", 2, 2, false,
     [](const Site &s) {
       return s.emitter.math(Function::Pow, in_double(s.arguments[0], s.emitter),
                             in_double(s.arguments[1], s.emitter));
     }},
    {"bitwise_and", 2, 2, true, of_first_type<Binary::And>},
    {"bitwise_or", 2, 2, true, of_first_type<Binary::Or>},
    {"bitwise_xor", 2, 2, true, of_first_type<Binary::Xor>},
    {"bitwise_invert", 1, 1, true,
     [](const Site &s) {
       return in_first_type(s, s.emitter.unary(Unary::Invert, s.arguments[0]));
     }},
    {"left_shift", 2, 2, true, shift_of_first_type<Binary::Shl>},
    {"right_shift", 2, 2, true, shift_of_first_type<Binary::Shr>},
    {"Not", 1, 1, false, [](const Site &s) { return s.emitter.logical_not(s.arguments[0]); }},
    {"logical_not", 1, 1, false,
     [](const Site &s) { return s.emitter.logical_not(s.arguments[0]); }},
});

/// Splits the module off. Nothing for modules that are not known.
std::optional<std::pair<Home, std::string_view>> resolve(std::string_view function) {
  struct Module {
    std::string_view prefix;
    Home home;
  };
  constexpr auto modules = std::to_array<Module>({{"dace.math.", Home::Math},
                                                  {"math.", Home::Math},
                                                  {"numpy.", Home::Math},
                                                  {"np.", Home::Math},
                                                  {"std.", Home::Std},
                                                  {"builtins.", Home::Global}});
  for (const auto &[prefix, home] : modules)
    if (function.starts_with(prefix))
      return std::pair(home, function.substr(prefix.size()));
  if (function.find('.') != std::string_view::npos)
    return std::nullopt;
  return std::pair(Home::Global, function);
}

support::Error wrong_count(const std::string &function, std::string_view expected,
                           ast::Position position) {
  return cannot_run("function '" + function + "' takes " + std::string(expected), position);
}

} // namespace

ScalarType common_type(ScalarType a, ScalarType b) { return a == b ? a : promoted(a, b); }

Operand reciprocal(Operand a, Emitter &emitter) {
  return emitter.convert(emitter.binary(Binary::Div, one(a.type, emitter), a), a.type);
}

namespace {

/// Multiplies `count` (UInt32) times, in a loop.
Operand repeated_product(Operand base, Operand count, Emitter &emitter) {
  const Operand result = emitter.new_operand(base.type);
  const Operand left = emitter.new_operand(ScalarType::UInt32);
  const Label again = emitter.new_label();
  const Label done = emitter.new_label();
  emitter.assign(result, one(base.type, emitter));
  emitter.assign(left, count);
  emitter.bind(again);
  emitter.jump_if_not(left, done);
  emitter.emit(Op::Burn);
  emitter.assign(result, emitter.binary(Binary::Mul, result, base));
  emitter.assign(left, emitter.binary(Binary::Sub, left, emitter.integer(1, left.type)));
  emitter.jump(again);
  emitter.bind(done);
  return result;
}

} // namespace

Operand integer_power(Operand base, std::uint64_t exponent, Emitter &emitter) {
  constexpr std::uint64_t most_unrolled = 32;
  const auto count = static_cast<std::uint32_t>(exponent); // the parameter's type
  if (count == 0)
    return one(base.type, emitter);
  if (count > most_unrolled)
    return repeated_product(base, emitter.integer(count, ScalarType::UInt32), emitter);
  Operand result = base; // 1 * base
  for (std::uint32_t k = 1; k < count; ++k)
    result = emitter.convert(emitter.binary(Binary::Mul, result, base), base.type);
  return result;
}

Operand power(Operand base, Operand exponent, Emitter &emitter) {
  if (is_float(exponent.type))
    return emitter.math(Function::Pow, base, exponent);
  const bool is_signed = exponent.type != ScalarType::Bool && !is_unsigned(exponent.type);
  const ScalarType type = is_signed && !is_float(base.type) ? ScalarType::Float64 : base.type;
  const Operand factor = emitter.convert(base, type);
  if (const std::optional<Value> value = emitter.known(exponent); value && value->i >= 0)
    return integer_power(factor, value->u, emitter);
  const Operand count = emitter.convert(exponent, ScalarType::UInt32);
  if (!is_signed)
    return repeated_product(factor, count, emitter);
  const Operand result = emitter.new_operand(type);
  const Operand negative =
      emitter.binary(Binary::Lt, exponent, emitter.integer(0, ScalarType::Int32));
  const Operand magnitude = emitter.new_operand(ScalarType::UInt32);
  const Label multiply = emitter.new_label();
  const Label done = emitter.new_label();
  emitter.assign(magnitude, count);
  emitter.jump_if_not(negative, multiply);
  emitter.assign(magnitude, emitter.unary(Unary::Neg, count));
  emitter.bind(multiply);
  emitter.assign(result, repeated_product(factor, magnitude, emitter));
  emitter.jump_if_not(negative, done);
  emitter.assign(result, reciprocal(result, emitter));
  emitter.bind(done);
  return result;
}

result<Operand> compile_call(const std::string &function, Arguments arguments, Emitter &emitter,
                             ast::Position position) {
  if (const std::optional<ScalarType> type = type_named(function)) {
    if (arguments.size() != 1)
      return cannot_run("a cast to '" + function + "' takes one argument", position);
    return emitter.convert(arguments[0], *type);
  }
  const auto resolved = resolve(function);
  if (!resolved)
    return cannot_run("function '" + function + "' is not known", position);
  const Site site{resolved->second, resolved->first, arguments, emitter};
  const auto *const found = std::ranges::find(runtime, site.name, &RuntimeEntry::name);
  if (found != runtime.end()) {
    if (arguments.size() < found->least_arguments || arguments.size() > found->most_arguments)
      return wrong_count(function, "another number of arguments", position);
    if (found->integers_only && !site.integers())
      return wrong_count(function, "integers only", position);
    return found->compile(site);
  }
  const MathEntry *entry = find(one_argument, site.name);
  if (entry == nullptr)
    entry = find(predicates, site.name);
  const MathEntry *const binary = find(two_arguments, site.name);
  if (entry == nullptr && binary == nullptr)
    return cannot_run("function '" + function + "' is not known", position);
  if (arguments.size() != (binary == nullptr ? 1U : 2U))
    return wrong_count(function, "another number of arguments", position);
  if (binary != nullptr)
    return math(site, binary->function);
  if (find(predicates, site.name) != nullptr)
    return emitter.math(entry->function, arguments[0]);
  return math(site, entry->function);
}

} // namespace sdfgopt::interp
