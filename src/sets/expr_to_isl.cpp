#include "sets/expr_to_isl.h"

#include "sets/isl_algebra.h"

#include <algorithm>
#include <string>

namespace sdfgopt::sets {

using symbolic::Kind;

namespace {

// Limits of one translation; beyond them the answer is Unknown. The depth guards the stack.
constexpr unsigned max_depth = 200;
constexpr unsigned max_steps = 20'000;
// Of a function with cases, and of an extremum inside of one: cases multiply.
constexpr int max_pieces = 64;
constexpr std::size_t max_terms = 64; // more make a set that is too wide to be looked at

bool is_extremum(Expr e) { return e->kind() == Kind::Max || e->kind() == Kind::Min; }

bool is_quotient(Expr e) {
  if (e->kind() != Kind::FloorDiv && e->kind() != Kind::CeilDiv && e->kind() != Kind::Mod)
    return false;
  auto divisor = Context::constant(e->args()[1]);
  return divisor && *divisor > 0;
}

} // namespace

Translator::Translator(isl_ctx *ctx, Context &context, Traits &traits)
    : ctx_(ctx), context_(context), traits_(traits) {}

void Translator::start() {
  exact_ = true;
  steps_ = 0;
}

IslSet Translator::universe() const { return isl_set_universe(isl_space_params_alloc(ctx_, 0)); }
IslSet Translator::nothing() const { return isl_set_empty(isl_space_params_alloc(ctx_, 0)); }

IslSet Translator::approximated(Approximation side) {
  exact_ = false;
  return side == Approximation::Over ? universe() : nothing();
}

IslVal Translator::val(std::int64_t value) const { return isl_val_int_from_si(ctx_, value); }

IslId Translator::id_of(Expr e) const {
  // isl tells ids apart by name and user pointer; the name only has to be the same each time.
  std::string name = "p" + std::to_string(e->id());
  return isl_id_alloc(ctx_, name.c_str(), const_cast<void *>(static_cast<const void *>(e)));
}

IslSet Translator::project_out(IslSet set, Expr symbol) {
  return isl_set_project_out_param_id(set.take(), id_of(symbol).take());
}

std::optional<IslSet> Translator::gap(Expr a, Expr b, std::int64_t least) {
  // Two `$?` cancel in b - a although they need not be the same.
  if (traits_.any(a, Traits::has_undefined) || traits_.any(b, Traits::has_undefined))
    return std::nullopt;
  return exactly(context_.sub(context_.sub(b, a), context_.integer(least)), 0);
}

IslSet Translator::at_most(Expr a, Expr b, Approximation side) {
  auto set = gap(a, b, 0);
  return set ? std::move(*set) : approximated(side);
}

IslSet Translator::less(Expr a, Expr b, Approximation side) {
  auto set = gap(a, b, 1);
  return set ? std::move(*set) : approximated(side);
}

IslSet Translator::fact(Expr condition) {
  integers_only_ = true;
  IslSet set = holds(condition, Approximation::Over);
  integers_only_ = false;
  return set;
}

IslSet Translator::holds(Expr condition, Approximation side) {
  switch (condition->kind()) {
  case Kind::Eq:
  case Kind::Ne:
  case Kind::Lt:
  case Kind::Le:
    return compare(condition, side);
  case Kind::And:
  case Kind::Or:
    return combine(condition, condition->kind() == Kind::And, side);
  case Kind::Not: {
    auto other = side == Approximation::Over ? Approximation::Under : Approximation::Over;
    return isl_set_complement(holds(condition->args()[0], other).take());
  }
  case Kind::Integer:
    return condition->numerator() != 0 ? universe() : nothing();
  case Kind::Symbol: // its truth value
    return holds(context_.compare_op(Kind::Ne, condition, context_.integer(0)), side);
  case Kind::Literal:
    if (condition == context_.boolean(true))
      return universe();
    if (condition == context_.boolean(false))
      return nothing();
    return approximated(side);
  default:
    return approximated(side);
  }
}

IslSet Translator::combine(Expr condition, bool conjunction, Approximation side) {
  IslSet set = conjunction ? universe() : nothing();
  for (Expr arg : condition->args()) {
    IslSet part = holds(arg, side);
    set = conjunction ? intersection(set, part) : united(set, part);
  }
  return set;
}

IslSet Translator::compare(Expr condition, Approximation side) {
  Expr a = condition->args()[0];
  Expr b = condition->args()[1];
  if (integers_only_ &&
      (traits_.any(a, Traits::has_fraction) || traits_.any(b, Traits::has_fraction)))
    return approximated(side);
  if (condition->kind() == Kind::Le)
    return at_most(a, b, side);
  if (condition->kind() == Kind::Lt)
    return less(a, b, side);
  bool equal = condition->kind() == Kind::Eq;
  auto first = gap(a, b, equal ? 0 : 1);
  auto second = gap(b, a, equal ? 0 : 1);
  if (!first || !second)
    return approximated(side);
  return equal ? intersection(*first, *second) : united(*first, *second);
}

std::optional<IslSet> Translator::exactly(Expr e, unsigned depth) {
  if (auto constant = Context::constant(e))
    return *constant >= 0 ? universe() : nothing();
  if (auto found = memo_.find(e); found != memo_.end())
    return found->second;
  if (depth > max_depth || ++steps_ > max_steps)
    return std::nullopt;
  auto sum = linear_form(context_, e);
  if (!sum)
    return std::nullopt;
  auto term = std::find_if(sum->terms.begin(), sum->terms.end(),
                           [](const Term &t) { return is_extremum(t.base); });
  auto result = term != sum->terms.end() ? split(e, *term, depth) : leaf(*sum);
  // An error (out of operations) or a limit belongs to this question, not to the expression.
  if (result ? static_cast<bool>(*result) : steps_ <= max_steps && depth == 0)
    memo_.emplace(e, result);
  return result;
}

std::optional<IslSet> Translator::split(Expr e, const Term &term, unsigned depth) {
  std::vector<Expr> parts;
  for (Expr part : e->kind() == Kind::Add ? e->args() : std::span<const Expr>(&e, 1)) {
    auto single = linear_form(context_, part);
    bool chosen = single && single->terms.size() == 1 && single->terms[0].base == term.base;
    if (!chosen)
      parts.push_back(part);
  }
  bool any = (term.base->kind() == Kind::Max) == (term.coefficient > 0);
  std::vector<Expr> sums;
  parts.push_back(nullptr);
  for (Expr arg : term.base->args()) {
    parts.back() = context_.mul(context_.integer(term.coefficient), arg);
    Expr sum = context_.add(parts);
    // One that decides is enough, however many there are.
    if (auto constant = Context::constant(sum); constant && (*constant >= 0) == any)
      return any ? universe() : nothing();
    sums.push_back(sum);
  }
  IslSet set = any ? nothing() : universe();
  for (Expr sum : sums) {
    auto part = exactly(sum, depth + 1);
    if (!part)
      return std::nullopt;
    set = any ? united(set, *part) : intersection(set, *part);
    if (!set) // too many cases, or an error
      return isl_ctx_last_error(ctx_) == isl_error_none ? std::nullopt : std::optional(set);
  }
  return IslSet(isl_set_coalesce(set.take()));
}

std::optional<IslSet> Translator::leaf(const Linear &sum) {
  auto function = value(sum, 0);
  if (!function)
    return std::nullopt;
  return IslSet(isl_pw_aff_nonneg_set(function->take()));
}

bool Translator::is_parameter(Expr e) {
  if (e->kind() == Kind::Literal || e->kind() == Kind::Rational || is_extremum(e) || is_quotient(e))
    return false;
  // What varies with a map parameter or a coordinate is not one value.
  return e->kind() == Kind::Symbol || !traits_.any(e, Traits::has_undefined | Traits::has_local);
}

IslPwAff Translator::affine(std::int64_t constant, std::span<const Term> parameters) const {
  IslSpace space = isl_space_params_alloc(ctx_, static_cast<unsigned>(parameters.size()));
  for (std::size_t i = 0; i < parameters.size(); ++i)
    space = isl_space_set_dim_id(space.take(), isl_dim_param, static_cast<unsigned>(i),
                                 id_of(parameters[i].base).take());
  IslAff aff = isl_aff_zero_on_domain(isl_local_space_from_space(space.take()));
  aff = isl_aff_set_constant_val(aff.take(), val(constant).take());
  for (std::size_t i = 0; i < parameters.size(); ++i)
    aff = isl_aff_set_coefficient_val(aff.take(), isl_dim_param, static_cast<int>(i),
                                      val(parameters[i].coefficient).take());
  return isl_pw_aff_from_aff(aff.take());
}

std::optional<IslPwAff> Translator::value(Expr e, unsigned depth) {
  if (depth > max_depth || ++steps_ > max_steps)
    return std::nullopt;
  auto sum = linear_form(context_, e);
  if (!sum)
    return std::nullopt;
  return value(*sum, depth);
}

std::optional<IslPwAff> Translator::value(const Linear &sum, unsigned depth) {
  if (sum.terms.size() > max_terms)
    return std::nullopt;
  std::vector<Term> parameters;
  std::vector<Term> others;
  for (const Term &term : sum.terms)
    (is_parameter(term.base) ? parameters : others).push_back(term);
  IslPwAff total = affine(sum.constant, parameters);
  for (const Term &term : others) {
    auto part = base_value(term.base, depth + 1);
    if (!part)
      return std::nullopt;
    IslPwAff scaled = isl_pw_aff_scale_val(part->take(), val(term.coefficient).take());
    total = isl_pw_aff_add(total.take(), scaled.take());
    if (isl_pw_aff_n_piece(total.get()) > max_pieces)
      return std::nullopt;
  }
  return total;
}

std::optional<IslPwAff> Translator::base_value(Expr e, unsigned depth) {
  if (is_extremum(e))
    return extremum(e, depth);
  if (is_quotient(e))
    return quotient(e, depth);
  if (!is_integer_literal(e))
    return std::nullopt;
  IslVal number = isl_val_read_from_str(ctx_, std::string(e->name().view()).c_str());
  IslPwAff one = affine(1, {});
  return IslPwAff(isl_pw_aff_scale_val(one.take(), number.take()));
}

std::optional<IslPwAff> Translator::quotient(Expr e, unsigned depth) {
  auto dividend = value(e->args()[0], depth + 1);
  if (!dividend)
    return std::nullopt;
  IslVal divisor = val(*Context::constant(e->args()[1]));
  if (e->kind() == Kind::Mod)
    return IslPwAff(isl_pw_aff_mod_val(dividend->take(), divisor.take()));
  IslPwAff ratio = isl_pw_aff_scale_down_val(dividend->take(), divisor.take());
  return IslPwAff(e->kind() == Kind::FloorDiv ? isl_pw_aff_floor(ratio.take())
                                              : isl_pw_aff_ceil(ratio.take()));
}

std::optional<IslPwAff> Translator::extremum(Expr e, unsigned depth) {
  std::optional<IslPwAff> result;
  if (e->args().size() > max_pieces)
    return std::nullopt;
  for (Expr arg : e->args()) {
    auto part = value(arg, depth + 1);
    if (!part)
      return std::nullopt;
    if (!result)
      result = std::move(part);
    else
      result = IslPwAff(e->kind() == Kind::Max ? isl_pw_aff_max(result->take(), part->take())
                                               : isl_pw_aff_min(result->take(), part->take()));
    if (isl_pw_aff_n_piece(result->get()) > max_pieces)
      return std::nullopt;
  }
  return result;
}

} // namespace sdfgopt::sets
