// Internal to io: builds IR elements from JSON values. One reader a document.
#pragma once

#include "io/json_cursor.h"
#include "io/member_splitter.h"

namespace sdfgopt::io {

class GraphReader {
public:
  GraphReader(ondemand::document &json, ir::Document &document)
      : cursor_(json, document), document_(document) {}

  void read_root(ondemand::value value);
  /// "state s2 'write_back', node n4": where the reader is, or was when it threw.
  [[nodiscard]] std::string place() const;

private:
  // json_control_reader.cpp
  void read_sdfg(ondemand::value value, ir::Sdfg &sdfg);
  void read_sdfg_attributes(ondemand::value value, ir::Sdfg &sdfg);
  void read_region_member(std::string_view key, ondemand::value value, ir::Container &container,
                          ir::Region &region);
  void read_blocks(ondemand::value value, ir::Region &region);
  void read_block(ondemand::value value, ir::Block &block);
  void read_block_member(std::string_view key, ondemand::value value, ir::Block &block);
  void read_block_attribute(std::string_view key, std::string_view text, ir::Block &block);
  /// `{"string_data": ..., "language": ...}` from text that was validated; null gives nothing.
  std::optional<ir::Code> code_from(std::string_view text);
  void read_branches(ondemand::value value, ir::ConditionalBlock &block);
  void read_branch(ondemand::value value, ir::Branch &branch);
  void read_interstate_edge(ondemand::value value, ir::InterstateEdge &edge);
  void read_interstate_data(ondemand::value value, ir::InterstateEdge &edge);
  // json_dataflow_reader.cpp
  void read_state_member(std::string_view key, ondemand::value value, ir::Block &block,
                         ir::State &state);
  void read_node(ondemand::value value, ir::Node &node);
  void read_node_attribute(std::string_view key, ondemand::value value, ir::Node &node);
  void read_nested(std::string_view key, ondemand::value value, ir::Node &node);
  void read_map(std::string_view key, ondemand::value value, ir::MapEntry &map);
  void read_connectors(ondemand::value value, std::vector<ir::Connector> &connectors);
  void read_edge(ondemand::value value, ir::Edge &edge);
  void read_memlet(ondemand::value value, ir::Memlet &memlet);
  void read_memlet_attribute(std::string_view key, ondemand::value value, ir::Memlet &memlet);
  ir::Subset read_subset(ondemand::value value);
  // json_descriptor_reader.cpp
  void read_descriptors(ondemand::value value, ir::Sdfg &sdfg);
  void read_descriptor(ondemand::value value, ir::Descriptor &descriptor);
  void read_descriptor_attribute(std::string_view key, ondemand::value value,
                                 ir::Descriptor &descriptor);

  /// The object's `type` as text; the object is rewound, so that it can then be iterated.
  std::string_view type_of(ondemand::object &object);
  /// Throws if one of `keys` is not among the members.
  static void require(const std::vector<ir::Member> &members,
                      std::initializer_list<std::string_view> keys);
  /// Adds a member that is passed on as it is; returns its text.
  std::string_view carry_into(std::vector<ir::Member> &members, std::string_view key,
                              ondemand::value value);

  /// Entered elements; left in place when an exception passes, so that place() can tell.
  struct Frame {
    const char *what;
    std::size_t index;
    std::string_view label;
  };
  void enter(const char *what, std::size_t index, std::string_view label = {});
  void leave() { path_.pop_back(); }

  JsonCursor cursor_;
  MemberSplitter splitter_;
  ir::Document &document_;
  std::vector<Frame> path_;
  unsigned nesting_ = 0;
  std::uint32_t next_state_ = 0;
};

} // namespace sdfgopt::io
