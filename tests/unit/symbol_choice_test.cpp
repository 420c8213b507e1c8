// Values of symbols that programs are run with.
#include "verify/symbol_choice.h"

#include "io/file.h"
#include "io/text_parser.h"
#include "sdfg_files.h"
#include "verify/evaluate.h"
#include "verify/symbol_problem.h"
#include "verify/symbol_search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

namespace sdfgopt::verify {
namespace {

std::unique_ptr<ir::Document> parse(std::string_view text) {
  auto document = io::parse_text(text);
  EXPECT_TRUE(document.ok()) << document.error().text();
  return document ? std::move(document).value() : nullptr;
}

using Values = std::map<std::string, std::int64_t, std::less<>>;

Values values_of(const SymbolChoice &choice) {
  Values values;
  for (const auto &[name, value] : choice.values)
    values.emplace(name.str(), value);
  return values;
}

Lookup lookup_in(const Values &values) {
  return [&values](Name name) -> std::optional<std::int64_t> {
    const auto found = values.find(name.view());
    return found == values.end() ? std::nullopt : std::optional(found->second);
  };
}

std::string names_of(ir::Document &document) {
  std::string names;
  for (const FreeSymbol &symbol : free_symbols(document))
    names += symbol.name.str() + ":" + symbol.dtype + " ";
  return names;
}

std::string requirements_of(ir::Document &document) {
  const auto show = [&](Expr e) { return document.context.print(e, symbolic::Grammar::Python); };
  std::string text;
  for (const Requirement &requirement : symbol_problem(document).requirements) {
    text += show(requirement.condition);
    for (const Expr guard : requirement.guards)
      text += " if " + show(guard);
    text += "\n";
  }
  return text;
}

constexpr std::string_view shifted = R"(sdfg shifted version "2.0.0a10" {
  array a: float64[M]
  array G: float64[M]
  transient array T: float64[Max(0, hi - lo)]
  symbol M: int32
  symbol hi: int32
  symbol lo: int32
  symbol o: int32
  state define {
    n0 map m [i = lo..hi - 1] exit n2: n1 tasklet t (x = n3 a[i - o]) -> (y = n4 T[i - lo]) { y = x }
    n3 a
    n4 T
  }
  state write_back {
    n0 T
    n1 G <- n0 T[0..-1 + hi - lo] -> [lo - o..-1 + hi - o]
  }
  define -> write_back
}
)";

TEST(FreeSymbols, WhatTheProgramTakesFromOutside) {
  const auto document = parse(R"(sdfg p version "2.0.0a10" {
  property constants_prop {"C":[{"type":"Scalar"},5]}
  array a: float64[N + C] strides [s]
  transient array T: float64[K]
  transient scalar d: int32
  symbol N: int32
  symbol t: float64
  symbol later: int64
  state first {
    n0 map m [i = lo..C] exit n2: n1 tasklet f (x = n3 a[i + 1]) -> (y = n4 T[i]) { y = x + t }
    n3 a
    n4 T
  }
  loop again var k init `k = from_` while `k < until` update `k = k + 1` {
    state second {
      n0 nested inner (p = n1 a[k..k + later]) -> (q = n2 T[0..1]) symbols (Z = N + z, W = k) sdfg inner {
        array p: float64[Z]
        array q: float64[W + unmapped]
        symbol W: int32
        symbol Z: int32
        state s {
        }
      }
      n1 a
      n2 T
    }
  }
  first -> again if `d > limit` with later = `d + c`
}
)");
  ASSERT_TRUE(document);
  EXPECT_EQ(names_of(*document),
            R"(K:"int64" N:"int32" c:"int64" from_:"int64" limit:"int64" lo:"int64" s:"int64" )"
            R"(t:"float64" unmapped:"int64" until:"int64" z:"int64" )");
}

