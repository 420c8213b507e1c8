// What control flow and the file's annotations tell of symbols, and what they must not.
#include "analysis/dominators.h"
#include "analysis/known_conditions.h"
#include "io/text_parser.h"
#include "symbolic/annotation.h"

#include <gtest/gtest.h>

#include <functional>
#include <set>

using namespace sdfgopt;
using symbolic::Grammar;

namespace {

constexpr std::string_view symbols = R"(
    symbol N: int32
    symbol M: int64
    symbol flag: bool
    symbol u: uint32
    symbol v: uint32
    symbol x: float64
    symbol s: int8
    symbol k: int32
    scalar data: int32
)";

class KnownConditionsTest : public testing::Test {
protected:
  /// A program of these blocks and edges, with the symbols above.
  void program(std::string_view body) {
    auto parsed = io::parse_text("sdfg p {" + std::string(symbols) + std::string(body) + "\n}");
    ASSERT_TRUE(parsed.ok()) << parsed.error().text();
    document = std::move(parsed).value();
    flow = std::make_unique<analysis::ControlFlow>(document->root, document->context);
    known = std::make_unique<analysis::KnownConditions>(document->root, *flow, document->context);
  }
  ir::StateId state(std::string_view label) {
    ir::StateId found;
    ir::for_each_state(document->root.root, [&](ir::State &state, ir::Block &block) {
      if (block.label.view() == label)
        found = state.id;
    });
    EXPECT_TRUE(found.has_value());
    return found;
  }
  std::string show(symbolic::Expr e) { return document->context.print(e, Grammar::Python); }
  std::string join(const std::vector<symbolic::Expr> &conditions) {
    std::string result;
    for (const symbolic::Expr condition : conditions)
      result += (result.empty() ? "" : ", ") + show(condition);
    return result;
  }
  std::string at(std::string_view label) { return join(known->at(state(label))); }
  /// "i: begin..end:step, ...".
  std::string binders(std::string_view label) {
    std::string result;
    for (const sets::Binder &binder : known->loop_binders(state(label)))
      result += (result.empty() ? "" : ", ") + binder.name.str() + ": " + show(binder.range.begin) +
                ".." + show(binder.range.end) + ":" + show(binder.range.step);
    return result;
  }
  /// What is known in a branch with this condition, and in the `else` behind it.
  std::pair<std::string, std::string> branch(std::string_view condition) {
    program("branch c {\n if `" + std::string(condition) +
            "` {\n state t { }\n }\n else {\n state e { }\n }\n }");
    return {at("t"), at("e")};
  }
  /// The ranges that are known in a loop; `head` is all before its body.
  std::string loop(std::string_view head, std::string_view body = "") {
    program("loop l " + std::string(head) + " {\n state b { }\n" + std::string(body) + "\n}");
    return binders("b");
  }
  std::string facts() {
    return join(analysis::annotated_facts(document->root, *flow, document->context));
  }

  std::unique_ptr<ir::Document> document;
  std::unique_ptr<analysis::ControlFlow> flow;
  std::unique_ptr<analysis::KnownConditions> known;
};

using Both = std::pair<std::string, std::string>;

TEST_F(KnownConditionsTest, BranchesKnowTheirConditionAndThatOthersDidNotHold) {
  program(R"(
    state a { }
    branch c {
      if `N > 0 and M <= N` {
        state t { }
      }
      if `N < -5 or M == 3` {
        state f { }
      }
      else {
        state e { }
      }
    }
    state z { }
    a -> c
    c -> z
  )");
  EXPECT_EQ(at("a"), "");
  EXPECT_EQ(at("t"), "M <= N, 0 < N");
  EXPECT_EQ(at("f"), "N <= 0 or N < M, 3 == M or N < -5");
  EXPECT_EQ(at("e"), "N <= 0 or N < M, -5 <= N, 3 != M");
  EXPECT_EQ(at("z"), "");
}

TEST_F(KnownConditionsTest, TruthValues) {
  EXPECT_EQ(branch("flag"), Both("0 != flag", "0 == flag"));
  EXPECT_EQ(branch("not flag and N"), Both("0 != N, 0 == flag", "0 == N or 0 != flag"));
  EXPECT_EQ(branch("True"), Both("", ""));
  EXPECT_EQ(branch("x"), Both("", ""));
}

