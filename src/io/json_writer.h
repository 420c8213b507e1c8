// Writes a Document as the JSON of an .sdfg file.
#pragma once

#include "ir/scope_tree.h"
#include "ir/sdfg.h"

#include <string>

namespace sdfgopt::io {

/// The whole file. Bytes of what did not change are those that were read. After a change, the
/// `hash` attribute is computed anew if the file has one, or if the document came from the text
/// form.
std::string write_json(const ir::Document &document);

// One element in compact layout, the way `write_json` prints it: from its typed fields if it is
// marked as changed (edges: always), with what else its `source` has. The text form compares this
// with what a file has to learn whether its own spelling of the element is complete.
std::string write_node(const ir::State &state, const ir::ScopeTree &scopes, ir::NodeId node);
std::string write_edge(const ir::Edge &edge);
std::string write_descriptor(const ir::Descriptor &descriptor);
std::string write_interstate_edge(const ir::InterstateEdge &edge);

} // namespace sdfgopt::io
