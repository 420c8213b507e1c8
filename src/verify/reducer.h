// Makes a program smaller while it keeps a property: delta debugging on the IR.
#pragma once

#include "support/result.h"

#include <cstddef>
#include <functional>
#include <string>

namespace sdfgopt::verify {

/// Whether a program, in the text form, has the property. It must always give the same answer for
/// the same text.
using Interesting = std::function<bool(const std::string &sdfgt_text)>;

struct ReduceOptions {
  std::size_t max_attempts = 5000; ///< programs that `interesting` is asked about
};

/// The smallest program found by deleting and simplifying for which `interesting` still holds, in
/// the text form. Whatever is returned parses and passes the IR's verifier. Blocks go first, then
/// nodes, edges, names and numbers, from halves of a list down to single elements, until nothing
/// more goes or the attempts are used up. The same input and answers give the same result.
///
/// Fails if the input does not parse or verify, or is not interesting itself (after it was printed
/// anew, without bookkeeping such as debuginfo).
support::result<std::string> reduce(const std::string &sdfgt_text, const Interesting &interesting,
                                    const ReduceOptions &options = {});

} // namespace sdfgopt::verify
