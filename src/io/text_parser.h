// Reads the text form of SDFGs (docs/text-form.md).
#pragma once

#include "ir/sdfg.h"
#include "support/result.h"

namespace sdfgopt::io {

/// A document that owns all its text. Errors tell the place ("line 12, column 3") and what was
/// expected there.
support::result<std::unique_ptr<ir::Document>> parse_text(std::string_view text);

} // namespace sdfgopt::io
