// Functions that code calls by name: those of DaCe's runtime, of C's math library, and casts.
#pragma once

#include "interp/code_ast.h"
#include "interp/emitter.h"
#include "support/result.h"

#include <span>
#include <string>

namespace sdfgopt::interp {

/// The value of `function(arguments...)`. `function` is spelled as in ast::Call; the module decides
/// the type: "math.sqrt" computes in the type of its argument, "sqrt" in double, "std.sqrt" as the
/// overloads of C++. Not here: functions that do not evaluate all their arguments.
support::result<Operand> compile_call(const std::string &function,
                                      std::span<const Operand> arguments, Emitter &emitter,
                                      ast::Position position);

/// `base` multiplied `exponent` times in the type of `base`, as dace::math::ipow does it.
Operand integer_power(Operand base, std::uint64_t exponent, Emitter &emitter);

/// dace::math::pow.
Operand power(Operand base, Operand exponent, Emitter &emitter);

/// T(1) / a in the type T of `a`.
Operand reciprocal(Operand a, Emitter &emitter);

/// Type of `c ? a : b`: as it is if both have it, else that of arithmetic.
ScalarType common_type(ScalarType a, ScalarType b);

} // namespace sdfgopt::interp