TEST_F(KnownConditionsTest, PartsThatAreNotUnderstoodAreLeftOut) {
  EXPECT_EQ(branch("N > 0 and data > 1"), Both("0 < N", "")) << "data";
  EXPECT_EQ(branch("N > 0 and x > 1"), Both("0 < N", "")) << "a float";
  EXPECT_EQ(branch("N > 0 and unknown > 1"), Both("0 < N", ""));
  EXPECT_EQ(branch("N > 0 and (M << 1) > 1"), Both("0 < N", "")) << "a function";
  EXPECT_EQ(branch("N > 0 or data > 1"), Both("", ""));
  EXPECT_EQ(branch("N > 0 or (M << 1) > 1"), Both("", "N <= 0"));
  EXPECT_EQ(branch("N > 0.5"), Both("", ""));
  EXPECT_EQ(branch("f(N)"), Both("", ""));
  EXPECT_EQ(branch("max(N, M) > 2"), Both("2 < Max(M, N)", "Max(M, N) <= 2"));
  EXPECT_EQ(branch("N > "), Both("", ""));
}

TEST_F(KnownConditionsTest, WhatFoldsForIntegersOnlyIsNotNegated) {
  EXPECT_EQ(branch("not (N <= 0 and x - x < 1)").first, "") << "x may be a NaN";
  EXPECT_EQ(branch("N <= 0 and x - x < 1"), Both("N <= 0", ""));
  EXPECT_EQ(branch("N if x - x < 1 else M").first, "");
}

TEST_F(KnownConditionsTest, QuotientsAndChainsMeanSomethingElseInC) {
  EXPECT_EQ(branch("N // 2 > 1"), Both("", ""));
  EXPECT_EQ(branch("N > -7 // 2"), Both("", ""));
  EXPECT_EQ(branch("N % 4 == 0"), Both("", ""));
  EXPECT_EQ(branch("int_floor(-7, 2) < N"), Both("", ""));
  EXPECT_EQ(branch("0 < N < M"), Both("", ""));
  EXPECT_EQ(branch("0 < N and N < M"), Both("0 < N, N < M", "M <= N or N <= 0"));
  EXPECT_EQ(branch("(0 < N) and (N < M)").first, "0 < N, N < M");
}

TEST_F(KnownConditionsTest, UnsignedArithmeticWraps) {
  EXPECT_EQ(branch("u > 3"), Both("3 < u", "u <= 3"));
  EXPECT_EQ(branch("u < v").first, "u < v");
  EXPECT_EQ(branch("u - 1 >= 0").first, "");
  EXPECT_EQ(branch("u > -1"), Both("", ""));
  EXPECT_EQ(branch("N < u"), Both("", "")) << "N is converted";
  EXPECT_EQ(branch("s < N").first, "s < N");
}

TEST_F(KnownConditionsTest, SymbolsThatAreAssignedAreNotUsed) {
  program(R"(
    state a { }
    branch c {
      if `k > 0 and N > 0` {
        state t { }
      }
    }
    a -> c with k = `N + 1`
  )");
  EXPECT_EQ(at("t"), "0 < N");
  program(R"(
    loop l init cpp `k++` while cpp `N-- > 0` {
      branch c {
        if `k > 0 and N > 0 and M > 0` {
          state t { }
        }
      }
    }
  )");
  EXPECT_EQ(at("t"), "0 < M") << "code in other languages may change what it names";
}

TEST_F(KnownConditionsTest, OtherLanguagesAreNotRead) {
  program("branch c {\n if cpp `N > 0` {\n state t { }\n }\n else {\n state e { }\n }\n }");
  EXPECT_EQ(at("t"), "");
  EXPECT_EQ(at("e"), "");
}

TEST_F(KnownConditionsTest, EdgesThatEveryPathTakes) {
  program(R"(
    state a { }
    state t { }
    state t2 { }
    state f { }
    state z { }
    a -> t if `N > 0`
    a -> f if `not (N > 0)`
    t -> t2 if `M > 0` with k = `1`
    t2 -> z
    f -> z
  )");
  EXPECT_EQ(at("a"), "");
  EXPECT_EQ(at("t"), "0 < N");
  EXPECT_EQ(at("t2"), "0 < N, 0 < M");
  EXPECT_EQ(at("f"), "N <= 0");
  EXPECT_EQ(at("z"), "") << "two ways";
}

