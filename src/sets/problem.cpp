#include "sets/problem.h"

#include "sets/isl_algebra.h"

namespace sdfgopt::sets {

using symbolic::Kind;

namespace {

constexpr auto Over = Approximation::Over;
constexpr auto Under = Approximation::Under;

void narrow(IslSet &set, const IslSet &by) { set = intersection(set, by); }

bool same(const Interval &a, const Interval &b) {
  return a.begin == b.begin && a.end == b.end && a.step == b.step;
}

} // namespace

Problem ProblemBuilder::contains(const Box &outer, const Box &inner) {
  Problem problem;
  if (!outer.binders.empty() || !inner.binders.empty()) {
    Coordinates xs = coordinates(inner.dims.size());
    IslSet inner_points = points(inner, xs, Over);
    IslSet outer_points = points(outer, xs, Under);
    problem.context = project(inner_points, xs);
    IslSet outside = difference(inner_points, outer_points);
    problem.parts.push_back({project(std::move(outside), xs), problem.context});
    return problem;
  }
  problem.context = guards(inner, Over);
  for (const Guard &guard : outer.guards)
    problem.parts.push_back(
        {translator_.less(guard.right, guard.left, Over), translator_.universe()});
  for (std::size_t i = 0; i < inner.dims.size(); ++i) {
    narrow(problem.context, populated(inner.dims[i]));
    contains_dim(outer.dims[i], inner.dims[i], problem);
  }
  return problem;
}

void ProblemBuilder::contains_dim(const Interval &outer, const Interval &inner, Problem &problem) {
  IslSet points = populated(inner);
  auto fails = [&](IslSet bad) { problem.parts.push_back({std::move(bad), points}); };
  std::int64_t outer_step = positive_step(outer);
  std::int64_t inner_step = positive_step(inner);
  if (outer_step == 0 || inner_step == 0) {
    if (!same(outer, inner))
      fails(translator_.approximated(Over));
    return;
  }
  Expr last = last_point(context_, inner);
  fails(translator_.less(inner.begin, outer.begin, Over));
  fails(translator_.less(outer.end, last, Over));
  if (outer_step == 1)
    return;
  Expr offset = context_.mod(context_.sub(inner.begin, outer.begin), outer.step);
  fails(translator_.less(context_.integer(0), offset, Over));
  if (inner_step % outer_step != 0) // two neighbours cannot both be points of outer
    fails(translator_.less(inner.begin, last, Over));
}

Problem ProblemBuilder::disjoint(const Box &a, const Box &b) {
  Problem problem;
  problem.any = false;
  problem.context = intersection(populated(a), populated(b));
  if (!a.binders.empty() || !b.binders.empty()) {
    Coordinates xs = coordinates(a.dims.size());
    IslSet common = points(a, xs, Over);
    narrow(common, points(b, xs, Over));
    problem.parts.push_back({project(std::move(common), xs), problem.context});
    return problem;
  }
  for (std::size_t i = 0; i < a.dims.size(); ++i) {
    IslSet both = populated(a.dims[i]);
    narrow(both, populated(b.dims[i]));
    problem.parts.push_back({meet(a.dims[i], b.dims[i]), std::move(both)});
  }
  return problem;
}

IslSet ProblemBuilder::meet(const Interval &a, const Interval &b) {
  if (positive_step(a) == 1 && positive_step(b) == 1) {
    IslSet set = translator_.at_most(a.begin, b.end, Over);
    narrow(set, translator_.at_most(b.begin, a.end, Over));
    return set;
  }
  Coordinates x = coordinates(1);
  IslSet set = within(a, x[0], Over);
  narrow(set, within(b, x[0], Over));
  return project(std::move(set), x);
}

Problem ProblemBuilder::empty(const Box &box) {
  Problem problem;
  problem.any = false;
  problem.context = translator_.universe();
  if (!box.binders.empty()) {
    problem.parts.push_back({populated(box), translator_.universe()});
    return problem;
  }
  for (const Guard &guard : box.guards)
    problem.parts.push_back(
        {translator_.at_most(guard.left, guard.right, Over), translator_.universe()});
  for (const Interval &dim : box.dims)
    problem.parts.push_back({populated(dim), translator_.universe()});
  return problem;
}

Problem ProblemBuilder::implied(Expr condition) {
  Problem problem;
  problem.context = translator_.universe();
  auto add = [&](Expr part) {
    IslSet good = translator_.holds(part, Under);
    problem.parts.push_back({isl_set_complement(good.take()), translator_.universe()});
  };
  if (condition->kind() != Kind::And)
    add(condition);
  else
    for (Expr part : condition->args())
      add(part);
  return problem;
}

Problem ProblemBuilder::impossible() {
  Problem problem;
  problem.context = translator_.universe();
  problem.parts.push_back({translator_.universe(), translator_.universe()});
  return problem;
}

IslSet ProblemBuilder::populated(const Interval &interval) {
  return positive_step(interval) == 0 ? translator_.approximated(Over)
                                      : translator_.at_most(interval.begin, interval.end, Over);
}

IslSet ProblemBuilder::populated(const Box &box) {
  if (!box.binders.empty()) {
    Coordinates xs = coordinates(box.dims.size());
    return project(points(box, xs, Over), xs);
  }
  IslSet set = guards(box, Over);
  for (const Interval &dim : box.dims)
    narrow(set, populated(dim));
  return set;
}

IslSet ProblemBuilder::guards(const Box &box, Approximation side) {
  IslSet set = translator_.universe();
  for (const Guard &guard : box.guards)
    narrow(set, translator_.at_most(guard.left, guard.right, side));
  return set;
}

IslSet ProblemBuilder::within(const Interval &interval, Expr point, Approximation side) {
  std::int64_t step = positive_step(interval);
  if (step == 0)
    return translator_.approximated(side);
  IslSet set = translator_.at_most(interval.begin, point, side);
  narrow(set, translator_.at_most(point, interval.end, side));
  if (step != 1) {
    Expr offset = context_.mod(context_.sub(point, interval.begin), interval.step);
    narrow(set, translator_.at_most(offset, context_.integer(0), side));
  }
  return set;
}

IslSet ProblemBuilder::points(const Box &box, const Coordinates &coordinates, Approximation side) {
  IslSet set = guards(box, side);
  Coordinates variables;
  for (const BoxBinder &binder : box.binders) {
    narrow(set, within(binder.range, binder.variable, side));
    variables.push_back(binder.variable);
  }
  for (std::size_t i = 0; i < box.dims.size(); ++i)
    narrow(set, within(box.dims[i], coordinates[i], side));
  return project(std::move(set), variables);
}

ProblemBuilder::Coordinates ProblemBuilder::coordinates(std::size_t rank) {
  Coordinates result;
  for (std::size_t i = 0; i < rank; ++i)
    result.push_back(Traits::local(context_, "x", i));
  return result;
}

IslSet ProblemBuilder::project(IslSet set, const Coordinates &coordinates) {
  for (Expr coordinate : coordinates)
    set = translator_.project_out(std::move(set), coordinate);
  return set;
}

} // namespace sdfgopt::sets
