// Expressions of any place in a program, told in the free symbols of the whole. Internal to
// symbol_problem.
#pragma once

#include "ir/sdfg.h"
#include "verify/symbol_problem.h"

#include <functional>
#include <memory>
#include <unordered_map>
#include <unordered_set>

namespace sdfgopt::verify {

/// What names mean at one place.
struct Scope {
  /// Names that an SDFG, a scope or a loop brings in, in free symbols and variables; Undefined
  /// where that cannot be told. Other names mean what they mean further out, and at last
  /// themselves.
  struct Frame {
    std::unordered_map<Name, Expr> meaning;
    std::shared_ptr<const Frame> outer;
  };
  /// Takes every value from `first` to `last`, which may depend on variables further out.
  struct Variable {
    Name name;
    Expr first;
    Expr last;
  };
  std::shared_ptr<const Frame> frame;
  std::vector<Variable> variables; ///< the outermost first
  std::vector<Expr> guards;        ///< hold wherever the place is reached

  /// Null: itself.
  [[nodiscard]] Expr meaning(Name name) const;
};

class ScopeBuilder {
public:
  ScopeBuilder(symbolic::Context &context, const std::vector<FreeSymbol> &symbols);

  [[nodiscard]] symbolic::Context &context() const { return context_; }
  Expr resolve(Expr e, const Scope &scope);
  Expr resolve(symbolic::Expression text, const Scope &scope) {
    return resolve(context_.value(text), scope);
  }
  /// Null if there is no condition, or it is not Python.
  Expr resolve(const std::optional<ir::Code> &code, const Scope &scope);

  /// Inside of an SDFG that stands in `outer`: `mapping` is what its node says of its symbols.
  Scope enter(const ir::Sdfg &sdfg, const Scope &outer,
              const std::vector<std::pair<Name, symbolic::Expression>> &mapping);
  Scope enter(const ir::Node &scope_entry, const Scope &outer);
  Scope enter(const ir::LoopRegion &loop, const Scope &outer);

  /// Calls `visit` with the expressions, which are of `scope`, at each corner of its variables'
  /// ranges: all variables that matter at their first or last value. Not all corners, if there are
  /// very many.
  void at_corners(const Scope &scope, const std::vector<Expr> &expressions,
                  const std::function<void(const std::vector<Expr> &)> &visit);

  /// `e` has a value for every (or nearly every) choice of the free symbols.
  bool is_arithmetic(Expr e);

private:
  void add_variable(Name name, Expr first, Expr last, Scope &scope, Scope::Frame &frame);
  bool uses(Expr e, Name name);

  symbolic::Context &context_;
  std::unordered_set<Name> free_;
  std::unordered_map<Expr, bool> arithmetic_;
  std::size_t variables_ = 0;
};

} // namespace sdfgopt::verify
