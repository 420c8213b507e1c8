#include "symbolic_fixture.h"

#include <algorithm>
#include <limits>
#include <random>

namespace sdfgopt::symbolic {
namespace {

constexpr std::int64_t int_max = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t int_min = std::numeric_limits<std::int64_t>::min();

// --- canonical form --------------------------------------------------------------------------

TEST_F(SymbolicTest, EqualForms) {
  const Pair pairs[] = {
      {"$N + 1", "1 + $N"},
      {"$a + $b + $a", "2*$a + $b"},
      {"$a - $a", "0"},
      {"2*($a + $b) - $b", "2*$a + $b"},
      {"1/2*$N + 1/2*$N", "$N"},
      {"$N/2", "1/2*$N"},
      {"-($a - $b)", "$b - $a"},
      {"$a*$b", "$b*$a"},
      {"$a*$b*$a", "$b*$a**2"},
      {"($a*$b)**2", "$a**2*$b**2"},
      {"(2*$a)**-1", "1/2/$a"},
      {"$x**2*$x**3", "$x**5"},
      {"($x**2)**3", "$x**6"},
      {"$x**0", "1"},
      {"-1*($a - $b)*($c - $d)", "-(($a - $b)*($c - $d))"},
      {"Max($a, Max($b, $a))", "Max($b, $a)"},
      {"Max($a, $a + 3)", "$a + 3"},
      {"Min($a, $a + 3, $a - 1)", "$a - 1"},
      {"Max(1, 7, $a, 3)", "Max($a, 7)"},
      {"Max(1/2, 1/3)", "1/2"},
      {"Max($a)", "$a"},
      {"Max(2*$a - $b, 1 - $b + $a + $a)", "1 + 2*$a - $b"},
      {"int_floor(-7, 2)", "-4"},
      {"int_ceil(-7, 2)", "-3"},
      {"int_ceil(7, -2)", "-3"},
      {"Mod(-7, 4)", "1"},
      {"Mod(7, -4)", "-1"},
      {"__int_floor($N, 2)", "int_floor($N, 2)"},
      {"$N // 2", "int_floor($N, 2)"},
      {"floor($N/2)", "int_floor($N, 2)"},
      {"floor($N/$M)", "int_floor($N, $M)"},
      {"floor(2*$N/(3*$M))", "int_floor(2*$N, 3*$M)"},
      {"floor($N/2 + 1/3)", "int_floor(3*$N + 2, 6)"},
      {"ceiling($N/2)", "int_ceil($N, 2)"},
      {"int_floor(4*$N + 2, 2)", "2*$N + 1"},
      {"int_floor(4*$N - 2, -2)", "1 - 2*$N"},
      {"int_floor($N, 1)", "$N"},
      {"$N % 4", "Mod($N, 4)"},
      {"Mod(4*$N, 4)", "0"},
      {"$a > $b", "$b < $a"},
      {"$a >= $b", "Le($b, $a)"},
      {"Gt($a, $b)", "Lt($b, $a)"},
      {"Eq($a, $b)", "$b == $a"},
      {"not $a < $b", "$b <= $a"},
      {"Not(Eq($a, $b))", "Ne($b, $a)"},
      {"Not(AND($a < $b, $c))", "OR($b <= $a, Not($c))"},
      {"Not(Not($a < $b))", "$a < $b"},
      {"$a < $a + 1", "True"},
      {"$a + 2 <= $a + 1", "False"},
      {"1 < 2", "True"},
      {"Ne($a, $a)", "False"},
      {"And($x < 1, True, $x < 1)", "$x < 1"},
      {"Or($x < 1, True)", "True"},
      {"AND($x < 1, 0)", "False"},
      {"AND($x < 1, OR($y, $z), AND($z, $y))", "$x < 1 and $y and $z and ($z or $y)"},
      {"IfExpr($c, $a, $b)", "$a if $c else $b"},
      {"IfExpr(1 < 2, $a, $b)", "$a"},
      {"IfExpr($c, $a, $a)", "$a"},
      {"min($a, $b)", "Min($a, $b)"},
      {"abs($a)", "Abs($a)"},
      {"$s.x", "Attr($s, $x)"},
      {"symbol($N, dtype=dace.int64, nonnegative=True)", "$N"},
      {"$?", "?"},
      {"0x10 + 1_000", "1016"},
      {"+$N", "$N"},
      {"2**-1", "1/2"},
      {"-2**2", "-4"},
      {"2**3**2", "512"},
      {"2*-$N", "-2*$N"},
      {"0*$N", "0"},
  };
  for (const auto &[a, b] : pairs) {
    EXPECT_EQ(dollar(a), dollar(b)) << a << "  |  " << b << "\n"
                                    << show(dollar(a)) << "  |  " << show(dollar(b));
    EXPECT_NE(dollar(a)->kind(), Kind::Opaque) << a;
  }
}

TEST_F(SymbolicTest, DifferentForms) {
  const Pair pairs[] = {
      {"$x*$x**-1", "1"},               // not where x is 0
      {"($x**-1)**-1", "$x"},           // nor here
      {"int_floor($N, 2)*2", "$N"},     // N may be odd
      {"int_floor($N/2, 1)", "1/2*$N"}, // N/2 may be no integer
      {"int_floor(A($i), 1)", "A($i)"}, // neither may A(i)
      {"Max(0, $N)", "$N"},             // nothing is positive
      {"$a*Max($b, $c)", "Max($a*$b, $a*$c)"},
      {"2*Max($b, $c)", "Max(2*$b, 2*$c)"},
      {"($a + $b)*($a - $b)", "$a**2 - $b**2"},
      {"int_floor(0, $x)", "0"},
      {"$a < $b", "$a + 1 <= $b"},
      {"AND($n, True)", "$n"}, // 1, not n
      {"Not(Not($n))", "$n"},
      {"$? - $?", "0"}, // two unknown values
      {"oo - oo", "0"},
      {"Eq($?, $?)", "True"},
      {"$a", "$b"},
      {"~$x", "Not($x)"},
  };
  for (const auto &[a, b] : pairs)
    EXPECT_NE(dollar(a), dollar(b)) << a << "  |  " << b;
}

TEST_F(SymbolicTest, ConstructionMatchesParsing) {
  const Expr n = symbol("N");
  const Expr m = symbol("M");
  EXPECT_EQ(context.sub(context.add(n, m), m), n);
  EXPECT_EQ(context.neg(n), dollar("-1*$N"));
  EXPECT_EQ(context.rational(2, -4), dollar("-1/2"));
  EXPECT_EQ(context.literal("12"), context.integer(12));
  EXPECT_EQ(context.max(std::vector{n, m}), dollar("Max($M, $N)"));
  EXPECT_EQ(context.subscript(std::vector{n, m}), python("N[M]"));
  EXPECT_EQ(context.logical_and({}), context.boolean(true));
  EXPECT_EQ(context.logical_or({}), context.boolean(false));
  EXPECT_EQ(context.logical_and(std::vector{n}), n);
  EXPECT_EQ(Context::constant(dollar("3 - 5")), -2);
  EXPECT_EQ(Context::constant(dollar("1/2")), std::nullopt);
  EXPECT_EQ(Context::constant(n), std::nullopt);
}

TEST_F(SymbolicTest, OrderIsTotalAndDoesNotDependOnCreation) {
  const char *sorted[] = {"-1",         "1/2",        "1",           "1.5",         "$a",
                          "-1*$b",      "$b",         "2*$b",        "$b**2",       "$a*$b",
                          "$a*$b*$c",   "-2 + $a",    "1 + $a",      "$a + $b",     "A($a)",
                          "Mod($a, 2)", "Max(1, $a)", "Max($a, $b)", "Min($a, $b)", "$a < $b"};
  std::vector<Expr> expressions;
  for (const char *text : sorted)
    expressions.push_back(dollar(text));
  for (std::size_t i = 0; i < expressions.size(); ++i)
    for (std::size_t j = 0; j < expressions.size(); ++j) {
      const int order = compare(expressions[i], expressions[j]);
      EXPECT_EQ(order < 0, i < j) << sorted[i] << " " << sorted[j];
      EXPECT_EQ(order == 0, i == j) << sorted[i] << " " << sorted[j];
    }
}

TEST_F(SymbolicTest, OverflowIsNotFolded) {
  const std::string max_text = std::to_string(int_max);
  const Expr beyond = dollar(max_text + " + 1");
  EXPECT_EQ(beyond->kind(), Kind::Add);
  EXPECT_EQ(context.sub(beyond, context.integer(1)), context.integer(int_max));
  EXPECT_EQ(dollar("9223372036854775808")->kind(), Kind::Literal);
  EXPECT_EQ(show(dollar("-" + std::string(60, '9') + " + 1")), "1 - " + std::string(60, '9'));
  EXPECT_EQ(dollar("-9223372036854775808"), context.integer(int_min));
  EXPECT_EQ(dollar("9223372036854775808 - 1"), context.integer(int_max));
  EXPECT_EQ(dollar("00012"), context.opaque("00012"));
  EXPECT_EQ(dollar("2**100")->kind(), Kind::Pow);
  EXPECT_EQ(dollar("0**-1")->kind(), Kind::Pow);
  EXPECT_EQ(dollar("1/0")->kind(), Kind::Pow);
  EXPECT_EQ(dollar("int_floor(1, 0)")->kind(), Kind::FloorDiv);
  EXPECT_EQ(dollar("Mod(1, 0)")->kind(), Kind::Mod);
  EXPECT_EQ(context.floor_div(context.integer(int_min), context.integer(-1))->kind(),
            Kind::FloorDiv);
  EXPECT_EQ(context.mod(context.integer(int_min), context.integer(-1)), context.integer(0));
  EXPECT_EQ(context.neg(context.neg(context.integer(int_min))), context.integer(int_min));
  const Expr product = context.mul(context.integer(int_max), context.integer(3));
  EXPECT_EQ(product->kind(), Kind::Mul);
  EXPECT_EQ(context.neg(context.neg(product)), product);
  // Neither is the coefficient of a term, nor one that a sum is multiplied with.
  const Expr big = context.mul(context.integer(int_max), symbol("x"));
  EXPECT_EQ(context.add(big, big)->kind(), Kind::Add);
  EXPECT_EQ(context.sub(context.add(big, big), big), big);
  EXPECT_EQ(context.mul(context.integer(2), context.add(big, symbol("y")))->kind(), Kind::Mul);
  for (Expr e : {beyond, product, context.add(big, big), context.integer(int_min),
                 context.rational(1, int_min), context.rational(int_min, -1),
                 context.mul(product, product), dollar("1/3*" + max_text + " + 1/7*" + max_text),
                 context.mul(context.integer(2), context.add(big, symbol("y")))})
    EXPECT_EQ(dollar(show(e, Grammar::Dollar)), e) << show(e, Grammar::Dollar);
}

// --- printing --------------------------------------------------------------------------------

TEST_F(SymbolicTest, PrintsAsDaCe) {
  const Pair pairs[] = {
      {"$N + 1", "1 + $N"},
      {"2*$N - $M + 3", "3 - $M + 2*$N"},
      {"-$N", "-1*$N"},
      {"-2*$N", "-2*$N"},
      {"Max($eh, $el) - $s", "-$s + Max($eh, $el)"},
      {"Max($hi - $lo, 0)", "Max(0, $hi - $lo)"},
      {"Max(0, $c)*(Max($a, $b) - $a)", "(-$a + Max($a, $b))*Max(0, $c)"},
      {"-($h - $i)*(1 - $v)", "-1*($h - $i)*(1 - $v)"},
      {"1 - 54*($h - $i)*(1 - $v)", "1 - 54*($h - $i)*(1 - $v)"},
      {"-3*$a + 3*$b", "-3*$a + 3*$b"},
      {"$N/2", "1/2*$N"},
      {"-$N/2 + 1", "1 - 1/2*$N"},
      {"$a/$b", "$a/$b"},
      {"1/$b", "1/$b"},
      {"-1/$b", "-1/$b"},
      {"1/($a*$b)", "1/$a/$b"},
      {"$a/($b + 1)**2", "$a/(1 + $b)**2"},
      {"$N**2", "$N**2"},
      {"2**$N", "2**$N"},
      {"(-2)**$N", "(-2)**$N"},
      {"$N**(1/2)", "$N**(1/2)"},
      {"$a**(-$b)", "$a**(-1*$b)"},
      {"($a**$b)**$c", "($a**$b)**$c"},
      {"$N//2", "int_floor($N, 2)"},
      {"$N % 4", "Mod($N, 4)"},
      {"$N == $M", "Eq($M, $N)"},
      {"$N < $M", "$N < $M"},
      {"1 + ($N < $M)", "1 + ($N < $M)"},
      {"$N < $M and $M > 2", "AND(2 < $M, $N < $M)"},
      {"not $flag", "Not($flag)"},
      {"~$flag", "~$flag"},
      {"$N if $M > 0 else 0", "IfExpr(0 < $M, $N, 0)"},
      {"__bitwise_and($N, 3)", "__bitwise_and($N, 3)"},
      {"bitwise_invert($N)", "bitwise_invert($N)"},
      {"Subscript($A, $i, $j + 1)", "Subscript($A, $i, 1 + $j)"},
      {"$s.x + 1", "1 + $s.x"},
      {"dace.int64($N + 1)", "dace.int64(1 + $N)"},
      {"SymExpr($a, $b)", "SymExpr($a, $b)"},
      {"1e-20", "1e-20"},
      {"1.0", "1.0"},
      {"7i16", "7i16"},
      {"1.5f32", "1.5f32"},
      {"2e4m3fn", "2e4m3fn"},
      {"(1.0+2.0j)c128", "(1.0+2.0j)c128"},
      {"$?", "$?"},
      {"True", "True"},
      {"oo", "oo"},
  };
  for (const auto &[text, expected] : pairs) {
    EXPECT_EQ(show(dollar(text), Grammar::Dollar), expected) << text;
    EXPECT_EQ(dollar(expected), dollar(text)) << expected;
  }
}

TEST_F(SymbolicTest, PrintsPython) {
  const Pair pairs[] = {
      {"end_cell_local <= end_cell_halo", "end_cell_local <= end_cell_halo"},
      {"(a < b) and (c)", "c and a < b"},
      {"a and (b or c)", "a and (b or c)"},
      {"(a and b) or c", "c or a and b"},
      {"not (x)", "not x"},
      {"not (x and y)", "not x or not y"},
      {"a <= b < c", "a <= b and b < c"},
      {"(a < b) == c", "c == (a < b)"},
      {"-N", "-N"},
      {"(i) * (i)", "i**2"},
      {"((i) // (2))", "i // 2"},
      {"(a // b) // c", "a // b // c"},
      {"a // (b // c)", "a // (b // c)"},
      {"2 * (a // b)", "2*(a // b)"},
      {"a - (b + c) % 3", "a - ((b + c) % 3)"},
      {"a / b", "a / b"},
      {"a / (b * c)", "a / (b*c)"},
      {"a & 3 | b << 2", "a & 3 | b << 2"},
      {"(a | 3) & b", "(a | 3) & b"},
      {"a & (b + 1)", "a & 1 + b"},
      {"~x + 1", "1 + ~x"},
      {"2 * ~--~+x", "2*~~x"},
      {"x**-~y", "x**(-~y)"},
      {"x ** -1", "x**-1"},
      {"(A[i, 2])", "A[i, 2]"},
      {"A[i + 1].x", "A[1 + i].x"},
      {"(B[k] + A[i, j])", "B[k] + A[i, j]"},
      {"((1) if (i > 2) else (0))", "1 if 2 < i else 0"},
      {"(a if b else c) + 1", "1 + (a if b else c)"},
      {"Max(a, b, c)", "Max(a, b, c)"},
      {"max(a, b)", "Max(a, b)"},
      {"int_floor(i, 2)", "i // 2"},
      {"int_ceil(i, 2)", "int_ceil(i, 2)"},
      {"math.sin(x)", "math.sin(x)"},
      {"abs(x)", "abs(x)"},
      {"x is not None", "x is not None"},
      {"name == 'it\\'s'", "'it\\'s' == name"},
      {"1.5", "1.5"},
      {"( - a)", "-a"},
      {"  (a\n + b)\n", "a + b"},
      {"f()", "f()"},
      {"A[i]**2", "A[i]**2"},
      {"x.y.z", "x.y.z"},
  };
  for (const auto &[text, expected] : pairs) {
    EXPECT_EQ(show(python(text)), expected) << text;
    EXPECT_EQ(python(expected), python(text)) << expected;
    EXPECT_NE(python(text)->kind(), Kind::Opaque) << text;
  }
}

TEST_F(SymbolicTest, ReadsAndPrintsLegacy) {
  const Pair pairs[] = {
      {"N - 1", "-1 + N"},
      {"floor(N/2) + 1", "1 + int_floor(N, 2)"},
      {"Mod(N + 3, 4) + 1", "1 + Mod(3 + N, 4)"},
      {"Min(3, M, N)", "Min(3, M, N)"},
      {"AND(a < b, c)", "AND(a < b, c)"},
      {"bitwise_and(N, 3)", "bitwise_and(N, 3)"},
      {"A(i)", "A(i)"},
      {"A[i]", "A[i]"},
      {"N/2", "N/2"},
      {"-N/2", "-N/2"},
      {"3*N/2 + 1", "1 + 3*N/2"},
      {"a/b/2", "a/b/2"},
      {"E + I", "E + I"},
      {"a < b and not c", "AND(Not(c), a < b)"},
  };
  for (const auto &[text, expected] : pairs) {
    const Expr value = legacy(text);
    EXPECT_NE(value->kind(), Kind::Opaque) << text;
    if (value->kind() != Kind::And) {
      EXPECT_EQ(show(value, Grammar::Legacy), expected) << text;
    }
    EXPECT_EQ(legacy(expected), value) << expected;
  }
  EXPECT_EQ(legacy("E")->kind(), Kind::Symbol);
  EXPECT_EQ(legacy("A(i)")->kind(), Kind::Call);
}

TEST_F(SymbolicTest, FirstAnnotationIsPrintedAgain) {
  (void)context.expression("1 + symbol($N, dtype=dace.int64)", Grammar::Dollar);
  EXPECT_EQ(dollar("symbol($N, dtype=dace.int32, nonnegative=True) + $M"), dollar("$M + $N"));
  EXPECT_EQ(context.expression(dollar("$N + $M"), Grammar::Dollar).text(),
            "$M + symbol($N, dtype=dace.int64)");
  EXPECT_EQ(context.expression(dollar("$N + $M"), Grammar::Python).text(), "M + N");
}

// --- meaning ---------------------------------------------------------------------------------

std::int64_t floor_divide(std::int64_t a, std::int64_t b) {
  return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0);
}

/// Builds a random expression twice: as canonical form, and as its value for given symbols.
class Generator {
public:
  Generator(Context &context, std::uint32_t seed) : context_(context), random_(seed) {
    for (std::int64_t &value : values_)
      value = pick(-4, 4);
  }
  struct Valued {
    Expr expr;
    std::int64_t value;
  };
  Valued make(int depth) {
    if (depth == 0)
      return leaf();
    const Valued a = make(depth - 1);
    const Valued b = make(depth - 1 - static_cast<int>(pick(0, 1)) * (depth - 1));
    const std::int64_t divisor = b.value;
    switch (pick(0, depth >= logic_depth ? 12 : 8)) {
    case 0:
    case 1:
      return {context_.add(a.expr, b.expr), a.value + b.value};
    case 2:
      return {context_.sub(a.expr, b.expr), a.value - b.value};
    case 3:
      return {context_.mul(a.expr, b.expr), a.value * b.value};
    case 4:
      return {context_.max(std::vector{a.expr, b.expr}), std::max(a.value, b.value)};
    case 5:
      return {context_.min(std::vector{a.expr, b.expr}), std::min(a.value, b.value)};
    case 6:
      return divisor == 0
                 ? a
                 : Valued{context_.floor_div(a.expr, b.expr), floor_divide(a.value, divisor)};
    case 7:
      return divisor == 0
                 ? a
                 : Valued{context_.ceil_div(a.expr, b.expr), -floor_divide(-a.value, divisor)};
    case 8:
      return divisor == 0 ? a
                          : Valued{context_.mod(a.expr, b.expr),
                                   a.value - divisor * floor_divide(a.value, divisor)};
    case 9:
      return {context_.compare_op(Kind::Lt, a.expr, b.expr), a.value < b.value};
    case 10:
      return {context_.compare_op(Kind::Eq, a.expr, b.expr), a.value == b.value};
    case 11:
      return {context_.logical_and(std::vector{a.expr, b.expr}), a.value && b.value};
    default:
      return {context_.logical_not(a.expr), !a.value};
    }
  }
  std::unordered_map<Name, Expr> bindings() {
    std::unordered_map<Name, Expr> result;
    for (std::size_t i = 0; i < values_.size(); ++i)
      result.emplace(name(i), context_.integer(values_[i]));
    return result;
  }

private:
  /// Below this depth there are numbers only: truth values in arithmetic stay symbolic.
  static constexpr int logic_depth = 3;

