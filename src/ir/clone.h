// Deep copies of control flow and dataflow within one document.
#pragma once

#include "ir/sdfg.h"

namespace sdfgopt::ir {

/// A copy says all that its original says, unmodelled parts included, and is written with the same
/// text. Only the ids of its states are new: unique in the document, counted on from the highest
/// one.
class Cloner {
public:
  /// Linear in the document, whose states are counted.
  explicit Cloner(const Document &document);

  [[nodiscard]] Region region(const Region &original);
  [[nodiscard]] Block block(const Block &original);

  /// For a state that is no copy.
  [[nodiscard]] StateId new_state() { return StateId(next_state_++); }

  /// Original and copy of each state so far, in file order; those of nested SDFGs included.
  [[nodiscard]] const std::vector<std::pair<StateId, StateId>> &states() const { return states_; }

private:
  [[nodiscard]] BlockDetail detail(const BlockDetail &original);
  [[nodiscard]] State state(const State &original);
  [[nodiscard]] Node node(const Node &original);
  [[nodiscard]] NodeDetail detail(const NodeDetail &original);
  [[nodiscard]] std::unique_ptr<Sdfg> sdfg(const Sdfg &original);

  std::uint32_t next_state_ = 0;
  std::vector<std::pair<StateId, StateId>> states_;
};

/// Blocks, interstate edges, nodes and edges, those in nested SDFGs included; elements that are
/// marked as removed do not count.
std::size_t element_count(const Block &block);
std::size_t element_count(const Region &region);

} // namespace sdfgopt::ir
