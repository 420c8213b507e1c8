// gzip in memory.
#pragma once

#include "support/result.h"

#include <memory>
#include <string>
#include <string_view>

namespace sdfgopt::io {

[[nodiscard]] inline bool is_gzip(std::string_view bytes) { return bytes.starts_with("\x1f\x8b"); }

/// Unpacks all members of a gzip file. At most `limit` bytes come out; more is an error.
support::result<std::string> gunzip(std::string_view bytes, std::size_t limit);

/// Packs without time stamp or name, so that equal input gives equal bytes.
support::result<std::string> gzip(std::string_view bytes);

} // namespace sdfgopt::io
