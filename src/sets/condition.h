// From sets of parameter values back to conditions, in their simplest sufficient form.
#pragma once

#include "sets/expr_to_isl.h"
#include "sets/isl_algebra.h"

#include <optional>
#include <span>
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
  bool natural = false; ///< values of the symbols allow it that are not negative
};

class ConditionFinder {
public:
  ConditionFinder(isl_ctx *ctx, Context &context) : ctx_(ctx), context_(context) {}

  /// A conjunction that excludes every value in `violation` (a subset of `domain`) and leaves some
  /// value of `domain`, and some of `wanted`: the best of those found. Nothing if there is none or
  /// isl failed. `wanted` null: too large to be looked at.
  std::optional<Choice> choose(const IslSet &violation, const IslSet &domain, const IslSet &wanted);

  /// Index of the best of several that all exclude what they must: first those that are natural;
  /// of those the ones with the fewest comparisons; of those, none that is stronger within `domain`
  /// than another; of those, the one that is shortest in print. Nothing if isl failed.
  static std::optional<std::size_t> best(const std::vector<Choice> &found, const IslSet &domain);

  /// The conjunction of `atoms` without those that it does not need to exclude all `violations`
  /// within `domain`.
  Choice minimal(std::vector<Atom> atoms, std::span<const IslSet> violations, const IslSet &domain);

  /// It is a conjunction of comparisons, and its text means just that.
  bool can_be_read(const Choice &choice);

  /// Whether values allow it that are in `room` and not negative.
  static bool is_natural(const IslSet &allowed, const IslSet &room);

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
