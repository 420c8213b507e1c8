// Reads the JSON of an .sdfg file into a Document.
#pragma once

#include "ir/sdfg.h"
#include "support/result.h"

namespace sdfgopt::io {

/// Parses `size` bytes at `buffer`, which must be followed by TextArena::padding readable bytes;
/// the document takes the buffer over and points into it. Errors name the byte and the path in the
/// graph.
support::result<std::unique_ptr<ir::Document>> read_json(std::unique_ptr<char[]> buffer,
                                                         std::size_t size);

/// Is a DaCe version ("2.0.0a3", "1.0.2") before 2.0.0a4, the first with `$` names in expressions?
/// An unreadable version counts as new, as a future one does.
bool has_legacy_expressions(std::string_view version);

} // namespace sdfgopt::io
