// Reads a live dace.SDFG into a Document by walking the Python objects.
#pragma once

#include "ir/sdfg.h"
#include "support/result.h"

#include <nanobind/nanobind.h>

#include <memory>
#include <unordered_map>
#include <vector>

namespace sdfgopt::python {

namespace nb = nanobind;

/// The same document as from the file that DaCe would save, in the same order, with these
/// differences:
///   - An element's `source`, or a member `live` of a container, tells the number of the object in
///     `objects` that it stands for. Attributes that are not modelled are there if passes ask for
///     them. It cannot be written as a file.
///   - Of tasklets in Python, only the words of the code are there (ValueReader::words).
///   - Conditions are not always spelled as in the file, but mean the same.
struct LiveDocument {
  std::unique_ptr<ir::Document> document;
  /// SDFGs, blocks, interstate edges, nodes, edges and descriptors; of a branch, its region.
  std::vector<nb::object> objects;
  /// The first SymPy object, or int, that was read as this value.
  std::unordered_map<symbolic::Expr, nb::object> expressions;
};

/// The SDFG is not changed. Throws what Python raises (nb::python_error), a TypeError for objects
/// that DaCe would not have made; an error is what ir::check finds.
support::result<LiveDocument> read_live(nb::handle sdfg);

} // namespace sdfgopt::python
