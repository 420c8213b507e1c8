// What a pass is, and the list of them all.
#pragma once

#include "ir/sdfg.h"
#include "passes/remark.h"
#include "sets/solver.h"
#include "support/result.h"

#include <memory>
#include <span>
#include <stop_token>
#include <string_view>
#include <vector>

namespace sdfgopt::passes {

/// What the user knows about the program's symbols; see facts.h.
struct Fact {
  symbolic::Expr condition = nullptr; ///< in the document's context
  std::string text;                   ///< as given
};

struct PassOptions {
  /// Trust that where a map reads the array that its result is moved into, it does so element by
  /// element (GT4Py's canonical form, rule 3). Remarks that rest on it are marked.
  bool assume_pointwise = false;
  std::vector<Fact> facts = {};
  /// Where the rewrite is right under a condition on the symbols, do both: the rewritten copy of
  /// the region under that condition, the original otherwise.
  bool guard = false;
  /// `guard` stops where the program would have more than this many times the elements (blocks,
  /// nodes and edges) that it had.
  double growth_limit = 2.0;
  /// Once a stop is asked for, the pass ends soon. The document is valid then, and a part of the
  /// work is done.
  std::stop_token stop = {};
};

struct PassResult {
  std::vector<Remark> remarks;
  bool changed = false;
  sets::Statistics statistics; ///< of the solver, all questions of the pass

  /// Adds the remarks of `more`, and what it did.
  PassResult &operator+=(PassResult more);
};

class Pass {
public:
  virtual ~Pass() = default;
  /// The one name of the pass, as on the command line.
  [[nodiscard]] virtual std::string_view name() const = 0;
  /// One line for people.
  [[nodiscard]] virtual std::string_view summary() const = 0;
  /// Rewrites the document in place. The document is valid before and after.
  virtual PassResult run(ir::Document &document, const PassOptions &options) const = 0;
};

/// All passes, in the order in which they are run by default.
std::span<const Pass *const> all_passes();

/// The passes of a comma-separated list of names; the error names one that does not exist.
support::result<std::vector<const Pass *>> find_passes(std::string_view names);

/// Runs passes one after the other; their remarks in that order, and what they all did. An error
/// only if a stop was asked for: see PassOptions::stop.
support::result<PassResult> run_passes(ir::Document &document,
                                       const std::vector<const Pass *> &passes,
                                       const PassOptions &options);

} // namespace sdfgopt::passes