TEST(FreeSymbols, AssignedButNeededBefore) {
  const auto document = parse(R"(sdfg p version "2.0.0a10" {
  array a: float64[N]
  symbol M: int32
  symbol N: int32
  symbol k: int32
  args a, M
  state first {
  }
  state second {
  }
  first -> second with N = `N + 1`, M = `M + 1`, k = `2`
}
)");
  ASSERT_TRUE(document);
  EXPECT_EQ(names_of(*document), R"(M:"int32" N:"int32" )");
}

TEST(SymbolProblem, BoundsAtBothEndsOfRanges) {
  const auto document = parse(shifted);
  ASSERT_TRUE(document);
  EXPECT_EQ(requirements_of(*document), R"(0 <= M
0 <= Max(0, hi - lo)
0 <= lo - o if lo <= -1 + hi
0 <= -1 + hi - o if lo <= -1 + hi
lo - o < M if lo <= -1 + hi
-1 + hi - o < M if lo <= -1 + hi
0 <= -1 + hi - lo if lo <= -1 + hi
0 < Max(0, hi - lo) if lo <= -1 + hi
-1 + hi - lo < Max(0, hi - lo) if lo <= -1 + hi
-1 + hi - lo < Max(0, hi - lo) if 0 <= -1 + hi - lo
0 <= lo - o if lo - o <= -1 + hi - o
-1 + hi - o < M if lo - o <= -1 + hi - o
)");
}

TEST(SymbolProblem, GuardsOfBranchesLoopsAndNestedSdfgs) {
  const auto document = parse(R"(sdfg p version "2.0.0a10" {
  array a: float64[9]
  symbol N: int32
  symbol f: int32
  branch b {
    if `f > 0` as then {
      loop l var k init `k = N` while `k >= 1` update `k = k - 2` {
        state s {
          n0 nested inner (p = n1 a[0..8]) -> (q = n2 a[0..8]) symbols (Z = 2*k) sdfg inner {
            array p: float64[9]
            array q: float64[9]
            symbol Z: int32
            state s {
              n0 p
              n1 q <- n0 p[Z] -> [Z]
            }
          }
          n1 a
          n2 a
        }
      }
    }
  }
}
)");
  ASSERT_TRUE(document);
  EXPECT_EQ(requirements_of(*document), R"(0 <= 2*N if 1 <= N if 0 < f
2*N < 9 if 1 <= N if 0 < f
)");
}

TEST(SymbolChoice, ShowsEmptyReversedSingleAndNegativeRanges) {
  const auto document = parse(shifted);
  ASSERT_TRUE(document);
  const auto choices = choose_symbols(*document, {}, 8, 1);
  ASSERT_EQ(choices.size(), 8U);
  std::map<std::int64_t, int> sizes;
  bool negative = false;
  for (const SymbolChoice &choice : choices) {
    EXPECT_EQ(choice.violated, 0U);
    const Values values = values_of(choice);
    ++sizes[std::clamp<std::int64_t>(values.at("hi") - values.at("lo"), -1, 2)];
    negative = negative || values.at("lo") < 0;
    EXPECT_LE(values.at("M"), 30);
  }
  EXPECT_GT(sizes[-1], 0);
  EXPECT_GT(sizes[0], 0);
  EXPECT_GT(sizes[1], 0);
  EXPECT_GE(sizes[1] + sizes[2], 5);
  EXPECT_TRUE(negative);
}

TEST(SymbolChoice, IsTheSameForTheSameSeed) {
  const auto first = parse(shifted);
  const auto second = parse(shifted);
  ASSERT_TRUE(first && second);
  bool differs = false;
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    const auto a = choose_symbols(*first, {}, 4, seed);
    const auto b = choose_symbols(*second, {}, 4, seed);
    const auto c = choose_symbols(*second, {}, 4, seed + 1);
    for (std::size_t i = 0; i < a.size(); ++i) {
      EXPECT_EQ(values_of(a[i]), values_of(b[i]));
      differs = differs || values_of(a[i]) != values_of(c[i]);
    }
  }
  EXPECT_TRUE(differs);
}