TEST_F(KnownConditionsTest, EdgesAndCycles) {
  program(R"(
    state a { }
    state guard { }
    state body { }
    state after { }
    a -> guard if `N > 0`
    guard -> body if `M > 0`
    body -> guard
    guard -> after if `M <= 0`
  )");
  EXPECT_EQ(at("guard"), "0 < N") << "the way back comes by the same edge";
  EXPECT_EQ(at("body"), "0 < N, 0 < M");
  EXPECT_EQ(at("after"), "0 < N, M <= 0");
}

TEST_F(KnownConditionsTest, EdgesAroundRegions) {
  program(R"(
    state a { }
    region r {
      state b { }
      branch c {
        if `N > 0` {
          state t { }
        }
      }
      b -> c if `N != 7`
    }
    a -> r if `N > 0`
  )");
  EXPECT_EQ(at("b"), "0 < N");
  EXPECT_EQ(at("t"), "0 < N, 7 != N") << "each once";
}

TEST_F(KnownConditionsTest, LoopsKnowThatTheFirstTestWasPassed) {
  loop("var i init `i = N` while `i < M and flag` update `i = i + 1`");
  EXPECT_EQ(at("b"), "0 != flag, N < M");
  EXPECT_EQ(binders("b"), "i: N..-1 + M:1");
  loop("var i init `i = N` while `i < M and flag` update `i = i + 1` inverted");
  EXPECT_EQ(at("b"), "") << "the body runs before the first test";
  loop("var i init `i = N` while `i < data and i != 4` update `i = i + 1`");
  EXPECT_EQ(at("b"), "4 != N");
  loop("var i init `i = N` while `i < M` update `i = f(i)`");
  EXPECT_EQ(at("b"), "N < M") << "whatever the step is";
  loop("while `N > 0`");
  EXPECT_EQ(at("b"), "0 < N");
  loop("var k init `k = 0` while `k < N` update `k = k + 1`", "state q { }\n b -> q with k = `5`");
  EXPECT_EQ(at("b"), "0 < N");
  EXPECT_EQ(binders("b"), "");
}

TEST_F(KnownConditionsTest, RangesOfLoops) {
  EXPECT_EQ(loop("var i init `i = 0` while `i < N` update `i = i + 1`"), "i: 0..-1 + N:1");
  EXPECT_EQ(loop("var i init `i = 0` while `(i <= N)` update `i = (i + 2)`"), "i: 0..N:2");
  EXPECT_EQ(loop("var i init `i = 1` while `N > i` update `i += 3`"), "i: 1..-1 + N:3");
  EXPECT_EQ(loop("var i init `i = 1` while `N >= i + 1` update `i -= -1`"), "i: 1..-1 + N:1");
  EXPECT_EQ(loop("var i init `i = 0` while `i < N and i <= M` update `i = i + 1`"),
            "i: 0..Min(M, -1 + N):1");
  EXPECT_EQ(loop("var k init `k = 0` while `k < N` update `k = k + 1`"), "k: 0..-1 + N:1")
      << "a declared variable";
}

TEST_F(KnownConditionsTest, RangesOfLoopsThatCountDown) {
  EXPECT_EQ(loop("var i init `i = N` while `i > 0` update `i = i - 1`"), "i: 1..N:1");
  EXPECT_EQ(loop("var i init `i = N - 1` while `0 <= i` update `i = i + -1`"), "i: 0..-1 + N:1");
  EXPECT_EQ(loop("var i init `i = 9` while `i >= 0` update `i = i - 2`"), "i: 1..9:2");
  EXPECT_EQ(loop("var i init `i = N + 8` while `i > N` update `i -= 3`"), "i: 2 + N..8 + N:3");
  EXPECT_EQ(loop("var i init `i = N` while `i > 0` update `i = i - 2`"), "i: 1..N:1")
      << "where it ends is not known";
}

TEST_F(KnownConditionsTest, RangesOfInvertedLoops) {
  EXPECT_EQ(loop("var i init `i = 3` while `i < N` update `i = i + 1` inverted"),
            "i: 3..Max(3, -1 + N):1");
  EXPECT_EQ(loop("var i init `i = 3` while `i < N` update `i = i + 2` inverted update_after"),
            "i: 3..Max(3, 1 + N):2");
  EXPECT_EQ(loop("var i init `i = N` while `i > 3` update `i = i - 1` inverted"),
            "i: Min(4, N)..N:1");
  EXPECT_EQ(loop("var i init `i = 9` while `i > 3` update `i = i - 4` inverted update_after"),
            "i: 1..9:4");
}

