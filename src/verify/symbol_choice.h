// Chooses values of a program's free symbols that it can be run with and that tell rewrites apart.
#pragma once

#include "ir/sdfg.h"
#include "verify/program_symbols.h"

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace sdfgopt::verify {

struct SymbolChoice {
  /// All free symbols, by name, and whatever else was given. Symbols of type bool are 0 or 1.
  std::vector<std::pair<support::Name, std::int64_t>> values;
  /// Of what is known to be required for a valid run (every access in bounds, elements of an array
  /// apart from each other), how much does not hold: 0 as a rule.
  std::size_t violated = 0;
};

/// `count` choices; equal arguments give equal choices. Values in `given` are kept. `size_hint` is
/// about how many elements the first dimension of maps has; if it is large, the others have about
/// 65.
///
/// The first choice is an ordinary one. Among the others are, where the program allows it: empty
/// and reversed ranges, ranges of one element, ranges that begin below 0, both outcomes of
/// conditions, each side of every Max and Min and the point where they meet. Strides are those of C
/// or Fortran order, now and then with gaps.
std::vector<SymbolChoice>
choose_symbols(ir::Document &document,
               const std::vector<std::pair<support::Name, std::int64_t>> &given, std::size_t count,
               std::uint64_t seed, std::int64_t size_hint = 6);

struct IndexRange {
  std::int64_t first;
  std::int64_t limit; ///< one past the last
};

/// With this choice, every subscript in a tasklet that is computed from input data is in bounds if
/// those data lie in this range; it begins at or below 0 as a rule, and may be empty. Nothing if
/// there is no such subscript.
std::optional<IndexRange> index_range(ir::Document &document, const SymbolChoice &choice);

} // namespace sdfgopt::verify
