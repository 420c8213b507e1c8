// What every SDFG in memory holds to, beyond what its types say. Readers check it, so that analyses
// and passes need not.
//
//   - Ends of edges, start blocks and scope partners are in range; entries and exits pair up.
//   - Dataflow is acyclic. A region has at most one edge from one block to another.
//   - The data of access nodes and memlets stands in the SDFG's array table (of a dotted name,
//   which
//     addresses a structure's member, the part before the dot), and so does each connector of a
//     nested SDFG in the inner one's. Names in the table are distinct.
//   - A memlet's subset has as many dimensions as its data, a map as many parameters as its range,
//     an array as many strides and offsets as extents (or none). Constant extents are not negative.
//
// These are errors in DaCe, too: of loading, or of validation. What DaCe only warns about, or finds
// when it generates code, is no fault here.
#pragma once

#include "ir/sdfg.h"
#include "support/result.h"

#include <string>
#include <vector>

namespace sdfgopt::ir {

struct Fault {
  std::string place; ///< "state s2 'write_back', node n4"
  std::string message;
};

/// All faults of an SDFG and of those nested in it, in file order; linear time. Elements marked as
/// removed are skipped. A state with ids out of range is not looked at further.
std::vector<Fault> verify(const Sdfg &sdfg);

/// The same as one error: the first fault, and how many more there are.
support::result<void> check(const Sdfg &sdfg);

} // namespace sdfgopt::ir