/// Values of the variable in the body of a loop, run as DaCe's code does; nothing if it never ends.
std::optional<std::set<int>> run_loop(int first, const std::function<bool(int)> &condition,
                                      int step, bool inverted, bool update_after) {
  std::set<int> values;
  int i = first;
  if (!inverted && !condition(i))
    return values;
  for (int count = 0; count < 100; ++count) {
    values.insert(i);
    const bool before = condition(i);
    i += step;
    if (update_after ? !before : !condition(i))
      return values;
  }
  return std::nullopt;
}

TEST_F(KnownConditionsTest, RangesAreTheValuesThatLoopsTake) {
  const std::vector<std::pair<std::string, std::function<bool(int, int)>>> comparisons = {
      {"<", std::less<>()},
      {"<=", std::less_equal<>()},
      {">", std::greater<>()},
      {">=", std::greater_equal<>()}};
  int ranges = 0;
  for (int first = -3; first <= 3; ++first)
    for (int limit = -3; limit <= 3; ++limit)
      for (const int step : {-3, -2, -1, 1, 2, 3})
        for (const auto &[op, holds] : comparisons)
          for (const std::string_view kind : {"", " inverted", " inverted update_after"}) {
            std::string head = "var i init `i = " + std::to_string(first) + "` while `i ";
            head += op + " " + std::to_string(limit) + "` update `i = i + ";
            head += std::to_string(step) + "`" + std::string(kind);
            loop(head);
            const auto binders = known->loop_binders(state("b"));
            EXPECT_EQ(binders.size(), (step > 0) == (op[0] == '<') ? 1U : 0U) << head;
            const auto values = run_loop(
                first, [&, &holds = holds](int i) { return holds(i, limit); }, step, !kind.empty(),
                kind.ends_with("after"));
            if (binders.empty() || !values)
              continue;
            const auto constant = [](symbolic::Expr e) {
              return static_cast<int>(symbolic::Context::constant(e).value());
            };
            const sets::Interval &range = binders.front().range;
            std::set<int> told;
            for (int i = constant(range.begin); i <= constant(range.end); i += constant(range.step))
              told.insert(i);
            EXPECT_EQ(told, *values) << head;
            ++ranges;
          }
  EXPECT_EQ(ranges, 7 * 7 * 6 * 2 * 3);
}

TEST_F(KnownConditionsTest, LoopsWithoutRanges) {
  EXPECT_EQ(loop("var i init `i = 0` while `i < data` update `i = i + 1`"), "");
  EXPECT_EQ(loop("var i init `i = data` while `i < N` update `i = i + 1`"), "");
  EXPECT_EQ(loop("var i init `i = 0` while `i < N` update `i = i - 1`"), "") << "wrong direction";
  EXPECT_EQ(loop("var i init `i = 0` while `i < N` update `i = i`"), "");
  EXPECT_EQ(loop("var i init `i = 0` while `i < N` update `i = i + M`"), "");
  EXPECT_EQ(loop("var i init `i = 1` while `i < N` update `i = i * 2`"), "");
  EXPECT_EQ(loop("var i init `i = 0` while `i != N` update `i = i + 1`"), "");
  EXPECT_EQ(loop("var i init `i = 0` while `i < 2*i + N` update `i = i + 1`"), "");
  EXPECT_EQ(loop("var i init `i = 0` while `i < N // 2` update `i = i + 1`"), "");
  EXPECT_EQ(loop("var i init `i = 0` while `i < u` update `i = i + 1`"), "");
  EXPECT_EQ(loop("var i init `j = 0` while `i < N` update `i = i + 1`"), "");
  EXPECT_EQ(loop("var i init `i = 0` while `i < N` update `j = i + 1`"), "");
  EXPECT_EQ(loop("var i init cpp `i = 0` while `i < N` update `i = i + 1`"), "");
  EXPECT_EQ(loop("var i init `i = 0; N = 1` while `i < N` update `i = i + 1`"), "");
  EXPECT_EQ(loop("var i while `i < N` update `i = i + 1`"), "");
  EXPECT_EQ(loop("var i init `i = 0` update `i = i + 1`"), "");
  EXPECT_EQ(loop("var s init `s = 0` while `s < N` update `s = s + 1`"), "") << "cuts off";
  EXPECT_EQ(loop("var u init `u = 9` while `u >= 0` update `u = u - 1`"), "");
  EXPECT_EQ(loop("var x init `x = 0` while `x < N` update `x = x + 1`"), "");
  EXPECT_EQ(loop("var data init `data = 0` while `data < N` update `data = data + 1`"), "");
}

