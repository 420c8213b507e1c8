// Where the data of one SDFG is accessed: access nodes, conditions and assignments, and everything
// else that names it.
#pragma once

#include "analysis/control_flow.h"
#include "analysis/state_graph.h"

#include <memory>
#include <unordered_map>
#include <unordered_set>

namespace sdfgopt::analysis {

using support::Name;

/// An access node. Its non-empty in-edges write the data, its non-empty out-edges read it.
struct Site {
  ir::State *state;
  NodeId node;
  PointId point;
};

/// A condition, loop statement or assignment that names the data: a read.
struct Mention {
  PointId point;
  Evaluation evaluation;
};

class DataAccesses {
public:
  /// Linear in the SDFG. `flow` must be of the same SDFG and outlive this.
  DataAccesses(ir::Sdfg &sdfg, const ControlFlow &flow, const symbolic::Context &context);

  /// Access nodes of `data` (of its members as well, for a structure), in the order of their
  /// points.
  [[nodiscard]] const std::vector<Site> &sites(Name data) const;
  /// Those of them in the state of `place`.
  [[nodiscard]] std::span<const Site> sites_in(Name data, const Site &place) const;
  /// Those of them whose points have orders from `first` to `last`.
  [[nodiscard]] std::span<const Site> sites_between(Name data, std::uint32_t first,
                                                    std::uint32_t last) const;
  [[nodiscard]] const std::vector<Mention> &mentions(Name data) const;
  /// The name occurs in a symbolic expression (subset, range, shape, symbol mapping) or in code of
  /// another language than Python somewhere in the document: an access that cannot be followed.
  [[nodiscard]] bool is_named_elsewhere(Name data) const { return elsewhere_.contains(data); }
  /// A memlet names the data although none of the nodes that its path joins does, or the path is
  /// broken: an access that the sites do not show.
  [[nodiscard]] bool is_hidden(Name data) const { return hidden_.contains(data); }
  /// A View or Reference that may stand for `data`, or for a View of it; no name if there is none.
  [[nodiscard]] Name alias_of(Name data) const;

  /// An argument whose descriptor says that it may be the same memory as another one; or no name.
  [[nodiscard]] Name aliasing_argument() const { return aliasing_argument_; }

  /// All sites of `from` have become sites of `to`; nodes that were removed are forgotten.
  void merge(Name from, Name to);

  /// The graph of a state, built when first asked for.
  StateGraph &graph(const ir::State &state);

private:
  [[nodiscard]] bool before(const Site &a, const Site &b) const;
  void collect_sites(ir::Sdfg &sdfg, const support::NamePool &names);
  void collect_aliases(const ir::Sdfg &sdfg, const ir::State &state);
  void collect_hidden(const ir::State &state);
  void scan_words(std::string_view code, const ir::Sdfg &sdfg, const support::NamePool &names);
  void collect_code(const ir::Sdfg &sdfg, const support::NamePool &names);

  const ControlFlow &flow_;
  std::unordered_map<Name, std::vector<Site>> sites_;
  std::unordered_map<Name, std::vector<Mention>> mentions_;
  std::unordered_set<Name> elsewhere_;
  std::unordered_set<Name> hidden_;
  std::unordered_map<Name, Name> aliases_; // viewed data -> a view of it
  Name aliasing_argument_;
  std::unordered_map<const ir::State *, std::unique_ptr<StateGraph>> graphs_;
};

} // namespace sdfgopt::analysis
