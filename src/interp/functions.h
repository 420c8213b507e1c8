// The functions of the instructions Math1 and Math2: those of libm, in the width of the operands.
#pragma once

#include "interp/bytecode.h"

namespace sdfgopt::interp {

/// Number of arguments, 1 or 2.
unsigned arity(Function function);
/// As bytecode.h spells it, "Sqrt".
std::string_view name_of(Function function);

/// The register contents of `function(x)`: a number of the argument's type, or a Bool.
Value call(Function function, float x);
Value call(Function function, double x);
/// The same for functions of two arguments.
Value call(Function function, float x, float y);
Value call(Function function, double x, double y);

} // namespace sdfgopt::interp
