// Internal to io: prints the IR in the text form. The document must be as read from a file in
// compact layout: every element has its text, nothing is changed.
#pragma once

#include "io/text_extras.h"
#include "io/text_rules.h"
#include "io/text_spelling.h"
#include "io/text_state_plan.h"

namespace sdfgopt::io {

/// Thrown where the typed spelling ends: scopes or blocks nested too deeply for the parser.
struct TextPrintLimit {};

class TextGraphPrinter {
public:
  TextGraphPrinter(ir::Document &document, bool full)
      : document_(document), full_(full), rules_(document), extras_(full),
        spelling_(document.grammar, rules_) {}

  /// The whole document, without the layout line.
  std::string print_root();
  /// One block, if `only` names one.
  std::optional<std::string> print_only(const std::string &only);

private:
  /// One level of braces and indentation.
  class Level {
  public:
    explicit Level(TextGraphPrinter &printer);
    ~Level() { --printer_.levels_; }

  private:
    TextGraphPrinter &printer_;
  };
  /// What the parser makes of a container, but for its children.
  struct Standard {
    std::vector<std::pair<std::string_view, std::string>> members;    ///< generated
    std::vector<std::pair<std::string_view, std::string>> attributes; ///< generated
    std::vector<std::string_view> typed;      ///< attributes that are spelled as declarations
    std::vector<std::string_view> remembered; ///< members that the parser puts in itself
    std::span<const std::string_view> order;
    std::span<const std::string_view> attribute_order; ///< empty: attributes stand as told
    std::vector<std::string_view> needed_attributes;   ///< the writer adds them
  };

  // text_graph_printer.cpp
  void print_sdfg(ir::Sdfg &sdfg);
  void number(const ir::Sdfg &sdfg);
  void number(const ir::Region &region);
  void print_declarations(ir::Sdfg &sdfg);
  void print_descriptor(ir::Descriptor &descriptor);
  std::string descriptor_options(const ir::Descriptor &descriptor);
  Standard standard_sdfg(const ir::Sdfg &sdfg);
  // text_container_printer.cpp
  void print_container(const ir::Container &container, const Standard &standard);
  bool is_standard(const ir::Container &container, const Standard &standard,
                   const std::vector<ir::Member> &keys, const std::vector<ir::Member> &properties);
  void print_frame(const ir::Container &container, const Standard &standard);

  // text_region_printer.cpp
  void print_region(ir::Region &region, bool branch);
  void print_block(ir::Block &block, std::size_t index);
  void print_state(ir::Block &block, ir::State &state, std::size_t index);
  void print_conditional(ir::Block &block, ir::ConditionalBlock &conditional, std::size_t index);
  void print_loop(ir::Block &block, ir::LoopRegion &loop, std::size_t index);
  void print_plain_region(ir::Block &block, ir::PlainRegion &plain, std::size_t index);
  void print_interstate_edge(ir::InterstateEdge &edge, const std::vector<std::string> &names);
  Standard standard_block(const ir::Block &block, std::size_t index);
  Standard standard_branch(const ir::Branch &branch);
  std::string start_text(const ir::Region &region) const;
  bool find_only(ir::Region &region, const std::string &path, const std::string &exact,
                 const std::string &only);

  // text_state_printer.cpp
  void print_nodes(ir::State &state, StatePlan &plan, const std::vector<ir::NodeId> &nodes);
  void print_node(ir::State &state, StatePlan &plan, ir::NodeId id);
  void print_scope(ir::State &state, StatePlan &plan, ir::NodeId id);
  void print_nested(ir::NestedSdfg &nested, const std::string &extras);
  std::string node_header(const ir::State &state, ir::NodeId id);
  std::string inputs(const ir::State &state, const StatePlan &plan, ir::NodeId id);
  std::string outputs(const ir::State &state, const StatePlan &plan, ir::NodeId id);
  std::string operand(const ir::State &state, const StatePlan &plan, const ListedEdge &listed,
                      bool input);
  std::string edge_tail(const ir::State &state, const StatePlan &plan, std::uint32_t edge);
  std::string operand_list(const std::vector<std::string> &operands);
  std::string connectors(const ir::State &state, const StatePlan &plan, ir::NodeId id);
  std::string node_extras(ir::State &state, const StatePlan &plan, ir::NodeId id);

  [[nodiscard]] std::string indent() const { return std::string(2 * std::size_t{levels_}, ' '); }
  void line(const std::string &text) { ((out_ += indent()) += text) += '\n'; }
  static std::string with_space(const std::string &text) {
    return text.empty() ? text : " " + text;
  }

  ir::Document &document_;
  bool full_;
  TextRules rules_;
  LeafExtras extras_;
  TextSpelling spelling_;
  std::string out_;
  unsigned levels_ = 0;
  std::uint32_t next_graph_ = 0; // cfg_list_id
  std::unordered_map<const ir::Container *, std::uint32_t> graph_numbers_;
};

} // namespace sdfgopt::io