TEST_F(KnownConditionsTest, BoundsThatTheProgramAssigns) {
  EXPECT_EQ(loop("var i init `i = 0` while `i < k` update `i = i + 1`",
                 "state q { }\n b -> q with k = `5`"),
            "");
  EXPECT_EQ(loop("var i init `i = k` while `i < N` update `i = i + 1`",
                 "state q { }\n b -> q with k = `5`"),
            "");
}

TEST_F(KnownConditionsTest, LoopVariablesThatOthersAssign) {
  EXPECT_EQ(loop("var k init `k = 0` while `k < N` update `k = k + 1`",
                 "loop m while `N > 0` {\n state c { }\n state d { }\n c -> d with k = `k + 1`\n }"
                 "\n b -> m"),
            "");
  loop("var i init `i = 0` while `i < N` update `i = i + 1`",
       "loop m var i init `i = 5` while `i < 9` update `i = i + 1` {\n state c { }\n }\n b -> m");
  EXPECT_EQ(binders("b"), "");
  EXPECT_EQ(binders("c"), "i: 5..8:1") << "the inner one is what it says";
}

TEST_F(KnownConditionsTest, NestedLoopsAndConditionsOnTheirVariables) {
  program(R"(
    loop l var i init `i = 0` while `i < N` update `i = i + 1` {
      state b { }
      loop m var j init `j = i` while `j < N - i` update `j = j + 1` {
        state c { }
      }
      branch t {
        if `i > 3` {
          state d { }
        }
      }
      b -> m
      m -> t if `i != 2`
    }
    branch u {
      if `i > 3` {
        state e { }
      }
    }
    l -> u
  )");
  EXPECT_EQ(binders("b"), "i: 0..-1 + N:1");
  EXPECT_EQ(binders("c"), "i: 0..-1 + N:1, j: i..-1 + N - i:1");
  EXPECT_EQ(at("c"), "0 < N, i < N - i");
  EXPECT_EQ(at("d"), "0 < N, 2 != i, 3 < i");
  EXPECT_EQ(at("e"), "") << "after the loop it is not what it was";
}

TEST_F(KnownConditionsTest, NothingIsKnownOfWhatIsOpaque) {
  program("branch c {\n if `N > 0` {\n state t { }\n }\n }\n break out\n c -> out");
  EXPECT_EQ(at("t"), "");
  EXPECT_EQ(facts(), "");
}

TEST_F(KnownConditionsTest, DeepNesting) {
  std::string text = "state z { }";
  for (int i = 0; i < 400; ++i) {
    std::string around = "branch c" + std::to_string(i) + " {\n if `N > " + std::to_string(i);
    around += "` {\n" + text + "\n}\n}";
    text = std::move(around);
  }
  program(text);
  EXPECT_EQ(known->at(state("z")).size(), 400U);
}

TEST_F(KnownConditionsTest, FactsOfAnnotations) {
  program(R"(
    symbol p: int32
    symbol q: int64
    symbol r: int32
    symbol t: int32
    symbol w: int32
    symbol z: int32
    symbol c: int32
    symbol assigned: int32
    array A: float64[symbol($p, nonnegative=True, nonzero=True, positive=True), 1 + symbol($q, dtype=dace.int64, nonnegative=True)]
    array B: float64[-symbol($r, negative=True), 3 - symbol($t, nonpositive=True)]
    array C: float64[symbol($w, nonzero=True), symbol($x, dtype=dace.float64, positive=True)]
    array D: float64[symbol($c, positive=True) - symbol($c, negative=True), $z, symbol($z, dtype=dace.int64, integer=True, positive=False)]
    array E: float64[symbol($assigned, positive=True), symbol($undeclared, positive=True)]
    state a { }
    state b { }
    a -> b with assigned = `0`
  )");
  EXPECT_EQ(facts(), "1 <= p, 0 <= q, r <= -1, t <= 0, 0 <= u, 0 <= v, 0 != w");
}

