// Remarks for people and for tools.
#pragma once

#include "passes/remark.h"

#include <span>
#include <string>

namespace sdfgopt::report {

struct TextStyle {
  bool color = false; ///< ANSI colours
};

/// A line or more for each remark, and a summary line.
std::string remarks_as_text(std::span<const passes::Remark> remarks, const TextStyle &style);

/// `{"candidates": [{"buffer", "destination", "state", "verdict", "rule", "reason", "condition",
/// "trusted", "bytes", ...}, ...]}` with a final newline.
std::string remarks_as_json(std::span<const passes::Remark> remarks);

} // namespace sdfgopt::report
