#include "io/text_graph_parser.h"

#include <algorithm>
#include <array>

namespace sdfgopt::io {

using ir::NodeId;
using support::ErrorCode;
using support::Name;

// --- states --------------------------------------------------------------------------------------

void TextGraphParser::parse_state(ir::Block &block) {
  block.type = intern("SDFGState");
  auto &state = block.detail.emplace<ir::State>();
  StateText text{state, StateBuilder(document_, rules_, state), {}, {}, {}};
  lexer_.expect("{");
  {
    const Level level(*this);
    for (;;) {
      lexer_.skip(true);
      if (lexer_.accept("}"))
        break;
      parse_state_item(text);
      lexer_.expect_statement_end();
    }
  }
  for (std::size_t i = 0; i < text.declared.size(); ++i)
    if (!text.declared[i])
      TextLexer::fault_at(text.mentioned[i] == SIZE_MAX ? lexer_.offset() : text.mentioned[i],
                          "node " + NodeId(i).str() + " is missing in this state");
  text.builder.build();
  fill_container(block, text.extras, {});
}

void TextGraphParser::parse_state_item(StateText &text) {
  const std::string_view word = lexer_.peek_word();
  if (parse_extra(word, text.extras))
    return;
  if (word == "edge")
    return parse_edge_statement(text);
  if (word == "order")
    return parse_order(text);
  parse_node(text, NodeId());
}

void TextGraphParser::parse_order(StateText &text) {
  text.builder.order_offset = lexer_.offset();
  lexer_.expect_word("order");
  do {
    const std::uint32_t first = lexer_.expect_id('e', "an edge's id");
    lexer_.expect(":");
    auto &block = text.builder.order.emplace_back(first, std::vector<std::uint32_t>()).second;
    while (const auto id = lexer_.accept_id('e'))
      block.push_back(*id);
  } while (lexer_.accept(","));
}

// --- nodes ---------------------------------------------------------------------------------------

NodeId TextGraphParser::mention(StateText &text, std::uint32_t number, std::size_t offset) {
  if (number >= text.declared.size()) {
    // A wrong number must not make the program allocate without bounds: each node takes some text.
    if (number > lexer_.offset() + 1000000)
      TextLexer::fault_at(offset, "nodes are numbered from n0 on without gaps", ErrorCode::Limit);
    const std::size_t size = std::size_t{number} + 1;
    text.declared.resize(size);
    text.mentioned.resize(size, SIZE_MAX);
    text.state.nodes.resize(size);
    text.builder.around.resize(size);
    text.builder.dangling.resize(size);
    text.builder.connectors.resize(size);
  }
  text.mentioned[number] = std::min(text.mentioned[number], offset);
  return NodeId(number);
}

NodeId TextGraphParser::declare(StateText &text, std::uint32_t number, std::size_t offset,
                                NodeId scope) {
  const NodeId id = mention(text, number, offset);
  if (text.declared[number])
    TextLexer::fault_at(offset, "node " + id.str() + " is there already");
  text.declared[number] = true;
  text.builder.around[number] = scope;
  text.state.node(id).changed = true;
  return id;
}

void TextGraphParser::parse_node(StateText &text, NodeId scope) {
  lexer_.skip();
  const std::size_t offset = lexer_.offset();
  const std::uint32_t number = lexer_.expect_id('n', scope.has_value() ? "a node (n0, n1, ...)"
                                                                       : "a node (n0, n1, ...), "
                                                                         "'edge' or '}'");
  parse_node_kind(text, declare(text, number, offset, scope));
}

void TextGraphParser::parse_node_kind(StateText &text, NodeId id) {
  const bool quoted = lexer_.peek() == '"';
  const std::string_view word = quoted ? std::string_view() : lexer_.peek_word();
  if (!is_keyword(word))
    return parse_access(text, id, false);
  if (word == "access")
    return parse_access(text, id, true);
  lexer_.expect_word(word);
  if (word == "tasklet")
    parse_tasklet(text, id);
  else if (word == "map")
    parse_map(text, id);
  else if (word == "consume")
    parse_consume(text, id);
  else if (word == "nested")
    parse_nested(text, id);
  else if (word == "library")
    parse_library(text, id);
  else if (word == "unknown")
    parse_unknown(text, id);
  else
    TextLexer::fault_at(lexer_.offset() - word.size(),
                        "expected data or a kind of node ('tasklet', 'map', 'nested', "
                        "'library', 'consume', 'unknown'), not '" +
                            std::string(word) + "'");
}

// Nodes are looked up by id after each nested call: a mention may have made the array grow.

void TextGraphParser::parse_access(StateText &text, NodeId id, bool any_name) {
  if (any_name)
    lexer_.expect_word("access");
  ir::Node &node = text.state.node(id);
  node.type = intern("AccessNode");
  auto &access = node.detail.emplace<ir::AccessNode>();
  access.data = intern(lexer_.name("the data's name", true));
  access.setzero = lexer_.accept_word("setzero");
  parse_connectors(text, id);
  parse_leaf_extras(LeafKind::Node, node);
  if (lexer_.accept("<-"))
    do {
      ToldEdge told = parse_operand(text, id, true);
      text.builder.told.push_back(std::move(told));
    } while (lexer_.accept(","));
  parse_outputs(text, id);
}

void TextGraphParser::parse_tasklet(StateText &text, NodeId id) {
  const Name label = optional_name("the tasklet's label");
  text.state.node(id).type = intern("Tasklet");
  text.state.node(id).label = label;
  text.state.node(id).detail = ir::Tasklet();
  parse_inputs(text, id);
  parse_outputs(text, id);
  parse_connectors(text, id);
  parse_code(text.state.node(id).as<ir::Tasklet>()->code);
  parse_leaf_extras(LeafKind::Node, text.state.node(id));
}

void TextGraphParser::parse_map(StateText &text, NodeId id) {
  const Name label = optional_name("the map's label");
  text.state.node(id).type = intern("MapEntry");
  text.state.node(id).label = label;
  ir::MapEntry map;
  if (lexer_.accept_open('[')) {
    std::vector<ir::Range> ranges;
    for (bool first = true; !lexer_.list_done(']', first);) {
      map.params.push_back(intern(lexer_.name("a parameter's name")));
      lexer_.expect("=");
      ranges.push_back(parse_range());
    }
    map.range = ir::Subset(std::move(ranges));
  } else if (lexer_.accept_open('(')) { // as many ranges as there happen to be
    for (bool first = true; !lexer_.list_done(')', first);)
      map.params.push_back(intern(lexer_.name("a parameter's name")));
    if (lexer_.peek() == '[')
      map.range = parse_subset();
  }
  if (lexer_.accept_word("schedule"))
    map.schedule = parse_json_or_word("a schedule");
  text.state.node(id).detail = std::move(map);
  parse_scope(text, id);
}

void TextGraphParser::parse_consume(StateText &text, NodeId id) {
  const Name label = optional_name("the consume scope's label");
  text.state.node(id).type = intern("ConsumeEntry");
  text.state.node(id).label = label;
  ir::ConsumeEntry consume;
  lexer_.expect_open('[');
  consume.pe_index = optional_name("the index's name");
  lexer_.expect("=");
  if (!lexer_.accept_word("none"))
    consume.num_pes = parse_expression(ExpressionEnd::Delimiter);
  if (!lexer_.accept_close(']'))
    lexer_.expected("']'");
  text.state.node(id).detail = consume;
  parse_scope(text, id);
}

/// Everything behind the header of a map or consume scope.
void TextGraphParser::parse_scope(StateText &text, NodeId id) {
  parse_inputs(text, id);
  parse_connectors(text, id);
  parse_leaf_extras(LeafKind::Node, text.state.node(id));
  lexer_.expect_word("exit");
  lexer_.skip();
  const std::size_t offset = lexer_.offset();
  const std::uint32_t number = lexer_.expect_id('n', "the exit's id (n0, n1, ...)");
  const NodeId exit = declare(text, number, offset, text.builder.around[id.value]);
  ir::Node &node = text.state.node(exit);
  if (auto *map = text.state.node(id).as<ir::MapEntry>()) {
    map->exit = exit;
    node.type = intern("MapExit");
    node.detail = ir::MapExit{id};
  } else {
    text.state.node(id).as<ir::ConsumeEntry>()->exit = exit;
    node.type = intern("ConsumeExit");
    node.detail = ir::ConsumeExit{id};
  }
  if (lexer_.accept_word("label")) {
    const Name label = intern(lexer_.name("the exit's label"));
    text.state.node(exit).label = label;
  }
  parse_outputs(text, exit);
  parse_connectors(text, exit);
  parse_leaf_extras(LeafKind::Node, text.state.node(exit));
  const Level level(*this);
  if (lexer_.accept(":"))
    return parse_node(text, id);
  lexer_.expect("{");
  for (;;) {
    lexer_.skip(true);
    if (lexer_.accept("}"))
      return;
    parse_node(text, id);
    lexer_.expect_statement_end();
  }
}

void TextGraphParser::parse_nested(StateText &text, NodeId id) {
  const Name label = optional_name("the nested SDFG's label");
  text.state.node(id).type = intern("NestedSDFG");
  text.state.node(id).label = label;
  parse_inputs(text, id);
  parse_outputs(text, id);
  parse_connectors(text, id);
  ir::NestedSdfg nested;
  if (lexer_.accept_word("symbols")) {
    lexer_.expect_open('(');
    for (bool first = true; !lexer_.list_done(')', first);) {
      const Name name = intern(lexer_.name("a symbol's name"));
      lexer_.expect("=");
      nested.symbol_mapping.emplace_back(name, parse_expression(ExpressionEnd::Delimiter));
    }
  }
  parse_leaf_extras(LeafKind::Node, text.state.node(id));
  if (lexer_.accept_word("sdfg")) {
    nested.sdfg = std::make_unique<ir::Sdfg>();
    parse_sdfg(*nested.sdfg);
  }
  text.state.node(id).detail = std::move(nested);
}

void TextGraphParser::parse_library(StateText &text, NodeId id) {
  ir::LibraryNode library{optional_name("the library node's class", true)};
  const Name label = optional_name("the library node's label");
  text.state.node(id).type = intern("LibraryNode");
  text.state.node(id).label = label;
  text.state.node(id).detail = library;
  parse_inputs(text, id);
  parse_outputs(text, id);
  parse_connectors(text, id);
  parse_leaf_extras(LeafKind::Node, text.state.node(id));
}

void TextGraphParser::parse_unknown(StateText &text, NodeId id) {
  lexer_.skip();
  const std::size_t offset = lexer_.offset();
  const Name type = intern(lexer_.name("the node's type", true));
  static constexpr auto known =
      std::to_array<std::string_view>({"AccessNode", "Tasklet", "MapEntry", "MapExit",
                                       "ConsumeEntry", "ConsumeExit", "NestedSDFG", "LibraryNode"});
  if (std::find(known.begin(), known.end(), type.view()) != known.end())
    TextLexer::fault_at(offset, "'" + type.str() + "' is a node type with a spelling of its own");
  text.state.node(id).type = type;
  text.state.node(id).detail = ir::UnknownNode();
  text.builder.connectors[id.value] = {true, true}; // they are among the unread attributes
  parse_inputs(text, id);
  parse_outputs(text, id);
  parse_leaf_extras(LeafKind::Node, text.state.node(id));
  text.state.node(id).changed = false;
}

} // namespace sdfgopt::io
