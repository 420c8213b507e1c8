// Symbolic expressions (subsets, shapes, symbol mappings) to instructions.
#pragma once

#include "interp/emitter.h"
#include "support/result.h"
#include "symbolic/context.h"

#include <optional>
#include <span>

namespace sdfgopt::interp {

/// What names in an expression stand for where it is evaluated.
class SymbolScope {
public:
  virtual ~SymbolScope() = default;
  /// The register of a symbol; nothing if there is no such name.
  virtual std::optional<Operand> symbol(support::Name name) = 0;
  /// `name` is data that an expression may read.
  virtual bool is_data(support::Name name) = 0;
  /// An element of data; without an index, the value of a scalar. An error if there is no such
  /// data.
  virtual support::result<Operand> element(support::Name data, std::span<const Operand> index) = 0;
};

/// The value of `expression` as the C++ computes it that DaCe prints: int_floor and Mod cut towards
/// 0, int_ceil(a, b) is (a + b - 1) / b, fractions are computed in double. Integers are Int64
/// throughout. An error names what cannot be evaluated.
support::result<Operand> compile_symbolic(symbolic::Expr expression, SymbolScope &scope,
                                          Emitter &emitter);

/// The same as an Int64, for indices and sizes.
support::result<Operand> compile_integer(symbolic::Expr expression, SymbolScope &scope,
                                         Emitter &emitter);

} // namespace sdfgopt::interp
