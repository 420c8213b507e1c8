// Shapes of the arguments, read from the registers that the prologue of a program has set.
#pragma once

#include "interp/machine.h"

namespace sdfgopt::interp {

/// See argument_layouts, whose second half this is. Errors have no place.
support::result<std::vector<Layout>>
read_layouts(const Program &program, const std::vector<Value> &registers, std::size_t memory_limit);

} // namespace sdfgopt::interp
