// Values of symbols that follow from the arrays that a program is called with, as DaCe computes
// them.
#pragma once

#include "verify/runner.h"

#include <map>
#include <string>
#include <vector>

namespace sdfgopt::verify {

/// An array that is given for an argument.
struct ArrayShape {
  std::vector<std::int64_t> shape;
  std::vector<std::int64_t> strides; ///< in elements
};

/// `given`, and what follows from it and the arrays: a symbol that is alone, with those known, in
/// an extent or a stride, of which that is a linear expression (`N`, `2 * N + M` where M is known).
/// Extents count before strides, and those before strides of dimensions with one element or none,
/// which say nothing.
SymbolMap with_shape_symbols(ir::Document &document,
                             const std::map<std::string, ArrayShape> &arrays, SymbolMap given);

/// Conditions on symbols: the extents of these arguments are those of the arrays.
std::vector<symbolic::Expr> extent_facts(ir::Document &document,
                                         const std::map<std::string, ArrayShape> &arrays);

} // namespace sdfgopt::verify
