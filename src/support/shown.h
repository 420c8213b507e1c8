// Text from a file, as it may stand in a message.
#pragma once

#include <string>
#include <string_view>

namespace sdfgopt::support {

/// `text` on one line: control characters become '?', and what is longer than `limit` bytes is cut
/// at a character's end, with "..." behind.
std::string shown(std::string_view text, std::size_t limit = 80);

} // namespace sdfgopt::support
