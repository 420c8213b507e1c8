// Questions about sets of integer points, answered by isl under an operation budget.
//
// This folder is the only one that sees isl. Symbols are parameters; Max, Min, FloorDiv, CeilDiv
// and Mod by constants are expressed exactly; any other term that is not affine (`n*m`, `A[i]`, a
// call) becomes a parameter of its own, one per canonical form. That is sound: a parameter may take
// any value, so what holds for all parameters holds for the term.
#pragma once

#include "symbolic/context.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace sdfgopt::sets {

using support::Name;
using symbolic::Expr;

/// begin, begin + step, ... up to and including end; empty if end < begin (step > 0).
/// A step that is not a positive constant makes every question about it Unknown unless the two
/// regions are structurally equal.
struct Interval {
  Expr begin;
  Expr end; ///< inclusive
  Expr step;
};

/// A map parameter that a region is a union over: `name` takes every value of `range`.
/// Later binders may use the names of earlier ones.
struct Binder {
  Name name;
  Interval range;
};

/// A set of points: the union over all values of `binders` of the product of `dims`.
/// Binder names are local to the region: they never mean the same as a symbol outside it.
struct Region {
  std::vector<Interval> dims;
  std::vector<Binder> binders;
};

enum class Verdict : std::uint8_t {
  Yes,     ///< for all values of the symbols that satisfy the facts
  No,      ///< for none of them
  When,    ///< exactly for the values that satisfy `condition`
  Unknown, ///< budget exceeded, isl error, or a form that cannot be expressed
};

struct Answer {
  Verdict verdict = Verdict::Unknown;
  /// For When: a sufficient condition in the caller's symbols, in its simplest form: simplified by
  /// the facts, and of several alternatives the one with the fewest constraints, one that does not
  /// merely make the set empty preferred. Null otherwise. It prints in Grammar::Python as a
  /// conjunction of comparisons. (Each conjunction implies the property; the exact set may be
  /// larger.)
  Expr condition = nullptr;
};

/// What is known about the symbols. Each is a boolean expression (Eq, Ne, Lt, Le, And, Or, Not of
/// them); parts that cannot be expressed are ignored, which only weakens what is known.
using Facts = std::vector<Expr>;

struct Statistics {
  std::uint64_t queries = 0;
  std::uint64_t cache_hits = 0;
  std::uint64_t decided_syntactically = 0; ///< without isl
  std::uint64_t unknown = 0;
};

class Solver {
public:
  /// `operations`: isl operations that one question may take before the answer is Unknown.
  explicit Solver(symbolic::Context &context, unsigned long operations = 2'000'000);
  ~Solver();
  Solver(const Solver &) = delete;
  Solver &operator=(const Solver &) = delete;

  /// inner is a subset of outer. Regions of different rank: Unknown.
  Answer contains(const Region &outer, const Region &inner, const Facts &facts);
  /// a and b have no point in common.
  Answer disjoint(const Region &a, const Region &b, const Facts &facts);
  /// The region has no point.
  Answer empty(const Region &region, const Facts &facts);
  /// The facts imply `condition`.
  Answer implied(Expr condition, const Facts &facts);

  [[nodiscard]] const Statistics &statistics() const;

private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

} // namespace sdfgopt::sets
