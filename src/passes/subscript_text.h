// Subscripts in the text of conditions and assignments.
#pragma once

#include "support/name.h"
#include "symbolic/context.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sdfgopt::passes {

/// `text` with every `from[i, j]` replaced by `to[(i) + (offset_0), (j) + (offset_1)]` (constant
/// indices are added up); all else keeps its spelling. Nothing if `from` occurs in any other way
/// (bare, or with another number of indices, or as a slice), or if the text holds string literals.
std::optional<std::string> redirect_subscripts(std::string_view text, support::Name from,
                                               support::Name to,
                                               const std::vector<symbolic::Expr> &offset,
                                               symbolic::Context &context);

} // namespace sdfgopt::passes
