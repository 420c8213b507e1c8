// The generator of random programs: every program is one, and all that they should have occurs.
#include "io/text_parser.h"
#include "io/text_printer.h"
#include "ir/verifier.h"
#include "verify/generator.h"
#include "verify/generator_value.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>

namespace {

using namespace sdfgopt;
using verify::generate;
using verify::GeneratedProgram;
using verify::GeneratedRun;

TEST(Generator, ProgramsParseAndVerifyAndPrintStable) {
  for (std::uint64_t seed = 0; seed < 700; ++seed) {
    const GeneratedProgram program = generate(seed);
    const auto document = io::parse_text(program.text);
    ASSERT_TRUE(document.ok()) << seed << ": " << document.error().text() << "\n" << program.text;
    const auto checked = ir::check(document.value()->root);
    ASSERT_TRUE(checked.ok()) << seed << ": " << checked.error().text() << "\n" << program.text;
    const auto printed = io::print_text(*document.value(), {});
    ASSERT_TRUE(printed.ok()) << seed;
    const auto again = io::parse_text(printed.value());
    ASSERT_TRUE(again.ok()) << seed << ": " << again.error().text();
    EXPECT_EQ(io::print_text(*again.value(), {}).value(), printed.value()) << seed;
  }
}

TEST(Generator, SameSeedSameProgram) {
  std::set<std::string> texts;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const GeneratedProgram program = generate(seed);
    const GeneratedProgram again = generate(seed);
    EXPECT_EQ(program.text, again.text);
    EXPECT_EQ(program.runs, again.runs);
    texts.insert(program.text);
  }
  EXPECT_EQ(texts.size(), 100u);
  EXPECT_NE(generate(UINT64_MAX).text, generate(0).text);
}

/// Names of the symbols that the program needs values of: those that are arguments.
std::vector<std::string> free_symbols(const std::string &text) {
  const auto document = io::parse_text(text);
  std::vector<std::string> names;
  for (const auto &[name, dtype] : document.value()->root.symbols) {
    const auto &arguments = document.value()->root.arg_names;
    if (std::find(arguments.begin(), arguments.end(), name) != arguments.end())
      names.push_back(name.str());
  }
  return names;
}

TEST(Generator, RunsGiveAllSymbolsAndAreSpecial) {
  std::map<std::string, int> seen;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const GeneratedProgram program = generate(seed);
    const std::vector<std::string> names = free_symbols(program.text);
    ASSERT_GE(program.runs.size(), 1u);
    ASSERT_LE(program.runs.size(), 4u);
    EXPECT_TRUE(program.runs.size() >= 2 || names.size() < 2) << seed;
    EXPECT_EQ(std::set<GeneratedRun>(program.runs.begin(), program.runs.end()).size(),
              program.runs.size());
    for (const GeneratedRun &run : program.runs) {
      std::map<std::string, std::int64_t> values(run.begin(), run.end());
      std::vector<std::string> given;
      for (const auto &[name, value] : run)
        given.push_back(name);
      EXPECT_EQ(given, names) << seed;
      seen["empty"] += values.contains("N") && values["N"] == 0;
      seen["one element"] += values.contains("N") && values["N"] == 1;
      if (values.contains("lo")) {
        seen["negative origin"] += values["lo"] < 0;
        seen["reversed"] += values.contains("hi") && values["hi"] < values["lo"];
      }
    }
  }
  for (const char *kind : {"empty", "one element", "negative origin", "reversed"})
    EXPECT_GT(seen[kind], 5) << kind;
}

