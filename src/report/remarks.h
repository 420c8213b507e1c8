// Remarks for people and for tools.
#pragma once

#include "passes/remark.h"

#include <span>
#include <string>
#include <string_view>

namespace sdfgopt::report {

struct TextStyle {
  bool color = false; ///< ANSI colours
};

/// "eliminated", "guarded" or "kept".
std::string_view verdict_name(passes::Outcome verdict);

/// A line or more for each remark, and a summary line.
std::string remarks_as_text(std::span<const passes::Remark> remarks, const TextStyle &style);

/// The summary line: "2 buffers eliminated, 1 kept".
std::string remarks_summary(std::span<const passes::Remark> remarks);

/// `{"candidates": [{"buffer", "destination", "state", "verdict", "rule", "reason", "condition",
/// "trusted", "bytes", ...}, ...]}` with a final newline.
std::string remarks_as_json(std::span<const passes::Remark> remarks);

} // namespace sdfgopt::report
