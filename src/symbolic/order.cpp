// The order of canonical forms. It follows SymPy's sort key, by which DaCe prints: a node is
// (class, arguments, exponent, number factor), compared in that order.
#include "symbolic/number.h"

#include <algorithm>

namespace sdfgopt::symbolic {

namespace {

int sign(bool is_less, bool is_greater) { return is_less ? -1 : is_greater ? 1 : 0; }

int compare_text(std::string_view a, std::string_view b) { return sign(a < b, b < a); }

int compare_numbers(Number a, Number b) { return sign(less(a, b), less(b, a)); }

/// A node taken apart as SymPy does: coefficient * body ** exponent, or a product of `factors`.
struct Key {
  Number coefficient{1, 1};
  std::span<const Expr> factors; // two or more, or empty
  Expr body = nullptr;           // null if `factors` is used
  Expr exponent = nullptr;       // null means 1
};

Key key_of(Expr e) {
  Key key;
  key.body = e;
  if (e->kind() == Kind::Mul) {
    std::span<const Expr> factors = e->args();
    if (auto number = number_of(factors.front())) {
      key.coefficient = *number;
      factors = factors.subspan(1);
    }
    key.body = factors.size() == 1 ? factors.front() : nullptr;
    if (!key.body)
      key.factors = factors;
  }
  if (key.body && key.body->kind() == Kind::Pow) {
    key.exponent = key.body->args()[1];
    key.body = key.body->args()[0];
    if (key.body->kind() == Kind::Mul) {
      key.factors = key.body->args();
      key.body = nullptr;
    }
  }
  return key;
}

struct Rank {
  int group;
  std::string_view name;
};

Rank rank_of(Expr e) {
  switch (e->kind()) {
  case Kind::Integer:
  case Kind::Rational:
    return {0, {}};
  case Kind::Literal:
    return {1, e->name().view()};
  case Kind::Symbol:
    return {2, e->name().view()};
  case Kind::Undefined:
    return {3, {}};
  case Kind::Opaque:
    return {4, e->name().view()};
  case Kind::Mul:
    return {5, {}};
  case Kind::Add:
    return {6, {}};
  case Kind::Pow:
    return {7, {}};
  case Kind::Call:
    return {8, e->name().view()};
  case Kind::And:
    return {8, "AND"};
  case Kind::Attr:
    return {8, "Attr"};
  case Kind::If:
    return {8, "IfExpr"};
  case Kind::Mod:
    return {8, "Mod"};
  case Kind::Or:
    return {8, "OR"};
  case Kind::Subscript:
    return {8, "Subscript"};
  case Kind::CeilDiv:
    return {8, "int_ceil"};
  case Kind::FloorDiv:
    return {8, "int_floor"};
  case Kind::Eq:
    return {9, "Equality"};
  case Kind::Le:
    return {9, "LessThan"};
  case Kind::Max:
    return {9, "Max"};
  case Kind::Min:
    return {9, "Min"};
  case Kind::Not:
    return {9, "Not"};
  case Kind::Lt:
    return {9, "StrictLessThan"};
  case Kind::Ne:
    return {9, "Unequality"};
  }
  return {10, {}};
}

int compare_args(std::span<const Expr> a, std::span<const Expr> b) {
  if (a.size() != b.size())
    return sign(a.size() < b.size(), true);
  for (std::size_t i = 0; i < a.size(); ++i)
    if (int order = compare(a[i], b[i]))
      return order;
  return 0;
}

/// Sums compare by their terms, the plain number last: `-2 + a` sorts before `1 + b`.
int compare_sums(std::span<const Expr> a, std::span<const Expr> b) {
  if (a.size() != b.size())
    return sign(a.size() < b.size(), true);
  const auto x = number_of(a.front());
  const auto y = number_of(b.front());
  const auto a_rest = a.subspan(x ? 1 : 0);
  const auto b_rest = b.subspan(y ? 1 : 0);
  for (std::size_t i = 0; i < std::min(a_rest.size(), b_rest.size()); ++i)
    if (int order = compare(a_rest[i], b_rest[i]))
      return order;
  if (x && y)
    return compare_numbers(*x, *y);
  return sign(x.has_value(), y.has_value());
}

int compare_bodies(Expr a, Expr b) {
  if (a == b)
    return 0;
  const Rank x = rank_of(a);
  const Rank y = rank_of(b);
  if (x.group != y.group)
    return sign(x.group < y.group, true);
  if (int order = compare_text(x.name, y.name))
    return order;
  // A call may be named like a built-in node.
  if (a->kind() != b->kind() && !number_of(a))
    return sign(a->kind() < b->kind(), true);
  if (auto number = number_of(a))
    return compare_numbers(*number, *number_of(b));
  if (int order = a->kind() == Kind::Add ? compare_sums(a->args(), b->args())
                                         : compare_args(a->args(), b->args()))
    return order;
  return compare_text(a->name().view(), b->name().view()); // an Attr's member
}

int compare_exponents(Expr a, Expr b) {
  if (a == b)
    return 0;
  if (a && b)
    return compare(a, b);
  const Number one{1, 1};
  const auto number = number_of(a ? a : b);
  const int other_is_less = number ? compare_numbers(*number, one) : 1; // a symbol is above 1
  return a ? other_is_less : -other_is_less;
}

} // namespace

int compare(Expr a, Expr b) {
  if (a == b)
    return 0;
  const Key x = key_of(a);
  const Key y = key_of(b);
  int order = 0;
  if (x.body && y.body) {
    order = compare_bodies(x.body, y.body);
  } else if (!x.body && !y.body) {
    order = compare_args(x.factors, y.factors);
  } else {
    const int product = 5; // the group of Mul in rank_of
    const int other = rank_of(x.body ? x.body : y.body).group;
    order = x.body ? other - product : product - other;
  }
  if (order == 0)
    order = compare_exponents(x.exponent, y.exponent);
  return order ? order : compare_numbers(x.coefficient, y.coefficient);
}

} // namespace sdfgopt::symbolic