TEST(SymbolChoice, KeepsWhatIsGiven) {
  const auto document = parse(shifted);
  ASSERT_TRUE(document);
  const Name lo = document->names.intern("lo");
  const Name extra = document->names.intern("extra");
  for (const SymbolChoice &choice : choose_symbols(*document, {{lo, -40}, {extra, 3}}, 8, 1)) {
    EXPECT_EQ(choice.violated, 0U);
    EXPECT_EQ(values_of(choice).at("lo"), -40);
    EXPECT_EQ(values_of(choice).at("extra"), 3);
  }
  const Name m = document->names.intern("M");
  for (const SymbolChoice &choice : choose_symbols(*document, {{m, -1}}, 2, 1))
    EXPECT_GT(choice.violated, 0U); // cannot be met: the extent of an argument
}

TEST(SymbolChoice, SizeIsThatOfTheFirstDimension) {
  const auto document = parse(shifted);
  ASSERT_TRUE(document);
  const Values values = values_of(choose_symbols(*document, {}, 1, 1, 1000).front());
  EXPECT_EQ(values.at("hi") - values.at("lo"), 1000);
}

TEST(SymbolChoice, ConditionsTurnOutBothWays) {
  const auto document = parse(R"(sdfg p version "2.0.0a10" {
  symbol b: bool
  symbol n: int32
  branch x {
    if `n == 24 and b` as then {
      state s {
      }
    }
  }
  branch y {
    if `n > 100` as then {
      state s {
      }
    }
  }
}
)");
  ASSERT_TRUE(document);
  std::map<bool, int> first;
  std::map<bool, int> second;
  for (const SymbolChoice &choice : choose_symbols(*document, {}, 6, 1)) {
    const Values values = values_of(choice);
    EXPECT_TRUE(values.at("b") == 0 || values.at("b") == 1);
    ++first[values.at("n") == 24 && values.at("b") == 1];
    ++second[values.at("n") > 100];
  }
  EXPECT_EQ(first.size(), 2U);
  EXPECT_EQ(second.size(), 2U);
}

TEST(SymbolChoice, StridesKeepElementsApart) {
  const auto document = parse(R"(sdfg p version "2.0.0a10" {
  array a: float64[N, 3, M] strides [s0, s1, s2]
  array b: float64[M, N] strides [t0, 1] total_size M*N
  array c: float64[M] strides [1 + N]
  symbol M: int32
  symbol N: int32
  state s {
    n0 map m [i = 0..N - 1, j = 0..M - 1] exit n2: n1 tasklet t (x = n3 a[i, 0, j]) -> (y = n4 b[j, i]) { y = x }
    n3 a
    n4 b
  }
}
)");
  ASSERT_TRUE(document);
  bool row_major = false;
  bool column_major = false;
  bool gaps = false;
  for (std::uint64_t seed = 0; seed < 4; ++seed)
    for (const SymbolChoice &choice : choose_symbols(*document, {}, 8, seed)) {
      EXPECT_EQ(choice.violated, 0U);
      const Values v = values_of(choice);
      const std::int64_t n = v.at("N");
      const std::int64_t m = v.at("M");
      if (n < 2 || m < 2)
        continue;
      std::set<std::int64_t> addresses;
      for (std::int64_t i = 0; i < n; ++i)
        for (std::int64_t k = 0; k < 3; ++k)
          for (std::int64_t j = 0; j < m; ++j)
            addresses.insert(i * v.at("s0") + k * v.at("s1") + j * v.at("s2"));
      EXPECT_EQ(std::ssize(addresses), n * 3 * m);
      row_major = row_major || v.at("s2") == 1;
      column_major = column_major || v.at("s0") == 1;
      gaps = gaps || *addresses.rbegin() + 1 > n * 3 * m;
      EXPECT_EQ(v.at("t0"), n); // more would leave the array's memory
    }
  EXPECT_TRUE(row_major);
  EXPECT_TRUE(column_major);
  EXPECT_TRUE(gaps);
}

