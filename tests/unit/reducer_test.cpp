// The reducer: what is left is what the property asks for.
#include "io/text_parser.h"
#include "ir/verifier.h"
#include "verify/generator.h"
#include "verify/reducer.h"
#include "verify/reducer_edits.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace {

using namespace sdfgopt;
using verify::reduce;

verify::Interesting contains(std::vector<std::string> parts) {
  return [parts = std::move(parts)](const std::string &text) {
    return std::all_of(parts.begin(), parts.end(), [&](const std::string &part) {
      return text.find(part) != std::string::npos;
    });
  };
}

std::string reduced(const std::string &text, const verify::Interesting &interesting) {
  auto result = reduce(text, interesting);
  EXPECT_TRUE(result.ok()) << result.error().text();
  return result ? std::move(result).value() : "";
}

const std::string pattern = R"sdfg(sdfg p {
  array a: float64[N] strides [2] total_size (2*N)
  array G: float64[40]
  array unused: float64[N, M]
  transient array T: float64[10] lifetime SDFG
  symbol N: int32
  symbol M: int32
  args a, G, unused, N, M
  state define {
    n0 map m [i = 0..9] exit n2 {
      n1 tasklet add (x = n3 a[i]) -> (y = n4 T[i]) { y = (x + 1.0) }
      n5 tasklet other (x = n3 via b a[i]) -> (y = n6 via H G[i + 30]) { y = x }
    }
    n3 a
    n4 T
    n6 G
  }
  loop again var it init `it = 0` while `(it < 3)` update `it = (it + 1)` inverted {
    branch cond {
      if `(N > 5)` {
        state use { n0 T
          n1 a <- n0 T[0..4] -> [0..4] }
      }
      else {
        break leave
      }
    }
  }
  state call {
    n0 G
    n1 nested inner (x = n0 G[0..9]) -> (x = n2 G[0..9]) symbols (K = N) sdfg inner {
      array x: float64[K]
      symbol K: int32
      state body {
        n0 tasklet deep -> (y = n1 x[2]) { y = 3.5 }
        n1 x
      }
    }
    n2 G
  }
  state write_back {
    n0 T
    n1 G <- n0 T[0..9] -> [11..20]
  }
  define -> again
  again -> call
  call -> write_back if `(N > 9)` with M = `N + 1`
}
)sdfg";

TEST(Reducer, KeepsTheNodeThatIsAskedFor) {
  EXPECT_EQ(reduced(pattern, contains({"tasklet deep"})), R"sdfg(sdfg inner version "2.0.0a10" {
  state body {  # s0
    n0 tasklet deep { }
  }
}
)sdfg");
  EXPECT_EQ(reduced(pattern, contains({"tasklet other", "map"})),
            R"sdfg(sdfg p version "2.0.0a10" {
  state define {  # s0
    n0 map m [i = 0] exit n1: n2 tasklet other { }
  }
}
)sdfg");
}

TEST(Reducer, KeepsAnEdge) {
  EXPECT_EQ(reduced(pattern, contains({"G <- n0 T["})), R"sdfg(sdfg p version "2.0.0a10" {
  array G: float64[1]
  transient array T: float64[1]
  state write_back {  # s0
    n0 T
    n1 G <- n0 T[0] -> [0]
  }
}
)sdfg");
}

TEST(Reducer, KeepsControlFlow) {
  EXPECT_EQ(reduced(pattern, contains({"break"})), R"sdfg(sdfg p version "2.0.0a10" {
  break leave
}
)sdfg");
  const std::string loop = reduced(pattern, contains({"loop", "break", "branch", "N >"}));
  EXPECT_EQ(loop.find("tasklet"), std::string::npos) << loop;
  EXPECT_EQ(loop.find("inverted"), std::string::npos) << loop;
  const std::string edge = reduced(pattern, contains({" with M"}));
  EXPECT_EQ(edge.find("branch"), std::string::npos) << edge;
  EXPECT_EQ(edge.find(" if "), std::string::npos) << edge;
}

TEST(Reducer, KeepsReadersInTheirScope) {
  // The tasklet loses its input, and must not fall out of the map.
  const std::string text = reduced(pattern, contains({"map", "tasklet add", "T[i]"}));
  EXPECT_NE(text.find("tasklet add -> (y = n"), std::string::npos) << text;
  EXPECT_EQ(text.find(" a["), std::string::npos) << text;
}

TEST(Reducer, UnusedNamesGo) {
  EXPECT_EQ(reduced("sdfg p {\n array a: float64[N, M]\n array b: float64[N]\n symbol N: int32\n"
                    " symbol M: int32\n symbol K: int32\n args a, b, N, M, K\n state s { n0 b\n"
                    " n1 tasklet t (x = n0 b[0]) { }\n }\n}\n",
                    contains({"N]", "b[0]"})),
            R"sdfg(sdfg p version "2.0.0a10" {
  array b: float64[N]
  symbol N: int32
  state s {  # s0
    n0 b
    n1 tasklet t (x = n0 b[0]) { }
  }
}
)sdfg");
}

