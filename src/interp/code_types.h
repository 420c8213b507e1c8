// Names of types in code.
#pragma once

#include "interp/types.h"

#include <optional>
#include <string_view>

namespace sdfgopt::interp {

/// The type that a name stands for in generated C++: `dace.float32`, `np.int64` (C++'s `::` written
/// as a dot), or a type of the C++ language, words separated by one space. Note that `int` has 32
/// bits and `float` is single precision, also in Python code, since DaCe prints both as they are.
std::optional<ScalarType> type_named(std::string_view name);

/// One of the words that names of C++'s own types consist of: "unsigned", "long", "double", ...
bool is_type_word(std::string_view word);

} // namespace sdfgopt::interp
