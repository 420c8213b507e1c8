// Operations on isl sets that are bounded and never take an error for an answer.
#pragma once

#include "sets/isl_ptr.h"

namespace sdfgopt::sets {

/// Empty / not empty; an isl error is neither.
bool certainly_empty(const IslSet &set);
bool certainly_populated(const IslSet &set);

/// a and b; a or b; a less b. Null on an isl error, and where the result could have too many cases
/// or parameters: isl multiplies out unions before it counts an operation.
IslSet intersection(const IslSet &a, const IslSet &b);
IslSet united(const IslSet &a, const IslSet &b);
IslSet difference(const IslSet &a, const IslSet &b);

} // namespace sdfgopt::sets
