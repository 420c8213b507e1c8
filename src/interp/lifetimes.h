// Where the memory of transients begins to be: as DaCe allocates them.
#pragma once

#include "analysis/state_graph.h"
#include "ir/sdfg.h"

#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace sdfgopt::interp {

using support::Name;

/// Graphs of the states of one SDFG.
using StateGraphs = std::unordered_map<const ir::State *, analysis::StateGraph>;

/// The part of an SDFG that a transient is fresh in each time it runs: a map scope of a state, a
/// state, or (both absent) the SDFG.
struct Home {
  const ir::State *state = nullptr;
  ir::NodeId scope;
};

class Lifetimes {
public:
  /// Linear in the SDFG, but for transients used in many nested scopes. `graphs` must hold its
  /// states.
  Lifetimes(const ir::Sdfg &sdfg, const StateGraphs &graphs);

  /// Transients that are fresh in each iteration of a scope, or in each run of a state (scope
  /// none), in file order.
  [[nodiscard]] const std::vector<Name> &fresh_in(const ir::State *state, ir::NodeId scope) const;
  /// Transients that live as long as a run of the SDFG and that a state uses, in file order.
  [[nodiscard]] const std::vector<Name> &lasting_in(const ir::State *state) const;
  /// Some access node of the data has setzero.
  [[nodiscard]] bool is_zeroed(Name data) const { return zeroed_.contains(data); }

private:
  void note(const ir::State &state, const analysis::StateGraph &graph, const ir::Node &node,
            ir::NodeId id);

  std::unordered_map<Name, Home> homes_;
  std::unordered_set<Name> zeroed_;
  std::unordered_map<const ir::State *, std::unordered_map<std::uint32_t, std::vector<Name>>>
      fresh_;
  std::unordered_map<const ir::State *, std::vector<Name>> lasting_;
};

} // namespace sdfgopt::interp
