// Prints valid JSON again with other white space, and with some keys left out.
#pragma once

#include "ir/sdfg.h"

#include <functional>
#include <string>
#include <string_view>

namespace sdfgopt::io {

struct RespaceOptions {
  ir::Layout layout;
  /// Members whose key this accepts are left out, at every depth (1 is the outermost object).
  std::function<bool(std::string_view key, unsigned depth)> drop;
};

/// Streams `json`, which must be valid, to `sink` in pieces.
void respace_json(std::string_view json, const RespaceOptions &options,
                  const std::function<void(std::string_view)> &sink);

/// The value of an SDFG file's `hash` attribute: SHA-256 of the object as Python's json module
/// dumps it, without the keys that carry no meaning (sdfg-format facts: file, hash).
std::string sdfg_hash(std::string_view json);

} // namespace sdfgopt::io
