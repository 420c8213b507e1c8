// Numbers as they are spelled in expressions. Internal to symbolic/.
#pragma once

#include "symbolic/context.h"

#include <string_view>

namespace sdfgopt::symbolic {

/// A number read from the beginning of a text.
struct Numeral {
  std::size_t size = 0; ///< characters used; 0: not a number
  Expr value = nullptr; ///< an Integer if it is one and fits, else a Literal
};

/// Decimal, hexadecimal, octal and binary integers, floats, `2.0j`, each with `_` between digits,
/// and typed constants: `7i16`, `1.5f32`.
Numeral read_numeral(Context &context, std::string_view text);

} // namespace sdfgopt::symbolic
