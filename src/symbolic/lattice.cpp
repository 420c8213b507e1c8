// Canonical Max, Min and integer division.
#include "symbolic/impl.h"

#include <algorithm>
#include <utility>

namespace sdfgopt::symbolic {

namespace {

/// `offset + rest`; rest is null for a number.
struct Shifted {
  Expr rest;
  Number offset;
};

Shifted shifted(Context::Impl &impl, Expr e) {
  if (auto number = number_of(e))
    return {nullptr, *number};
  if (e->kind() != Kind::Add)
    return {e, {}};
  const auto terms = e->args();
  const auto number = number_of(terms.front());
  if (!number)
    return {e, {}};
  return {terms.size() == 2 ? terms[1] : impl.make(Kind::Add, terms.subspan(1)), *number};
}

void flatten(Kind kind, std::span<const Expr> args, std::vector<Expr> &out) {
  for (Expr arg : args) {
    if (arg->kind() == kind) // its arguments are of other kinds
      out.insert(out.end(), arg->args().begin(), arg->args().end());
    else
      out.push_back(arg);
  }
}

Expr extremum(Context::Impl &impl, Kind kind, std::span<const Expr> args) {
  assert(!args.empty());
  std::vector<Expr> flat;
  flatten(kind, args, flat);
  // Of arguments that differ by a number only one can be the extremum.
  struct Best {
    Expr arg;
    Number offset;
  };
  std::vector<Expr> result;
  std::unordered_map<Expr, Best> best;
  for (Expr arg : flat) {
    if (impl.facts(arg).inert) {
      result.push_back(arg);
      continue;
    }
    const Shifted key = shifted(impl, arg);
    const auto [found, is_new] = best.try_emplace(key.rest, Best{arg, key.offset});
    Best &old = found->second;
    if (!is_new &&
        (kind == Kind::Max ? less(old.offset, key.offset) : less(key.offset, old.offset)))
      old = {arg, key.offset};
  }
  for (const auto &entry : best)
    result.push_back(entry.second.arg);
  std::sort(result.begin(), result.end(), [](Expr a, Expr b) { return compare(a, b) < 0; });
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result.size() == 1 ? result.front() : impl.make(kind, result);
}

/// e / divisor where that is an integer for all integer values of the symbols; else null.
Expr exact_quotient(Context &context, Context::Impl &impl, Expr e, std::int64_t divisor) {
  std::vector<Expr> quotients;
  const std::span<const Expr> terms = e->kind() == Kind::Add ? e->args() : std::span(&e, 1);
  for (Expr arg : terms) {
    Term term = impl.split(arg);
    const auto quotient = multiply(term.coefficient, *make_number(1, divisor));
    if (!quotient || quotient->den != 1 || (term.base && !impl.facts(term.base).integral))
      return nullptr;
    term.coefficient = *quotient;
    quotients.push_back(impl.join(context, term));
  }
  return context.add(quotients);
}

/// make_number(1, divisor) exists unless the divisor is 0 or has no negative counterpart.
bool usable_divisor(std::int64_t divisor) { return make_number(1, divisor).has_value(); }

} // namespace

Expr Context::max(std::span<const Expr> args) { return extremum(*impl_, Kind::Max, args); }

Expr Context::min(std::span<const Expr> args) { return extremum(*impl_, Kind::Min, args); }

Expr Context::floor_div(Expr a, Expr b) {
  const auto x = number_of(a);
  const auto y = number_of(b);
  if (x && y)
    if (auto value = floor_quotient(*x, *y))
      return integer(*value);
  if (auto divisor = constant(b); divisor && usable_divisor(*divisor))
    if (Expr quotient = exact_quotient(*this, *impl_, a, *divisor))
      return quotient;
  return impl_->make(Kind::FloorDiv, std::array{a, b});
}

Expr Context::ceil_div(Expr a, Expr b) {
  const auto x = number_of(a);
  const auto y = number_of(b);
  if (x && y)
    if (auto value = ceil_quotient(*x, *y))
      return integer(*value);
  if (auto divisor = constant(b); divisor && usable_divisor(*divisor))
    if (Expr quotient = exact_quotient(*this, *impl_, a, *divisor))
      return quotient;
  return impl_->make(Kind::CeilDiv, std::array{a, b});
}

Expr Context::mod(Expr a, Expr b) {
  const auto x = constant(a);
  const auto y = constant(b);
  if (x && y && *y != 0) {
    const auto rest = static_cast<std::int64_t>(Wide{*x} % *y);
    return integer(rest != 0 && (rest < 0) != (*y < 0) ? rest + *y : rest);
  }
  if (y && usable_divisor(*y) && exact_quotient(*this, *impl_, a, *y))
    return integer(0);
  return impl_->make(Kind::Mod, std::array{a, b});
}

} // namespace sdfgopt::symbolic
