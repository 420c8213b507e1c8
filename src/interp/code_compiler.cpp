// Statements and lambdas; expressions are in code_expression_compiler.cpp.
#include "interp/code_compiler.h"

#include "interp/code_error.h"
#include "interp/code_expression_compiler.h"
#include "interp/code_types.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

namespace sdfgopt::interp {

namespace {

using support::result;

/// The names around the code, and its local variables on top of them.
class LocalScope final : public CodeScope {
public:
  explicit LocalScope(CodeScope &outer) : outer_(outer) {}

  std::optional<Operand> value(std::string_view name) override {
    const std::optional<Operand> local = find(name);
    return local ? local : outer_.value(name);
  }
  result<Operand> load(std::string_view name, std::span<const Operand> index) override {
    return outer_.load(name, index);
  }
  result<void> store(std::string_view name, std::span<const Operand> index,
                     Operand value) override {
    return outer_.store(name, index, value);
  }
  result<bool> assign(std::string_view name, Operand value) override {
    return outer_.assign(name, value);
  }

  [[nodiscard]] std::optional<Operand> find(std::string_view name) const {
    for (auto it = variables_.rbegin(); it != variables_.rend(); ++it)
      if (it->name == name)
        return it->operand;
    return std::nullopt;
  }
  void declare(std::string_view name, Operand operand) {
    variables_.push_back({std::string(name), operand});
  }
  [[nodiscard]] std::size_t size() const { return variables_.size(); }
  void shrink(std::size_t size) { variables_.resize(size); }

private:
  struct Variable {
    std::string name;
    Operand operand;
  };
  CodeScope &outer_;
  std::vector<Variable> variables_; // those of inner blocks last
};

/// Parameters of a lambda; it sees nothing else.
class ParameterScope final : public CodeScope {
public:
  ParameterScope(const ast::Lambda &lambda, Operand a, Operand b)
      : lambda_(lambda), operands_{a, b} {}

  std::optional<Operand> value(std::string_view name) override {
    const auto found = std::ranges::find(lambda_.parameters, name);
    if (found == lambda_.parameters.end())
      return std::nullopt;
    return operands_[static_cast<std::size_t>(found - lambda_.parameters.begin())];
  }
  result<Operand> load(std::string_view name, std::span<const Operand> /*index*/) override {
    return cannot_run("'" + std::string(name) + "' cannot be indexed in a lambda",
                      lambda_.body->position);
  }
  result<void> store(std::string_view /*name*/, std::span<const Operand> /*index*/,
                     Operand /*value*/) override {
    return cannot_run("a lambda cannot assign", lambda_.body->position);
  }
  result<bool> assign(std::string_view /*name*/, Operand /*value*/) override { return false; }

private:
  const ast::Lambda &lambda_;
  std::array<Operand, 2> operands_;
};

class StatementCompiler {
public:
  StatementCompiler(CodeScope &scope, Emitter &emitter)
      : scope_(scope), locals_(scope), emitter_(emitter), expressions_(locals_, emitter) {}

  result<void> block(const ast::Block &block);

private:
  struct LoopLabels {
    Label next;
    Label done;
  };

  result<void> statement(const ast::Stmt &statement);
  result<void> assign(const ast::Assign &assign);
  result<void> assign_value(const ast::Target &target, Operand value);
  result<void> augmented(const ast::AugAssign &assign);
  result<void> branches(const ast::If &branches);
  result<void> while_loop(const ast::While &loop);
  result<void> for_loop(const ast::For &loop);
  result<void> body(const ast::Block &body, LoopLabels labels);
  result<void> jump_out(bool done, ast::Position position);
  result<void> evaluate(const ast::Evaluate &statement);
  /// A register of its own, so that later assignments to variables do not change it.
  Operand copied(Operand value, ScalarType type);

