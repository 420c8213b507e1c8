// Expressions and conditions as isl sets of parameter values.
//
// Every set here lives in a space of parameters only; a coordinate or a map parameter is a
// parameter as well until it is projected out. A parameter's isl_id carries its expression, so that
// a set can be translated back (sets/condition.h).
//
// `0 <= c * Max(a, b) + r` is the union of `0 <= c * a + r` and `0 <= c * b + r` for c > 0 and
// their intersection for c < 0. So nested Max/Min become a formula over affine comparisons and
// equal parts of both sides cancel, where piecewise functions would multiply their cases.
#pragma once

#include "sets/isl_ptr.h"
#include "sets/linear.h"

#include <optional>
#include <span>
#include <unordered_map>

namespace sdfgopt::sets {

/// What stands in for something that cannot be expressed.
enum class Approximation : std::uint8_t {
  Over,  ///< all values
  Under, ///< no value
};

class Translator {
public:
  Translator(isl_ctx *ctx, Context &context, Traits &traits);

  /// Starts a question: nothing was approximated yet.
  void start();
  /// Nothing was approximated since start().
  [[nodiscard]] bool exact() const { return exact_; }
  /// The result stands for a set that cannot be expressed.
  IslSet approximated(Approximation side);

  [[nodiscard]] IslSet universe() const;
  [[nodiscard]] IslSet nothing() const;

  /// { a <= b } and { a < b }. Null on an isl error.
  IslSet at_most(Expr a, Expr b, Approximation side);
  IslSet less(Expr a, Expr b, Approximation side);
  /// { condition }. Null on an isl error.
  IslSet holds(Expr condition, Approximation side);
  /// Like holds(condition, Over), but ignores comparisons of values that need not be integers.
  IslSet fact(Expr condition);

  /// Projects out the parameter of a symbol; does nothing where the set does not have it.
  IslSet project_out(IslSet set, Expr symbol);
  /// The expression that a parameter of one of our sets stands for.
  static Expr expression_of(isl_id *id) { return static_cast<Expr>(isl_id_get_user(id)); }

private:
  IslSet compare(Expr condition, Approximation side);
  IslSet combine(Expr condition, bool conjunction, Approximation side);
  std::optional<IslSet> gap(Expr a, Expr b, std::int64_t least);
  std::optional<IslSet> exactly(Expr e, unsigned depth);
  std::optional<IslSet> split(Expr e, const Term &term, unsigned depth);
  std::optional<IslSet> leaf(const Linear &sum);
  std::optional<IslPwAff> value(Expr e, unsigned depth);
  std::optional<IslPwAff> value(const Linear &sum, unsigned depth);
  std::optional<IslPwAff> base_value(Expr e, unsigned depth);
  std::optional<IslPwAff> quotient(Expr e, unsigned depth);
  std::optional<IslPwAff> extremum(Expr e, unsigned depth);
  [[nodiscard]] bool is_parameter(Expr e);
  [[nodiscard]] IslId id_of(Expr e) const;
  [[nodiscard]] IslVal val(std::int64_t value) const;
  [[nodiscard]] IslPwAff affine(std::int64_t constant, std::span<const Term> parameters) const;

  isl_ctx *ctx_;
  Context &context_;
  Traits &traits_;
  std::unordered_map<Expr, std::optional<IslSet>> memo_; // of { e >= 0 }
  unsigned steps_ = 0;
  bool exact_ = true;
  bool integers_only_ = false;
};

} // namespace sdfgopt::sets
