// Questions about sets of integer points, answered by isl under an operation budget.
//
// This folder is the only one that sees isl. Symbols are parameters; Max, Min, FloorDiv, CeilDiv
// and Mod by constants are expressed exactly; any other term that is not affine (`n*m`, `A[i]`, a
// call) becomes a parameter of its own, one per canonical form. That is sound: a parameter may take
// any value, so what holds for all parameters holds for the term.
#pragma once

#include "symbolic/context.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <stop_token>
#include <unordered_map>
#include <unordered_set>
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

/// Facts about the symbols. Each is a boolean expression (Eq, Ne, Lt, Le, And, Or, Not of
/// them); parts that cannot be expressed are ignored, which only weakens what is known.
using Facts = std::vector<Expr>;

enum class QuestionKind : std::uint8_t { Contains, Disjoint, Empty, Implied };

/// Something about regions that is asked, or required.
struct Question {
  QuestionKind kind = QuestionKind::Implied;
  Region a;                 ///< Contains: the outer one. Disjoint, Empty: the one
  Region b;                 ///< Contains: the inner one. Disjoint: the other
  Expr condition = nullptr; ///< Implied
  /// Known where this is asked, but not everywhere: what a branch around the access says.
  Facts given;
  /// Symbols that have other values at other times: it must be so for every value that `given`
  /// and the facts leave them, and no condition names them.
  std::vector<Name> variables;

  static Question contains(Region outer, Region inner) {
    return {QuestionKind::Contains, std::move(outer), std::move(inner), nullptr, {}, {}};
  }
  static Question disjoint(Region a, Region b) {
    return {QuestionKind::Disjoint, std::move(a), std::move(b), nullptr, {}, {}};
  }
  static Question empty(Region region) {
    return {QuestionKind::Empty, std::move(region), {}, nullptr, {}, {}};
  }
  static Question implied(Expr condition) {
    return {QuestionKind::Implied, {}, {}, condition, {}, {}};
  }
};

/// It must be so that every question of at least one of the alternatives holds.
struct Requirement {
  std::vector<std::vector<Question>> alternatives;
};

/// What is known throughout a program, indexed by symbol: a question looks only at the facts that
/// it is connected with.
class KnownFacts {
public:
  explicit KnownFacts(symbolic::Context &context) : context_(&context) {}
  /// A conjunction is taken apart; what is already there is not added again.
  void add(Expr fact);
  [[nodiscard]] const Facts &all() const { return facts_; }
  /// Those that share symbols with `names`, directly or through other facts, in the order in which
  /// they were added; facts without symbols belong to all. If there are more than `at_most`: the
  /// nearest. Takes time for what it finds, not for all facts.
  [[nodiscard]] Facts connected(const std::vector<Name> &names,
                                std::size_t at_most = SIZE_MAX) const;
  /// `fact` is one of them, as it stands.
  [[nodiscard]] bool states(Expr fact) const { return known_.contains(fact); }

private:
  symbolic::Context *context_;
  Facts facts_;
  std::vector<std::vector<Name>> names_; ///< of each fact
  std::vector<std::uint32_t> nameless_;  ///< facts without symbols
  std::unordered_map<Name, std::vector<std::uint32_t>> by_name_;
  std::unordered_set<Expr> known_;
};

/// What was asked since the solver was made. Each question of each call counts once, also where a
/// call takes many; a call whose requirements are settled at sight does not look at the rest.
struct Statistics {
  std::uint64_t queries = 0;
  std::uint64_t cache_hits = 0;            ///< questions asked before, under the same facts
  std::uint64_t decided_syntactically = 0; ///< questions decided without isl
  std::uint64_t unknown = 0;               ///< calls with that answer

  Statistics &operator+=(const Statistics &more) {
    queries += more.queries;
    cache_hits += more.cache_hits;
    decided_syntactically += more.decided_syntactically;
    unknown += more.unknown;
    return *this;
  }
};

class Solver {
public:
  /// `operations`: isl operations that one question may take before the answer is Unknown; a call
  /// with several questions may take four times as many altogether.
  explicit Solver(symbolic::Context &context, unsigned long operations = 2'000'000);
  ~Solver();
  Solver(const Solver &) = delete;
  Solver &operator=(const Solver &) = delete;

  /// Once a stop is asked for, every answer is Unknown.
  void stop_on(std::stop_token stop);

  /// All requirements hold. The condition of a When excludes the exact set of values for which they
  /// do not, all taken together, and is the simplest found: of several, one that some values allow
  /// that are not negative; then the one with the fewest comparisons; then the weakest; then the
  /// shortest. It leaves values for which `moved` has a point (if not null): a condition under
  /// which nothing would be moved is true, but not what anybody wants to hear. If every condition
  /// would be such, or no values of the symbols fulfil all requirements: No, where that is certain,
  /// or Unknown. Requirements that share no symbols, directly or through facts, are decided apart;
  /// more than 64 symbols that belong together, and are in doubt, are Unknown.
  Answer all(std::span<const Requirement> requirements, const KnownFacts &facts,
             const Region *moved = nullptr);
  /// The requirement holds for all values that the facts allow. The same as a Yes of `all`, without
  /// the search for a condition.
  bool is_certain(const Requirement &requirement, const KnownFacts &facts);
  /// Some values of the symbols satisfy all facts: Yes, No or Unknown.
  Answer consistent(const KnownFacts &facts);

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
