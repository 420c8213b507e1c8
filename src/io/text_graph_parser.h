// Internal to io: builds a document from the text form. One parser a text.
#pragma once

#include "io/member_splitter.h"
#include "io/text_extras.h"
#include "io/text_lexer.h"
#include "io/text_rules.h"
#include "io/text_state_builder.h"

namespace sdfgopt::io {

class TextGraphParser {
public:
  TextGraphParser(TextLexer &lexer, ir::Document &document)
      : lexer_(lexer), document_(document), rules_(document) {}

  /// `sdfg NAME version "..." { ... }` to the end of the text; the layout line was read. Throws
  /// TextFault.
  void parse_root();

private:
  /// What a container has besides its children and typed fields.
  struct Extras {
    std::vector<ir::Member> properties; ///< of `attributes`
    std::vector<ir::Member> keys;       ///< of the object itself
    std::string_view frame;             ///< JSON of the whole, children left out
  };
  struct InterstateText {
    ir::InterstateEdge edge;
    std::pair<std::string_view, std::size_t> src; ///< label and offset, unless the id is known
    std::pair<std::string_view, std::size_t> dst;
  };
  /// A region while its body is read.
  struct RegionText {
    ir::Region &region;
    ir::Sdfg *sdfg = nullptr; ///< if the region is an SDFG's root
    bool branch = false;
    Extras extras;
    std::vector<InterstateText> edges;
    bool start_told = false;
    std::pair<std::string_view, std::size_t> start;
  };
  /// A state while it is read.
  struct StateText {
    ir::State &state;
    StateBuilder builder;
    Extras extras;
    std::vector<bool> declared;
    std::vector<std::size_t> mentioned; ///< by node: the first mention's offset
  };
  /// One level of braces.
  class Level {
  public:
    explicit Level(TextGraphParser &parser);
    ~Level() { --parser_.levels_; }

  private:
    TextGraphParser &parser_;
  };

  // text_graph_parser.cpp: SDFGs
  void parse_version();
  void parse_sdfg(ir::Sdfg &sdfg);
  bool parse_declaration(std::string_view word, ir::Sdfg &sdfg);
  void parse_descriptor(ir::Sdfg &sdfg, bool transient);
  void parse_descriptor_options(ir::Descriptor &descriptor);
  void parse_json_descriptor(ir::Sdfg &sdfg);
  std::vector<ir::Expression> parse_expressions();
  bool parse_extra(std::string_view word, Extras &extras);
  void fill_container(ir::Container &container, Extras &extras,
                      std::span<const std::string_view> typed_attributes);
  void number(ir::Sdfg &sdfg);
  void number(ir::Region &region);
  void number(ir::Container &container);
  support::Name intern(std::string_view text) { return document_.names.intern(text); }
  support::Name optional_name(const char *what, bool dots = false);
  std::string_view key_text(std::string_view name);
  ir::Expression parse_expression(ExpressionEnd end);
  std::string_view parse_json_or_word(const char *what);

  // text_region_parser.cpp: control flow
  void parse_region_body(RegionText &text);
  void parse_region_item(RegionText &text);
  void finish_region(RegionText &text);
  ir::BlockId find_block(const ir::Region &region,
                         const std::unordered_map<std::string_view, std::uint32_t> &labels,
                         const std::pair<std::string_view, std::size_t> &reference);
  void parse_block(std::string_view word, ir::Region &region);
  void parse_conditional(ir::Block &block);
  void parse_branch(ir::Branch &branch);
  void parse_loop(ir::Block &block);
  void parse_plain_region(ir::Block &block);
  void parse_jump(ir::Block &block);
  void parse_json_block(ir::Block &block);
  void parse_interstate_edge(RegionText &text);
  void parse_start(RegionText &text);
  std::pair<std::string_view, std::size_t> parse_block_reference();
  ir::Code parse_code_text();
  /// An optional language before code; Python if there is none.
  support::Name parse_language();

  // text_state_parser.cpp: dataflow
  void parse_state(ir::Block &block);
  void parse_state_item(StateText &text);
  void parse_node(StateText &text, ir::NodeId scope);
  void parse_node_kind(StateText &text, ir::NodeId id);
  void parse_access(StateText &text, ir::NodeId id, bool any_name);
  void parse_tasklet(StateText &text, ir::NodeId id);
  void parse_map(StateText &text, ir::NodeId id);
  void parse_consume(StateText &text, ir::NodeId id);
  void parse_scope(StateText &text, ir::NodeId id);
  void parse_nested(StateText &text, ir::NodeId id);
  void parse_library(StateText &text, ir::NodeId id);
  void parse_unknown(StateText &text, ir::NodeId id);
  ir::NodeId declare(StateText &text, std::uint32_t number, std::size_t offset, ir::NodeId scope);
  ir::NodeId mention(StateText &text, std::uint32_t number, std::size_t offset);
  void parse_order(StateText &text);
  // text_edge_parser.cpp
  void parse_edge_statement(StateText &text);
  void parse_inputs(StateText &text, ir::NodeId id);
  void parse_outputs(StateText &text, ir::NodeId id);
  void parse_connectors(StateText &text, ir::NodeId id);
  void parse_connector_list(std::vector<ir::Connector> &list);
  ToldEdge parse_operand(StateText &text, ir::NodeId id, bool input);
  void parse_end(StateText &text, ir::NodeId &node, support::Name &connector);
  void parse_memlet(ToldEdge &told);
  void parse_memlet_options(ToldEdge &told);
  ir::Range parse_range();
  ir::Subset parse_subset();
  void parse_code(ir::Code &code);
  void parse_leaf_extras(LeafKind kind, ir::Leaf &leaf);

  TextLexer &lexer_;
  ir::Document &document_;
  TextRules rules_;
  MemberSplitter splitter_;
  unsigned levels_ = 0;
  std::uint32_t next_state_ = 0;
  std::uint32_t next_graph_ = 0; // cfg_list_id
};

} // namespace sdfgopt::io
