// JSON tokens as text: strings to and from their escaped form, white space.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sdfgopt::io {

/// Appends the string that `escaped` (what stands between the quotes of a valid JSON string) means,
/// in UTF-8; a lone surrogate keeps its three-byte form, so that every string survives.
/// Returns false if an escape sequence is malformed.
bool unescape(std::string_view escaped, std::string &out);

/// Appends `text` as a JSON string with quotes, ASCII only, the way Python's json module does.
void append_quoted(std::string &out, std::string_view text);

/// Every escape sequence in `escaped` is one that JSON has.
bool has_valid_escapes(std::string_view escaped);

/// A plain character is spelled as an escape sequence ("\u0061" for "a"), so that texts that mean
/// the same differ. `escaped` has valid escapes.
bool has_needless_escape(std::string_view escaped);

/// The strings in JSON text, keys included, decoded, at any depth; in order.
std::vector<std::string> strings_in(std::string_view json);

/// `token` is a JSON number, true, false or null, or one of Python's NaN, Infinity, -Infinity.
bool is_scalar_token(std::string_view token);

std::string_view trim_json_space(std::string_view text);

} // namespace sdfgopt::io
