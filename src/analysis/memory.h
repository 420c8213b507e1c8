// Sizes and strides of arrays.
#pragma once

#include "ir/descriptor.h"
#include "sets/solver.h"

#include <optional>

namespace sdfgopt::analysis {

/// Bytes of one element; nothing for types that are not plain numbers.
std::optional<std::int64_t> bytes_of_element(const ir::Descriptor &descriptor);
/// Bytes of all elements (not of the padding between them).
std::optional<symbolic::Expr> bytes_of(const ir::Descriptor &descriptor,
                                       symbolic::Context &context);

/// Strides of a descriptor, an element a dimension; C order where the file leaves them out.
std::vector<symbolic::Expr> strides_of(const ir::Descriptor &descriptor,
                                       symbolic::Context &context);
/// The index domain: 0 .. extent - 1 in each dimension.
sets::Region whole(const ir::Descriptor &descriptor, symbolic::Context &context);

} // namespace sdfgopt::analysis
