// Random regions over symbols, and what they mean for given values of them.
#pragma once

#include "sets/solver.h"
#include "support/mixed.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

namespace sdfgopt::sets {

using symbolic::Context;
using symbolic::Grammar;
using symbolic::Kind;

using Values = std::map<std::string, std::int64_t>;

inline std::int64_t floor_of(std::int64_t a, std::int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }

inline std::int64_t evaluate(Expr e, const Values &values) {
  auto args = e->args();
  auto arg = [&](std::size_t i) { return evaluate(args[i], values); };
  switch (e->kind()) {
  case Kind::Integer:
    return e->numerator();
  case Kind::Literal:
    return e->name().view() == "True" ? 1 : 0;
  case Kind::Symbol:
    return values.at(e->name().str());
  case Kind::FloorDiv:
    return floor_of(arg(0), arg(1));
  case Kind::Mod:
    return arg(0) - arg(1) * floor_of(arg(0), arg(1));
  case Kind::Eq:
    return arg(0) == arg(1);
  case Kind::Ne:
    return arg(0) != arg(1);
  case Kind::Lt:
    return arg(0) < arg(1);
  case Kind::Le:
    return arg(0) <= arg(1);
  case Kind::Not:
    return arg(0) == 0;
  default:
    break;
  }
  std::int64_t result = arg(0);
  for (std::size_t i = 1; i < args.size(); ++i) {
    std::int64_t next = arg(i);
    switch (e->kind()) {
    case Kind::Add:
      result += next;
      break;
    case Kind::Mul:
      result *= next;
      break;
    case Kind::Max:
    case Kind::Or:
      result = std::max(result, next);
      break;
    case Kind::Min:
    case Kind::And:
      result = std::min(result, next);
      break;
    default:
      ADD_FAILURE() << "kind " << static_cast<int>(e->kind());
    }
  }
  return result;
}

using Points = std::vector<std::vector<std::int64_t>>;

inline void add_points(const Region &region, std::size_t binder, Values values, Points &points) {
  auto each = [&](const Interval &interval, auto visit) {
    std::int64_t end = evaluate(interval.end, values);
    for (std::int64_t i = evaluate(interval.begin, values); i <= end;
         i += evaluate(interval.step, values))
      visit(i);
  };
  if (binder < region.binders.size()) {
    each(region.binders[binder].range, [&](std::int64_t i) {
      Values inner = values;
      inner[region.binders[binder].name.str()] = i;
      add_points(region, binder + 1, std::move(inner), points);
    });
    return;
  }
  Points found{{}};
  for (const Interval &dim : region.dims) {
    Points longer;
    for (const auto &point : found)
      each(dim, [&](std::int64_t i) {
        longer.push_back(point);
        longer.back().push_back(i);
      });
    found = std::move(longer);
  }
  points.insert(points.end(), found.begin(), found.end());
}

inline Points points_of(const Region &region, const Values &values) {
  Points points;
  add_points(region, 0, values, points);
  std::sort(points.begin(), points.end());
  points.erase(std::unique(points.begin(), points.end()), points.end());
  return points;
}

class SetsRandomTest : public testing::Test {
protected:
  int pick(int low, int high) {
    state += support::mix_step;
    return low +
           static_cast<int>(support::finalized(state) % static_cast<std::uint64_t>(high - low + 1));
  }

  Expr affine(const std::vector<Name> &scope) {
    Expr e = context.integer(pick(-3, 3));
    for (Name name : scope)
      if (pick(0, 2) == 0)
        e = context.add(e, context.mul(context.integer(pick(-2, 2)), context.symbol(name)));
    return e;
  }
  Expr bound(const std::vector<Name> &scope, int depth = 2) {
    int form = depth == 0 ? 0 : pick(0, 9);
    if (form < 6)
      return affine(scope);
    Expr a = bound(scope, depth - 1);
    if (form == 8)
      return context.floor_div(a, context.integer(pick(2, 3)));
    if (form == 9)
      return context.mod(a, context.integer(pick(2, 3)));
    Expr b = affine(scope);
    std::vector<Expr> args{a, b};
    return context.add(form == 6 ? context.max(args) : context.min(args), affine(scope));
  }
  Region box(std::size_t rank, bool with_binder) {
    Region region;
    std::vector<Name> scope = symbols;
    if (with_binder) {
      Interval range{context.integer(0), bound(symbols, 1), context.integer(pick(1, 2))};
      // Also one that hides a symbol.
      Name name = pick(0, 3) == 0 ? symbols[0] : names.intern("i");
      region.binders.push_back({name, range});
      scope = {name, name, symbols.back()};
    }
    for (std::size_t i = 0; i < rank; ++i) {
      Expr begin = bound(scope);
      Expr end = pick(0, 1) ? bound(scope) : context.add(begin, context.integer(pick(0, 3)));
      int step = pick(0, 3) == 0 ? pick(2, 3) : 1;
      region.dims.push_back({begin, end, context.integer(step)});
    }
    return region;
  }
  Facts some_facts() {
    Facts known;
    if (pick(0, 2) == 0)
      known.push_back(context.compare_op(Kind::Le, affine(symbols), affine(symbols)));
    return known;
  }
  std::string text(const Region &region) {
    std::string result;
    for (const Binder &binder : region.binders)
      result += binder.name.str() + " in " + text(binder.range) + ": ";
    for (const Interval &dim : region.dims)
      result += text(dim) + "; ";
    return result;
  }
  std::string text(const Interval &interval) {
    return context.print(interval.begin, Grammar::Python) + ":" +
           context.print(interval.end, Grammar::Python) + ":" +
           context.print(interval.step, Grammar::Python);
  }
  support::NamePool names;
  Context context{names};
  Solver solver{context};
  std::uint64_t state = 20240607;
  std::vector<Name> symbols{names.intern("N"), names.intern("M")};
};

} // namespace sdfgopt::sets
