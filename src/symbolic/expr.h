// Integer and logical expressions: immutable, hash-consed, in canonical form.
//
// Two expressions of one Context are equal as canonical forms exactly if their pointers are equal.
// Canonical form:
//   - a sum is Add(terms): like terms merged, one numeric term at most, Integer/Rational
//     coefficients folded into the terms as Mul(number, factors...); a product distributes over a
//     sum only when one side is a number; nested Add/Mul/Max/Min/And/Or are flattened;
//   - Max/Min/And/Or: arguments unique and sorted; constants folded; Max(x) is x;
//   - a - b is a + (-1)*b; a > b is b < a; a >= b is b <= a; not (a < b) is b <= a, not (a == b) is
//     a != b, and so on: Not only remains around what has no complement here;
//   - Eq/Ne: arguments sorted; comparisons of two numbers are folded to True/False;
//   - arguments of commutative nodes are sorted by `compare` (the order in which DaCe prints).
// Arithmetic that would leave int64 is not folded: such a node stays as it was written.
#pragma once

#include "support/name.h"

#include <cstdint>
#include <span>

namespace sdfgopt::symbolic {

using support::Name;

enum class Kind : std::uint8_t {
  Integer,  ///< numerator
  Rational, ///< numerator / denominator, reduced, denominator >= 2
  Literal,  ///< a constant kept by its text (`name`): floats, typed and complex constants, integers
            ///< beyond int64, True, False, None, pi, E, I, oo, nan, string literals
  Symbol,   ///< name
  Undefined, ///< `$?`
  Add,       ///< args (>= 2)
  Mul,       ///< args (>= 2); a number, if any, is first
  Pow,       ///< args[0] ** args[1]; also 1/x as Pow(x, -1)
  Max,       ///< args (>= 2)
  Min,       ///< args (>= 2)
  FloorDiv,  ///< floor(args[0] / args[1]); spelled int_floor, __int_floor, //, floor(a/b)
  CeilDiv,   ///< ceil(args[0] / args[1]); spelled int_ceil, ceiling(a/b)
  Mod,       ///< args[0] mod args[1], sign of the divisor (Python, SymPy)
  Eq,
  Ne,
  Lt,
  Le,
  And,
  Or,
  Not,
  If,        ///< IfExpr(condition, then, else)
  Call,      ///< name(args...), uninterpreted
  Subscript, ///< args[0][args[1], ...]
  Attr,      ///< args[0].name
  Opaque,    ///< text that no grammar here accepts (`name`); equal only to the same text
};

class Node;
/// Handle to a node; never null where this header returns one. Valid as long as its Context.
using Expr = const Node *;

class Node {
public:
  [[nodiscard]] Kind kind() const { return kind_; }
  [[nodiscard]] std::int64_t numerator() const { return numerator_; }
  [[nodiscard]] std::int64_t denominator() const { return denominator_; }
  [[nodiscard]] Name name() const { return name_; }
  [[nodiscard]] std::span<const Expr> args() const { return {args_, arg_count_}; }
  /// Position in order of creation: a dense key for side tables.
  [[nodiscard]] std::uint32_t id() const { return id_; }

  [[nodiscard]] bool is_integer(std::int64_t value) const {
    return kind_ == Kind::Integer && numerator_ == value;
  }

private:
  friend class Context;
  Node() = default;
  Kind kind_ = Kind::Undefined;
  std::uint32_t id_ = 0;
  std::uint32_t arg_count_ = 0;
  const Expr *args_ = nullptr;
  std::int64_t numerator_ = 0;
  std::int64_t denominator_ = 1;
  Name name_;
};

/// Total order of canonical forms that does not depend on the run: numbers, then symbols by name,
/// then products and powers, sums, functions; arguments decide between equals. A number factor of a
/// product counts last, so `-N` sorts beside `N`. Returns < 0, 0, > 0.
int compare(Expr a, Expr b);

} // namespace sdfgopt::symbolic
