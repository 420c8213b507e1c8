// Random regions and conditions over two symbols in [-4, 4]: every answer must agree with counting.
#include "sets_random.h"

#include <iostream>
#include <iterator>

namespace sdfgopt::sets {
namespace {

class SetsEnumerationTest : public SetsRandomTest {
protected:
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
  EXPECT_LE(verdicts[Verdict::Unknown], 5); // all of this can be expressed, if within the limits
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
