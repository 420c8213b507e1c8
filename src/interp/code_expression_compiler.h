// Expressions to instructions; statements and lambdas are built on it (code_compiler.cpp).
#pragma once

#include "interp/code_compiler.h"

#include <vector>

namespace sdfgopt::interp {

class ExpressionCompiler {
public:
  ExpressionCompiler(CodeScope &scope, Emitter &emitter) : scope_(scope), emitter_(emitter) {}

  support::result<Operand> expression(const ast::Expr &expr);
  support::result<std::vector<Operand>> expressions(const std::vector<ast::ExprPtr> &exprs);
  /// Indices: the same, all of them integers.
  support::result<std::vector<Operand>> indices(const std::vector<ast::ExprPtr> &exprs);

  /// `left op right` for every operator but Pow.
  support::result<Operand> binary(ast::BinaryOp op, Operand left, Operand right,
                                  ast::Position position);

private:
  using Compiled = support::result<Operand>;

  Compiled integer(const ast::IntLiteral &literal, bool negative, ast::Position position);
  Compiled name(const ast::Name &name, ast::Position position);
  Compiled unary(const ast::Unary &unary, ast::Position position);
  std::optional<Compiled> folded(const ast::Unary &unary, ast::Position position);
  Compiled pi_operation(const ast::Binary &binary, ast::Position position);
  Compiled power(const ast::Binary &binary, ast::Position position);
  Compiled compare(const ast::Compare &compare);
  Compiled logical(bool conjunction, const std::vector<ast::ExprPtr> &operands);
  Compiled conditional(const ast::Expr &condition, const ast::Expr &then,
                       const ast::Expr &otherwise);
  Compiled call(const ast::Call &call, ast::Position position);
  Compiled chained_call(ast::CompareOp op, const ast::Call &call, ast::Position position);

  CodeScope &scope_;
  Emitter &emitter_;
};

} // namespace sdfgopt::interp