TEST(Reducer, NumbersShrinkWithinBounds) {
  const std::string text = reduced("sdfg p {\n array a: float64[100]\n state s { n0 a\n"
                                   " n1 tasklet t (x = n0 a[40..99]) { y = x[59] + 1.5 }\n }\n}\n",
                                   contains({"(x = n0 a[", "y = x["}));
  EXPECT_EQ(text, R"sdfg(sdfg p version "2.0.0a10" {
  array a: float64[1]
  state s {  # s0
    n0 a
    n1 tasklet t (x = n0 a[0]) { y = x[0] + 1.5 }
  }
}
)sdfg");
}

TEST(Reducer, ClausesGo) {
  const std::string text =
      reduced("sdfg p {\n array a: float64[10] strides [2] storage GPU_Global may_alias\n"
              " property x {\"y\":1}\n state s { n0 a setzero\n n1 a @{\"z\":[2]} <- n0 a[0..4] "
              "dynamic wcr `(lambda a, b: a)` of source -> [5..9]\n }\n}\n",
              contains({"<-", "[5..9]"}));
  for (const char *clause :
       {"strides", "storage", "may_alias", "property", "setzero", "@{", "dynamic", "wcr"})
    EXPECT_EQ(text.find(clause), std::string::npos) << clause << "\n" << text;
}

TEST(Reducer, ErrorsAreTold) {
  EXPECT_FALSE(reduce("sdfg p {", contains({})).ok());
  EXPECT_FALSE(reduce("sdfg p {\n state s { n0 a\n }\n}\n", contains({})).ok()); // no such array
  const auto dull = reduce(pattern, contains({"no such text"}));
  ASSERT_FALSE(dull.ok());
  EXPECT_EQ(dull.error().code, support::ErrorCode::Usage);
}

TEST(Reducer, AttemptsAreBoundedAndResultsTheSame) {
  const std::string text = verify::generate(4).text;
  for (const std::size_t most : {std::size_t{0}, std::size_t{1}, std::size_t{10}}) {
    std::size_t asked = 0;
    const auto interesting = [&](const std::string &) {
      ++asked;
      return asked == 1;
    };
    EXPECT_TRUE(reduce(text, interesting, {most}).ok());
    EXPECT_LE(asked, most + 1);
  }
  const auto interesting = contains({"T", "G"});
  EXPECT_EQ(reduced(text, interesting), reduced(text, interesting));
}

/// One state of many: the list is halved, not gone through.
TEST(Reducer, LongListsTakeFewAttempts) {
  std::string text = "sdfg p {\n array a: float64[10]\n";
  for (int i = 0; i < 400; ++i)
    text += " state s" + std::to_string(i) + " { n0 a\n n1 tasklet t" + std::to_string(i) +
            " -> (y = n0 a[0]) { y = 1 }\n }\n";
  for (int i = 1; i < 400; ++i)
    text += " s" + std::to_string(i - 1) + " -> s" + std::to_string(i) + "\n";
  std::size_t asked = 0;
  const std::string result = reduced(text + "}\n", [&](const std::string &candidate) {
    ++asked;
    return candidate.find("tasklet t271 ") != std::string::npos;
  });
  EXPECT_LT(asked, 60u);
  EXPECT_LT(result.size(), 120u) << result;
}

/// What is asked about is always a program, and so is what is left.
TEST(Reducer, CandidatesArePrograms) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const std::string text = verify::generate(seed).text;
    const char *part = seed % 3 == 0 ? "nested" : seed % 3 == 1 ? "map" : "G";
    if (text.find(part) == std::string::npos)
      continue;
    const std::string result = reduced(text, [&](const std::string &candidate) {
      const auto document = io::parse_text(candidate);
      EXPECT_TRUE(document.ok() && ir::check(document.value()->root).ok()) << candidate;
      return candidate.find(part) != std::string::npos;
    });
    EXPECT_LT(result.size(), 500u) << seed << "\n" << result;
  }
}

// --- edits of the text ---

std::string edited(verify::reducer::TextEdit edit, const std::string &text) {
  verify::reducer::Selection all(0, SIZE_MAX);
  return edit(text, all);
}

TEST(ReducerText, NumbersThatStandForThemselves) {
  using verify::reducer::halve_numbers;
  EXPECT_EQ(edited(halve_numbers, "9\n n7 a[4..9, 1] { y = 2.5 + x8 + 6 }"),
            "9\n n7 a[2..4, 1] { y = 2.5 + x8 + 3 }");
}

TEST(ReducerText, Clauses) {
  using verify::reducer::drop_clauses;
  EXPECT_EQ(edited(drop_clauses, " n1 G <- n0 T[0..N - 0] wcr `(lambda a, b: a)` -> [1..1]\n"),
            " n1 G <- n0 T[0..N] -> [1]\n");
  EXPECT_EQ(edited(drop_clauses, "  args a, b\n n1 x @{\"a b\":[\"}\"]} <- n0 x[1 - 0.5]\n"),
            " n1 x <- n0 x[1 - 0.5]\n");
}

} // namespace
