// Random requirements over three symbols: every answer must agree with counting.
#include "sets_random.h"

#include <iterator>
#include <optional>

namespace sdfgopt::sets {
namespace {

class SolverAllEnumerationTest : public SetsRandomTest {
protected:
  SolverAllEnumerationTest() { symbols.push_back(names.intern("K")); }

  static constexpr std::int64_t last = 3;      // N, M and K are looked at from -last to last
  static constexpr std::int64_t reach = 20;    // no bound of a variable lies beyond
  static constexpr std::int64_t far_away = 12; // where something that is moved is looked for

  Expr comparison() {
    constexpr Kind kinds[] = {Kind::Le, Kind::Lt, Kind::Eq, Kind::Ne};
    return context.compare_op(kinds[pick(0, 4) % 4], bound(symbols, 1), bound(symbols, 1));
  }
  Question question() {
    std::size_t rank = static_cast<std::size_t>(pick(1, 2));
    Question result;
    switch (pick(0, 5)) {
    case 0:
      result = Question::contains(box(rank, false), box(rank, pick(0, 3) == 0));
      break;
    case 1:
      result = Question::disjoint(box(rank, false), box(rank, false));
      break;
    case 2:
      result = Question::empty(box(rank, pick(0, 3) == 0));
      break;
    default:
      result = Question::implied(comparison());
    }
    if (pick(0, 3) == 0)
      result.given.push_back(context.compare_op(Kind::Le, affine(symbols), affine(symbols)));
    if (pick(0, 3) == 0) {
      std::vector<Name> outside{symbols[0], symbols[1]};
      Expr variable = context.symbol(symbols[2]);
      result.variables.push_back(symbols[2]);
      result.given.push_back(context.compare_op(Kind::Le, affine(outside), variable));
      result.given.push_back(context.compare_op(Kind::Le, variable, affine(outside)));
    }
    return result;
  }
  std::vector<Requirement> requirements() {
    std::vector<Requirement> result(static_cast<std::size_t>(pick(1, 3)));
    for (Requirement &requirement : result) {
      requirement.alternatives.resize(pick(0, 2) == 0 ? 2 : 1);
      for (std::vector<Question> &alternative : requirement.alternatives)
        for (int i = pick(0, 3) == 0 ? 2 : 1; i > 0; --i)
          alternative.push_back(question());
    }
    return result;
  }

  static bool all_hold(const Facts &facts, const Values &values) {
    return std::all_of(facts.begin(), facts.end(),
                       [&](Expr fact) { return evaluate(fact, values) != 0; });
  }
  static bool holds_here(const Question &question, const Values &values) {
    if (!all_hold(question.given, values))
      return true;
    if (question.kind == QuestionKind::Implied)
      return evaluate(question.condition, values) != 0;
    Points a = points_of(question.a, values);
    if (question.kind == QuestionKind::Empty)
      return a.empty();
    Points b = points_of(question.b, values);
    if (question.kind == QuestionKind::Contains)
      return std::includes(a.begin(), a.end(), b.begin(), b.end());
    Points common;
    std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(common));
    return common.empty();
  }
  static bool holds(const Question &question, const Facts &known, const Values &values) {
    if (question.variables.empty())
      return holds_here(question, values);
    Values inner = values;
    for (std::int64_t k = -reach; k <= reach; ++k) {
      inner["K"] = k;
      if (all_hold(known, inner) && !holds_here(question, inner))
        return false;
    }
    return true;
  }
  static bool holds(const std::vector<Requirement> &list, const Facts &known,
                    const Values &values) {
    return std::all_of(list.begin(), list.end(), [&](const Requirement &requirement) {
      return std::any_of(requirement.alternatives.begin(), requirement.alternatives.end(),
                         [&](const std::vector<Question> &alternative) {
                           return std::all_of(alternative.begin(), alternative.end(),
                                              [&](const Question &question) {
                                                return holds(question, known, values);
                                              });
                         });
    });
  }
  /// Calls `visit` for all values until it returns false.
  template <typename Visit> static bool each(std::int64_t limit, Visit visit) {
    for (std::int64_t n = -limit; n <= limit; ++n)
      for (std::int64_t m = -limit; m <= limit; ++m)
        for (std::int64_t k = -limit; k <= limit; ++k)
          if (!visit(Values{{"N", n}, {"M", m}, {"K", k}}))
            return false;
    return true;
  }

