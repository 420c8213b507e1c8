// The way back from a Document to the live objects that it was read from: a list of edits.
#pragma once

#include "python/live_reader.h"

#include <nanobind/nanobind.h>

namespace sdfgopt::python {

/// What the document says now, compared with the live objects, which are still as they were read.
/// A dict of three lists:
///
///   copies     live blocks to be deep-copied before anything is changed; a block's position in the
///              list is its number as a copy.
///   edits      to be applied one after the other.
///   in_copies  a list of edits for each copy: what they name is to be replaced by what stands for
///              it in the copy.
///
/// An edit is a tuple that begins with its name; elements are the live objects:
///
///   ("array", sdfg, name, {field: value})        shape, strides, total_size of a descriptor
///   ("add_array", sdfg, name, descriptor, {field: value})    a copy of the descriptor
///   ("arrays", sdfg, names)                      all descriptors that are left, in their order
///   ("symbols", sdfg, {name: dtype as JSON})     all symbols
///   ("explicit_control_flow", sdfg)
///   ("region", region, (blocks, edges, start))   the region is laid out anew. A block is a live
///                                                one, ("copy", number), ("state", label), or
///                                                ("conditional", label, [(condition, label,
///                                                content)]). An edge is (position of its source,
///                                                of its destination, live edge or None, is it a
///                                                copy of that, condition or None if it stays,
///                                                {name: text}). Start: a position, or None.
///   ("label", block, label)
///   ("code", object, field, text)                of a loop, or the data of an interstate edge
///   ("branch_condition", block, position, text)
///   ("assignments", data of an interstate edge, {name: text})
///   ("data", access node, name)
///   ("symbol_mapping", nested SDFG node, {name: value})
///   ("memlet", state, edge, memlet)              memlet: {field: value}
///   ("move_edge", state, edge, source, connector, destination, connector)
///   ("add_edge", state, source, connector, destination, connector, memlet)
///   ("remove_edge", state, edge), ("remove_node", state, node)
///
/// A value is the object that the document's value was read from, if there is one, and text in the
/// grammar of files (`1 + $N`) otherwise. A subset is a list of (begin, end, step, tile), or None.
nanobind::object edits_of(const LiveDocument &live);

/// LiveProgram(sdfg): `program` and `edits()`.
void register_live(nanobind::module_ &module);

} // namespace sdfgopt::python