TEST_F(KnownConditionsTest, AnnotationsThatContradictATypeOrEachOther) {
  program(R"(
    array A: float64[symbol($u, negative=True), symbol($v, positive=True), symbol($N, nonnegative=True), symbol($M, nonnegative=True)]
    array B: float64[symbol($N, nonpositive=True), symbol($M, nonpositive=True), symbol($M, nonzero=True)]
    state a { }
  )");
  EXPECT_EQ(facts(), "0 <= N, N <= 0, 0 <= u, 1 <= v");
}

TEST_F(KnownConditionsTest, AnnotationsInsideOfNestedSdfgsSayNothingOutside) {
  program(R"(
    array A: float64[N]
    state a {
      n0 A
      n1 nested inner (b = n0 A) symbols(N = -N) sdfg inner {
        symbol N: int32
        array b: float64[symbol($N, positive=True)]
        state c { }
      }
    }
  )");
  EXPECT_EQ(facts(), "0 <= u, 0 <= v");
}

TEST(Annotation, TellsSymbolAndAssumptions) {
  std::string seen;
  symbolic::for_each_annotation(
      "symbol($N, dtype=dace.int64, positive=True) + symbol($M) + mysymbol($K, positive=True)*"
      "symbol($L , positive=True) + symbol($J, negative = True, positive=False",
      [&](const symbolic::Annotation &annotation) {
        seen += std::string(annotation.symbol) + (annotation.assumes("positive") ? "+ " : " ");
        seen += std::string(annotation.text) + std::string(annotation.parameters) + ";";
      });
  EXPECT_EQ(seen,
            "N+ symbol($N, dtype=dace.int64, positive=True), dtype=dace.int64, positive=True;")
      << "the last one has no end";
}

/// By definition: without the dominator, the node is not reached.
std::vector<std::uint32_t>
slow_dominators(std::size_t count,
                const std::vector<std::pair<std::uint32_t, std::uint32_t>> &arcs) {
  const auto reached = [&](std::uint32_t without) {
    std::vector<bool> seen(count, false);
    std::vector<std::uint32_t> work;
    if (without != 0)
      work.push_back(0);
    while (!work.empty()) {
      const std::uint32_t node = work.back();
      work.pop_back();
      if (seen[node])
        continue;
      seen[node] = true;
      for (const auto &[src, dst] : arcs)
        if (src == node && dst != without)
          work.push_back(dst);
    }
    return seen;
  };
  const auto all = reached(UINT32_MAX);
  std::vector<std::set<std::uint32_t>> over(count); // strict dominators
  for (std::uint32_t node = 0; node < count; ++node) {
    const auto rest = reached(node);
    for (std::uint32_t other = 0; other < count; ++other)
      if (all[node] && all[other] && other != node && !rest[other])
        over[other].insert(node);
  }
  std::vector<std::uint32_t> result(count, analysis::no_dominator);
  for (std::uint32_t node = 0; node < count; ++node)
    for (const std::uint32_t candidate : over[node])
      if (over[candidate].size() + 1 == over[node].size())
        result[node] = candidate;
  return result;
}

TEST(Dominators, AreThoseOfTheDefinition) {
  std::uint64_t random = 1;
  const auto next = [&](std::uint64_t limit) {
    random = random * 6364136223846793005U + 1442695040888963407U;
    return static_cast<std::uint32_t>((random >> 33U) % limit);
  };
  for (int round = 0; round < 2000; ++round) {
    const std::size_t count = 1 + next(10);
    std::vector<std::pair<std::uint32_t, std::uint32_t>> arcs;
    for (std::uint32_t n = next(2 * count + 2); n > 0; --n)
      arcs.emplace_back(next(count), next(count));
    ASSERT_EQ(analysis::immediate_dominators(count, 0, arcs), slow_dominators(count, arcs));
  }
}

TEST(Dominators, LongChainsTakeNoStack) {
  constexpr std::uint32_t count = 200'000;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> arcs;
  for (std::uint32_t i = 0; i + 2 < count; ++i) {
    arcs.emplace_back(i, i + 1);
    arcs.emplace_back(i, count - 1);
  }
  const auto dominators = analysis::immediate_dominators(count, 0, arcs);
  EXPECT_EQ(dominators[count - 1], 0U);
  EXPECT_EQ(dominators[count - 2], count - 3);
}

} // namespace
