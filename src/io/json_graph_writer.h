// Internal to io: prints IR elements as JSON in compact layout, remembered text where it still
// holds.
#pragma once

#include "io/member_splitter.h"
#include "io/object_plan.h"
#include "ir/scope_tree.h"
#include "ir/sdfg.h"

#include <functional>
#include <unordered_set>

namespace sdfgopt::io {

// The keys of containers in DaCe's order.
std::span<const std::string_view> block_key_order(const ir::Block &block);
std::span<const std::string_view> branch_key_order();
std::span<const std::string_view> sdfg_key_order();
std::span<const std::string_view> sdfg_attribute_key_order();

class GraphWriter {
public:
  explicit GraphWriter(std::string &out) : out_(out) {}

  /// Appends the whole SDFG. Where the root's hash is to be put in, `hash_at` is set to the offset
  /// of its 64 digits.
  void write_root(const ir::Sdfg &root);
  [[nodiscard]] std::optional<std::size_t> hash_at() const { return hash_at_; }
  /// Not all of the root was copied from its source.
  [[nodiscard]] bool wrote_anew() const { return dirty_.contains(root_); }

  // json_dataflow_writer.cpp
  void write_state_value(std::string_view key, const ir::Block &block, const ir::State &state);
  void write_node(const ir::State &state, const ir::ScopeTree &scopes, ir::NodeId id);
  void write_edge(const ir::Edge &edge, bool renumbered);
  void write_scope_dict(const ir::State &state, const ir::ScopeTree &scopes);
  // json_descriptor_writer.cpp
  void write_descriptor(const ir::Descriptor &descriptor);
  // json_control_writer.cpp
  void write_interstate_edge(const ir::InterstateEdge &edge, bool renumbered);

private:
  /// Marks the containers that cannot be copied as a whole; returns whether this one is such.
  bool find_dirty(const ir::Sdfg &sdfg);
  bool find_dirty(const ir::Region &region);
  bool find_dirty(const ir::Block &block);
  bool find_dirty(const ir::State &state);

  void write_sdfg(const ir::Sdfg &sdfg);
  void write_sdfg_attributes(const ir::Sdfg &sdfg);
  void write_sdfg_attribute(std::string_view key, const ir::Sdfg &sdfg);
  void write_region_value(std::string_view key, const ir::Region &region);
  void write_block(const ir::Block &block, std::size_t index, bool renumbered);
  void write_block_value(std::string_view key, const ir::Block &block, std::size_t index);
  void write_block_attribute(std::string_view key, const ir::Block &block);
  void write_branch(const ir::Branch &branch);
  void write_code(const ir::Code &code);
  void write_interstate_data(const ir::InterstateEdge &edge, std::string_view remembered);

  void write_node_attributes(const ir::Node &node, std::string_view remembered);
  void write_node_attribute(std::string_view key, const ir::Node &node);
  void write_connectors(const std::vector<ir::Connector> &connectors);
  void write_memlet(const ir::Memlet &memlet, std::string_view remembered);
  void write_memlet_attribute(std::string_view key, const ir::Memlet &memlet);
  void write_subset(const ir::Subset &subset);
  void write_expressions(const std::vector<symbolic::Expression> &list);
  void write_descriptor_attribute(std::string_view key, const ir::Descriptor &descriptor);

  void write_quoted(std::string_view text);
  /// `name`, or null for no name.
  void write_name(support::Name name);
  void write_boolean(bool value) { out_ += value ? "true" : "false"; }
  /// The object that a plan describes: members with text are copied, for others `emit(key)` prints
  /// the value.
  void write_plan(const std::vector<ir::Member> &plan,
                  const std::function<void(std::string_view)> &emit);
  /// `open`, the elements separated by commas, `close`.
  template <typename Range, typename Emit>
  void write_list(const Range &range, Emit emit, char open = '[', char close = ']') {
    out_ += open;
    bool first = true;
    for (const auto &element : range) {
      if (!first)
        out_ += ',';
      first = false;
      emit(element);
    }
    out_ += close;
  }

  std::string &out_;
  MemberSplitter splitter_;
  std::unordered_set<const void *> dirty_;
  const ir::Sdfg *root_ = nullptr;
  std::optional<std::size_t> hash_at_;
  std::optional<ir::ScopeTree> scopes_; // of the state being written
};

} // namespace sdfgopt::io
