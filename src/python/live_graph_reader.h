// Internal to the live reader: builds IR elements from DaCe's objects. One reader a document.
#pragma once

#include "python/live_expressions.h"
#include "python/live_reader.h"
#include "python/live_values.h"

namespace sdfgopt::python {

class LiveGraphReader {
public:
  explicit LiveGraphReader(LiveDocument &live);

  void read_sdfg(nb::handle object, ir::Sdfg &sdfg);

private:
  // live_reader.cpp
  void read_sdfg_attributes(nb::handle object, ir::Sdfg &sdfg);
  void read_region(nb::handle object, ir::Region &region);
  void read_block(nb::handle object, ir::Block &block);
  void read_loop(nb::handle object, ir::Block &block, ir::LoopRegion &loop);
  void read_branches(nb::handle object, ir::ConditionalBlock &block);
  void read_interstate_edge(nb::handle object, ir::InterstateEdge &edge,
                            ObjectMap<std::uint32_t> &positions);
  // live_descriptors.cpp
  void read_descriptors(nb::handle object, ir::Sdfg &sdfg);
  void read_descriptor(nb::handle object, ir::Descriptor &descriptor);
  // live_dataflow.cpp
  void read_state(nb::handle object, ir::State &state);
  void read_node(nb::handle object, ir::Node &node);
  void read_tasklet(nb::handle object, ir::Node &node);
  void read_map(nb::handle map, ir::MapEntry &entry);
  void read_consume(nb::handle consume, ir::ConsumeEntry &entry);
  void read_nested(nb::handle object, ir::NestedSdfg &nested);
  static nb::object symbolic_value(const nb::object &value);
  void read_connectors(nb::handle dict, std::vector<ir::Connector> &connectors);
  static void pair_scopes(nb::handle object, nb::handle nodes, ir::State &state);
  void read_edge(nb::handle object, const ir::State &state, ir::Edge &edge,
                 ObjectMap<std::uint32_t> &positions);
  void read_memlet(nb::handle object, const ir::State &state, ir::Edge &edge);
  ir::Subset read_subset(nb::handle object);
  /// All of the data of that name, if it exists.
  ir::Subset whole(nb::handle data);

  /// Which properties a class of descriptors has in a file, and its name there.
  struct DescriptorClass {
    support::Name type;
    ir::DescriptorKind kind = ir::DescriptorKind::Unknown;
    bool has_strides = false, has_total_size = false, has_offset = false, has_may_alias = false,
         has_optional = false;
  };
  enum class NodeKind : std::uint8_t {
    Access,
    Tasklet,
    MapEntry,
    MapExit,
    ConsumeEntry,
    ConsumeExit,
    Nested,
    Library,
    Unknown,
  };
  struct NodeClass {
    support::Name type;
    NodeKind kind = NodeKind::Unknown;
    support::Name class_path; ///< of library nodes
  };
  const DescriptorClass &descriptor_class(nb::handle object);
  const NodeClass &node_class(nb::handle object);
  static ir::NodeDetail node_detail(NodeKind kind);

  /// Numbers an object; its number as text.
  std::string_view add(nb::handle object);
  /// Numbers a leaf's object; its source. `attributes` is JSON without braces.
  std::string_view source(nb::handle object, std::string_view attributes = {});
  /// Expressions of a sequence.
  std::vector<symbolic::Expression> expressions(nb::handle sequence);
  /// Nothing for zero, which files leave out.
  symbolic::Expression unless_zero(nb::handle object);

  LiveDocument &live_;
  ir::Document &document_;
  ValueReader values_;
  ExpressionReader expressions_;
  std::unordered_map<PyTypeObject *, DescriptorClass> descriptor_classes_;
  std::unordered_map<PyTypeObject *, NodeClass> node_classes_;
  nb::object sdfg_type_;
  nb::object sdfg_; ///< that is being read
  unsigned nesting_ = 0;
  std::uint32_t next_state_ = 0;
};

} // namespace sdfgopt::python
