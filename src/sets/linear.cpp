#include "sets/linear.h"

#include <algorithm>
#include <string>

namespace sdfgopt::sets {

using symbolic::Kind;

namespace {

/// Splits an integer coefficient off one term of a sum.
Term split_coefficient(Context &context, Expr term) {
  if (term->kind() != Kind::Mul || term->args()[0]->kind() != Kind::Integer)
    return {1, term};
  auto rest = term->args().subspan(1);
  Expr base = rest.size() == 1 ? rest[0] : context.mul(rest);
  return {term->args()[0]->numerator(), base};
}

} // namespace

std::optional<Linear> linear_form(Context &context, Expr e) {
  Linear sum;
  auto add = [&](Expr term) {
    if (term->kind() == Kind::Rational)
      return false;
    if (term->kind() == Kind::Integer)
      return !__builtin_add_overflow(sum.constant, term->numerator(), &sum.constant);
    sum.terms.push_back(split_coefficient(context, term));
    return true;
  };
  if (e->kind() != Kind::Add)
    return add(e) ? std::optional(std::move(sum)) : std::nullopt;
  for (Expr term : e->args())
    if (!add(term))
      return std::nullopt;
  return sum;
}

bool is_integer_literal(Expr e) {
  if (e->kind() != Kind::Literal)
    return false;
  std::string_view text = e->name().view();
  if (text.starts_with('-'))
    text.remove_prefix(1);
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

std::uint8_t Traits::own(Expr e) {
  switch (e->kind()) {
  case Kind::Undefined:
    return has_undefined;
  case Kind::Symbol:
    return e->name().view().starts_with('%') ? has_local : 0;
  case Kind::Rational:
    return has_fraction;
  case Kind::Literal:
    return is_integer_literal(e) ? 0 : has_fraction;
  case Kind::Pow:
    return e->args()[1]->kind() == Kind::Integer && e->args()[1]->numerator() >= 0 ? 0
                                                                                   : has_fraction;
  default:
    return 0;
  }
}

std::uint8_t Traits::of(Expr e) {
  if (e->kind() == Kind::Integer)
    return 0;
  if (e->id() < by_id_.size() && by_id_[e->id()] != 0)
    return by_id_[e->id()] & static_cast<std::uint8_t>(~known);
  std::uint8_t traits = own(e);
  for (Expr arg : e->args())
    traits |= of(arg);
  if (e->id() >= by_id_.size())
    by_id_.resize(std::max<std::size_t>(e->id() + 1, 2 * by_id_.size()), 0);
  by_id_[e->id()] = traits | known;
  return traits;
}

Expr Traits::local(Context &context, const char *kind, std::size_t index) {
  return context.symbol(context.names().intern("%" + std::string(kind) + std::to_string(index)));
}

std::optional<std::int64_t> Difference::operator()(Expr a, Expr b) {
  if (a->kind() == Kind::Integer && b->kind() == Kind::Integer) {
    std::int64_t result = 0;
    if (__builtin_sub_overflow(a->numerator(), b->numerator(), &result))
      return std::nullopt;
    return result;
  }
  // One `$?` less another is not zero, and N/2 is cut to an integer before it is used, so that a
  // difference of one between real values says nothing.
  constexpr std::uint8_t vague = Traits::has_undefined | Traits::has_fraction;
  if (a == b)
    return traits_.any(a, Traits::has_undefined) ? std::nullopt : std::optional<std::int64_t>(0);
  if (!context_ || traits_.any(a, vague) || traits_.any(b, vague))
    return std::nullopt;
  return Context::constant(context_->sub(a, b));
}

} // namespace sdfgopt::sets
