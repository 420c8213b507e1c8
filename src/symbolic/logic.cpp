// Canonical comparisons and connectives. And, Or and Not are 0 or 1; an operand that is a plain
// number `x` is meant as `x != 0`, so a connective does not collapse to such an operand.
#include "symbolic/impl.h"

#include <algorithm>

namespace sdfgopt::symbolic {

namespace {

/// The difference b - a, if it is a number for all values of the symbols.
std::optional<Number> difference(Context &context, Context::Impl &impl, Expr a, Expr b) {
  if (impl.facts(a).inert || impl.facts(b).inert)
    return std::nullopt;
  if (a == b)
    return Number{0, 1};
  const auto tail = [](Expr e) -> std::span<const Expr> {
    if (number_of(e))
      return {};
    if (e->kind() != Kind::Add)
      return {};
    return e->args().subspan(number_of(e->args().front()) ? 1 : 0);
  };
  const bool both_numbers = number_of(a) && number_of(b);
  const bool sums = a->kind() == Kind::Add || b->kind() == Kind::Add;
  // Cheap refusal: the terms besides the number must agree.
  if (!both_numbers && !sums)
    return std::nullopt;
  if (a->kind() == Kind::Add && b->kind() == Kind::Add && !std::ranges::equal(tail(a), tail(b)))
    return std::nullopt;
  return number_of(context.sub(b, a));
}

/// What a condition is as a constant; nothing if it depends.
std::optional<bool> truth(Expr e) {
  if (auto number = number_of(e))
    return number->num != 0;
  if (e->kind() != Kind::Literal || !is_boolean(e))
    return std::nullopt;
  return e->name().view() == "True";
}

} // namespace

Expr Context::compare_op(Kind kind, Expr a, Expr b) {
  assert(kind == Kind::Eq || kind == Kind::Ne || kind == Kind::Lt || kind == Kind::Le);
  if (auto distance = difference(*this, *impl_, a, b)) {
    const bool equal = distance->num == 0;
    const bool less = distance->num > 0;
    return boolean(kind == Kind::Eq   ? equal
                   : kind == Kind::Ne ? !equal
                   : kind == Kind::Lt ? less
                                      : less || equal);
  }
  if ((kind == Kind::Eq || kind == Kind::Ne) && compare(b, a) < 0)
    std::swap(a, b);
  return impl_->make(kind, std::array{a, b});
}

Expr Context::Impl::connective(Context &context, Kind kind, std::span<const Expr> args) {
  const bool absorbing = kind == Kind::Or; // True absorbs in Or, False in And
  std::vector<Expr> result;
  const auto push = [&](Expr arg) {
    const auto value = truth(arg);
    if (!value)
      result.push_back(arg);
    return value == absorbing;
  };
  for (Expr arg : args) {
    const std::span<const Expr> parts = arg->kind() == kind ? arg->args() : std::span(&arg, 1);
    for (Expr part : parts)
      if (push(part))
        return context.boolean(absorbing);
  }
  std::sort(result.begin(), result.end(), [](Expr a, Expr b) { return compare(a, b) < 0; });
  result.erase(std::unique(result.begin(), result.end()), result.end());
  if (result.empty())
    return context.boolean(!absorbing);
  if (result.size() > 1)
    return make(kind, result);
  if (args.size() == 1 || is_boolean(result.front()))
    return result.front();
  return context.compare_op(Kind::Ne, context.integer(0), result.front());
}

Expr Context::logical_and(std::span<const Expr> args) {
  return impl_->connective(*this, Kind::And, args);
}

Expr Context::logical_or(std::span<const Expr> args) {
  return impl_->connective(*this, Kind::Or, args);
}

Expr Context::logical_not(Expr a) {
  if (auto value = truth(a))
    return boolean(!*value);
  const auto args = a->args();
  switch (a->kind()) {
  case Kind::Eq:
    return compare_op(Kind::Ne, args[0], args[1]);
  case Kind::Ne:
    return compare_op(Kind::Eq, args[0], args[1]);
  case Kind::Lt:
    return compare_op(Kind::Le, args[1], args[0]);
  case Kind::Le:
    return compare_op(Kind::Lt, args[1], args[0]);
  case Kind::Not:
    return is_boolean(args[0]) ? args[0] : compare_op(Kind::Ne, integer(0), args[0]);
  case Kind::And:
  case Kind::Or: {
    std::vector<Expr> negated;
    for (Expr arg : args)
      negated.push_back(logical_not(arg));
    return a->kind() == Kind::And ? logical_or(negated) : logical_and(negated);
  }
  case Kind::Integer:
  case Kind::Rational:
  case Kind::Literal:
  case Kind::Symbol:
  case Kind::Undefined:
  case Kind::Add:
  case Kind::Mul:
  case Kind::Pow:
  case Kind::Max:
  case Kind::Min:
  case Kind::FloorDiv:
  case Kind::CeilDiv:
  case Kind::Mod:
  case Kind::If:
  case Kind::Call:
  case Kind::Subscript:
  case Kind::Attr:
  case Kind::Opaque:
    break;
  }
  return impl_->make(Kind::Not, std::array{a});
}

Expr Context::if_expr(Expr condition, Expr then, Expr otherwise) {
  if (auto value = truth(condition))
    return *value ? then : otherwise;
  if (then == otherwise && !impl_->facts(then).inert)
    return then;
  return impl_->make(Kind::If, std::array{condition, then, otherwise});
}

} // namespace sdfgopt::symbolic
