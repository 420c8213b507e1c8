// Symbols that follow from the arrays that a program is called with.
#include "verify/shape_symbols.h"

#include "io/text_parser.h"

#include <gtest/gtest.h>

namespace sdfgopt::verify {
namespace {

/// "M=3 N=4" for a program with these arrays.
std::string symbols(const std::string &data, const std::map<std::string, ArrayShape> &arrays,
                    const SymbolMap &given = {}) {
  const auto document = io::parse_text("sdfg p {\n" + data + "}\n");
  EXPECT_TRUE(document.ok()) << document.error().text();
  return symbols_text(with_shape_symbols(*document.value(), arrays, given));
}

TEST(ShapeSymbols, Extents) {
  const std::string data = "  array a: float64[N, M]\n  array b: float64[K]\n";
  EXPECT_EQ(symbols(data, {{"a", {{4, 3}, {3, 1}}}}), "M=3 N=4");
  EXPECT_EQ(symbols(data, {{"b", {{0}, {1}}}}), "K=0");
  EXPECT_EQ(symbols(data, {}), "");
  // What is given stays as it is.
  EXPECT_EQ(symbols(data, {{"a", {{4, 3}, {3, 1}}}}, {{"N", std::int64_t{9}}}), "M=3 N=9");
}

TEST(ShapeSymbols, LinearExtents) {
  EXPECT_EQ(symbols("  array a: float64[N + 1]\n", {{"a", {{4}, {1}}}}), "N=3");
  EXPECT_EQ(symbols("  array a: float64[2*N]\n", {{"a", {{4}, {1}}}}), "N=2");
  EXPECT_EQ(symbols("  array a: float64[2*N]\n", {{"a", {{5}, {1}}}}), "");
  EXPECT_EQ(symbols("  array a: float64[-N]\n", {{"a", {{5}, {1}}}}), "N=-5");
  EXPECT_EQ(symbols("  array a: float64[Max(0, N)]\n", {{"a", {{5}, {1}}}}), "N=5");
  EXPECT_EQ(symbols("  array a: float64[N*N]\n", {{"a", {{4}, {1}}}}), "");
  EXPECT_EQ(symbols("  array a: float64[7]\n", {{"a", {{5}, {1}}}}), "");
}

TEST(ShapeSymbols, OneAfterTheOther) {
  const std::string data = "  array a: float64[end - begin]\n  array b: float64[begin]\n";
  EXPECT_EQ(symbols(data, {{"a", {{4}, {1}}}}), "");
  EXPECT_EQ(symbols(data, {{"a", {{4}, {1}}}, {"b", {{2}, {1}}}}), "begin=2 end=6");
  EXPECT_EQ(symbols(data, {{"a", {{4}, {1}}}}, {{"end", std::int64_t{6}}}), "begin=2 end=6");
}

TEST(ShapeSymbols, Strides) {
  const std::string data = "  array a: float64[N, 1] strides [s, t] total_size s*N\n";
  // The second stride says nothing, but is as good as any.
  EXPECT_EQ(symbols(data, {{"a", {{4, 1}, {3, 7}}}}), "N=4 s=3 t=7");
  // A stride that counts is looked at before one that does not.
  const std::string both = "  array a: float64[N] strides [s]\n  array b: float64[M] strides [s]\n";
  EXPECT_EQ(symbols(both, {{"a", {{1}, {9}}}, {"b", {{5}, {2}}}}), "M=5 N=1 s=2");
}

TEST(ShapeSymbols, NothingFromOtherRanksOrArrays) {
  EXPECT_EQ(symbols("  array a: float64[N]\n", {{"a", {{4, 3}, {3, 1}}}}), "");
  EXPECT_EQ(symbols("  array a: float64[N]\n", {{"b", {{4}, {1}}}}), "");
}

} // namespace
} // namespace sdfgopt::verify
