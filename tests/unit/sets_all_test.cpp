// Several requirements at once: joint conditions, what is given, variables, alternatives, facts.
#include "sets_fixture.h"

#include <chrono>

namespace sdfgopt::sets {
namespace {

using Questions = std::vector<Question>;

class SolverAllTest : public SetsTest {
protected:
  Question contained(const std::string &outer, const std::string &inner) {
    return Question::contains(region(outer), region(inner));
  }
  Question implication(const std::string &condition) { return Question::implied(expr(condition)); }
  Question given(Question question, const std::vector<std::string> &known) {
    question.given = facts(known);
    return question;
  }
  Question varying(Question question, const std::vector<std::string> &variables) {
    for (const std::string &name : variables)
      question.variables.push_back(names.intern(name));
    return question;
  }
  KnownFacts known(const std::vector<std::string> &texts) {
    KnownFacts result(context);
    for (const std::string &text : texts)
      result.add(expr(text));
    return result;
  }
  /// Each question is a requirement of its own.
  std::string all(const Questions &questions, const std::vector<std::string> &texts = {},
                  const std::string &moved = "") {
    std::vector<Requirement> requirements;
    for (const Question &question : questions)
      requirements.push_back({{{question}}});
    return require(requirements, texts, moved);
  }
  std::string require(const std::vector<Requirement> &requirements,
                      const std::vector<std::string> &texts = {}, const std::string &moved = "") {
    Region part = moved.empty() ? Region() : region(moved);
    return show(solver.all(requirements, known(texts), moved.empty() ? nullptr : &part));
  }
};

TEST_F(SolverAllTest, WorkedExample) {
  Question covers = contained("0:eh - s - 1", "0:Max(0, -s + Max(eh, el)) - 1");
  EXPECT_EQ(all({covers}), when("el <= eh"));
  EXPECT_EQ(all({covers}, {"el <= eh"}), "yes");
  EXPECT_EQ(all({covers}, {"s <= eh", "eh <= el - 1"}), "no");
  EXPECT_EQ(all({covers}, {}, "0:eh - s - 1"), when("el <= eh"));
}

TEST_F(SolverAllTest, NothingIsRequired) {
  EXPECT_EQ(all({}), "yes");
  EXPECT_EQ(require({{{{}}}}), "yes"); // an alternative that asks nothing
  EXPECT_EQ(require({{{}}}), "no");    // no alternative at all
}

TEST_F(SolverAllTest, OneConditionExcludesAllAndSaysNothingTwice) {
  EXPECT_EQ(all({implication("a <= c"), implication("a <= b"), implication("b <= c")}),
            when("a <= b and b <= c"));
  EXPECT_EQ(all({implication("a <= b"), implication("a <= c")}, {"b <= c"}), when("a <= b"));
  EXPECT_EQ(all({implication("a <= c"), implication("a <= b")}, {"b <= c"}), when("a <= b"));
  EXPECT_EQ(all({implication("a <= b"), implication("a <= b")}), when("a <= b"));
  EXPECT_EQ(all({implication("a <= b"), implication("b <= a")}), when("a == b"));
  EXPECT_EQ(all({contained("0:N", "0:M"), contained("0:K", "0:M")}, {"K <= N"}), when("M <= K"));
}

TEST_F(SolverAllTest, OneThatFailsDecides) {
  EXPECT_EQ(all({contained("0:9", "0:10"), contained("0:N", "0:M")}), "no");
  EXPECT_EQ(all({contained("0:N", "0:N + 1"), contained("0:N", "0:M")}, {"N >= 0"}), "no");
  EXPECT_EQ(all({contained("0:9", "0:3; 0:3"), contained("0:9", "0:3")}), "unknown");
  EXPECT_EQ(all({contained("0:9", "0:3; 0:3"), contained("0:9", "0:10")}), "no");
  EXPECT_EQ(all({implication("f(x)"), implication("N <= M")}), "unknown");
}

TEST_F(SolverAllTest, TogetherImpossible) {
  EXPECT_EQ(all({implication("a + 1 <= b"), implication("b <= a")}), "no");
  EXPECT_EQ(all({implication("a <= b"), implication("b <= c"), implication("c <= a - 1")}), "no");
  EXPECT_EQ(all({implication("a <= b"), implication("b <= c")}, {"c <= a - 1"}), "no");
}

TEST_F(SolverAllTest, GivenIsKnownForOneQuestionOnly) {
  EXPECT_EQ(all({given(contained("0:N", "0:M"), {"M <= N"})}), "yes");
  EXPECT_EQ(all({given(contained("0:N", "0:M"), {"M <= N"}), contained("0:N", "0:M")}),
            when("M <= N"));
  EXPECT_EQ(all({given(implication("N >= 0"), {"flag == 1"})}), when("N >= 0"));
  EXPECT_EQ(all({given(implication("N >= 5"), {"N >= 3"})}, {"N <= 2"}), "yes"); // never asked
  EXPECT_EQ(all({given(implication("f(x)"), {"f(x)"})}), "yes");
  EXPECT_EQ(all({given(implication("f(x) and N >= 0"), {"f(x)"})}), when("N >= 0"));
  // What fails at sight fails only where it is asked.
  EXPECT_EQ(all({given(contained("0:9", "0:10"), {"N >= 0"})}, {"N >= 1"}), "no");
  EXPECT_EQ(all({given(contained("0:9", "0:10"), {"N >= 0"})}), when("N < 0"));
}

TEST_F(SolverAllTest, VariablesAreNotNamed) {
  Question reads = given(contained("0:N - 1", "i:i"), {"0 <= i", "i <= M - 1"});
  EXPECT_EQ(all({varying(reads, {"i"})}), when("M <= N"));
  EXPECT_EQ(all({varying(reads, {"i"})}, {"M <= N"}), "yes");
  EXPECT_EQ(all({varying(reads, {"i"})}, {"M >= N + 1", "N >= 0"}), "no");
  // Facts hold for variables, too.
  EXPECT_EQ(all({varying(contained("0:N - 1", "i:i"), {"i"})}, {"0 <= i", "i <= M - 1"}),
            when("M <= N"));
  // For every value: no condition is enough.
  EXPECT_EQ(all({varying(implication("i <= N"), {"i"})}), "no");
  // Rows of a triangle; a variable that depends on another one.
  Question row = given(contained("0:N - 1", "j:j"), {"0 <= i", "i <= M", "0 <= j", "j <= i"});
  EXPECT_EQ(all({varying(row, {"i", "j"})}), when("M < N"));
  // A term that varies takes any value.
  EXPECT_EQ(all({varying(contained("0:N - 1", "A[i]:A[i]"), {"i"})}), "unknown");
  EXPECT_EQ(all({varying(given(implication("A[i] <= N"), {"A[i] <= M"}), {"i"})}), when("M <= N"));
}

TEST_F(SolverAllTest, BoundsOfLoops) {
  // for i in [lo, hi): what it reads of row i - 1, and what it writes of row i.
  std::vector<std::string> loop{"lo <= i", "i <= hi - 1"};
  Question apart = given(Question::disjoint(region("i - 1:i - 1"), region("a:b")), loop);
  EXPECT_EQ(all({varying(apart, {"i"})}, {"lo <= hi - 1", "a <= b"}, "a:b"), when("b + 2 <= lo"));
}

TEST_F(SolverAllTest, Alternatives) {
  Question ab = implication("a <= b");
  Question cd = implication("c <= d");
  Requirement either{{{ab}, {cd}}};
  EXPECT_EQ(require({either}), when("a <= b"));
  EXPECT_EQ(require({either}, {"c <= d"}), "yes");
  EXPECT_EQ(require({either}, {"b <= a - 1"}), when("c <= d"));
  EXPECT_EQ(require({either}, {"b <= a - 1", "d <= c - 1"}), "no");
  // What is needed anyway is not left for something else, whatever comes first.
  EXPECT_EQ(require({either, {{{cd}}}}), when("c <= d"));
  // The one with fewer comparisons.
  EXPECT_EQ(require({{{{implication("a <= b and b <= c")}, {implication("long_name <= d")}}}}),
            when("long_name <= d"));
  // One of them always holds, though neither does.
  EXPECT_EQ(require({{{{ab}, {implication("b <= a")}}}}), "yes");
  // One that cannot be told does not keep the other from holding, but nothing is certain then.
  EXPECT_EQ(require({{{{implication("f(x)")}, {ab}}}}), when("a <= b"));
  EXPECT_EQ(require({{{{implication("f(x)")}, {ab}}}}, {"b <= a - 1"}), "unknown");
  EXPECT_EQ(require({{{{contained("0:9", "0:3; 0:3")}, {ab}}}}, {"b <= a - 1"}), "unknown");
  EXPECT_EQ(require({{{{contained("0:9", "0:10")}, {ab}}}}, {"b <= a - 1"}), "no");
}

TEST_F(SolverAllTest, WhatOneRulesOutIsChosenOtherwise) {
  // Whatever is taken for the first must leave the second possible.
  Requirement first{{{implication("a <= 0")}, {implication("bb <= 10")}}};
  Requirement second{{{implication("a >= 1")}, {implication("a >= 2")}}};
  EXPECT_EQ(require({first, second}), when("1 <= a and bb <= 10"));
}

TEST_F(SolverAllTest, MovedHasAPoint) {
  // Disjoint is what is empty, but nothing would be moved.
  Question apart = Question::disjoint(region("0:N - 1"), region("M:K"));
  EXPECT_EQ(all({apart}, {}, "M:K"), when("N <= M"));
  EXPECT_EQ(all({apart}, {"M <= N - 1", "0 <= K"}, "M:K"), when("N <= 0"));
  EXPECT_EQ(all({contained("0:N - 1", "1:N")}), when("N <= 0"));
  EXPECT_EQ(all({contained("0:N - 1", "1:N")}, {}, "1:N"), "no");
  EXPECT_EQ(all({contained("0:N - 1", "1:N")}, {}, "1:N; 0:K"), "no");
  EXPECT_EQ(all({contained("0:N - 1", "1:N")}, {}, "1:M"), when("N <= 0"));
  EXPECT_EQ(all({contained("0:N", "0:N")}, {}, "1:0"), "yes");
  Requirement either{{{implication("N <= 0")}, {implication("long_name <= M")}}};
  EXPECT_EQ(require({either}), when("N <= 0"));
  EXPECT_EQ(require({either}, {}, "1:N"), when("long_name <= M"));
}

TEST_F(SolverAllTest, ConditionsThatValuesAllowThatAreNotNegative) {
  Requirement either{{{implication("t <= -2")}, {implication("long_name + t <= other + 7")}}};
  EXPECT_EQ(require({either}), when("long_name + t <= 7 + other"));
  EXPECT_EQ(require({either}, {"other <= -8"}), when("t <= -2"));
  // Also of one question alone.
  EXPECT_EQ(implied("t <= -2 or 2*long_name <= u + v + w"), when("2*long_name <= u + v + w"));
  EXPECT_EQ(implied("t <= -2"), when("t <= -2"));
}

TEST_F(SolverAllTest, LookAlikes) {
  for (const char *extent : {"Max(1, hi - lo)", "Max(0, hi - lo + 1)", "Max(0, lo - hi)",
                             "Max(0, hi - lo) + 1", "hi", "Max(hi, lo)"}) {
    Question covers = contained("0:hi - lo - 1", "0:" + std::string(extent) + " - 1");
    EXPECT_NE(all({covers}), "yes") << extent;
  }
  EXPECT_EQ(all({contained("0:hi - lo - 1", "0:Max(1, hi - lo) - 1")}), when("lo < hi"));
  EXPECT_EQ(all({contained("0:hi - lo - 1", "0:Max(0, hi - lo) - 1")}), "yes");
}

TEST_F(SolverAllTest, Consistent) {
  auto consistent = [&](const std::vector<std::string> &texts) {
    return show(solver.consistent(known(texts)));
  };
  EXPECT_EQ(consistent({}), "yes");
  EXPECT_EQ(consistent({"a <= b <= c", "c == 3", "n % 2 == 0"}), "yes");
  EXPECT_EQ(consistent({"a <= b <= c", "c < a"}), "no");
  EXPECT_EQ(consistent({"x == 1", "y <= z", "z < y"}), "no");
  EXPECT_EQ(consistent({"2*n == 2*m + 1"}), "no");
  EXPECT_EQ(consistent({"1 == 2"}), "no");
  EXPECT_EQ(consistent({"n*n == -1"}), "unknown"); // each term is a value of its own
  EXPECT_EQ(consistent({"f(x)"}), "unknown");
  EXPECT_EQ(consistent({"f(x)", "y < z", "z < y"}), "no");
}

TEST_F(SolverAllTest, FactsAreIndexed) {
  KnownFacts facts = known({"a <= b and c <= d", "e <= f", "b <= c", "a <= b", "1 <= 2"});
  auto shown = [&](const Facts &list) {
    std::string text;
    for (Expr fact : list)
      text += context.print(fact, Grammar::Python) + "; ";
    return text;
  };
  EXPECT_EQ(shown(facts.connected({names.intern("d")})), "a <= b; c <= d; b <= c; True; ");
  EXPECT_EQ(shown(facts.connected({names.intern("f")})), "e <= f; True; ");
  EXPECT_EQ(shown(facts.connected({names.intern("d")}, 2)), "c <= d; True; ");
  EXPECT_EQ(shown(facts.connected({})), "True; ");
  EXPECT_EQ(facts.all().size(), 5u);
  EXPECT_TRUE(facts.states(expr("b <= c")));
  EXPECT_FALSE(facts.states(expr("b < c")));
}

TEST_F(SolverAllTest, QuestionsCountOnce) {
  Questions questions{contained("0:N", "0:M"), contained("0:K", "0:L"), contained("0:9", "0:3")};
  std::string first = all(questions);
  EXPECT_EQ(solver.statistics().queries, 3u);
  EXPECT_EQ(solver.statistics().decided_syntactically, 1u);
  EXPECT_EQ(solver.statistics().cache_hits, 0u);
  EXPECT_EQ(all(questions), first);
  EXPECT_EQ(solver.statistics().queries, 6u);
  EXPECT_EQ(solver.statistics().cache_hits, 2u);
  // One that is known, with another.
  all({questions[0], implication("x <= y")});
  EXPECT_EQ(solver.statistics().queries, 8u);
  EXPECT_EQ(solver.statistics().cache_hits, 3u);
  // Facts that do not concern it do not matter; those that do are another question.
  all({questions[0]}, {"x <= 3"});
  EXPECT_EQ(solver.statistics().cache_hits, 4u);
  all({questions[0]}, {"N <= 3"});
  EXPECT_EQ(solver.statistics().cache_hits, 4u);
  EXPECT_EQ(solver.statistics().unknown, 0u);
}

TEST_F(SolverAllTest, ConditionsCanBeReadBack) {
  Questions questions{contained("0:Max(n, m) // 2", "0:k // 3"), contained("0:A[k + 1]", "0:B[k]"),
                      implication("x % 4 == 1"), implication("y == 2*z + 1")};
  Answer answer;
  {
    std::vector<Requirement> requirements;
    for (const Question &question : questions)
      requirements.push_back({{{question}}});
    answer = solver.all(requirements, known({}));
  }
  ASSERT_EQ(answer.verdict, Verdict::When);
  EXPECT_EQ(expr(context.print(answer.condition, Grammar::Python)), answer.condition);
  for (Expr part : answer.condition->args())
    EXPECT_TRUE(part->kind() == symbolic::Kind::Le || part->kind() == symbolic::Kind::Lt ||
                part->kind() == symbolic::Kind::Eq);
  // With it as a fact all of them hold.
  std::vector<Requirement> requirements;
  for (const Question &question : questions)
    requirements.push_back({{{question}}});
  KnownFacts facts(context);
  facts.add(answer.condition);
  EXPECT_EQ(show(solver.all(requirements, facts)), "yes");
}

TEST_F(SolverAllTest, OutOfOperationsIsUnknownOrRight) {
  std::vector<Requirement> requirements{
      {{{contained("0:eh - s - 1", "0:Max(0, -s + Max(eh, el)) - 1")}}},
      {{{implication("a <= b")}, {implication("b <= a")}}},
      {{{Question::disjoint(region("0:N - 1; 0:K"), region("M:K; 0:M"))}}}};
  for (unsigned long limit = 1; limit < 4000; limit += 53) {
    Solver limited(context, limit);
    std::string answer = show(limited.all(requirements, known({})));
    EXPECT_TRUE(answer == "unknown" || answer.starts_with("when ")) << answer;
    std::string second = show(limited.all({requirements.data() + 1, 1}, known({})));
    EXPECT_TRUE(second == "unknown" || second == "yes" || second.starts_with("when ")) << second;
    EXPECT_EQ(limited.statistics().unknown,
              (answer == "unknown" ? 1u : 0u) + (second == "unknown" ? 1u : 0u));
  }
}

/// Twenty times what it takes, so that a busy machine does not fail the test.
class SolverSizeTest : public SolverAllTest {
protected:
  static std::string list(const std::string &function, int count) {
    std::string text;
    for (int i = 0; i < count; ++i)
      text += (i ? ", a" : "(a") + std::to_string(i);
    return function + text + ")";
  }
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

TEST_F(SolverSizeTest, ThousandsOfTerms) {
  std::string many = list("Max", 2000);
  EXPECT_EQ(all({contained("0:" + many, "0:a7")}), "yes");
  EXPECT_EQ(all({contained("0:" + many + " + 1", "0:" + many)}), "yes");
  EXPECT_EQ(all({contained("0:a7", "0:" + list("Min", 2000))}), "yes");
  EXPECT_EQ(all({contained("0:a7", "0:" + many)}), "unknown");
  EXPECT_EQ(all({contained("0:b", "0:" + many)}), "unknown");
  EXPECT_EQ(all({contained("0:" + many + " + " + list("Min", 1999), "0:b")}), "unknown");
  EXPECT_EQ(all({contained("0:" + many + " // 2", "0:b")}), "unknown");
  RecordProperty("seconds", std::to_string(seconds()));
  EXPECT_LT(seconds(), 4.0);
}

TEST_F(SolverSizeTest, ManyRequirementsThatBelongTogether) {
  Questions questions;
  std::vector<std::string> chain;
  for (int i = 0; i < 25; ++i) {
    std::string n = std::to_string(i);
    questions.push_back(contained("0:N" + n, "0:M" + n));
    chain.push_back("N" + n + " <= N" + std::to_string(i + 1));
  }
  double start = seconds();
  std::string found = all(questions, chain);
  RecordProperty("one", std::to_string(seconds() - start));
  EXPECT_TRUE(found == "unknown" || found.starts_with("when ")) << found;
  // Few symbols, many questions.
  questions.clear();
  for (int i = 0; i < 200; ++i)
    questions.push_back(contained("0:Max(N, K) + " + std::to_string(i), "0:Min(M, L) + s"));
  EXPECT_EQ(all(questions, {"N <= K"}, "0:s"), when("L + s <= K"));
  RecordProperty("seconds", std::to_string(seconds()));
  EXPECT_LT(seconds(), 20.0);
}

TEST_F(SolverSizeTest, ThousandsOfFacts) {
  KnownFacts facts(context);
  auto symbol = [&](int i) { return context.symbol(names.intern("s" + std::to_string(i))); };
  for (int i = 0; i < 2000; ++i)
    facts.add(context.compare_op(symbolic::Kind::Le, symbol(i), symbol(i + 1)));
  for (int i = 0; i < 1000; ++i) {
    Region outer{{{context.integer(0), symbol(i + 3), context.integer(1)}}, {}};
    Region inner{{{context.integer(0), symbol(i), context.integer(1)}}, {}};
    Requirement requirement{{{Question::contains(outer, inner)}}};
    ASSERT_EQ(solver.all({&requirement, 1}, facts).verdict, Verdict::Yes) << i;
  }
  EXPECT_EQ(solver.consistent(facts).verdict, Verdict::Unknown); // no piece contradicts itself
  facts.add(context.compare_op(symbolic::Kind::Lt, symbol(505), symbol(500)));
  EXPECT_EQ(solver.consistent(facts).verdict, Verdict::No);
  RecordProperty("seconds", std::to_string(seconds()));
  EXPECT_LT(seconds(), 20.0);
}

TEST_F(SolverSizeTest, ThousandsOfFactsAboutOneSymbol) {
  KnownFacts facts(context);
  Expr n = context.symbol(names.intern("N"));
  auto symbol = [&](int i) { return context.symbol(names.intern("s" + std::to_string(i))); };
  for (int i = 0; i < 2000; ++i)
    facts.add(context.compare_op(symbolic::Kind::Le, symbol(i), n));
  for (int i = 0; i < 1000; ++i) {
    Region outer{{{context.integer(0), n, context.integer(1)}}, {}};
    Region inner{{{context.integer(0), symbol(i), context.integer(1)}}, {}};
    Requirement requirement{{{Question::contains(outer, inner)}}};
    ASSERT_EQ(solver.all({&requirement, 1}, facts).verdict, Verdict::Yes) << i;
  }
  RecordProperty("seconds", std::to_string(seconds()));
  EXPECT_LT(seconds(), 20.0);
}

TEST_F(SolverSizeTest, ManyRequirements) {
  Questions questions;
  for (int i = 0; i < 60; ++i) {
    std::string n = std::to_string(i);
    questions.push_back(contained("0:N" + n, "0:M" + n));
  }
  EXPECT_EQ(all(questions).substr(0, 5), "when ");
  for (int i = 0; i < 1000; ++i)
    questions.push_back(contained("0:N" + std::to_string(i), "0:M" + std::to_string(i)));
  EXPECT_EQ(all(questions).substr(0, 5), "when "); // what shares no symbols is decided apart
  RecordProperty("seconds", std::to_string(seconds()));
  EXPECT_LT(seconds(), 20.0);
}

} // namespace
} // namespace sdfgopt::sets
