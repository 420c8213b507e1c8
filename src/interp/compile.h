// An SDFG, with all that are nested in it, to a program for the machine.
#pragma once

#include "interp/bytecode.h"
#include "ir/sdfg.h"
#include "support/result.h"

namespace sdfgopt::interp {

/// Where the graph leaves the order of nodes open, `order_seed` decides it; 0: as they stand in the
/// file. Errors: ErrorCode::Unsupported with the node as the place, for what this interpreter does
/// not know. Expressions are parsed as they are met, so the document is not const; it does not
/// change.
support::result<Program> compile(ir::Document &document, std::uint64_t order_seed);

} // namespace sdfgopt::interp
