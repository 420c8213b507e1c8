// Chooses values of a program's free symbols that it can be run with and that tell rewrites apart.
#pragma once

#include "ir/sdfg.h"
#include "verify/program_symbols.h"

#include <cstdint>
#include <memory>
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

struct ChoiceOptions {
  std::vector<std::pair<support::Name, std::int64_t>> given; ///< values that are kept
  /// Hold for every choice, exactly; in the document's context. Their symbols are chosen even where
  /// the program has none of the name.
  std::vector<symbolic::Expr> facts = {};
  std::uint64_t seed = 1;
  /// About how many elements the first dimension of maps has; if it is large, the others have about
  /// 65.
  std::int64_t size_hint = 6;
};

/// One choice after the other; equal options and calls give equal choices.
///
/// The first choice is an ordinary one. Among the others are, where the program allows it: empty
/// and reversed ranges, ranges of one element, ranges that begin below 0, both outcomes of
/// conditions, each side of every Max and Min and the point where they meet. Strides are those of C
/// or Fortran order, now and then with gaps. Facts are met at their borders, too.
class SymbolChooser {
public:
  SymbolChooser(ir::Document &document, const ChoiceOptions &options);
  ~SymbolChooser();
  SymbolChooser(const SymbolChooser &) = delete;
  SymbolChooser &operator=(const SymbolChooser &) = delete;

  /// With an aim: one for which that holds. Nothing if none was found that satisfies facts and aim.
  std::optional<SymbolChoice> next(symbolic::Expr aim = nullptr);

private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// The first `count` choices, without facts.
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