/// What the text of a program shows it to have.
const std::map<std::string, std::vector<std::string>> &features() {
  static const std::map<std::string, std::vector<std::string>> list = {
      {"branch", {"branch "}},
      {"else", {"else {"}},
      {"interstate condition", {" if `"}},
      {"interstate assignment", {" with "}},
      {"loop", {"loop "}},
      {"inverted loop", {" inverted {"}},
      {"inverted loop, late update", {" update_after"}},
      {"zero-trip loop", {" < 0)"}},
      {"break", {"break jump"}},
      {"continue", {"continue jump"}},
      {"return", {"return jump"}},
      {"region", {"region region"}},
      {"nested SDFG", {" nested nest"}},
      {"program in a nested SDFG", {" nested whole"}},
      {"nested transient", {"transient array z"}},
      {"symbolic extent", {"T: float64[N]"}},
      {"domain", {"[Max(0, hi - lo)"}},
      {"origin", {"lo - g"}},
      {"WCR sum", {"wcr `(lambda a, b: (a + b))`"}},
      {"WCR max", {"wcr `(lambda a, b: max(a, b))`"}},
      {"setzero", {" setzero"}},
      {"View", {"transient view "}},
      {"Reference", {"transient reference "}},
      {"stream", {"transient stream ", "consume "}},
      {"Reduce", {"library dace.libraries.standard.nodes.reduce.Reduce"}},
      {"Reduce without identity", {"\"identity\":null"}},
      {"dynamic map range", {".count "}},
      {"dynamic memlet", {" dynamic"}},
      {"scalar", {"transient scalar "}},
      {"strides", {" strides ["}},
      {"start offset", {"start_offset"}},
      {"persistent lifetime", {"lifetime Persistent"}},
      {"may_alias", {" may_alias"}},
      {"strided copy", {":2]"}},
      {"index expression", {"y = x["}},
      {"loops in a tasklet", {"for p0 in range("}},
      {"three dimensions", {": float64[6, 6, 6]"}},
      {"int32", {"a: int32["}},
      {"int64", {"a: int64["}},
      {"float32", {"a: float32["}},
      {"bool", {"a: bool["}},
      {"three buffers", {"transient array T3"}},
      {"second destination", {"array G2"}},
      {"copy to a row", {"array S: "}},
      {"interstate read of a buffer", {"= `T["}},
      {"condition on a buffer", {"(T["}},
      {"order by an empty memlet", {" ()"}},
  };
  return list;
}

TEST(Generator, AllFeaturesOccur) {
  std::map<std::string, int> counts;
  for (std::uint64_t seed = 0; seed < 4000; ++seed) {
    const std::string text = generate(seed).text;
    for (const auto &[feature, marks] : features())
      counts[feature] += std::all_of(marks.begin(), marks.end(), [&](const std::string &mark) {
        return text.find(mark) != std::string::npos;
      });
  }
  for (const auto &[feature, marks] : features())
    EXPECT_GE(counts[feature], 8) << feature;
}

TEST(Generator, ProgramsAreSmall) {
  std::size_t total = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const std::string text = generate(seed).text;
    EXPECT_LT(text.size(), 40000u) << seed;
    total += text.size();
  }
  EXPECT_LT(total / 300, 5000u);
}

// --- values that know what they are ---

using verify::generator::Value;

TEST(GeneratorValue, SumsAreSimplified) {
  const Value n = Value::atom("N", {{3, 3}, {0, 2}});
  const Value m = Value::atom("M", {{1, 1}, {5, 5}});
  EXPECT_EQ((n + 1 - 1).text(), "N");
  EXPECT_EQ((m - m).text(), "0");
  EXPECT_EQ((n.times(2) - m - 3).text(), "2*N - M - 3");
  EXPECT_EQ((Value(0) - n).text(), "-N");
  EXPECT_EQ((Value(2) - n).text(), "2 - N");
  EXPECT_EQ(product(n + 1, m, 2).text(), "(N + 1)*M");
  EXPECT_EQ(product(n + 1, Value(3), 2).text(), "3*N + 3");
}

TEST(GeneratorValue, ValuesOfEachRun) {
  const Value n = Value::atom("N", {{3, 3}, {0, 2}});
  const Value difference = Value(7) - n.times(2);
  EXPECT_EQ(difference.in_run(0).low, 1);
  EXPECT_EQ(difference.in_run(0).high, 1);
  EXPECT_EQ(difference.in_run(1).low, 3);
  EXPECT_EQ(difference.in_run(1).high, 7);
  const Value largest =
      call("Max", Value(1), n, 2, [](std::int64_t a, std::int64_t b) { return std::max(a, b); });
  EXPECT_EQ(largest.text(), "Max(1, N)");
  EXPECT_EQ(largest.in_run(1).low, 1);
  EXPECT_EQ(largest.in_run(1).high, 2);
}

} // namespace