  CodeScope &scope_;
  LocalScope locals_;
  Emitter &emitter_;
  ExpressionCompiler expressions_;
  std::vector<LoopLabels> loops_;
  unsigned depth_ = 0; // of blocks
};

result<void> StatementCompiler::block(const ast::Block &block) {
  const std::size_t before = locals_.size();
  ++depth_;
  for (const ast::Stmt &each : block)
    SDFGOPT_CHECK(statement(each));
  --depth_;
  locals_.shrink(before);
  return {};
}

result<void> StatementCompiler::statement(const ast::Stmt &statement) {
  if (const auto *const node = std::get_if<ast::Assign>(&statement.node))
    return assign(*node);
  if (const auto *const node = std::get_if<ast::AugAssign>(&statement.node))
    return augmented(*node);
  if (const auto *const node = std::get_if<ast::If>(&statement.node))
    return branches(*node);
  if (const auto *const node = std::get_if<ast::While>(&statement.node))
    return while_loop(*node);
  if (const auto *const node = std::get_if<ast::For>(&statement.node))
    return for_loop(*node);
  if (const auto *const node = std::get_if<ast::Evaluate>(&statement.node))
    return evaluate(*node);
  return jump_out(std::holds_alternative<ast::Break>(statement.node), statement.position);
}

Operand StatementCompiler::copied(Operand value, ScalarType type) {
  const Operand copy = emitter_.new_operand(type);
  emitter_.assign(copy, value);
  return copy;
}

result<void> StatementCompiler::assign(const ast::Assign &assign) {
  const ast::Target &target = assign.target;
  std::optional<ScalarType> type;
  if (!assign.type.empty()) {
    type = type_named(assign.type);
    if (!type)
      return cannot_run("type '" + assign.type + "' is not known", target.position);
  }
  if (assign.value == nullptr) {
    // C++ leaves the variable undefined; a fixed value keeps runs alike.
    if (!locals_.find(target.name))
      locals_.declare(target.name, copied(emitter_.integer(0), type.value_or(ScalarType::Int32)));
    return {};
  }
  SDFGOPT_TRY(Operand value, expressions_.expression(*assign.value));
  if (type)
    value = emitter_.convert(value, *type);
  return assign_value(target, value);
}

result<void> StatementCompiler::assign_value(const ast::Target &target, Operand value) {
  if (!target.indices.empty()) {
    SDFGOPT_TRY(const std::vector<Operand> index, expressions_.indices(target.indices));
    return scope_.store(target.name, index, value);
  }
  if (const std::optional<Operand> local = locals_.find(target.name)) {
    emitter_.assign(*local, value);
    return {};
  }
  SDFGOPT_TRY(const bool assigned, scope_.assign(target.name, value));
  if (assigned)
    return {};
  if (target.name.find('.') != std::string::npos)
    return cannot_run("a member cannot be assigned to", target.position);
  // An input is a variable as well, with the type that it has.
  const std::optional<Operand> input = scope_.value(target.name);
  if (input && depth_ > 1)
    return cannot_run("an assignment to '" + target.name + "' inside of a block is not supported",
                      target.position);
  locals_.declare(target.name, copied(value, input ? input->type : value.type));
  return {};
}

result<void> StatementCompiler::augmented(const ast::AugAssign &assign) {
  const ast::Target &target = assign.target;
  std::optional<Operand> before;
  std::vector<Operand> index;
  if (target.indices.empty()) {
    before = locals_.value(target.name);
    if (!before)
      return cannot_run("name '" + target.name + "' is not known", target.position);
  } else {
    SDFGOPT_TRY(index, expressions_.indices(target.indices));
    SDFGOPT_TRY(before, scope_.load(target.name, index));
  }
  SDFGOPT_TRY(const Operand operand, expressions_.expression(*assign.value));
  SDFGOPT_TRY(const Operand value,
              expressions_.binary(assign.op, *before, operand, target.position));
  if (!target.indices.empty())
    return scope_.store(target.name, index, value);
  return assign_value(target, value);
}

result<void> StatementCompiler::branches(const ast::If &branches) {
  const Label done = emitter_.new_label();
  for (const ast::If::Branch &branch : branches.branches) {
    const Label next = emitter_.new_label();
    SDFGOPT_TRY(const Operand condition, expressions_.expression(*branch.condition));
    emitter_.jump_if_not(condition, next);
    SDFGOPT_CHECK(block(branch.body));
    emitter_.jump(done);
    emitter_.bind(next);
  }
  SDFGOPT_CHECK(block(branches.otherwise));
  emitter_.bind(done);
  return {};
}

result<void> StatementCompiler::body(const ast::Block &body, LoopLabels labels) {
  loops_.push_back(labels);
  SDFGOPT_CHECK(block(body));
  loops_.pop_back();
  return {};
}

result<void> StatementCompiler::while_loop(const ast::While &loop) {
  const LoopLabels labels{emitter_.new_label(), emitter_.new_label()};
  emitter_.bind(labels.next);
  emitter_.emit(Op::Burn);
  SDFGOPT_TRY(const Operand condition, expressions_.expression(*loop.condition));
  emitter_.jump_if_not(condition, labels.done);
  SDFGOPT_CHECK(body(loop.body, labels));
  emitter_.jump(labels.next);
  emitter_.bind(labels.done);
  return {};
}

// DaCe's range counts an int from begin by step until it equals end: a step that passes the end
// goes on, and only the fuel stops it.
result<void> StatementCompiler::for_loop(const ast::For &loop) {
  SDFGOPT_TRY(const std::vector<Operand> range, expressions_.expressions(loop.range));
  const Operand zero = emitter_.integer(0, ScalarType::Int32);
  const Operand one = emitter_.integer(1, ScalarType::Int32);
  const Operand counter = copied(range.size() == 1 ? zero : range[0], ScalarType::Int32);
  const Operand end = copied(range.size() == 1 ? range[0] : range[1], ScalarType::Int32);
  const Operand step = copied(range.size() == 3 ? range[2] : one, ScalarType::Int32);
  const Label again = emitter_.new_label();
  const LoopLabels labels{emitter_.new_label(), emitter_.new_label()};
  emitter_.bind(again);
  emitter_.jump_if_not(emitter_.binary(Binary::Ne, counter, end), labels.done);
  emitter_.emit(Op::Burn);
  const std::size_t before = locals_.size();
  locals_.declare(loop.variable, copied(counter, ScalarType::Int32));
  SDFGOPT_CHECK(body(loop.body, labels));
  locals_.shrink(before);
  emitter_.bind(labels.next);
  emitter_.assign(counter, emitter_.binary(Binary::Add, counter, step));
  emitter_.jump(again);
  emitter_.bind(labels.done);
  return {};
}

result<void> StatementCompiler::jump_out(bool done, ast::Position position) {
  if (loops_.empty())
    return syntax_error("break and continue belong into a loop", position);
  emitter_.jump(done ? loops_.back().done : loops_.back().next);
  return {};
}

result<void> StatementCompiler::evaluate(const ast::Evaluate &statement) {
  const auto *const binary = std::get_if<ast::Binary>(&statement.value->node);
  if (binary != nullptr && (binary->op == ast::BinaryOp::Shl || binary->op == ast::BinaryOp::Shr))
    return {}; // a memlet in DaCe's old notation, which it leaves out
  if (const auto *const call = std::get_if<ast::Call>(&statement.value->node)) {
    if (call->function.starts_with("define_"))
      return {}; // left out as well
    const std::size_t dot = call->function.rfind(".push");
    if (call->arguments.size() == 1 && dot != std::string::npos &&
        dot + 5 == call->function.size()) {
      SDFGOPT_TRY(const Operand value, expressions_.expression(*call->arguments[0]));
      SDFGOPT_TRY(const bool pushed, scope_.assign(call->function.substr(0, dot), value));
      if (pushed)
        return {};
    }
  }
  SDFGOPT_TRY([[maybe_unused]] const Operand unused, expressions_.expression(*statement.value));
  return {};
}

} // namespace

result<Operand> compile_expression(const ast::Expr &expr, CodeScope &scope, Emitter &emitter) {
  return ExpressionCompiler(scope, emitter).expression(expr);
}

result<void> compile_statements(const ast::Block &block, CodeScope &scope, Emitter &emitter) {
  return StatementCompiler(scope, emitter).block(block);
}

result<Operand> compile_lambda(const ast::Lambda &lambda, Operand a, Operand b, Emitter &emitter) {
  if (lambda.parameters.size() != 2)
    return cannot_run("the lambda must take two arguments", lambda.body->position);
  ParameterScope scope(lambda, a, b);
  return ExpressionCompiler(scope, emitter).expression(*lambda.body);
}

} // namespace sdfgopt::interp