  std::string text(const std::vector<Requirement> &list, const KnownFacts &known) {
    std::string result;
    auto facts = [&](const char *head, const Facts &some) {
      result += head;
      for (Expr fact : some)
        result += context.print(fact, Grammar::Python) + ", ";
    };
    for (const Requirement &requirement : list) {
      result += "\n requirement";
      for (const auto &alternative : requirement.alternatives) {
        result += "\n  either";
        for (const Question &question : alternative) {
          result += "\n   kind " + std::to_string(static_cast<int>(question.kind)) + " " +
                    SetsRandomTest::text(question.a) + " | " + SetsRandomTest::text(question.b);
          if (question.condition)
            result += context.print(question.condition, Grammar::Python);
          facts(question.variables.empty() ? " given " : " for all K given ", question.given);
        }
      }
    }
    facts("\n facts ", known.all());
    return result;
  }

  void check(const Answer &answer, const std::vector<Requirement> &list, const KnownFacts &known,
             const Region *moved, const std::string &what) {
    ++verdicts[answer.verdict];
    if (answer.verdict == Verdict::Unknown)
      return;
    std::string condition =
        answer.condition ? context.print(answer.condition, Grammar::Python) : "";
    each(last, [&](const Values &values) {
      if (!all_hold(known.all(), values))
        return true;
      bool claimed = answer.verdict == Verdict::Yes ||
                     (answer.verdict == Verdict::When && evaluate(answer.condition, values) != 0);
      if (claimed) {
        EXPECT_TRUE(holds(list, known.all(), values)) << what << "\n when " << condition;
      }
      if (answer.verdict == Verdict::No) {
        EXPECT_FALSE(holds(list, known.all(), values) &&
                     (!moved || !points_of(*moved, values).empty()))
            << what << "\n not never";
      }
      return !HasFailure();
    });
    if (answer.verdict != Verdict::When)
      return;
    Expr read = nullptr;
    EXPECT_FALSE(context.parse(condition, Grammar::Python, read).has_value()) << condition;
    EXPECT_EQ(read, answer.condition) << condition;
    bool nowhere = each(far_away, [&](const Values &values) {
      return !(all_hold(known.all(), values) && evaluate(answer.condition, values) != 0 &&
               (!moved || !points_of(*moved, values).empty()));
    });
    far += nowhere ? 1 : 0;
  }

  std::map<Verdict, int> verdicts;
  int far = 0; ///< conditions that no values near by allow
};

TEST_F(SolverAllEnumerationTest, RandomRequirements) {
  constexpr int rounds = 400;
  for (int round = 0; round < rounds && !HasFailure(); ++round) {
    std::vector<Requirement> list = requirements();
    KnownFacts known(context);
    for (int i = pick(0, 3); i > 0; --i)
      known.add(pick(0, 3) == 0 ? comparison()
                                : context.compare_op(Kind::Le, affine(symbols), affine(symbols)));
    std::optional<Region> moved;
    if (pick(0, 2) == 0)
      moved = box(1, false);
    std::string what = "#" + std::to_string(round) + text(list, known) +
                       (moved ? "\n moved " + SetsRandomTest::text(*moved) : "");
    const Region *part = moved ? &*moved : nullptr;
    check(solver.all(list, known, part), list, known, part, what);
  }
  EXPECT_LT(verdicts[Verdict::Unknown], rounds / 20);
  EXPECT_GT(verdicts[Verdict::Yes], rounds / 20);
  EXPECT_GT(verdicts[Verdict::No], rounds / 20);
  EXPECT_GT(verdicts[Verdict::When], rounds / 4);
  EXPECT_LT(far, rounds / 50);
  for (auto [verdict, count] : verdicts)
    RecordProperty("verdict " + std::to_string(static_cast<int>(verdict)), count);
  RecordProperty("far", far);
}

/// Facts about symbols that the question does not name are made into facts about those that it
/// does.
TEST_F(SolverAllEnumerationTest, FactsThroughOtherSymbols) {
  for (int round = 0; round < 400 && !HasFailure(); ++round) {
    std::vector<Name> two{symbols[0], symbols[1]};
    KnownFacts known(context);
    for (int i = pick(1, 5); i > 0; --i) {
      constexpr Kind kinds[] = {Kind::Le, Kind::Lt, Kind::Eq};
      known.add(context.compare_op(kinds[pick(0, 2)], affine(symbols), affine(symbols)));
    }
    std::vector<Requirement> list{
        {{{Question::implied(context.compare_op(Kind::Le, affine(two), affine(two)))}}}};
    check(solver.all(list, known), list, known, nullptr, text(list, known));
    Answer consistent = solver.consistent(known);
    std::int64_t limit = consistent.verdict == Verdict::No ? last : far_away;
    bool none = each(limit, [&](const Values &values) { return !all_hold(known.all(), values); });
    if (consistent.verdict == Verdict::No) {
      EXPECT_TRUE(none) << text(list, known);
    }
    far += consistent.verdict == Verdict::Yes && none ? 1 : 0;
  }
  EXPECT_EQ(verdicts[Verdict::Unknown], 0);
  EXPECT_LT(far, 20);
}

} // namespace
} // namespace sdfgopt::sets
