#include "interp/code_expression_parser.h"

#include "interp/code_error.h"
#include "interp/code_number.h"
#include "interp/code_types.h"

#include <algorithm>
#include <array>

namespace sdfgopt::interp {

namespace {

using ast::BinaryOp;
using ast::CompareOp;
using ast::ExprPtr;
using support::result;

struct OperatorFacts {
  std::string_view text;
  int python_level; // 0: not an operator of binary()
  int cpp_level;
  std::optional<BinaryOp> binary;
  std::optional<CompareOp> compare;
};

// A higher level binds more tightly. Python's comparisons are chains and so have no level here.
constexpr auto operators = std::to_array<OperatorFacts>({
    {"||", 0, 1, {}, {}},
    {"&&", 0, 2, {}, {}},
    {"|", 3, 3, BinaryOp::Or, {}},
    {"^", 4, 4, BinaryOp::Xor, {}},
    {"&", 5, 5, BinaryOp::And, {}},
    {"==", 0, 6, {}, CompareOp::Eq},
    {"!=", 0, 6, {}, CompareOp::Ne},
    {"<", 0, 7, {}, CompareOp::Lt},
    {"<=", 0, 7, {}, CompareOp::Le},
    {">", 0, 7, {}, CompareOp::Gt},
    {">=", 0, 7, {}, CompareOp::Ge},
    {"<<", 8, 8, BinaryOp::Shl, {}},
    {">>", 8, 8, BinaryOp::Shr, {}},
    {"+", 9, 9, BinaryOp::Add, {}},
    {"-", 9, 9, BinaryOp::Sub, {}},
    {"*", 10, 10, BinaryOp::Mul, {}},
    {"/", 10, 10, BinaryOp::Div, {}},
    {"//", 10, 0, BinaryOp::FloorDiv, {}},
    {"%", 10, 10, BinaryOp::Mod, {}},
});

const OperatorFacts *facts_of(const Token &token) {
  if (token.kind != TokenKind::Operator)
    return nullptr;
  const auto *const found = std::ranges::find(operators, token.text, &OperatorFacts::text);
  return found == operators.end() ? nullptr : found;
}

constexpr auto python_keywords = std::to_array<std::string_view>(
    {"False", "None",     "True",  "and",    "as",   "assert", "async",  "await",    "break",
     "class", "continue", "def",   "del",    "elif", "else",   "except", "finally",  "for",
     "from",  "global",   "if",    "import", "in",   "is",     "lambda", "nonlocal", "not",
     "or",    "pass",     "raise", "return", "try",  "while",  "with",   "yield"});

/// Takes a level of nesting for as long as it lives.
class Nested {
public:
  explicit Nested(std::uint32_t &level) : level_(level) { ++level_; }
  Nested(const Nested &) = delete;
  Nested &operator=(const Nested &) = delete;
  ~Nested() { --level_; }
  [[nodiscard]] bool too_deep() const { return level_ > ast::max_nesting; }

private:
  std::uint32_t &level_;
};

std::uint32_t depth_of(const ExprPtr &expr) { return expr->depth; }

std::uint32_t depth_of(const std::vector<ExprPtr> &exprs) {
  std::uint32_t depth = 0;
  for (const ExprPtr &expr : exprs)
    depth = std::max(depth, expr->depth);
  return depth;
}

template <typename Node>
result<ExprPtr> make(ast::Position position, std::uint32_t depth_below, Node node) {
  if (depth_below >= ast::max_depth)
    return syntax_error("the expression is too deep", position);
  return std::make_unique<ast::Expr>(ast::Expr{position, depth_below + 1, std::move(node)});
}

support::Error too_deep(ast::Position position) {
  return syntax_error("the expression is nested too deeply", position);
}

} // namespace

int ExpressionParser::level(const Token &token) const {
  const OperatorFacts *const facts = facts_of(token);
  if (facts == nullptr)
    return 0;
  return python_ ? facts->python_level : facts->cpp_level;
}

result<ExprPtr> ExpressionParser::expression() {
  const Nested nested(nesting_);
  if (nested.too_deep())
    return too_deep(cursor_.peek().position);
  return conditional();
}

// Python: a if c else b; C++: c ? a : b.
result<ExprPtr> ExpressionParser::conditional() {
  const ast::Position position = cursor_.peek().position;
  SDFGOPT_TRY(ExprPtr first, python_ ? disjunction() : binary(1));
  ExprPtr condition;
  ExprPtr then;
  if (python_ && cursor_.accept("if")) {
    SDFGOPT_TRY(condition, disjunction());
    SDFGOPT_CHECK(cursor_.expect("else"));
    then = std::move(first);
  } else if (!python_ && cursor_.accept("?")) {
    condition = std::move(first);
    SDFGOPT_TRY(then, expression());
    SDFGOPT_CHECK(cursor_.expect(":"));
  } else {
    return first;
  }
  SDFGOPT_TRY(ExprPtr otherwise, expression());
  const std::uint32_t depth = std::max({depth_of(condition), depth_of(then), depth_of(otherwise)});
  return make(position, depth,
              ast::Conditional{std::move(condition), std::move(then), std::move(otherwise)});
}

result<ExprPtr> ExpressionParser::logical(bool conjunction, Parsed (ExpressionParser::*operand)(),
                                          std::string_view word) {
  const ast::Position position = cursor_.peek().position;
  SDFGOPT_TRY(ExprPtr first, (this->*operand)());
  if (!cursor_.at(word))
    return first;
  std::vector<ExprPtr> operands;
  operands.push_back(std::move(first));
  while (cursor_.accept(word)) {
    SDFGOPT_TRY(ExprPtr next, (this->*operand)());
    operands.push_back(std::move(next));
  }
  const std::uint32_t depth = depth_of(operands);
  return make(position, depth, ast::Logical{conjunction, std::move(operands)});
}

result<ExprPtr> ExpressionParser::disjunction() {
  return logical(false, &ExpressionParser::conjunction, "or");
}

result<ExprPtr> ExpressionParser::conjunction() {
  return logical(true, &ExpressionParser::negation, "and");
}

result<ExprPtr> ExpressionParser::negation() {
  const ast::Position position = cursor_.peek().position;
  if (!cursor_.accept("not"))
    return comparison();
  const Nested nested(nesting_);
  if (nested.too_deep())
    return too_deep(position);
  SDFGOPT_TRY(ExprPtr operand, negation());
  const std::uint32_t depth = depth_of(operand);
  return make(position, depth, ast::Unary{ast::UnaryOp::Not, std::move(operand)});
}

// Python only.
result<ExprPtr> ExpressionParser::comparison() {
  const ast::Position position = cursor_.peek().position;
  SDFGOPT_TRY(ExprPtr first, binary(1));
  std::vector<ast::Compare::Link> rest;
  std::uint32_t depth = depth_of(first);
  while (true) {
    const OperatorFacts *const facts = facts_of(cursor_.peek());
    CompareOp op = CompareOp::Eq;
    if (facts != nullptr && facts->compare) {
      op = *facts->compare;
      cursor_.take();
    } else if (cursor_.accept("is")) {
      op = cursor_.accept("not") ? CompareOp::Ne : CompareOp::Eq;
    } else if (cursor_.at("in") || (cursor_.at("not") && cursor_.at("in", 1))) {
      return cannot_run("operator 'in' is not supported", cursor_.peek().position);
    } else {
      break;
    }
    SDFGOPT_TRY(ExprPtr operand, binary(1));
    depth = std::max(depth, depth_of(operand));
    rest.push_back({op, std::move(operand)});
  }
  if (rest.empty())
    return first;
  return make(position, depth, ast::Compare{std::move(first), std::move(rest)});
}

result<ExprPtr> ExpressionParser::make_operator(std::string_view text, ExprPtr left, ExprPtr right,
                                                ast::Position position) {
  const std::uint32_t depth = std::max(depth_of(left), depth_of(right));
  const auto *const facts = std::ranges::find(operators, text, &OperatorFacts::text);
  if (facts->binary)
    return make(position, depth, ast::Binary{*facts->binary, std::move(left), std::move(right)});
  if (facts->compare) {
    std::vector<ast::Compare::Link> rest;
    rest.push_back({*facts->compare, std::move(right)});
    return make(position, depth, ast::Compare{std::move(left), std::move(rest)});
  }
  std::vector<ExprPtr> operands;
  operands.push_back(std::move(left));
  operands.push_back(std::move(right));
  return make(position, depth, ast::Logical{text == "&&", std::move(operands)});
}

// Operators of level `lowest` and above; all of them associate to the left.
result<ExprPtr> ExpressionParser::binary(int lowest) {
  const ast::Position position = cursor_.peek().position;
  SDFGOPT_TRY(ExprPtr left, unary());
  while (true) {
    const int found = level(cursor_.peek());
    if (cursor_.at("@"))
      return cannot_run("operator '@' is not supported", cursor_.peek().position);
    if (found < lowest || found == 0)
      return left;
    const std::string_view text = cursor_.take().text;
    SDFGOPT_TRY(ExprPtr right, binary(found + 1));
    SDFGOPT_TRY(left, make_operator(text, std::move(left), std::move(right), position));
  }
}

result<ExprPtr> ExpressionParser::unary() {
  const ast::Position position = cursor_.peek().position;
  std::optional<ast::UnaryOp> op;
  if (cursor_.at("+"))
    op = ast::UnaryOp::Plus;
  else if (cursor_.at("-"))
    op = ast::UnaryOp::Minus;
  else if (cursor_.at("~"))
    op = ast::UnaryOp::Invert;
  else if (!python_ && cursor_.at("!"))
    op = ast::UnaryOp::Not;
  if (!op)
    return power();
  cursor_.take();
  const Nested nested(nesting_);
  if (nested.too_deep())
    return too_deep(position);
  SDFGOPT_TRY(ExprPtr operand, unary());
  const std::uint32_t depth = depth_of(operand);
  return make(position, depth, ast::Unary{*op, std::move(operand)});
}

result<ExprPtr> ExpressionParser::power() {
  const ast::Position position = cursor_.peek().position;
  SDFGOPT_TRY(ExprPtr base, primary());
  if (!python_ || !cursor_.accept("**"))
    return base;
  const Nested nested(nesting_);
  if (nested.too_deep())
    return too_deep(position);
  SDFGOPT_TRY(ExprPtr exponent, unary());
  const std::uint32_t depth = std::max(depth_of(base), depth_of(exponent));
  return make(position, depth, ast::Binary{BinaryOp::Pow, std::move(base), std::move(exponent)});
}

result<ExprPtr> ExpressionParser::primary() {
  const Token &token = cursor_.peek();
  if (token.kind == TokenKind::Number)
    return number();
  if (token.kind == TokenKind::Name)
    return named();
  if (token.kind == TokenKind::String)
    return cannot_run("strings are not supported", token.position);
  if (cursor_.at("("))
    return parenthesised();
  if (cursor_.at("[") || cursor_.at("{"))
    return cannot_run("lists, sets and dictionaries are not supported", token.position);
  return cursor_.expected("an expression");
}

result<ExprPtr> ExpressionParser::number() {
  const Token token = cursor_.take();
  SDFGOPT_TRY(
      const NumberLiteral literal,
      read_number(token.text, python_ ? CodeLanguage::Python : CodeLanguage::Cpp, token.position));
  if (literal.real)
    return make(token.position, 0, *literal.real);
  return make(token.position, 0, literal.integer);
}

result<ExprPtr> ExpressionParser::parenthesised() {
  const ast::Position position = cursor_.take().position;
  if (!python_) {
    if (std::optional<std::string> type = cpp_type()) {
      SDFGOPT_CHECK(cursor_.expect(")"));
      const Nested nested(nesting_);
      if (nested.too_deep())
        return too_deep(position);
      SDFGOPT_TRY(ExprPtr operand, unary());
      std::vector<ExprPtr> arguments;
      arguments.push_back(std::move(operand));
      const std::uint32_t depth = depth_of(arguments);
      return make(position, depth, ast::Call{std::move(*type), std::move(arguments)});
    }
  }
  SDFGOPT_TRY(ExprPtr inner, expression());
  if (cursor_.at(","))
    return cannot_run("tuples are not supported", cursor_.peek().position);
  SDFGOPT_CHECK(cursor_.expect(")"));
  return inner;
}

result<std::vector<ExprPtr>> ExpressionParser::list(std::string_view closing) {
  std::vector<ExprPtr> items;
  while (!cursor_.at(closing)) {
    SDFGOPT_TRY(ExprPtr item, expression());
    items.push_back(std::move(item));
    if (cursor_.at(":"))
      return cannot_run("slices are not supported", cursor_.peek().position);
    if (cursor_.at("=") || cursor_.at(":="))
      return cannot_run("keyword arguments are not supported", cursor_.peek().position);
    if (!cursor_.accept(","))
      break;
  }
  SDFGOPT_CHECK(cursor_.expect(closing));
  return items;
}

result<std::string> ExpressionParser::dotted_name() {
  const Token token = cursor_.peek();
  if (token.kind != TokenKind::Name)
    return cursor_.expected("a name");
  if (python_ && std::ranges::find(python_keywords, token.text) != python_keywords.end())
    return cursor_.expected("a name");
  std::string name(cursor_.take().text);
  while (cursor_.at(".") || (!python_ && cursor_.at("::"))) {
    cursor_.take();
    if (!cursor_.at(TokenKind::Name))
      return cursor_.expected("a name");
    name += '.';
    name += cursor_.take().text;
  }
  return name;
}

result<ast::Target> ExpressionParser::target() {
  const ast::Position position = cursor_.peek().position;
  SDFGOPT_TRY(std::string name, dotted_name());
  ast::Target target{position, std::move(name), {}};
  if (cursor_.at("[")) {
    if (!python_)
      return cannot_run("C++ code that indexes is not supported", position);
    const ast::Position bracket = cursor_.take().position;
    SDFGOPT_TRY(target.indices, list("]"));
    if (target.indices.empty())
      return syntax_error("expected an index", bracket);
  }
  return target;
}

result<ExprPtr> ExpressionParser::static_cast_expression() {
  const ast::Position position = cursor_.take().position;
  SDFGOPT_CHECK(cursor_.expect("<"));
  std::optional<std::string> type = cpp_type();
  if (!type)
    return cursor_.expected("a type");
  SDFGOPT_CHECK(cursor_.expect(">"));
  SDFGOPT_CHECK(cursor_.expect("("));
  SDFGOPT_TRY(std::vector<ExprPtr> arguments, list(")"));
  const std::uint32_t depth = depth_of(arguments);
  return make(position, depth, ast::Call{std::move(*type), std::move(arguments)});
}

result<ExprPtr> ExpressionParser::named() {
  const Token token = cursor_.peek();
  for (const bool value : {false, true}) {
    if (token.text == (python_ ? (value ? "True" : "False") : (value ? "true" : "false"))) {
      cursor_.take();
      return make(token.position, 0, ast::BoolLiteral{value});
    }
  }
  if (python_ && token.text == "lambda")
    return cannot_run("a function as a value is not supported", token.position);
  if (python_ && token.text == "None")
    return cannot_run("None is not supported", token.position);
  if (!python_ && token.text == "static_cast")
    return static_cast_expression();
  std::string name;
  if (std::optional<std::string> type = python_ ? std::nullopt : cpp_type()) {
    name = std::move(*type);
    if (!cursor_.at("("))
      return cursor_.expected("'('");
  } else {
    SDFGOPT_TRY(name, dotted_name());
  }
  ExprPtr expr;
  if (cursor_.accept("(")) {
    SDFGOPT_TRY(std::vector<ExprPtr> arguments, list(")"));
    const std::uint32_t depth = depth_of(arguments);
    SDFGOPT_TRY(expr, make(token.position, depth, ast::Call{name, std::move(arguments)}));
  } else if (cursor_.at("[")) {
    if (!python_)
      return cannot_run("C++ code that indexes is not supported", token.position);
    cursor_.take();
    SDFGOPT_TRY(std::vector<ExprPtr> indices, list("]"));
    if (indices.empty())
      return cursor_.expected("an index");
    const std::uint32_t depth = depth_of(indices);
    SDFGOPT_TRY(expr, make(token.position, depth, ast::Subscript{name, std::move(indices)}));
  } else {
    return make(token.position, 0, ast::Name{std::move(name)});
  }
  if (cursor_.at("(") || cursor_.at("[") || cursor_.at(".") || cursor_.at("->"))
    return cannot_run("only names can be called, indexed or have members", cursor_.peek().position);
  return expr;
}

std::optional<std::string> ExpressionParser::cpp_type() {
  std::size_t ahead = 0;
  std::string name;
  const auto skip_const = [&] {
    while (cursor_.at("const", ahead))
      ++ahead;
  };
  skip_const();
  if (is_type_word(cursor_.peek(ahead).text)) {
    while (is_type_word(cursor_.peek(ahead).text)) {
      name += name.empty() ? "" : " ";
      name += cursor_.peek(ahead++).text;
    }
  } else {
    while (cursor_.peek(ahead).kind == TokenKind::Name) {
      name += cursor_.peek(ahead++).text;
      if (!cursor_.at("::", ahead))
        break;
      name += '.';
      ++ahead;
    }
  }
  skip_const();
  if (!type_named(name))
    return std::nullopt;
  for (; ahead > 0; --ahead)
    cursor_.take();
  return name;
}

} // namespace sdfgopt::interp