TEST(SymbolChoice, RangeOfIndicesInTables) {
  const auto document = parse(R"(sdfg p version "2.0.0a10" {
  array field: float64[r1 - r0]
  array table: int32[N]
  array out: float64[N]
  symbol N: int32
  symbol r0: int32
  symbol r1: int32
  state s {
    n0 map m [i = 0..N - 1] exit n2 {
      n1 tasklet t (f = n3 field[0..r1 - r0 - 1], k = n4 table[i]) -> (y = n5 out[i]) { y = f[(k - r0)] }
    }
    n3 field
    n4 table
    n5 out
  }
}
)");
  ASSERT_TRUE(document);
  bool seen = false;
  for (const SymbolChoice &choice : choose_symbols(*document, {}, 8, 1)) {
    const Values values = values_of(choice);
    const auto range = index_range(*document, choice);
    EXPECT_EQ(range.has_value(), values.at("N") > 0);
    if (!range)
      continue;
    seen = true;
    EXPECT_EQ(range->first, values.at("r0"));
    EXPECT_EQ(range->limit, values.at("r1"));
    EXPECT_LE(range->first, 0);
    EXPECT_GT(range->limit, 0);
  }
  EXPECT_TRUE(seen);
  EXPECT_FALSE(index_range(*parse(shifted), {}));
}

TEST(SymbolChoice, ProgramsOfAllKinds) {
  std::size_t files = 0;
  for (const auto &path : sdfg_files(
           {SDFGOPT_SOURCE_DIR "/examples", SDFGOPT_SOURCE_DIR "/tests/data/pitfalls",
            SDFGOPT_SOURCE_DIR "/../shared/corpus", SDFGOPT_SOURCE_DIR "/../shared/cases"})) {
    auto document = io::load(path.string());
    if (!document.ok())
      continue;
    ++files;
    const SymbolProblem problem = symbol_problem(*document.value());
    std::size_t good = 0;
    for (const SymbolChoice &choice : choose_symbols(*document.value(), {}, 8, 1)) {
      const Values values = values_of(choice);
      const Lookup lookup = lookup_in(values);
      bool populated = problem.extents.empty();
      for (const Extent &extent : problem.extents)
        populated = populated || evaluate(extent.size, lookup).value_or(0) > 0;
      std::size_t violated = 0;
      for (const Requirement &requirement : problem.requirements) {
        const bool reached =
            std::all_of(requirement.guards.begin(), requirement.guards.end(),
                        [&](Expr guard) { return evaluate(guard, lookup).value_or(1) != 0; });
        violated += reached && evaluate(requirement.condition, lookup).value_or(0) == 0;
      }
      EXPECT_LE(violated, choice.violated) << path;
      good += choice.violated == 0 && populated;
    }
    EXPECT_GE(good, 5U) << path;
  }
  EXPECT_GT(files, 5U);
}

TEST(SymbolSearch, ReachesFarAndNestedConditions) {
  support::NamePool names;
  symbolic::Context context(names);
  const auto read = [&](std::string_view text) {
    return context.value(context.expression(text, symbolic::Grammar::Python));
  };
  SplitMix random(1);
  SymbolSearch search({names.intern("x"), names.intern("y"), names.intern("z")}, {{}, {}, {0, 1}},
                      {std::nullopt, std::nullopt, std::nullopt}, random);
  search.add({{}, read("x == 100000")}, SymbolSearch::Need::Must, 1);
  search.add({{}, read("(y < -70 and y > -72) or y == 5000000000")}, SymbolSearch::Need::Must, 1);
  search.add({{read("y < 0")}, read("not (z or x % 7 == 1)")}, SymbolSearch::Need::Must, 1);
  search.add({{read("y > 0")}, read("f(x)")}, SymbolSearch::Need::Should, 1);
  EXPECT_TRUE(search.solve(1000));
  EXPECT_EQ(search.values(), (std::vector<std::int64_t>{100000, -71, 0}));
  const auto impossible = search.add({{}, read("x == 1")}, SymbolSearch::Need::Must, 1);
  EXPECT_FALSE(search.solve(1000));
  EXPECT_EQ(search.unmet(), 1U);
  search.set_weight(impossible, 0);
  EXPECT_TRUE(search.solve(1000));
}

} // namespace
} // namespace sdfgopt::verify
