// Random regions and conditions over two symbols in [-4, 4]: every answer must agree with counting.
#include "sets/solver.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <random>
#include <string>
#include <vector>

namespace sdfgopt::sets {
namespace {

using symbolic::Context;
using symbolic::Grammar;
using symbolic::Kind;

using Values = std::map<std::string, std::int64_t>;

std::int64_t floor_of(std::int64_t a, std::int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }

std::int64_t evaluate(Expr e, const Values &values) {
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

void add_points(const Region &region, std::size_t binder, Values values, Points &points) {
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

Points points_of(const Region &region, const Values &values) {
  Points points;
  add_points(region, 0, values, points);
  std::sort(points.begin(), points.end());
  points.erase(std::unique(points.begin(), points.end()), points.end());
  return points;
}

class SetsEnumerationTest : public testing::Test {
protected:
  int pick(int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); }

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
  template <typename Holds>
  void check(const Answer &answer, const Facts &known, Holds holds, const std::string &what) {
    ++verdicts[answer.verdict];
    Values values;
    for (std::int64_t a = -4; a <= 4; ++a)
      for (std::int64_t b = -4; b <= 4; ++b) {
        values["N"] = a;
        values["M"] = b;
        bool possible = std::all_of(known.begin(), known.end(),
                                    [&](Expr fact) { return evaluate(fact, values) != 0; });
        if (!possible)
          continue;
        bool claimed = answer.verdict == Verdict::Yes ||
                       (answer.verdict == Verdict::When && evaluate(answer.condition, values) != 0);
        if (!claimed && answer.verdict != Verdict::No)
          continue;
        ASSERT_EQ(holds(values), claimed)
            << what << " N=" << a << " M=" << b << " "
            << (answer.condition ? context.print(answer.condition, Grammar::Python) : "");
      }
  }

  support::NamePool names;
  Context context{names};
  Solver solver{context};
  std::mt19937 random{20240607};
  std::vector<Name> symbols{names.intern("N"), names.intern("M")};
  std::map<Verdict, int> verdicts;
};

TEST_F(SetsEnumerationTest, RandomRegions) {
  constexpr int rounds = 600;
  for (int round = 0; round < rounds && !HasFatalFailure(); ++round) {
    std::size_t rank = static_cast<std::size_t>(pick(1, 2));
    Region a = box(rank, pick(0, 3) == 0);
    Region b = box(rank, pick(0, 3) == 0);
    Facts known = some_facts();
    std::string what = text(a) + " | " + text(b) + " #" + std::to_string(round);
    check(
        solver.contains(a, b, known), known,
        [&](const Values &values) {
          Points outer = points_of(a, values);
          Points inner = points_of(b, values);
          return std::includes(outer.begin(), outer.end(), inner.begin(), inner.end());
        },
        "contains " + what);
    check(
        solver.disjoint(a, b, known), known,
        [&](const Values &values) {
          Points common;
          Points left = points_of(a, values);
          Points right = points_of(b, values);
          std::set_intersection(left.begin(), left.end(), right.begin(), right.end(),
                                std::back_inserter(common));
          return common.empty();
        },
        "disjoint " + what);
    check(
        solver.empty(a, known), known,
        [&](const Values &values) { return points_of(a, values).empty(); }, "empty " + what);
  }
  EXPECT_EQ(verdicts[Verdict::Unknown], 0); // all of this can be expressed
  EXPECT_GT(verdicts[Verdict::Yes], 100);
  EXPECT_GT(verdicts[Verdict::No], 100);
  EXPECT_GT(verdicts[Verdict::When], 100);
}

TEST_F(SetsEnumerationTest, RandomConditions) {
  auto comparison = [&] {
    constexpr Kind kinds[] = {Kind::Le, Kind::Lt, Kind::Eq, Kind::Ne};
    return context.compare_op(kinds[pick(0, 3)], bound(symbols), bound(symbols));
  };
  for (int round = 0; round < 400 && !HasFatalFailure(); ++round) {
    std::vector<Expr> parts{comparison(), comparison()};
    Expr condition = pick(0, 1) ? context.logical_and(parts) : context.logical_or(parts);
    if (pick(0, 3) == 0)
      condition = context.logical_not(condition);
    Facts known = some_facts();
    check(
        solver.implied(condition, known), known,
        [&](const Values &values) { return evaluate(condition, values) != 0; },
        context.print(condition, Grammar::Python));
  }
  EXPECT_EQ(verdicts[Verdict::Unknown], 0);
}

} // namespace
} // namespace sdfgopt::sets
