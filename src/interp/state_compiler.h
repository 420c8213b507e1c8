// The dataflow of one state to instructions.
#pragma once

#include "interp/frame.h"

#include <map>
#include <unordered_map>
#include <vector>

namespace sdfgopt::interp {

/// A part of data: begin, length and step of each dimension, Int64.
struct Box {
  struct Dimension {
    Operand begin;
    Operand length; ///< >= 0
    Operand step;
    bool single;                ///< one element whatever the symbols are
    symbolic::Expr extent = {}; ///< the length; equal lengths may have unequal ones
  };
  std::vector<Dimension> dimensions;
};

class StateCompiler {
public:
  StateCompiler(Frame &frame, const ir::State &state)
      : frame_(frame), emitter_(frame.emitter()), state_(state), graph_(frame.graph(state)) {
    index_paths();
  }

  /// Errors: ErrorCode::Unsupported, with the state and node as the place.
  support::result<void> compile(const std::string &state_place);

private:
  using NodeId = ir::NodeId;
  using EdgeId = ir::EdgeId;

  // order: steps are nodes, and copies, which are edges (state_steps.cpp)
  /// Node k is step k; edge k is step nodes + k.
  struct Steps {
    std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> of_scope;
    std::vector<std::vector<std::uint32_t>> successors;
    std::vector<std::uint32_t> waiting; ///< for so many steps
  };
  support::result<void> find_steps();
  support::result<void> level(NodeId scope);
  support::result<bool> is_copy(EdgeId edge);
  [[nodiscard]] std::uint64_t priority(std::uint32_t step, std::uint64_t steps_before) const;

  // the graph (state_steps.cpp)
  /// Edges by the scope node that they leave or enter, and their connector without IN_ or OUT_.
  using Paths = std::map<std::pair<NodeId, std::string_view>, EdgeId>;
  void index_paths();
  /// The node at the end of a memlet path. An error if the path is broken.
  support::result<NodeId> far_end(EdgeId edge, bool forward) const;
  [[nodiscard]] const ir::AccessNode *access(NodeId node) const {
    return state_.node(node).as<ir::AccessNode>();
  }
  [[nodiscard]] const ir::Descriptor *descriptor(NodeId access_node) const;
  /// The edge between a View and what it views.
  [[nodiscard]] EdgeId view_edge(NodeId view) const;
  [[nodiscard]] bool is_view_edge(EdgeId edge) const;
  [[nodiscard]] bool is_reference_set(EdgeId edge) const;

  // memory
  /// What an access node stands for; a View's memory is worked out here.
  support::result<DataRef> node_data(NodeId node);
  support::result<Box> box(const ir::Subset &subset);
  /// Whatever the symbols are.
  [[nodiscard]] bool is_one_element(const ir::Subset &subset) const;
  /// Address of a subset's first element.
  support::result<Operand> first(const DataRef &ref, const ir::Subset &subset);
  /// Data at the far end of a code node's edge.
  struct End {
    DataRef ref;
    const ir::Subset *subset;
    Operand address;                 ///< of the first element; none for streams
    std::optional<Operand> consumed; ///< the value that a consume scope took from a stream
  };
  support::result<End> end(EdgeId edge, bool forward);
  /// The same, of data with elements: not of a stream.
  support::result<End> array_end(EdgeId edge, bool forward);
  /// What a consume scope on the path took from the stream that the edge comes from.
  [[nodiscard]] std::optional<Operand> consumed_on_path(EdgeId edge) const;
  /// `value` into an element, by the memlet's conflict resolution if it has one.
  support::result<void> write(const DataRef &ref, Operand address, Operand value,
                              std::string_view wcr);

  // nodes
  support::result<void> node(NodeId id);
  support::result<void> map_scope(NodeId entry);
  ScalarType parameter_type(const ir::Range &range);
  support::result<void> consume_scope(NodeId entry);
  support::result<void> nested_sdfg(NodeId id);
  support::result<void> bind_connector(NodeId id, const ir::Descriptor &array, Frame &inner);
  support::result<bool> bind_stream(const End &outside, const ir::Descriptor &array, Frame &inner);
  class TaskletScope;
  support::result<void> tasklet(NodeId id); // tasklet_compiler.cpp
  support::result<void> set_reference(EdgeId edge);

  // copies (copies.cpp)
  struct Side {
    DataRef ref;
    Box box;
  };
  support::result<void> copy(EdgeId edge);
  Box whole_of(const DataRef &ref, const ir::Descriptor &descriptor);
  symbolic::Expr extent_of(const ir::Range &range);
  support::result<Box> left_out(const ir::Subset &told, const DataRef &ref,
                                const ir::Descriptor &descriptor);
  support::result<void> copy_elements(const Side &from, const Side &to, std::string_view wcr);
  support::result<void> copy_flat(const Side &from, const Side &to, std::string_view wcr);
  support::result<void> copy_to_stream(const Side &from, const DataRef &stream);
  support::result<void> copy_from_stream(const DataRef &stream, const Side &to);
  /// The same where a consume scope has taken the value already.
  support::result<void> copy_consumed(Operand value, const Side &to);
  /// The element of a side at a flat position, the last dimension running fastest.
  support::result<Operand> element_at(const Side &side, Operand position);
  Operand count(const Box &box);

  // library nodes (library_nodes.cpp)
  support::result<void> library_node(NodeId id);
  support::result<void> reduce(NodeId id);
  support::result<void> reduce_elements(const Side &source, const Side &target,
                                        const std::vector<std::size_t> &goes_to,
                                        std::string_view wcr);
  support::result<void> fill(NodeId id);
  support::result<void> set_all(const Side &side, Operand value, std::string_view wcr);
  /// The only edge with data on one side of a node, or the one at a connector.
  support::result<EdgeId> only_edge(NodeId id, bool out, std::string_view connector);

  void mark_place(NodeId node);
  [[nodiscard]] std::string place_of(NodeId node) const;
  /// The error with the node as its place, unless it has one.
  [[nodiscard]] support::Error at(NodeId node, support::Error error) const;

  Frame &frame_;
  Emitter &emitter_;
  const ir::State &state_;
  const analysis::StateGraph &graph_;
  std::string place_;
  Steps steps_;
  Paths onward_;
  Paths backward_;
  std::unordered_map<std::uint32_t, Operand> consumed_; // by consume entry
  std::map<std::pair<NodeId, Name>, Operand> passed_;   // outputs of tasklets that tasklets read
  std::vector<NodeId> viewing_;                         // Views whose memory is being worked out
};

} // namespace sdfgopt::interp
