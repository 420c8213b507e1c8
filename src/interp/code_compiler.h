// Code to instructions, with the meaning of the C++ that DaCe 2.0.0a10 prints for it.
//
// What that means, where it is not what Python means: local variables take the C++ type of their
// first value and live until the end of their block; `/` and `//` of integers cut towards 0 and `%`
// has the sign of the dividend; `and`, `or` and `not` give bool; of a chain `a < b < c` each
// comparison compares the result of the one before; the exponent's form decides how `**` is
// computed; functions without a module compute in double, those of `math` in the type of their
// argument; `for j in range(...)` counts in int until it meets the end exactly.
//
// Errors have ErrorCode::Unsupported (names, functions and types that are not known, operators that
// C++ does not have for a type) and end in line and column; the place is left to the caller.
#pragma once

#include "interp/code_ast.h"
#include "interp/emitter.h"
#include "support/result.h"

#include <optional>
#include <span>
#include <string_view>

namespace sdfgopt::interp {

/// What the names in code stand for that exist before it begins: connectors, symbols, parameters of
/// maps, constants, data. Asked each time a name occurs; what is emitted then may run under a
/// condition, so registers that such instructions fill must not be handed out again later.
class CodeScope {
public:
  virtual ~CodeScope() = default;

  /// The value of a name that is not indexed; nothing if there is no such name. The name of a
  /// stream takes a value from it.
  virtual std::optional<Operand> value(std::string_view name) = 0;

  /// `name[index, ...]`. Indices have any integer type. An error if there is nothing to index.
  virtual support::result<Operand> load(std::string_view name, std::span<const Operand> index) = 0;

  /// `name[index, ...] = value`; `value` is yet to be converted to the element's type.
  virtual support::result<void> store(std::string_view name, std::span<const Operand> index,
                                      Operand value) = 0;

  /// `name = value`, `value` yet to be converted. False if nothing of this name can be assigned
  /// to: then it is a local variable of the code, unless value() knows it.
  virtual support::result<bool> assign(std::string_view name, Operand value) = 0;
};

/// The value of an expression, in the type that C++ gives it.
support::result<Operand> compile_expression(const ast::Expr &expr, CodeScope &scope,
                                            Emitter &emitter);

support::result<void> compile_statements(const ast::Block &block, CodeScope &scope,
                                         Emitter &emitter);

/// The value of a lambda of two parameters, which have the operands' types.
support::result<Operand> compile_lambda(const ast::Lambda &lambda, Operand a, Operand b,
                                        Emitter &emitter);

} // namespace sdfgopt::interp
