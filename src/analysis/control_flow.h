// Program points of one SDFG and the order in which they can run.
//
// A point is a state, or a place that evaluates conditions, loop statements or assignments, or a
// mere junction. Arcs are possible steps of control. A path of arcs is a possible run as far as
// control flow alone can tell; a run that is possible always is a path (so "no path" can be relied
// on).
#pragma once

#include "ir/sdfg.h"

#include <span>
#include <unordered_map>
#include <vector>

namespace sdfgopt::analysis {

using PointId = ir::Id<'p'>;

/// Something a point evaluates, with the element that holds it, so that it can be rewritten.
struct Evaluation {
  std::string_view text;
  support::Name language;             ///< of the code; none: Python
  ir::InterstateEdge *edge = nullptr; ///< its condition (assignment is npos) or assignment
  std::size_t assignment = SIZE_MAX;
  ir::Branch *branch = nullptr;
  ir::Block *loop = nullptr; ///< one of its statements: the one whose text this is
};

class ControlFlow {
public:
  /// Linear in blocks, edges and points. `context` parses conditions.
  ControlFlow(ir::Sdfg &sdfg, symbolic::Context &context);

  [[nodiscard]] PointId entry() const { return PointId(0); }
  [[nodiscard]] PointId exit() const { return PointId(1); }
  [[nodiscard]] std::size_t size() const { return states_.size(); }
  [[nodiscard]] PointId point_of(ir::StateId state) const { return of_state_.at(state.value); }
  [[nodiscard]] ir::State *state_at(PointId point) const { return states_[point.value]; }
  [[nodiscard]] std::span<const PointId> successors(PointId point) const {
    return successors_.of(point);
  }
  [[nodiscard]] std::span<const PointId> predecessors(PointId point) const {
    return predecessors_.of(point);
  }
  [[nodiscard]] const std::vector<std::pair<PointId, Evaluation>> &evaluations() const {
    return evaluations_;
  }
  /// Names that interstate edges or loops assign to, sorted by text.
  [[nodiscard]] bool is_assigned(support::Name symbol) const;
  /// The SDFG has blocks of unknown types, or a region with no clear start: nothing can be said.
  [[nodiscard]] bool is_opaque() const { return opaque_; }

  /// Blocks around a state, for people: "outer_region/branch_2/"; "" at the top.
  [[nodiscard]] std::string path_of(ir::StateId state) const;
  [[nodiscard]] support::Name label_of(ir::StateId state) const { return labels_.at(state.value); }

  /// Place in an order that every path follows except around cycles; see `span_of`.
  [[nodiscard]] std::uint32_t order(PointId point) const { return order_[point.value]; }
  /// First and last place that a run can visit between leaving `point` and coming back to it: those
  /// of the outermost cycle around it, or just its own.
  [[nodiscard]] std::pair<std::uint32_t, std::uint32_t> span_of(PointId point) const;

private:
  friend class ControlFlowBuilder;
  /// Compressed lists, one a point.
  class Neighbours {
  public:
    void build(std::size_t count, const std::vector<std::pair<PointId, PointId>> &arcs);
    [[nodiscard]] std::span<const PointId> of(PointId point) const {
      return std::span(points_).subspan(first_[point.value],
                                        first_[point.value + 1] - first_[point.value]);
    }

  private:
    std::vector<std::uint32_t> first_;
    std::vector<PointId> points_;
  };
  std::vector<ir::State *> states_; // by point; null where it is none
  std::unordered_map<std::uint32_t, PointId> of_state_;
  std::unordered_map<std::uint32_t, std::string> paths_;
  std::unordered_map<std::uint32_t, support::Name> labels_;
  Neighbours successors_, predecessors_;
  std::vector<std::uint32_t> order_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> cycles_;
  std::vector<std::pair<PointId, Evaluation>> evaluations_;
  std::vector<support::Name> assigned_;
  bool opaque_ = false;
};

} // namespace sdfgopt::analysis
