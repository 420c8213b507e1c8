// Two programs compared: what is found, how it is told, and when nothing can be told.
#include "verify/verify.h"

#include "io/text_parser.h"

#include <gtest/gtest.h>

#include <set>

namespace sdfgopt::verify {
namespace {

std::unique_ptr<ir::Document> parsed(const std::string &body) {
  auto document = io::parse_text("sdfg p {\n" + body + "}\n");
  EXPECT_TRUE(document.ok()) << document.error().text();
  return std::move(document).value();
}

support::result<VerifyReport> compared(const std::string &before, const std::string &after,
                                       const VerifyOptions &options = {}) {
  const auto old = parsed(before);
  const auto now = parsed(after);
  return verify(*old, *now, options);
}

Difference difference(const std::string &before, const std::string &after,
                      const VerifyOptions &options = {}) {
  const auto report = compared(before, after, options);
  EXPECT_TRUE(report.ok()) << report.error().text();
  EXPECT_TRUE(report.value().difference);
  return report.value().difference.value_or(Difference());
}

std::string error(const std::string &before, const std::string &after,
                  const VerifyOptions &options = {}) {
  const auto report = compared(before, after, options);
  EXPECT_FALSE(report.ok());
  return report.ok() ? "" : report.error().text();
}

/// G[i] = `code` of x = a[i], for all i below `extent`.
std::string map(const std::string &code, const std::string &extent = "8",
                const std::string &more = "") {
  return "  array a: float64[" + extent + "]\n  array G: float64[" + extent + "]\n" + more +
         "  state s {\n    n0 map m [i = 0..-1 + " + extent +
         "] exit n2: n1 tasklet t (x = n3 a[i]) -> (y = n4 G[i]) { " + code +
         " }\n    n3 a\n    n4 G\n  }\n";
}

const std::string symbol = "  symbol N: int64\n";

TEST(Verify, SameInAllRuns) {
  VerifyOptions options;
  options.runs = 20;
  const auto report =
      compared(map("y = x + x", "N", symbol), map("y = 2.0 * x", "N", symbol), options);
  ASSERT_TRUE(report.ok()) << report.error().text();
  EXPECT_TRUE(report.value().same());
  EXPECT_EQ(report.value().runs.size(), 20U);
  EXPECT_EQ(report.value().skipped, 0U);
  EXPECT_EQ(report_text(report.value(), "c").find("same: 20 runs, "), 0U);
}

TEST(Verify, SaysHowToSeeItAgain) {
  VerifyOptions options;
  options.symbols = {{"dt", -0.0}};
  const std::string more = symbol + "  symbol dt: float64\n";
  const auto before = parsed(map("y = x + dt", "N", more));
  const auto after = parsed(map("y = x + dt + 1.0", "N", more));
  const auto report = verify(*before, *after, options);
  ASSERT_TRUE(report.ok() && !report.value().same());
  const std::string text = report_text(report.value(), "sdfg-opt verify a b");
  EXPECT_NE(text.find("again: sdfg-opt verify a b --symbol N="), std::string::npos) << text;
  EXPECT_NE(text.find(" --symbol dt=-0.0 --seed 1 --runs 1\n"), std::string::npos) << text;
  // A run of the choice that is told gives the same difference.
  VerifyOptions again;
  again.symbols = report.value().difference->symbols;
  again.seed = report.value().difference->seed;
  again.runs = 1;
  const auto repeated = verify(*before, *after, again);
  ASSERT_TRUE(repeated.ok());
  EXPECT_EQ(report_text(repeated.value(), "sdfg-opt verify a b"), text);
}

TEST(Verify, RoundingShows) {
  const Difference found = difference(map("y = x"), map("y = dace.float32(x)"));
  EXPECT_EQ(found.kind, DifferenceKind::Value);
  EXPECT_EQ(found.before.find("nan"), std::string::npos); // rather a number than a NaN's bits
  EXPECT_EQ(found.state, "s0 's'");
}

TEST(Verify, IntegersBelowZero) {
  const auto half = [](const std::string &code) {
    return "  array a: int32[8]\n  array G: int32[8]\n  state s {\n    n0 map m [i = 0..7] exit "
           "n2: "
           "n1 tasklet t (x = n3 a[i]) -> (y = n4 G[i]) { " +
           code + " }\n    n3 a\n    n4 G\n  }\n";
  };
  EXPECT_TRUE(difference(half("y = x"), half("y = abs(x)")).before.starts_with("-"));
}

TEST(Verify, FloatSymbolsThatAreNotWholeOrNegative) {
  const std::string more = "  symbol dt: float64\n";
  const auto chosen = [&](const std::string &code) {
    return std::get<double>(
        difference(map("y = x * dt", "8", more), map(code, "8", more)).symbols.at("dt"));
  };
  EXPECT_NE(chosen("y = x * math.floor(dt)"), 0);
  EXPECT_LT(chosen("y = x * abs(dt)"), 0);
}

TEST(Verify, ReadsOfUndefinedMemory) {
  const std::string buffer = "  transient array T: float64[8]\n";
  const Difference found =
      difference(map("y = x", "8", buffer),
                 "  array a: float64[8]\n  array G: float64[8]\n" + buffer +
                     "  state s {\n    n0 T\n    n1 G <- n0 T[0..7] -> [0..7]\n  }\n");
  EXPECT_EQ(found.kind, DifferenceKind::Undefined);
  EXPECT_NE(difference_text(found).find("after, it depends on memory that nobody wrote"),
            std::string::npos);
}

/// G[0] = a[i] for all i, in an order that is left open; `index` says which i.
std::string race(const std::string &index) {
  return "  array a: float64[8]\n  array G: float64[1]\n  state s {\n    n0 map m [i = 0..7] exit "
         "n2: n1 tasklet t (x = n3 a[" +
         index + "]) -> (y = n4 G[0]) { y = x }\n    n3 a\n    n4 G\n  }\n";
}

TEST(Verify, OrdersThatAreLeftOpen) {
  const Difference found = difference(race("3"), race("i"));
  EXPECT_EQ(found.kind, DifferenceKind::Order);
  EXPECT_NE(found.after, found.after_too);
  // Before, everything depends on the order in some run: not compared there.
  const auto report = compared(race("i"), race("i"));
  ASSERT_TRUE(report.ok()) << report.error().text();
  EXPECT_TRUE(report.value().same());
  EXPECT_NE(report_text(report.value(), "c").find("more depend on an order left open"),
            std::string::npos);
}

TEST(Verify, SumsThatAreOffByMoreThanRounding) {
  const auto sum = [](const std::string &code) {
    return "  array a: float64[64]\n  array G: float64[1]\n  state s {\n    n0 map m [i = 0..63] "
           "exit n2: n1 tasklet t (x = n3 a[i]) -> (y = n4 G[0] wcr `lambda x, y: x + y`) { " +
           code + " }\n    n3 a\n    n4 G\n  }\n";
  };
  const auto same = compared(sum("y = x / 3.0"), sum("y = x / 3.0"));
  ASSERT_TRUE(same.ok()) << same.error().text();
  EXPECT_TRUE(same.value().same());
  difference(sum("y = x / 3.0"), sum("y = x / 3.001"));
}

TEST(Verify, WhereTheRunsPart) {
  const auto loop = [](const std::string &trips) {
    return "  array a: float64[8]\n  array G: float64[8]\n  loop l var k init `k = 0` while `k < " +
           trips +
           "` update `k = k + 1` {\n    state put {\n      n0 a\n      n1 G <- n0 a[k] -> [k]\n    "
           "}\n  }\n";
  };
  EXPECT_EQ(difference(loop("4"), loop("6")).state,
            "s0 'put' (5th time), which only the program after runs");
  EXPECT_EQ(difference(loop("3"), loop("2")).state,
            "s0 'put' (3rd time), which only the program before runs");
  const std::string copy = "n0 a\n    n1 G <- n0 a[0..7] -> [0..7]";
  const auto two = [&](const std::string &first, const std::string &second) {
    return "  array a: float64[8]\n  array G: float64[8]\n  state one {\n    " + first +
           "\n  }\n  state two {\n    " + second + "\n  }\n  one -> two\n";
  };
  EXPECT_EQ(difference(two("n0 a", copy), two("n0 a", "n0 a")).state,
            "s1 'two', where only the program before changes it");
}

TEST(Verify, NothingToCompareIsNotSame) {
  VerifyOptions options;
  options.symbols = {{"N", std::int64_t{0}}};
  const std::string program = map("y = x", "N", symbol);
  EXPECT_EQ(error(program, program, options),
            "nothing was compared: the arguments have no elements (N=0)");
  const std::string undefined = "  array G: float64[8]\n  transient array T: float64[8]\n  state s "
                                "{\n    n0 T\n    n1 G <- n0 T[0..7] -> [0..7]\n  }\n";
  EXPECT_NE(error(undefined, undefined).find("every element depends on memory that nobody wrote"),
            std::string::npos);
}

TEST(Verify, LimitsAndBadValues) {
  const std::string program = map("y = x", "N", symbol);
  const auto with = [&](std::int64_t n) {
    VerifyOptions options;
    options.symbols = {{"N", n}};
    return error(program, program, options);
  };
  EXPECT_NE(with(1'000'000'000'000).find("would exceed the limit"), std::string::npos);
  EXPECT_NE(with(INT64_MAX).find("would exceed the limit"), std::string::npos);
  EXPECT_NE(with(-3).find("negative extent"), std::string::npos);
  VerifyOptions unknown;
  unknown.symbols = {{"Q", std::int64_t{1}}};
  EXPECT_EQ(error(program, program, unknown), "the program has no symbol 'Q'");
  VerifyOptions little;
  little.limits.fuel = 3;
  little.symbols = {{"N", std::int64_t{8}}};
  EXPECT_NE(error(program, program, little).find("out of fuel"), std::string::npos);
}

TEST(Verify, OnlyTheProgramAfterFails) {
  const Difference found = difference(map("y = x"), race("i + 1"));
  EXPECT_EQ(found.kind, DifferenceKind::Argument); // G has another shape
  EXPECT_EQ(difference(race("7"), race("i + 1")).kind, DifferenceKind::Failure);
}

// --- facts and conditions ---

std::int64_t value_in(const VerifiedRun &run, const std::string &name) {
  return std::get<std::int64_t>(run.symbols.at(name));
}

const std::string ranges = "  symbol N: int64\n  symbol lo: int64\n  symbol hi: int64\n";
/// Elements `lo` to `hi` - 1 of G.
const std::string between = "  array a: float64[N]\n  array G: float64[N]\n" + ranges +
                            "  state s {\n    n0 map m [i = lo..hi - 1] exit n2: n1 tasklet t "
                            "(x = n3 a[i]) -> (y = n4 G[i]) { y = x }\n    n3 a\n    n4 G\n  }\n";

TEST(VerifyFacts, EveryChoiceSatisfiesThem) {
  VerifyOptions options;
  options.runs = 24;
  options.facts = {"1 <= lo <= hi <= N - 2", "N == 2*hi or N > 20"};
  const auto report = compared(between, between, options);
  ASSERT_TRUE(report.ok()) << report.error().text();
  ASSERT_EQ(report.value().runs.size(), 24U);
  std::set<SymbolMap> different;
  std::set<bool> empty;
  std::set<bool> at_the_end;
  for (const VerifiedRun &run : report.value().runs) {
    const std::int64_t n = value_in(run, "N");
    const std::int64_t lo = value_in(run, "lo");
    const std::int64_t hi = value_in(run, "hi");
    EXPECT_TRUE(1 <= lo && lo <= hi && hi <= n - 2 && (n == 2 * hi || n > 20))
        << symbols_text(run.symbols);
    different.insert(run.symbols);
    empty.insert(lo == hi);
    at_the_end.insert(hi == n - 2);
  }
  EXPECT_GE(different.size(), 20U);
  EXPECT_EQ(empty.size(), 2U); // where a fact allows it, also its border
  EXPECT_EQ(at_the_end.size(), 2U);
}

TEST(VerifyFacts, OfStridesAndOfFloats) {
  const std::string strided =
      "  array G: float64[4, N] strides [st, 1] total_size (4*st)\n  symbol N: int64\n"
      "  symbol st: int64\n  symbol w: float64\n  state s {\n    n0 map m [i = 0..3, j = 0..N - 1] "
      "exit n2: n1 tasklet t () -> (y = n3 G[i, j]) { y = w }\n    n3 G\n  }\n";
  VerifyOptions options;
  options.runs = 12;
  options.facts = {"N + 3 <= st", "st <= N + 5", "w >= 5"};
  const auto report = compared(strided, strided, options);
  ASSERT_TRUE(report.ok()) << report.error().text();
  ASSERT_EQ(report.value().runs.size(), 12U);
  for (const VerifiedRun &run : report.value().runs) {
    const std::int64_t gap = value_in(run, "st") - value_in(run, "N");
    EXPECT_TRUE(3 <= gap && gap <= 5 && value_in(run, "w") >= 5) << symbols_text(run.symbols);
  }
}

TEST(VerifyFacts, ThatAreWrongOrCannotHold) {
  const auto message = [](std::vector<std::string> facts, const SymbolMap &symbols = {}) {
    VerifyOptions options;
    options.facts = std::move(facts);
    options.symbols = symbols;
    return error(between, between, options);
  };
  EXPECT_EQ(message({"lo <"}).find("fact 'lo <': "), 0U);
  EXPECT_EQ(message({"lo < low"}), "fact 'lo < low': the program has no symbol 'low'");
  EXPECT_EQ(message({"f(lo) < 2"}),
            "fact 'f(lo) < 2' is not about whole numbers and symbols alone");
  EXPECT_EQ(message({"lo < hi"}, {{"lo", 3}, {"hi", 3}}),
            "fact 'lo < hi' does not hold with the values given (hi=3 lo=3)");
  EXPECT_EQ(message({"lo < hi"}, {{"lo", 0.5}}),
            "fact 'lo < hi': the value of 'lo' is not a whole number");
  EXPECT_EQ(message({"lo < hi", "hi < lo"}),
            "nothing was compared: no values of the symbols were found that satisfy the facts");
  EXPECT_EQ(message({"lo < hi", "hi < N"}, {{"lo", 3}, {"N", 4}}),
            "nothing was compared: no values of the symbols were found that satisfy the facts "
            "(N=4 lo=3)");
}

/// G = a, and then its first element becomes the number of each condition that holds.
std::string chosen(const std::vector<std::string> &conditions) {
  std::string text = "  array a: float64[4]\n  array G: float64[4]\n" + ranges +
                     "  symbol k: int64\n  state first {\n    n0 a\n    n1 G <- n0 a[0..3] -> "
                     "[0..3]\n  }\n";
  std::string edges;
  std::string last = "first";
  for (std::size_t i = 0; i < conditions.size(); ++i) {
    const std::string number = std::to_string(i);
    text += "  branch b" + number + " {\n    if `" + conditions[i] + "` {\n      state s" + number +
            " {\n        n0 tasklet t () -> (y = n1 G[0]) { y = " + number +
            ".0 }\n        n1 G\n      }\n    }\n  }\n";
    edges += "  " + last + " -> b" + number + "\n";
    last = "b" + number;
  }
  return text + edges;
}

TEST(VerifyConditions, ComeOutBothWays) {
  const std::vector<std::string> conditions = {"lo == 731", "hi - N >= 40 and k < -200",
                                               "k != N + 17", "lo + hi <= 5000"};
  VerifyOptions options;
  options.runs = 2 * conditions.size();
  for (std::uint64_t seed = 1; seed < 6; ++seed) {
    options.seed = seed;
    const auto report = compared(chosen({}), chosen({}), options);
    ASSERT_TRUE(report.ok()) << report.error().text();
    EXPECT_EQ(report.value().conditions, 0U);
    const auto branches = compared(chosen(conditions), chosen(conditions), options);
    ASSERT_TRUE(branches.ok()) << branches.error().text();
    EXPECT_EQ(branches.value().runs.size(), options.runs);
    EXPECT_EQ(branches.value().conditions, conditions.size());
    EXPECT_EQ(branches.value().seen_both_ways, conditions.size()) << seed;
    EXPECT_NE(report_text(branches.value(), "c", true).find("conditions: 4 of 4 seen both ways"),
              std::string::npos);
  }
}

TEST(VerifyConditions, AtTheirBorders) {
  VerifyOptions options;
  options.runs = 8;
  // Right but for one value, far from those that are chosen otherwise.
  const auto after = [](const std::string &condition) { return chosen({condition}); };
  EXPECT_FALSE(compared(after("900 <= k"), after("901 <= k"), options).value().same());
  EXPECT_FALSE(compared(after("k < 3*N + 800"), after("k <= 3*N + 800"), options).value().same());
  EXPECT_FALSE(compared(after("lo <= hi and 70 <= k"), after("lo <= hi + 1 and 70 <= k"), options)
                   .value()
                   .same());
  EXPECT_TRUE(compared(after("900 <= k"), after("899 < k"), options).value().same());
}

TEST(VerifyConditions, ThatCannotComeOutBothWays) {
  VerifyOptions options;
  options.facts = {"lo <= hi"};
  const auto report = compared(chosen({"lo > hi", "k > 3"}), chosen({"lo > hi", "k > 3"}), options);
  ASSERT_TRUE(report.ok()) << report.error().text();
  EXPECT_EQ(report.value().conditions, 2U);
  EXPECT_EQ(report.value().seen_both_ways, 1U);
  EXPECT_EQ(report_text(report.value(), "c").find("  conditions: 1 of 2 seen both ways\n"), 0U);
  options.symbols = {{"k", 3}}; // what is given counts for nothing
  options.facts = {};
  EXPECT_EQ(compared(chosen({"k > 3"}), chosen({"k > 3"}), options).value().conditions, 0U);
}

} // namespace
} // namespace sdfgopt::verify
