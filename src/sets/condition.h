// From sets of parameter values back to conditions, in their simplest sufficient form.
#pragma once

#include "sets/expr_to_isl.h"
#include "sets/isl_algebra.h"

#include <optional>
#include <string>
#include <vector>

namespace sdfgopt::sets {

/// One comparison: left <= right.
struct Atom {
  IslSet set;
  Expr left;
  Expr right;
  std::size_t weight; ///< of two that do not both need to be kept, the heavier one goes first
};

/// A conjunction of comparisons.
struct Choice {
  std::vector<Atom> atoms;
  IslSet set;
  Expr condition = nullptr;
  std::string text;
};

class ConditionFinder {
public:
  ConditionFinder(isl_ctx *ctx, Context &context) : ctx_(ctx), context_(context) {}

  /// A conjunction that excludes every value in `violation` (a subset of `domain`) and leaves some
  /// value of `domain`: the one with the fewest comparisons; of those, none that is stronger within
  /// `domain` than another; of those, the one that is shortest in print. Nothing if there is none
  /// or isl failed.
  std::optional<Choice> choose(const IslSet &violation, const IslSet &domain);

  /// The conjunction of `atoms` without those that it does not need to exclude all `violations`.
  Choice minimal(std::vector<Atom> atoms, std::span<const IslSet> violations);

  /// The better of two that both exclude what they must: fewer comparisons, then shorter text.
  static bool better(const Choice &a, const Choice &b);

private:
  void add_disjuncts(const IslSet &violation, const IslSet &domain, std::vector<Choice> &out);
  void add_negations(const IslSet &violation, const IslSet &domain, std::vector<Choice> &out);
  void add_if_useful(std::vector<Atom> atoms, const IslSet &violation, const IslSet &domain,
                     std::vector<Choice> &out);
  std::vector<IslAff> constraints(const IslBasicSet &set);
  std::optional<Atom> atom(const IslAff &nonnegative);
  bool add_terms(const IslAff &aff, std::int64_t factor, std::vector<Expr> &negative,
                 std::vector<Expr> &positive);
  bool add_division(const IslAff &division, std::int64_t coefficient, std::vector<Expr> &negative,
                    std::vector<Expr> &positive);
  Expr conjunction(const std::vector<Atom> &atoms);
  Expr comparison(const Atom &atom);
  Expr sum(const std::vector<Expr> &terms);

  isl_ctx *ctx_;
  Context &context_;
};

} // namespace sdfgopt::sets