  std::int64_t pick(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(high - low + 1));
  }
  Name name(std::size_t i) {
    return context_.names().intern(std::string(1, static_cast<char>('a' + i)));
  }
  Valued leaf() {
    if (pick(0, 2) == 0) {
      const std::int64_t value = pick(-3, 3);
      return {context_.integer(value), value};
    }
    const auto i = static_cast<std::size_t>(pick(0, 3));
    return {context_.symbol(name(i)), values_[i]};
  }

  Context &context_;
  std::mt19937 random_;
  std::array<std::int64_t, 4> values_{};
};

/// Number that a constant condition or integer stands for.
std::optional<std::int64_t> as_number(Expr e) {
  if (e->kind() == Kind::Literal && e->name().view() == "True")
    return 1;
  if (e->kind() == Kind::Literal && e->name().view() == "False")
    return 0;
  return Context::constant(e);
}

TEST_F(SymbolicTest, CanonicalFormKeepsTheValue) {
  int decided = 0;
  for (std::uint32_t seed = 0; seed < 20000; ++seed) {
    Generator generator(context, seed);
    const auto [expr, value] = generator.make(4);
    for (Grammar grammar : {Grammar::Dollar, Grammar::Legacy, Grammar::Python})
      ASSERT_EQ(read(show(expr, grammar), grammar), expr) << seed << ": " << show(expr, grammar);
    const Expr bound = context.substitute(expr, generator.bindings());
    if (const auto number = as_number(bound)) {
      ++decided;
      ASSERT_EQ(*number, value) << seed << ": " << show(expr) << " -> " << show(bound);
    }
  }
  EXPECT_GT(decided, 10000);
}

} // namespace
} // namespace sdfgopt::symbolic
