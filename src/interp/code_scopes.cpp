#include "interp/code_scopes.h"

#include "interp/code_parser.h"

namespace sdfgopt::interp {

std::optional<Operand> FrameScope::value(std::string_view name) {
  const Name known = frame_.unit().document.names.find(name);
  if (!known)
    return std::nullopt;
  if (const std::optional<Operand> symbol = frame_.declared_symbol(known))
    return symbol;
  if (!frame_.is_data(known))
    return std::nullopt;
  const support::result<Operand> scalar = frame_.element(known, {});
  return scalar.ok() ? std::optional(scalar.value()) : std::nullopt;
}

support::result<Operand> FrameScope::load(std::string_view name, std::span<const Operand> index) {
  std::vector<Operand> wide;
  for (const Operand i : index)
    wide.push_back(frame_.emitter().convert(i, ScalarType::Int64));
  return frame_.element(frame_.unit().document.names.intern(name), wide);
}

support::result<void> FrameScope::store(std::string_view name, std::span<const Operand>, Operand) {
  return cannot_run("control flow that writes to '" + std::string(name) + "'");
}

support::result<bool> FrameScope::assign(std::string_view name, Operand value) {
  const Name known = frame_.unit().document.names.find(name);
  if (!known || !frame_.is_assigned(known))
    return cannot_run("a loop statement that assigns to '" + std::string(name) +
                      "', which is not the loop's variable");
  frame_.emitter().assign(frame_.assigned_symbol(known), value);
  return true;
}

support::result<Operand> compile_condition(std::string_view python, Frame &frame) {
  SDFGOPT_TRY(const ast::ExprPtr expression, parse_expression(python));
  FrameScope scope(frame);
  return compile_expression(*expression, scope, frame.emitter());
}

support::result<void> compile_loop_statement(std::string_view python, Frame &frame) {
  SDFGOPT_TRY(const ast::Block block, parse_python(python));
  FrameScope scope(frame);
  return compile_statements(block, scope, frame.emitter());
}

} // namespace sdfgopt::interp
