#include "interp/code_uses.h"

#include <algorithm>

namespace sdfgopt::interp {

namespace {

// Recursion is bounded by ast::max_depth and ast::max_nesting.
class Collector {
public:
  void block(const ast::Block &block) {
    for (const ast::Stmt &statement : block)
      std::visit([this](const auto &node) { visit(node); }, statement.node);
  }

  CodeUses uses;

private:
  void expression(const ast::ExprPtr &expr) {
    if (expr)
      std::visit([this](const auto &node) { visit(node); }, expr->node);
  }
  void expressions(const std::vector<ast::ExprPtr> &list) {
    for (const ast::ExprPtr &expr : list)
      expression(expr);
  }
  void name(const std::string &name, const std::vector<ast::ExprPtr> &indices) {
    (indices.empty() ? uses.bare : uses.indexed).insert(name);
    expressions(indices);
  }

  void visit(const ast::BoolLiteral & /*node*/) {}
  void visit(const ast::IntLiteral & /*node*/) {}
  void visit(const ast::RealLiteral & /*node*/) {}
  void visit(const ast::Name &node) { uses.bare.insert(node.text); }
  void visit(const ast::Unary &node) { expression(node.operand); }
  void visit(const ast::Binary &node) {
    expression(node.left);
    expression(node.right);
  }
  void visit(const ast::Compare &node) {
    expression(node.first);
    for (const ast::Compare::Link &link : node.rest)
      expression(link.operand);
  }
  void visit(const ast::Logical &node) { expressions(node.operands); }
  void visit(const ast::Conditional &node) {
    expression(node.condition);
    expression(node.then);
    expression(node.otherwise);
  }
  void visit(const ast::Call &node) {
    // `s.push(x)` uses s.
    uses.bare.insert(node.function.substr(0, node.function.rfind('.')));
    expressions(node.arguments);
  }
  void visit(const ast::Subscript &node) { name(node.name, node.indices); }

  void visit(const ast::Assign &node) {
    name(node.target.name, node.target.indices);
    expression(node.value);
  }
  void visit(const ast::AugAssign &node) {
    name(node.target.name, node.target.indices);
    expression(node.value);
  }
  void visit(const ast::If &node) {
    uses.branches = true;
    for (const ast::If::Branch &branch : node.branches) {
      expression(branch.condition);
      block(branch.body);
    }
    block(node.otherwise);
  }
  void visit(const ast::While &node) {
    uses.branches = true;
    expression(node.condition);
    block(node.body);
  }
  void visit(const ast::For &node) {
    uses.branches = true;
    expressions(node.range);
    block(node.body);
  }
  void visit(const ast::Break & /*node*/) {}
  void visit(const ast::Continue & /*node*/) {}
  void visit(const ast::Evaluate &node) { expression(node.value); }
};

} // namespace

CodeUses uses_of(const ast::Block &block) {
  Collector collector;
  collector.block(block);
  return std::move(collector.uses);
}

bool any_float(const ast::Expr &expr, const std::function<bool(std::string_view)> &is_float_name) {
  const auto inner = [&](const ast::ExprPtr &part) { return any_float(*part, is_float_name); };
  if (std::holds_alternative<ast::RealLiteral>(expr.node))
    return true;
  if (const auto *name = std::get_if<ast::Name>(&expr.node))
    return is_float_name(name->text);
  if (const auto *unary = std::get_if<ast::Unary>(&expr.node))
    return inner(unary->operand);
  if (const auto *binary = std::get_if<ast::Binary>(&expr.node))
    return inner(binary->left) || inner(binary->right);
  if (const auto *choice = std::get_if<ast::Conditional>(&expr.node))
    return inner(choice->then) || inner(choice->otherwise);
  if (const auto *element = std::get_if<ast::Subscript>(&expr.node))
    return is_float_name(element->name);
  if (const auto *call = std::get_if<ast::Call>(&expr.node))
    return std::any_of(call->arguments.begin(), call->arguments.end(), inner);
  return false; // comparisons and whole numbers
}

} // namespace sdfgopt::interp
