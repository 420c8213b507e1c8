#include "sets/box.h"

#include <algorithm>
#include <cstdint>
#include <span>
#include <unordered_map>

namespace sdfgopt::sets {

using symbolic::Kind;

std::int64_t positive_step(const Interval &interval) {
  auto step = Context::constant(interval.step);
  return step && *step > 0 ? *step : 0;
}

Expr last_point(Context &context, const Interval &interval) {
  if (interval.step->is_integer(1) || interval.begin == interval.end)
    return interval.end;
  Expr steps = context.floor_div(context.sub(interval.end, interval.begin), interval.step);
  return context.add(interval.begin, context.mul(interval.step, steps));
}

namespace {

using Renaming = std::unordered_map<Name, Expr>;

Expr rename(Context &context, Expr e, const Renaming &renaming) {
  if (renaming.empty() || e->kind() == Kind::Integer)
    return e;
  Expr renamed = context.substitute(e, renaming);
  for (Name name : context.free_symbols(renamed))
    if (renaming.contains(name))
      return context.undefined();
  return renamed;
}

Interval rename(Context &context, const Interval &interval, const Renaming &renaming) {
  return {rename(context, interval.begin, renaming), rename(context, interval.end, renaming),
          rename(context, interval.step, renaming)};
}

class Elimination {
public:
  Elimination(Context &context, Traits &traits, Box &box)
      : context_(context), traits_(traits), box_(box), difference_(traits, &context) {}

  /// Eliminates the binder at `index` if that is exact.
  void eliminate(std::size_t index) {
    const BoxBinder binder = box_.binders[index];
    Expr variable = binder.variable;
    if (positive_step(binder.range) == 0 || undefined(binder.range))
      return;
    for (std::size_t i = 0; i < box_.binders.size(); ++i)
      if (i != index && mentions(box_.binders[i].range, variable))
        return;
    for (const Guard &guard : box_.guards)
      if (mentions(guard.left, variable) || mentions(guard.right, variable))
        return;
    auto uses = [&](const Interval &dim) { return mentions(dim, variable); };
    auto dim = std::find_if(box_.dims.begin(), box_.dims.end(), uses);
    if (dim == box_.dims.end())
      guard(binder.range.begin, binder.range.end);
    else if (std::any_of(dim + 1, box_.dims.end(), uses) || !widen(*dim, binder))
      return;
    box_.binders.erase(box_.binders.begin() + static_cast<std::ptrdiff_t>(index));
  }

private:
  /// Replaces the dimension by its union over the binder.
  bool widen(Interval &dim, const BoxBinder &binder) {
    Expr begin_rest = nullptr;
    Expr end_rest = nullptr;
    std::int64_t factor = split(dim.begin, binder.variable, begin_rest);
    if (factor == 0 || split(dim.end, binder.variable, end_rest) != factor || undefined(dim) ||
        positive_step(dim) == 0)
      return false;
    std::int64_t stride = 0;
    if (factor == INT64_MIN ||
        __builtin_mul_overflow(factor < 0 ? -factor : factor, positive_step(binder.range), &stride))
      return false;
    Expr first = binder.range.begin;
    Expr last = last_point(context_, binder.range);
    if (factor < 0)
      std::swap(first, last);
    Expr scale = context_.integer(factor);
    Interval joined{context_.add(begin_rest, context_.mul(scale, first)),
                    context_.add(end_rest, context_.mul(scale, last)), context_.integer(stride)};
    auto width = difference_(dim.end, dim.begin);
    if (width == 0) { // points: the union is empty exactly if the range is
      dim = joined;
      return true;
    }
    bool pieces_meet = stride == 1 || (width && *width >= stride - 1);
    if (!pieces_meet || !dim.step->is_integer(1))
      return false;
    if (width != stride - 1) {
      guard(binder.range.begin, binder.range.end);
      guard(begin_rest, end_rest);
    }
    dim = {joined.begin, joined.end, context_.integer(1)};
    return true;
  }

  /// e as factor * variable + rest; 0 if it has no such form.
  std::int64_t split(Expr e, Expr variable, Expr &rest) {
    auto sum = linear_form(context_, e);
    if (!sum)
      return 0;
    std::int64_t factor = 0;
    std::vector<Expr> others;
    for (Expr part : e->kind() == Kind::Add ? e->args() : std::span<const Expr>(&e, 1)) {
      auto single = linear_form(context_, part);
      if (single && single->terms.size() == 1 && single->terms[0].base == variable)
        factor = single->terms[0].coefficient;
      else if (mentions(part, variable))
        return 0;
      else
        others.push_back(part);
    }
    rest = others.empty() ? context_.integer(0) : context_.add(others);
    return factor;
  }

  void guard(Expr left, Expr right) {
    auto slack = difference_(right, left);
    if (!slack || *slack < 0)
      box_.guards.push_back({left, right});
  }

  bool undefined(const Interval &interval) {
    return traits_.any(interval.begin, Traits::has_undefined) ||
           traits_.any(interval.end, Traits::has_undefined);
  }
  bool mentions(Expr e, Expr variable) {
    if (e == variable)
      return true;
    if (!traits_.any(e, Traits::has_local))
      return false;
    return std::any_of(e->args().begin(), e->args().end(),
                       [&](Expr arg) { return mentions(arg, variable); });
  }
  bool mentions(const Interval &interval, Expr variable) {
    return mentions(interval.begin, variable) || mentions(interval.end, variable) ||
           mentions(interval.step, variable);
  }

  Context &context_;
  Traits &traits_;
  Box &box_;
  Difference difference_;
};

} // namespace

Box make_box(Context &context, Traits &traits, const Region &region, const char *side) {
  Box box;
  Renaming renaming;
  for (const Binder &binder : region.binders) {
    Interval range = rename(context, binder.range, renaming);
    Expr variable = Traits::local(context, side, box.binders.size());
    box.binders.push_back({variable, range});
    renaming[binder.name] = variable;
  }
  for (const Interval &dim : region.dims)
    box.dims.push_back(rename(context, dim, renaming));
  Elimination elimination(context, traits, box);
  for (std::size_t i = box.binders.size(); i-- > 0;)
    elimination.eliminate(i);
  return box;
}

} // namespace sdfgopt::sets
