// Code that control flow and memlets hold: conditions, assignments, loop statements, conflict
// resolution.
#pragma once

#include "interp/code_compiler.h"
#include "interp/frame.h"

namespace sdfgopt::interp {

/// Names in code outside of tasklets: symbols, scalars, and elements of arrays.
class FrameScope final : public CodeScope {
public:
  explicit FrameScope(Frame &frame) : frame_(frame) {}
  std::optional<Operand> value(std::string_view name) override;
  support::result<Operand> load(std::string_view name, std::span<const Operand> index) override;
  support::result<void> store(std::string_view name, std::span<const Operand> index,
                              Operand value) override;
  support::result<bool> assign(std::string_view name, Operand value) override;

private:
  Frame &frame_;
};

/// The value of a condition or of an assignment on an interstate edge.
support::result<Operand> compile_condition(std::string_view python, Frame &frame);

/// `i = 0`, `i = i + 1`: statements that assign to symbols.
support::result<void> compile_loop_statement(std::string_view python, Frame &frame);

} // namespace sdfgopt::interp
