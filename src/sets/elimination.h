// Facts with fewer symbols.
#pragma once

#include "sets/linear.h"
#include "sets/solver.h"

#include <functional>

namespace sdfgopt::sets {

using NamesIn = std::function<const std::vector<Name> &(Expr)>;

/// What `facts` say about the symbols `kept`, as sets that isl can be given many of: symbols that
/// are bounded from one side only say nothing, and bounds x <= y, y <= z say x <= z, where the
/// list does not become longer and the result is the same for all integers. Of more than `at_most`
/// facts that remain, those go first that speak of other symbols.
Facts without_others(Context &context, Traits &traits, const NamesIn &names_in, const Facts &facts,
                     const std::vector<Name> &kept, std::size_t at_most);

} // namespace sdfgopt::sets
