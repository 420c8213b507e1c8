// Texts: what does not parse, limits, identifiers.
#include "symbolic_fixture.h"

#include <algorithm>
#include <limits>
#include <random>

namespace sdfgopt::symbolic {
namespace {

// --- what does not parse ---------------------------------------------------------------------

TEST_F(SymbolicTest, WhatAGrammarLacksIsOpaque) {
  const struct {
    Grammar grammar;
    const char *text;
  } cases[] = {
      {Grammar::Dollar, ""},
      {Grammar::Dollar, "N"},
      {Grammar::Dollar, "$N $M"},
      {Grammar::Dollar, "$A[$i]"},
      {Grammar::Dollar, "$a << 2"},
      {Grammar::Dollar, "$a & 2"},
      {Grammar::Dollar, "$a < $b < $c"},
      {Grammar::Dollar, "lambda x: x"},
      {Grammar::Dollar, "$"},
      {Grammar::Dollar, "1 +"},
      {Grammar::Dollar, "Max($a"},
      {Grammar::Dollar, "Max($a,)"},
      {Grammar::Dollar, "12abc"},
      {Grammar::Dollar, "1e"},
      {Grammar::Dollar, "symbol($N, dtype="},
      {Grammar::Python, "$N"},
      {Grammar::Python, "a && b"},
      {Grammar::Python, "a || b"},
      {Grammar::Python, "!a"},
      {Grammar::Python, "a = b"},
      {Grammar::Python, "a\n-b"},
      {Grammar::Python, "f'{x}'"},
      {Grammar::Python, "'a' + b"},
      {Grammar::Python, "'a"},
      {Grammar::Python, "A[1:2]"},
      {Grammar::Python, "f(x=1)"},
      {Grammar::Python, "A[i](x)"},
      {Grammar::Python, "(a, b)"},
      {Grammar::Python, "a if b"},
      {Grammar::Python, "a not b"},
      {Grammar::Python, "and"},
      {Grammar::Python, "a ? b : c"},
      {Grammar::Python, "x := 1"},
  };
  for (const auto &[grammar, text] : cases) {
    EXPECT_EQ(read(text, grammar), context.opaque(text)) << text;
    EXPECT_NE(error(text, grammar), "") << text;
    EXPECT_EQ(show(context.opaque(text), grammar), text);
  }
}

TEST_F(SymbolicTest, ErrorsNameTheColumn) {
  EXPECT_EQ(error("a + ", Grammar::Python), "column 4: expected an expression");
  EXPECT_EQ(error("a b", Grammar::Python), "column 3: unexpected text after the expression");
  EXPECT_EQ(error("1 + N", Grammar::Dollar), "column 5: unknown name (a symbol starts with '$')");
  EXPECT_EQ(error("f(a", Grammar::Python), "column 4: expected ',' or ')'");
  EXPECT_EQ(error("a + b", Grammar::Python), "");
}

TEST_F(SymbolicTest, HostileNestingEndsInOpaque) {
  const std::size_t depth = 200000;
  const auto repeat = [&](std::string_view text) {
    std::string result;
    for (std::size_t i = 0; i < depth; ++i)
      result += text;
    return result;
  };
  const std::string texts[] = {
      repeat("(") + "a" + repeat(")"),
      repeat("f(") + "a" + repeat(")"),
      repeat("a[") + "a" + repeat("]"),
      "a" + repeat("**a"),
      "a" + repeat(" // a"),
      "a" + repeat(" / a"),
      "a" + repeat(" & a"),
      "a" + repeat(".x"),
      "a" + repeat("[0]"),
      repeat("~") + "a",
      repeat("~-") + "a",
      repeat("a if b else ") + "c",
      repeat("("),
      "a" + repeat(" % a"),
  };
  for (const std::string &text : texts)
    EXPECT_EQ(python(text)->kind(), Kind::Opaque) << text.substr(0, 20);
  EXPECT_EQ(python(repeat("-") + "a"), symbol("a"));
  EXPECT_EQ(python(repeat("not ") + "a"), python("not not a"));
  const std::string fine = std::string(150, '(') + "a" + std::string(150, ')');
  EXPECT_EQ(python(fine), symbol("a"));
  std::string calls = "a";
  for (int i = 0; i < 90; ++i)
    calls = "Max(1, f(" + calls + "))";
  EXPECT_EQ(show(python(calls)), calls);
  std::string alternating = "a";
  for (int i = 0; i < 150; ++i)
    alternating = "Max(b, 1 + 2*" + alternating + ")";
  EXPECT_EQ(python(show(python(alternating))), python(alternating));
  EXPECT_NE(python(alternating)->kind(), Kind::Opaque);
  std::string chain = "a";
  for (int i = 1; i < static_cast<int>(Context::max_height); ++i)
    chain += " // a";
  EXPECT_EQ(show(python(chain)), chain);
  EXPECT_EQ(context.height(python(chain)), Context::max_height);
  EXPECT_NE(
      compare(python(chain), context.substitute(python(chain), {{names.intern("a"), symbol("b")}})),
      0);
}

TEST_F(SymbolicTest, LongSumsAndManyArguments) {
  std::string sum = "x0";
  std::string maximum = "Max(x0";
  for (int i = 1; i < 100000; ++i)
    sum += " + x" + std::to_string(i % 60000);
  for (int i = 1; i < 20000; ++i)
    maximum += ", " + std::to_string(i % 3) + " + x" + std::to_string(i % 7000);
  EXPECT_EQ(python(sum)->args().size(), 60000U);
  EXPECT_EQ(python(maximum + ")")->args().size(), 7000U);
  EXPECT_EQ(python(show(python(sum))), python(sum));
  EXPECT_EQ(context.free_symbols(python(sum)).size(), 60000U);
}

// --- texts -----------------------------------------------------------------------------------

TEST_F(SymbolicTest, TextsAreInterned) {
  std::string text = "1 + $N";
  const Expression first = context.expression(text, Grammar::Dollar);
  text[0] = '2'; // the context has its own copy
  EXPECT_EQ(first.text(), "1 + $N");
  EXPECT_EQ(context.expression("1 + $N", Grammar::Dollar), first);
  EXPECT_NE(context.expression("1 + $N", Grammar::Python), first);
  EXPECT_EQ(first.grammar(), Grammar::Dollar);
  EXPECT_EQ(context.value(first), context.add(context.integer(1), symbol("N")));
  EXPECT_FALSE(Expression());
  EXPECT_EQ(Expression().text(), "");
  EXPECT_EQ(context.expression(context.value(first), Grammar::Dollar), first);
}

TEST_F(SymbolicTest, FreeSymbols) {
  EXPECT_EQ(symbols_of(dollar("$b*Max($a, $c) + $a")), "a b c ");
  EXPECT_EQ(symbols_of(python("A[i, n.k] + math.sin(x) + f(y)")), "A i n x y ");
  EXPECT_EQ(symbols_of(python("obj.sum(z)")), "obj z ");
  EXPECT_EQ(symbols_of(python("a && $b.c")), "a b c ");
  EXPECT_EQ(symbols_of(dollar("12")), "");
}

TEST_F(SymbolicTest, Substitute) {
  const auto name = [&](std::string_view text) { return names.intern(text); };
  const std::unordered_map<Name, Expr> swap = {{name("a"), symbol("b")}, {name("b"), symbol("a")}};
  EXPECT_EQ(context.substitute(python("a - 2*b"), swap), python("b - 2*a"));
  EXPECT_EQ(context.substitute(python("A[a] + a.b"), swap), python("A[b] + b.b"));
  const std::unordered_map<Name, Expr> values = {{name("n"), context.integer(3)},
                                                 {name("A"), symbol("B")}};
  EXPECT_EQ(context.substitute(python("Max(n, 5) + n*m"), values), python("5 + 3*m"));
  EXPECT_EQ(context.substitute(python("A[n] < n"), values), python("B[3] < 3"));
  EXPECT_EQ(context.substitute(python("n < 4 and not m"), values), python("not m"));
  EXPECT_EQ(context.substitute(python("x"), values), symbol("x"));
  EXPECT_EQ(context.substitute(python("x"), {}), symbol("x"));
  EXPECT_EQ(context.substitute(context.opaque("n && A.n && 'n'"), values),
            context.opaque("(3) && B.n && 'n'"));
  EXPECT_EQ(context.substitute(context.opaque("$n | $A"), values), context.opaque("(3) | $B"));
}

TEST(ForEachIdentifier, SeesEverythingButStrings) {
  const Pair cases[] = {
      {"1 + $N", "N "},
      {"symbol($N, dtype=dace.int64)", "symbol N dtype dace int64 "},
      {"A[i, j.k] and not x", "A i j k x "},
      {"a && b || !c", "a b c "},
      {"s == 'n' + \"m\" + r'\\'p'", "s "},
      {"x = '''a 'b' c''' + y", "x y "},
      {"'a\\'b' + c", "c "},
      {"f'{x} y' + z", "f x y z "},
      {"7i16 + 0x1F + 1e5 + 1.5f32 + n", "n "},
      {"1'000'000 + n", "n "},
      {"don't hide x", "don t hide x "},
      {"'a\nb' + c", "a b c "},
      {"a_1.b_2(c3)", "a_1 b_2 c3 "},
      {"\xc3\xa4 + b", "\xc3\xa4 b "},
      {"True if None else False", ""},
      {"", ""},
  };
  for (const auto &[text, expected] : cases) {
    std::string seen;
    for_each_identifier(text, [&](std::string_view word) { seen += std::string(word) + " "; });
    EXPECT_EQ(seen, expected) << text;
  }
  std::string quotes;
  for (int i = 0; i < 200000; ++i)
    quotes += "'\\";
  for_each_identifier(quotes, [](std::string_view) {});
}

} // namespace
} // namespace sdfgopt::symbolic
