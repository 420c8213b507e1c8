// What is known of symbols where a state runs, by control flow, and throughout the program, by what
// the file says of them.
#pragma once

#include "analysis/control_flow.h"
#include "sets/solver.h"

#include <optional>

namespace sdfgopt::analysis {

/// Conditions that hold whenever a state runs, and the values that loop variables have there.
///
/// Only what is certain: conditions of enclosing branches and loops, and of interstate edges that
/// every path to the state takes, in so far as they are about integer symbols that the program
/// never assigns, and about variables of enclosing loops that have a binder. Those have other
/// values each time the state runs (but one value within one run). A map parameter of the state, or
/// a symbol that a scope reads from data (StateGraph::parameters), may have the same name as a
/// symbol in a condition, and is something else then.
class KnownConditions {
public:
  /// Linear in the program but for a logarithm. `flow` must be of the same SDFG.
  KnownConditions(const ir::Sdfg &sdfg, const ControlFlow &flow, symbolic::Context &context);

  /// Comparisons, and disjunctions of them; outermost first, each once. Takes time in proportion
  /// to the depth of nesting, plus the number of edges with conditions on the way.
  [[nodiscard]] std::vector<symbolic::Expr> at(ir::StateId state) const;
  /// Loops around the state whose variable's values are known, outermost first; ranges of inner
  /// ones may name variables of outer ones. Every value that the variable has in the state is in
  /// the range, but not every value of the range need be taken: the loop may be left before, and
  /// the range may be wider. Steps are positive also where the loop counts down.
  [[nodiscard]] std::vector<sets::Binder> loop_binders(ir::StateId state) const;

private:
  friend class KnownConditionsBuilder;
  static constexpr std::uint32_t none = UINT32_MAX;
  /// What a branch, loop or edge adds to what is known around it.
  struct Level {
    std::uint32_t outer = none;
    std::vector<symbolic::Expr> conditions;
    std::optional<sets::Binder> binder;
  };
  [[nodiscard]] std::vector<const Level *> levels_around(ir::StateId state) const;

  std::vector<Level> levels_;
  std::unordered_map<std::uint32_t, std::uint32_t> of_state_; // by id; none: nothing is known
};

/// What types of symbols, and assumptions in shapes of the SDFG's own data (`symbol($N,
/// positive=True)`), say of integer symbols that the program never assigns, as comparisons; in the
/// order of the names. Assumptions that contradict each other are not believed.
std::vector<symbolic::Expr> annotated_facts(const ir::Sdfg &sdfg, const ControlFlow &flow,
                                            symbolic::Context &context);

} // namespace sdfgopt::analysis
