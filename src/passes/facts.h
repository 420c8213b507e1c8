// What the user knows about a program's symbols: comparisons, read from the command line and from
// files.
//
// A fact is a condition in Grammar::Python: comparisons (`==`, `!=`, `<`, `<=`, `>`, `>=`, chains
// such as `1 <= n <= m - 1`) joined by `and`, `or` and `not`. It holds in every run of the program.
// What the solver cannot express (a symbol that is no integer, an unknown function) is accepted and
// is of no use.
#pragma once

#include "passes/pass.h"

#include <span>
#include <string>
#include <vector>

namespace sdfgopt::passes {

/// A fact as it was given.
struct FactText {
  std::string text;
  std::string place; ///< "--assume", "facts.txt:3"
};

/// Facts of a program, and characters of one fact; more of either is an error.
constexpr std::size_t max_facts = 2'000;
constexpr std::size_t max_fact_size = 65'536;

/// The facts of a file: one a line; `#` begins a comment; empty lines count for nothing. "-" is
/// standard input.
support::result<std::vector<FactText>> read_facts(const std::string &path);

/// The facts about the symbols of the outermost SDFG of `document`: those of its table, and names
/// that descriptors, memlets and ranges use and that nothing in it defines. The error names the
/// first that does not parse, is no condition, is about anything else than symbols that keep their
/// value, or contradicts itself, the facts before it, or what is known without them (analyses.h),
/// as far as the solver can tell.
support::result<std::vector<Fact>> parse_facts(ir::Document &document,
                                               std::span<const FactText> texts);

} // namespace sdfgopt::passes
