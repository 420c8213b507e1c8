#include "interp/code_expression_compiler.h"

#include "interp/code_error.h"
#include "interp/code_functions.h"

#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>

namespace sdfgopt::interp {

namespace {

using ast::BinaryOp;
using ast::CompareOp;
using support::result;

constexpr std::string_view pi_name = "math.pi";

bool is_relational(CompareOp op) { return op != CompareOp::Eq && op != CompareOp::Ne; }

Operand compared(CompareOp op, Operand a, Operand b, Emitter &emitter) {
  switch (op) {
  case CompareOp::Eq:
    return emitter.binary(Binary::Eq, a, b);
  case CompareOp::Ne:
    return emitter.binary(Binary::Ne, a, b);
  case CompareOp::Lt:
    return emitter.binary(Binary::Lt, a, b);
  case CompareOp::Le:
    return emitter.binary(Binary::Le, a, b);
  case CompareOp::Gt:
    return emitter.binary(Binary::Lt, b, a);
  case CompareOp::Ge:
    break;
  }
  return emitter.binary(Binary::Le, b, a);
}

/// A chain as C++ reads it: `<` and its kin first, then `==` and `!=`, both from the left.
Operand chained(Operand current, std::span<const std::pair<CompareOp, Operand>> rest,
                Emitter &emitter) {
  std::optional<std::pair<Operand, CompareOp>> pending; // left of an equality
  const auto close = [&] {
    if (pending)
      current = compared(pending->second, pending->first, current, emitter);
    pending.reset();
  };
  for (const auto &[op, operand] : rest) {
    if (is_relational(op)) {
      current = compared(op, current, operand, emitter);
      continue;
    }
    close();
    pending = {current, op};
    current = operand;
  }
  close();
  return current;
}

struct FunctionOperator {
  std::string_view name;
  CompareOp op;
};
constexpr auto comparisons = std::to_array<FunctionOperator>({{"Eq", CompareOp::Eq},
                                                              {"Ne", CompareOp::Ne},
                                                              {"NotEq", CompareOp::Ne},
                                                              {"Lt", CompareOp::Lt},
                                                              {"Le", CompareOp::Le},
                                                              {"LtE", CompareOp::Le},
                                                              {"Gt", CompareOp::Gt},
                                                              {"Ge", CompareOp::Ge},
                                                              {"GtE", CompareOp::Ge}});

/// Value of an exponent made of literals, as Python computes it before the code is printed.
std::optional<double> literal_value(const ast::Expr &expr) {
  if (const auto *const literal = std::get_if<ast::IntLiteral>(&expr.node))
    return static_cast<double>(literal->magnitude);
  if (const auto *const literal = std::get_if<ast::RealLiteral>(&expr.node))
    return literal->value;
  if (const auto *const literal = std::get_if<ast::BoolLiteral>(&expr.node))
    return literal->value ? 1.0 : 0.0;
  if (const auto *const unary = std::get_if<ast::Unary>(&expr.node)) {
    const std::optional<double> operand = literal_value(*unary->operand);
    if (!operand || (unary->op != ast::UnaryOp::Minus && unary->op != ast::UnaryOp::Plus))
      return std::nullopt;
    return unary->op == ast::UnaryOp::Minus ? -*operand : *operand;
  }
  const auto *const binary = std::get_if<ast::Binary>(&expr.node);
  if (binary == nullptr)
    return std::nullopt;
  const std::optional<double> left = literal_value(*binary->left);
  const std::optional<double> right = literal_value(*binary->right);
  if (!left || !right)
    return std::nullopt;
  switch (binary->op) {
  case BinaryOp::Add:
    return *left + *right;
  case BinaryOp::Sub:
    return *left - *right;
  case BinaryOp::Mul:
    return *left * *right;
  case BinaryOp::Div:
    return *left / *right;
  case BinaryOp::FloorDiv:
    return std::floor(*left / *right);
  case BinaryOp::Pow:
    return std::pow(*left, *right);
  default:
    return std::nullopt;
  }
}

bool is_name(const ast::Expr &expr, std::string_view text) {
  const auto *const name = std::get_if<ast::Name>(&expr.node);
  return name != nullptr && (name->text == text || name->text == "dace." + std::string(text));
}

/// The multiple of pi that an expression stands for until it meets a number with a type.
std::optional<double> multiple_of_pi(const ast::Expr &expr) {
  if (is_name(expr, pi_name))
    return 1.0;
  if (const auto *const unary = std::get_if<ast::Unary>(&expr.node)) {
    const std::optional<double> operand = multiple_of_pi(*unary->operand);
    if (!operand || unary->op != ast::UnaryOp::Minus)
      return std::nullopt;
    return -*operand;
  }
  const auto *const binary = std::get_if<ast::Binary>(&expr.node);
  if (binary == nullptr || binary->op != BinaryOp::Mul)
    return std::nullopt;
  const auto factor = [](const ast::Expr &operand) -> std::optional<double> {
    return std::holds_alternative<ast::RealLiteral>(operand.node) ? std::nullopt
                                                                  : literal_value(operand);
  };
  const std::optional<double> left = multiple_of_pi(*binary->left);
  const std::optional<double> right = multiple_of_pi(*binary->right);
  if (left && !right)
    if (const std::optional<double> other = factor(*binary->right))
      return *left * *other;
  if (right && !left)
    if (const std::optional<double> other = factor(*binary->left))
      return *right * *other;
  return std::nullopt;
}

Operand single(float value, Emitter &emitter) {
  return emitter.constant(ScalarType::Float32, Value{.u = std::bit_cast<std::uint32_t>(value)});
}

/// Constants that are names; DaCe prints INFINITY and NAN, which are floats.
std::optional<Operand> named_constant(std::string_view name, Emitter &emitter) {
  if (name == "inf" || name == "math.inf" || name == "np.inf" || name == "numpy.inf" ||
      name == "INFINITY")
    return single(std::numeric_limits<float>::infinity(), emitter);
  if (name == "nan" || name == "math.nan" || name == "np.nan" || name == "numpy.nan" ||
      name == "NAN" || name == "dace.math.nan")
    return single(std::numeric_limits<float>::quiet_NaN(), emitter);
  if (name == pi_name || name == "dace.math.pi" || name == "np.pi" || name == "numpy.pi" ||
      name == "M_PI")
    return emitter.real(std::numbers::pi);
  return std::nullopt;
}

std::optional<Binary> arithmetic(BinaryOp op) {
  switch (op) {
  case BinaryOp::Add:
    return Binary::Add;
  case BinaryOp::Sub:
    return Binary::Sub;
  case BinaryOp::Mul:
    return Binary::Mul;
  case BinaryOp::Div:
  case BinaryOp::FloorDiv:
    return Binary::Div;
  case BinaryOp::Mod:
    return Binary::Rem;
  case BinaryOp::Shl:
    return Binary::Shl;
  case BinaryOp::Shr:
    return Binary::Shr;
  case BinaryOp::And:
    return Binary::And;
  case BinaryOp::Or:
    return Binary::Or;
  case BinaryOp::Xor:
    return Binary::Xor;
  case BinaryOp::Pow:
    break;
  }
  return std::nullopt;
}

std::string_view spelling(BinaryOp op) {
  constexpr auto spellings = std::to_array<std::string_view>(
      {"+", "-", "*", "/", "//", "%", "**", "<<", ">>", "&", "|", "^"});
  return spellings[static_cast<std::size_t>(op)];
}

} // namespace

result<Operand> ExpressionCompiler::expression(const ast::Expr &expr) {
  const ast::Position at = expr.position;
  if (const auto *const node = std::get_if<ast::BoolLiteral>(&expr.node))
    return emitter_.boolean(node->value);
  if (const auto *const node = std::get_if<ast::IntLiteral>(&expr.node))
    return integer(*node, false, at);
  if (const auto *const node = std::get_if<ast::RealLiteral>(&expr.node))
    return node->type == ScalarType::Float32 ? single(static_cast<float>(node->value), emitter_)
                                             : emitter_.real(node->value);
  if (const auto *const node = std::get_if<ast::Name>(&expr.node))
    return name(*node, at);
  if (const auto *const node = std::get_if<ast::Unary>(&expr.node))
    return unary(*node, at);
  if (const auto *const node = std::get_if<ast::Binary>(&expr.node)) {
    if (node->op == BinaryOp::Pow)
      return power(*node, at);
    if (multiple_of_pi(*node->left) || multiple_of_pi(*node->right))
      return pi_operation(*node, at);
    SDFGOPT_TRY(const Operand left, expression(*node->left));
    SDFGOPT_TRY(const Operand right, expression(*node->right));
    return binary(node->op, left, right, at);
  }
  if (const auto *const node = std::get_if<ast::Compare>(&expr.node))
    return compare(*node);
  if (const auto *const node = std::get_if<ast::Logical>(&expr.node))
    return logical(node->conjunction, node->operands);
  if (const auto *const node = std::get_if<ast::Conditional>(&expr.node))
    return conditional(*node->condition, *node->then, *node->otherwise);
  if (const auto *const node = std::get_if<ast::Call>(&expr.node))
    return call(*node, at);
  const auto &node = std::get<ast::Subscript>(expr.node);
  SDFGOPT_TRY(const std::vector<Operand> index, indices(node.indices));
  return scope_.load(node.name, index);
}

result<std::vector<Operand>>
ExpressionCompiler::expressions(const std::vector<ast::ExprPtr> &exprs) {
  std::vector<Operand> operands;
  operands.reserve(exprs.size());
  for (const ast::ExprPtr &expr : exprs) {
    SDFGOPT_TRY(const Operand operand, expression(*expr));
    operands.push_back(operand);
  }
  return operands;
}

result<std::vector<Operand>> ExpressionCompiler::indices(const std::vector<ast::ExprPtr> &exprs) {
  SDFGOPT_TRY(std::vector<Operand> operands, expressions(exprs));
  for (std::size_t k = 0; k < operands.size(); ++k)
    if (is_float(operands[k].type))
      return cannot_run("an index must be an integer", exprs[k]->position);
  return operands;
}

// The type of an integer literal as DaCe prints it: int, or with the suffixes U, LL, ULL.
result<Operand> ExpressionCompiler::integer(const ast::IntLiteral &literal, bool negative,
                                            ast::Position position) {
  const std::uint64_t magnitude = literal.magnitude;
  const auto bits = negative ? 0 - magnitude : magnitude;
  if (literal.type)
    return emitter_.constant(*literal.type, Value{.u = bits});
  const auto width = std::bit_width(magnitude);
  if (width <= 31)
    return emitter_.constant(ScalarType::Int32, Value{.u = bits});
  if (width == 32)
    return emitter_.constant(negative ? ScalarType::Int64 : ScalarType::UInt32, Value{.u = bits});
  if (width <= 63)
    return emitter_.constant(ScalarType::Int64, Value{.u = bits});
  if (negative)
    return cannot_run("the literal does not fit 64 bits", position);
  return emitter_.constant(ScalarType::UInt64, Value{.u = bits});
}

result<Operand> ExpressionCompiler::name(const ast::Name &name, ast::Position position) {
  // Names that DaCe replaces before it looks for anything else.
  if (name.text != "inf" && name.text != "nan")
    if (const std::optional<Operand> value = scope_.value(name.text))
      return *value;
  if (const std::optional<Operand> value = named_constant(name.text, emitter_))
    return *value;
  return cannot_run("name '" + name.text + "' is not known", position);
}

// An operator on a literal gives a literal in Python, before any C++ is printed.
std::optional<result<Operand>> ExpressionCompiler::folded(const ast::Unary &unary,
                                                          ast::Position position) {
  ast::IntLiteral literal{0, {}};
  if (const auto *const node = std::get_if<ast::BoolLiteral>(&unary.operand->node)) {
    literal.magnitude = node->value ? 1 : 0;
  } else if (const auto *const number = std::get_if<ast::IntLiteral>(&unary.operand->node)) {
    if (number->type)
      return std::nullopt; // C++
    literal = *number;
  } else if (const auto *const real = std::get_if<ast::RealLiteral>(&unary.operand->node)) {
    if (unary.op == ast::UnaryOp::Minus && real->type == ScalarType::Float64)
      return emitter_.real(-real->value);
    return std::nullopt;
  } else {
    return std::nullopt;
  }
  switch (unary.op) {
  case ast::UnaryOp::Plus:
    return integer(literal, false, position);
  case ast::UnaryOp::Minus:
    return integer(literal, literal.magnitude != 0, position);
  case ast::UnaryOp::Invert: // -x - 1
    if (literal.magnitude == std::numeric_limits<std::uint64_t>::max())
      return cannot_run("the literal does not fit 64 bits", position);
    ++literal.magnitude;
    return integer(literal, true, position);
  case ast::UnaryOp::Not:
    break;
  }
  return emitter_.boolean(literal.magnitude == 0);
}

result<Operand> ExpressionCompiler::unary(const ast::Unary &unary, ast::Position position) {
  if (std::optional<Compiled> literal = folded(unary, position))
    return std::move(*literal);
  if (const std::optional<double> multiple = multiple_of_pi(*unary.operand);
      multiple && unary.op == ast::UnaryOp::Minus)
    return emitter_.real(-*multiple * std::numbers::pi);
  SDFGOPT_TRY(const Operand operand, expression(*unary.operand));
  switch (unary.op) {
  case ast::UnaryOp::Plus:
    return emitter_.convert(operand, promoted(operand.type));
  case ast::UnaryOp::Minus:
    return emitter_.unary(Unary::Neg, operand);
  case ast::UnaryOp::Invert:
    if (is_float(operand.type))
      return cannot_run("operator ~ needs an integer", position);
    return emitter_.unary(Unary::Invert, operand);
  case ast::UnaryOp::Not:
    break;
  }
  return emitter_.logical_not(operand);
}

result<Operand> ExpressionCompiler::binary(BinaryOp op, Operand left, Operand right,
                                           ast::Position position) {
  const std::optional<Binary> operation = arithmetic(op);
  if (!operation)
    return cannot_run("operator '" + std::string(spelling(op)) + "' is not supported here",
                      position);
  if (*operation >= Binary::Rem && (is_float(left.type) || is_float(right.type)))
    return cannot_run("operator '" + std::string(spelling(op)) + "' needs integers", position);
  if (op == BinaryOp::Shl || op == BinaryOp::Shr) { // the type is that of the left operand
    const ScalarType type = promoted(left.type);
    return emitter_.binary(*operation, emitter_.convert(left, type), emitter_.convert(right, type));
  }
  const Operand value = emitter_.binary(*operation, left, right);
  if (op != BinaryOp::FloorDiv || !is_float(value.type))
    return value;
  return emitter_.convert(emitter_.math(Function::Floor, value), ScalarType::Int32);
}

// DaCe's pi takes the type of what it is computed with.
result<Operand> ExpressionCompiler::pi_operation(const ast::Binary &binary,
                                                 ast::Position position) {
  const std::optional<double> left = multiple_of_pi(*binary.left);
  const std::optional<double> right = multiple_of_pi(*binary.right);
  const bool scales = binary.op == BinaryOp::Add || binary.op == BinaryOp::Sub ||
                      binary.op == BinaryOp::Mul || binary.op == BinaryOp::Div;
  if (!scales || (left && right))
    return cannot_run("this use of pi is not supported", position);
  const double multiple = left ? *left : *right;
  SDFGOPT_TRY(const Operand other, expression(left ? *binary.right : *binary.left));
  const bool whole = binary.op == BinaryOp::Mul && other.type == ScalarType::Int32;
  const Operand pi = emitter_.real(multiple * std::numbers::pi);
  if (whole) // still pi, times a number; what it meets next would give it its type
    return emitter_.binary(Binary::Mul, pi, other);
  const Operand typed = emitter_.convert(pi, other.type);
  SDFGOPT_TRY(const Operand value, left ? this->binary(binary.op, typed, other, position)
                                        : this->binary(binary.op, other, typed, position));
  return emitter_.convert(value, other.type);
}

result<Operand> ExpressionCompiler::power(const ast::Binary &binary, ast::Position position) {
  const std::optional<double> exponent = literal_value(*binary.right);
  constexpr double largest = std::numeric_limits<std::uint32_t>::max();
  if (exponent == 0.0)
    return emitter_.integer(1, ScalarType::Int32); // whatever the base is
  SDFGOPT_TRY(const Operand base, expression(*binary.left));
  if (exponent && std::trunc(*exponent) == *exponent && std::abs(*exponent) <= largest) {
    const auto count = static_cast<std::uint64_t>(std::abs(*exponent));
    const Operand value = integer_power(base, count, emitter_);
    return *exponent < 0 ? reciprocal(value, emitter_) : value;
  }
  if (exponent && std::abs(*exponent) == 0.5) {
    SDFGOPT_TRY(const Operand root,
                compile_call("math.sqrt", std::span(&base, 1), emitter_, position));
    return *exponent < 0 ? reciprocal(root, emitter_) : root;
  }
  SDFGOPT_TRY(const Operand computed, expression(*binary.right));
  return interp::power(base, computed, emitter_);
}

result<Operand> ExpressionCompiler::compare(const ast::Compare &compare) {
  SDFGOPT_TRY(const Operand first, expression(*compare.first));
  std::vector<std::pair<CompareOp, Operand>> rest;
  for (const ast::Compare::Link &link : compare.rest) {
    SDFGOPT_TRY(const Operand operand, expression(*link.operand));
    rest.emplace_back(link.op, operand);
  }
  return chained(first, rest, emitter_);
}

result<Operand> ExpressionCompiler::logical(bool conjunction,
                                            const std::vector<ast::ExprPtr> &operands) {
  const Operand value = emitter_.new_operand(ScalarType::Bool);
  const Label done = emitter_.new_label();
  for (std::size_t k = 0; k < operands.size(); ++k) {
    SDFGOPT_TRY(const Operand operand, expression(*operands[k]));
    emitter_.assign(value, operand);
    if (k + 1 == operands.size())
      break;
    if (conjunction)
      emitter_.jump_if_not(value, done);
    else
      emitter_.jump_if(value, done);
  }
  emitter_.bind(done);
  return value;
}

// The result's type depends on both branches, and that of the second is known only once it is
// emitted; so the first branch's value is converted behind it.
result<Operand> ExpressionCompiler::conditional(const ast::Expr &condition, const ast::Expr &then,
                                                const ast::Expr &otherwise) {
  const Label second = emitter_.new_label();
  const Label convert_first = emitter_.new_label();
  const Label done = emitter_.new_label();
  SDFGOPT_TRY(const Operand test, expression(condition));
  emitter_.jump_if_not(test, second);
  SDFGOPT_TRY(const Operand a, expression(then));
  emitter_.jump(convert_first);
  emitter_.bind(second);
  SDFGOPT_TRY(const Operand b, expression(otherwise));
  const Operand value = emitter_.new_operand(common_type(a.type, b.type));
  emitter_.assign(value, b);
  emitter_.jump(done);
  emitter_.bind(convert_first);
  emitter_.assign(value, a);
  emitter_.bind(done);
  return value;
}

result<Operand> ExpressionCompiler::chained_call(CompareOp op, const ast::Call &call,
                                                 ast::Position position) {
  if (call.arguments.size() < 2)
    return cannot_run("function '" + call.function + "' takes another number of arguments",
                      position);
  SDFGOPT_TRY(const std::vector<Operand> operands, expressions(call.arguments));
  std::vector<std::pair<CompareOp, Operand>> rest;
  for (std::size_t k = 1; k < operands.size(); ++k)
    rest.emplace_back(op, operands[k]);
  return chained(operands.front(), rest, emitter_);
}

result<Operand> ExpressionCompiler::call(const ast::Call &call, ast::Position position) {
  const std::string &function = call.function;
  for (const auto &[name, op] : comparisons)
    if (function == name)
      return chained_call(op, call, position);
  const bool conjunction = function == "And" || function == "AND";
  if (conjunction || function == "Or" || function == "OR") {
    if (call.arguments.size() < 2)
      return cannot_run("function '" + function + "' takes another number of arguments", position);
    return logical(conjunction, call.arguments);
  }
  if (function == "IfExpr" && call.arguments.size() == 3)
    return conditional(*call.arguments[0], *call.arguments[1], *call.arguments[2]);
  if (function.ends_with(".pop") && call.arguments.empty())
    if (const auto value = scope_.value(function.substr(0, function.size() - 4)))
      return *value;
  SDFGOPT_TRY(const std::vector<Operand> arguments, expressions(call.arguments));
  return compile_call(function, arguments, emitter_, position);
}

} // namespace sdfgopt::interp
