// Prints a document in the text form (docs/text-form.md).
#pragma once

#include "ir/sdfg.h"
#include "support/result.h"

#include <string>

namespace sdfgopt::io {

struct TextOptions {
  /// Also bookkeeping (guid, debuginfo, ...), so that the file's bytes can be made again.
  bool full = false;
  /// Only this state or region: its id ("s2"), label, or path of labels ("a/b").
  std::string only;
};

/// Does not change the document's meaning; elements are marked and unmarked while they are printed,
/// so one document must not be printed by two threads at once. Fails if `only` names nothing, or if
/// the document cannot be written and read as JSON.
support::result<std::string> print_text(ir::Document &document, const TextOptions &options);

} // namespace sdfgopt::io
