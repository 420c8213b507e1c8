// Tests of the tasklet language's parsers. Trees are compared as text, with every operator in
// parentheses.
#include "interp/code_parser.h"

#include <gtest/gtest.h>

#include <array>
#include <string>

namespace sdfgopt::interp {
namespace {

using support::ErrorCode;

std::string text(const ast::Expr &expr);

std::string text(const std::vector<ast::ExprPtr> &exprs) {
  std::string out;
  for (const ast::ExprPtr &expr : exprs)
    out += (out.empty() ? "" : ", ") + text(*expr);
  return out;
}

struct ExprText {
  std::string operator()(const ast::BoolLiteral &node) const {
    return node.value ? "True" : "False";
  }
  std::string operator()(const ast::IntLiteral &node) const {
    return std::to_string(node.magnitude) +
           (node.type ? ":" + std::string(name_of(*node.type)) : "");
  }
  std::string operator()(const ast::RealLiteral &node) const {
    std::array<char, 40> out{};
    std::snprintf(out.data(), out.size(), "%g", node.value);
    return out.data() + std::string(node.type == ScalarType::Float32 ? "f" : "r");
  }
  std::string operator()(const ast::Name &node) const { return node.text; }
  std::string operator()(const ast::Unary &node) const {
    constexpr std::array<const char *, 4> spelling = {"+", "-", "~", "!"};
    return "(" + std::string(spelling[static_cast<std::size_t>(node.op)]) + text(*node.operand) +
           ")";
  }
  std::string operator()(const ast::Binary &node) const {
    constexpr std::array<const char *, 12> spelling = {"+",  "-",  "*",  "/", "//", "%",
                                                       "**", "<<", ">>", "&", "|",  "^"};
    return "(" + text(*node.left) + " " + spelling[static_cast<std::size_t>(node.op)] + " " +
           text(*node.right) + ")";
  }
  std::string operator()(const ast::Compare &node) const {
    constexpr std::array<const char *, 6> spelling = {"==", "!=", "<", "<=", ">", ">="};
    std::string out = "(" + text(*node.first);
    for (const ast::Compare::Link &link : node.rest)
      out += std::string(" ") + spelling[static_cast<std::size_t>(link.op)] + " " +
             text(*link.operand);
    return out + ")";
  }
  std::string operator()(const ast::Logical &node) const {
    return std::string(node.conjunction ? "and" : "or") + "(" + text(node.operands) + ")";
  }
  std::string operator()(const ast::Conditional &node) const {
    return "(" + text(*node.condition) + " ? " + text(*node.then) + " : " + text(*node.otherwise) +
           ")";
  }
  std::string operator()(const ast::Call &node) const {
    return node.function + "(" + text(node.arguments) + ")";
  }
  std::string operator()(const ast::Subscript &node) const {
    return node.name + "[" + text(node.indices) + "]";
  }
};

std::string text(const ast::Expr &expr) { return std::visit(ExprText{}, expr.node); }

std::string text(const ast::Block &block);

std::string text(const ast::Target &target) {
  return target.name + (target.indices.empty() ? "" : "[" + text(target.indices) + "]");
}

struct StmtText {
  std::string operator()(const ast::Assign &node) const {
    return text(node.target) + (node.type.empty() ? "" : ": " + node.type) +
           (node.value ? " = " + text(*node.value) : "");
  }
  std::string operator()(const ast::AugAssign &node) const {
    return text(node.target) + " <op " + std::to_string(static_cast<int>(node.op)) + "> " +
           text(*node.value);
  }
  std::string operator()(const ast::If &node) const {
    std::string out;
    for (const ast::If::Branch &branch : node.branches)
      out += "if " + text(*branch.condition) + " " + text(branch.body) + " ";
    return out + "else " + text(node.otherwise);
  }
  std::string operator()(const ast::While &node) const {
    return "while " + text(*node.condition) + " " + text(node.body);
  }
  std::string operator()(const ast::For &node) const {
    return "for " + node.variable + " in " + text(node.range) + " " + text(node.body);
  }
  std::string operator()(const ast::Break &) const { return "break"; }
  std::string operator()(const ast::Continue &) const { return "continue"; }
  std::string operator()(const ast::Evaluate &node) const { return text(*node.value); }
};

std::string text(const ast::Block &block) {
  std::string out = "{";
  for (const ast::Stmt &stmt : block)
    out += (out.size() > 1 ? "; " : "") + std::visit(StmtText{}, stmt.node);
  return out + "}";
}

std::string python(std::string_view code) {
  const auto block = parse_python(code);
  return block.ok() ? text(block.value()) : block.error().text();
}

std::string cpp(std::string_view code) {
  const auto block = parse_cpp(code);
  return block.ok() ? text(block.value()) : block.error().text();
}

std::string expression(std::string_view code) {
  const auto expr = parse_expression(code);
  return expr.ok() ? text(*expr.value()) : expr.error().text();
}

TEST(CodeParser, OperatorsBindAsInPython) {
  EXPECT_EQ(expression("a + b * c - d"), "((a + (b * c)) - d)");
  EXPECT_EQ(expression("a - b - c"), "((a - b) - c)");
  EXPECT_EQ(expression("-a ** -b ** c"), "(-(a ** (-(b ** c))))");
  EXPECT_EQ(expression("not a == b and c or d"), "or(and((!(a == b)), c), d)");
  EXPECT_EQ(expression("a and b and c"), "and(a, b, c)");
  EXPECT_EQ(expression("a | b ^ c & d << 1 + 2"), "(a | (b ^ (c & (d << (1 + 2)))))");
  EXPECT_EQ(expression("a < b <= c != d"), "(a < b <= c != d)");
  EXPECT_EQ(expression("a is not b"), "(a != b)");
  EXPECT_EQ(expression("a if b else c if d else e"), "(b ? a : (d ? c : e))");
  EXPECT_EQ(expression("a // b % c / d"), "(((a // b) % c) / d)");
  EXPECT_EQ(expression("~+-a"), "(~(+(-a)))");
}

TEST(CodeParser, Primaries) {
  EXPECT_EQ(expression("math.pow(a, dace.float32(2))"), "math.pow(a, dace.float32(2))");
  EXPECT_EQ(expression("f[i, (- 0) + j + 1,]"), "f[i, (((-0) + j) + 1)]");
  EXPECT_EQ(expression("((a))"), "a");
  EXPECT_EQ(expression("1_000 + 0x1F + 0b11 + 0o17 + 18446744073709551615"),
            "((((1000 + 31) + 3) + 15) + 18446744073709551615)");
  EXPECT_EQ(expression("1.5e3 + .5 + 2. + 1e400 + 1e-400"),
            "((((1500r + 0.5r) + 2r) + infr) + 0r)");
  EXPECT_EQ(expression("True + gr\xc3\xb6\xc3\x9f"
                       "e"),
            "(True + gr\xc3\xb6\xc3\x9f"
            "e)");
}

TEST(CodeParser, Statements) {
  EXPECT_EQ(python("y = x"), "{y = x}");
  EXPECT_EQ(python("\n# comment\n  y = x; z = 1;  # more\n\n  pass\n  'text'\n"), "{y = x; z = 1}");
  EXPECT_EQ(python("x: dace.float64 = 1\nz: int"), "{x: dace.float64 = 1; z: int}");
  EXPECT_EQ(python("a[i, 1] = b\na += 1; a //= 2"), "{a[i, 1] = b; a <op 0> 1; a <op 4> 2}");
  EXPECT_EQ(python("y = (x +\n     1)\nz = x \\\n  + 2"), "{y = (x + 1); z = (x + 2)}");
  EXPECT_EQ(python("\"\"\"two\nlines\"\"\"\r\ny = x\r\n"), "{y = x}");
  EXPECT_EQ(python(""), "{}");
  EXPECT_EQ(python("a << b\nf(x)"), "{(a << b); f(x)}");
}

TEST(CodeParser, Blocks) {
  EXPECT_EQ(python("if a: x = 1; y = 2\nelif b:\n  x = 3\nelse:\n\n  # none\n  x = 4\ny = 5"),
            "{if a {x = 1; y = 2} if b {x = 3} else {x = 4}; y = 5}");
  EXPECT_EQ(python("for i in range(1, n):\n\twhile c:\n\t\tif i:\n\t\t\tbreak\n\t\tcontinue\n"),
            "{for i in 1, n {while c {if i {break} else {}; continue}}}");
}

TEST(CodeParser, Lambdas) {
  for (const char *const code :
       {"lambda a, b: a + b", "(lambda a, b: (a + b))", "((lambda a,b:a+b))"}) {
    const auto lambda = parse_lambda(code);
    ASSERT_TRUE(lambda.ok()) << lambda.error().text();
    EXPECT_EQ(lambda.value().parameters, (std::vector<std::string>{"a", "b"}));
    EXPECT_EQ(text(*lambda.value().body), "(a + b)");
  }
  EXPECT_EQ(parse_lambda("a + b").error().code, ErrorCode::Syntax);
  EXPECT_EQ(parse_lambda("lambda a, b: a + b)").error().code, ErrorCode::Syntax);
}

TEST(CodeParser, Cpp) {
  EXPECT_EQ(cpp("out = a * 2 + b;"), "{out = ((a * 2:int32) + b)}");
  EXPECT_EQ(cpp("{ y = x; }"), "{y = x}");
  EXPECT_EQ(cpp("const double x = 1.5f; auto y = std::sqrt(x); // c\n/* c\n */ o -= y;"),
            "{x: double = 1.5f; y = std.sqrt(x); o <op 1> y}");
  EXPECT_EQ(cpp("unsigned long long u = 3UL; u = 4294967295; u = 0xFFFFFFFF; u = 010;"),
            "{u: unsigned long long = 3:uint64; u = 4294967295:int64; u = 4294967295:uint32; u = "
            "8:int32}");
  EXPECT_EQ(cpp("o = a < b == c && !d || e ? (float)a : static_cast<int>(b + 1);"),
            "{o = (or(and(((a < b) == c), (!d)), e) ? float(a) : int((b + 1:int32)))}");
  EXPECT_EQ(cpp("o = dace::float32(x) - std::int64_t(y);"),
            "{o = (dace.float32(x) - std.int64_t(y))}");
  EXPECT_EQ(cpp("double x; x = a;"), "{x: double; x = a}");
}

TEST(CodeParser, ErrorsTellThePlace) {
  EXPECT_EQ(python("y = (x"), "'(' is not closed (line 1, column 7)");
  EXPECT_EQ(python("y = \n"),
            "expected an expression, found the end of the line (line 1, column 5)");
  EXPECT_EQ(python("x = 1\ny = x x"),
            "expected the end of the statement, found 'x' (line 2, column 7)");
  EXPECT_EQ(python("if x:\ny = 1"), "expected an indented block, found 'y' (line 2, column 1)");
  EXPECT_EQ(python("if x:\n    y = 1\n  z = 2"),
            "the indentation fits no open block (line 3, column 3)");
  EXPECT_EQ(python("x + 1 = 2"), "this cannot be assigned to (line 1, column 1)");
  EXPECT_EQ(python("y = x $ 1"), "'$' belongs to no token (line 1, column 7)");
  EXPECT_EQ(python("y = 12ab"), "'12ab' is not a number (line 1, column 5)");
  EXPECT_EQ(python("y = 'x"), "the string is not closed (line 1, column 5)");
  EXPECT_EQ(expression("a b"), "expected the end of the expression, found 'b' (line 1, column 3)");
  EXPECT_EQ(cpp("y = x"), "expected ';', found the end of the code (line 1, column 6)");
  EXPECT_EQ(parse_python("y = (x").error().code, ErrorCode::Syntax);
}

TEST(CodeParser, WhatCannotRun) {
  EXPECT_EQ(python("def f(x):\n  return x"),
            "cannot run: 'def' is not supported (line 1, column 1)");
  EXPECT_EQ(python("x, y = 1, 2"), "cannot run: tuples are not supported (line 1, column 2)");
  EXPECT_EQ(python("x = y = 1"),
            "cannot run: an assignment to several targets is not supported (line 1, column 7)");
  EXPECT_EQ(python("y = a[1:2]"), "cannot run: slices are not supported (line 1, column 8)");
  EXPECT_EQ(python("for x in y:\n  pass"),
            "cannot run: a loop over anything but a range is not supported (line 1, column 10)");
  EXPECT_EQ(python("y = x in z"), "cannot run: operator 'in' is not supported (line 1, column 7)");
  EXPECT_EQ(python("y = 2j"), "cannot run: complex numbers are not supported (line 1, column 5)");
  EXPECT_EQ(python("y **= 2"), "cannot run: '**=' is not supported (line 1, column 3)");
  EXPECT_EQ(
      cpp("for (int i = 0; i < 3; ++i) y = i;"),
      "cannot run: C++ code other than plain assignments is not supported (line 1, column 1)");
  EXPECT_EQ(cpp("y = x[0];"),
            "cannot run: C++ code that indexes is not supported (line 1, column 5)");
  EXPECT_EQ(
      cpp("printf(\"x\");"),
      "cannot run: C++ code other than plain assignments is not supported (line 1, column 1)");
  EXPECT_EQ(parse_cpp("return;").error().code, ErrorCode::Unsupported);
}

std::string repeated(std::string_view what, std::size_t count) {
  std::string out;
  for (std::size_t k = 0; k < count; ++k)
    out += what;
  return out;
}

TEST(CodeParser, DepthIsLimited) {
  EXPECT_TRUE(parse_expression(repeated("(", 150) + "a" + repeated(")", 150)).ok());
  const std::array<std::string, 8> too_deep = {
      repeated("(", 100'000) + "a" + repeated(")", 100'000),
      repeated("- ", 100'000) + "a",
      repeated("not ", 100'000) + "a",
      repeated("a ** ", 100'000) + "a",
      repeated("a if b else ", 100'000) + "a",
      repeated("f(", 100'000) + "a" + repeated(")", 100'000),
      repeated("f[", 100'000) + "a" + repeated("]", 100'000),
      repeated("a + ", 100'000) + "a"};
  for (const std::string &code : too_deep)
    EXPECT_EQ(parse_expression(code).error().code, ErrorCode::Syntax) << code.substr(0, 20);
  EXPECT_TRUE(parse_expression(repeated("a + ", 900) + "a").ok());
  EXPECT_TRUE(parse_expression(repeated("a and ", 100'000) + "a").ok());
  EXPECT_EQ(parse_lambda(repeated("(", 100'000) + "lambda a: a").error().code, ErrorCode::Syntax);

  std::string blocks;
  for (std::size_t k = 0; k < 300; ++k)
    blocks += repeated(" ", k) + "if a:\n";
  EXPECT_EQ(parse_python(blocks + repeated(" ", 300) + "pass").error().text(),
            "too many blocks inside each other (line 201, column 201)");
  std::string chain = "if a: pass\n";
  for (std::size_t k = 0; k < 10'000; ++k)
    chain += "elif a: pass\n";
  EXPECT_TRUE(parse_python(chain).ok());
}

} // namespace
} // namespace sdfgopt::interp
