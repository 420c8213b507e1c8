#include "io/text_graph_parser.h"

namespace sdfgopt::io {

using ir::NodeId;
using support::Name;

// --- edges ---------------------------------------------------------------------------------------

void TextGraphParser::parse_end(StateText &text, NodeId &node, Name &connector) {
  lexer_.skip();
  const std::size_t offset = lexer_.offset();
  node = mention(text, lexer_.expect_id('n', "a node (n0, n1, ...)"), offset);
  if (lexer_.accept("."))
    connector = intern(lexer_.name("a connector's name"));
}

ToldEdge TextGraphParser::parse_operand(StateText &text, NodeId id, bool input) {
  ToldEdge told;
  lexer_.skip();
  told.offset = lexer_.offset();
  ir::Edge &edge = told.edge;
  Name &own_connector = input ? edge.dst_connector : edge.src_connector;
  Name &far_connector = input ? edge.src_connector : edge.dst_connector;
  // `conn = n3 ...` or `n3 ...`; a connector may itself be called n3.
  const std::size_t begin = lexer_.offset();
  const auto number = lexer_.peek() == '"' ? std::nullopt : lexer_.accept_id('n');
  if (number && lexer_.peek() != '=') {
    const NodeId far = mention(text, *number, begin);
    (input ? edge.src : edge.dst) = far;
    if (lexer_.accept("."))
      far_connector = intern(lexer_.name("a connector's name"));
  } else {
    own_connector =
        intern(number ? "n" + std::to_string(*number)
                      : std::string(lexer_.name("a connector or a node (n0, n1, ...)")));
    lexer_.expect("=");
    parse_end(text, input ? edge.src : edge.dst, far_connector);
  }
  (input ? edge.dst : edge.src) = id;
  if (lexer_.accept_word("via"))
    told.via = intern(lexer_.name("what follows IN_ and OUT_"));
  parse_memlet(told);
  return told;
}

void TextGraphParser::parse_inputs(StateText &text, NodeId id) {
  if (!lexer_.accept_open('('))
    return;
  for (bool first = true; !lexer_.list_done(')', first);) {
    ToldEdge told = parse_operand(text, id, true);
    text.builder.told.push_back(std::move(told));
  }
}

void TextGraphParser::parse_outputs(StateText &text, NodeId id) {
  if (!lexer_.accept("->"))
    return;
  if (lexer_.accept_word("none")) {
    text.builder.dangling[id.value] = true;
    return;
  }
  lexer_.expect_open('(');
  for (bool first = true; !lexer_.list_done(')', first);) {
    ToldEdge told = parse_operand(text, id, false);
    text.builder.told.push_back(std::move(told));
  }
}

void TextGraphParser::parse_edge_statement(StateText &text) {
  lexer_.expect_word("edge");
  ToldEdge told;
  told.direct = true;
  told.offset = lexer_.offset();
  parse_end(text, told.edge.src, told.edge.src_connector);
  lexer_.expect("->");
  parse_end(text, told.edge.dst, told.edge.dst_connector);
  parse_memlet(told);
  text.builder.told.push_back(std::move(told));
}

// --- connectors ----------------------------------------------------------------------------------

void TextGraphParser::parse_connectors(StateText &text, NodeId id) {
  if (lexer_.accept_word("inputs")) {
    text.builder.connectors[id.value].first = true;
    parse_connector_list(text.state.node(id).in_connectors);
  }
  if (lexer_.accept_word("outputs")) {
    text.builder.connectors[id.value].second = true;
    parse_connector_list(text.state.node(id).out_connectors);
  }
}

void TextGraphParser::parse_connector_list(std::vector<ir::Connector> &list) {
  lexer_.expect_open('(');
  for (bool first = true; !lexer_.list_done(')', first);) {
    const Name name = intern(lexer_.name("a connector's name"));
    list.push_back(
        {name, lexer_.accept(":") ? parse_json_or_word("a type") : std::string_view("null")});
  }
}

// --- memlets -------------------------------------------------------------------------------------

void TextGraphParser::parse_memlet(ToldEdge &told) {
  ir::Memlet &memlet = told.edge.memlet;
  told.edge.changed = true;
  told.edge.memlet_changed = true;
  if (lexer_.accept_open('(')) {
    if (!lexer_.accept_close(')'))
      lexer_.expected("')'");
    memlet = order_memlet(document_);
    memlet.data_is_source.reset();
  } else {
    memlet.data = optional_name("data, '()' or '-'", true);
    if (lexer_.peek() == '[')
      memlet.subset = parse_subset();
  }
  parse_memlet_options(told);
}

void TextGraphParser::parse_memlet_options(ToldEdge &told) {
  ir::Memlet &memlet = told.edge.memlet;
  bool volume_told = false;
  if (lexer_.accept_word("volume")) {
    volume_told = true;
    memlet.volume = {};
    if (!lexer_.accept_word("none"))
      memlet.volume = parse_expression(ExpressionEnd::Space);
  }
  memlet.dynamic = lexer_.accept_word("dynamic");
  if (!volume_told)
    memlet.volume = memlet.dynamic ? ir::Expression() : rules_.volume(memlet.subset);
  if (lexer_.accept_word("wcr"))
    memlet.wcr = document_.arena.store(lexer_.quoted("a lambda in backquotes"));
  if (lexer_.accept_word("of")) {
    if (lexer_.accept_word("source"))
      memlet.data_is_source = true;
    else if (lexer_.accept_word("target"))
      memlet.data_is_source = false;
    else
      lexer_.expected("'source' or 'target'");
  }
  // `-> [` is the other side's subset, `-> (` the next list of edges.
  if (lexer_.accept_arrow_before('['))
    memlet.other_subset = parse_subset();
  parse_leaf_extras(LeafKind::Edge, told.edge);
}

ir::Range TextGraphParser::parse_range() {
  ir::Range range;
  range.begin = parse_expression(ExpressionEnd::Delimiter);
  range.end = range.begin;
  range.step = document_.context.expression("1", document_.grammar);
  range.tile = range.step;
  if (lexer_.accept(".."))
    range.end = parse_expression(ExpressionEnd::Delimiter);
  else if (lexer_.peek() == ':')
    lexer_.fault("expected '..' and the last index before a step: ranges are written 0..9, with "
                 "their end, and not 0:10");
  if (lexer_.accept(":"))
    range.step = parse_expression(ExpressionEnd::Delimiter);
  if (lexer_.accept_word("tile"))
    range.tile = parse_expression(ExpressionEnd::Delimiter);
  return range;
}

ir::Subset TextGraphParser::parse_subset() {
  std::vector<ir::Range> ranges;
  lexer_.expect_open('[');
  for (bool first = true; !lexer_.list_done(']', first);)
    ranges.push_back(parse_range());
  return ir::Subset(std::move(ranges));
}

// --- code and extras -----------------------------------------------------------------------------

void TextGraphParser::parse_code(ir::Code &code) {
  code.language = intern("Python");
  if (lexer_.at_statement_end() || lexer_.peek() == '@')
    return; // no code at all
  code.language = parse_language();
  if (lexer_.accept("```"))
    code.text = lexer_.fenced();
  else if (lexer_.accept("{"))
    code.text = document_.arena.store(lexer_.braced());
  else if (lexer_.peek() == '"')
    code.text = document_.arena.store(lexer_.quoted("code"));
  else
    lexer_.expected("code: '{', '```' or a string");
}

void TextGraphParser::parse_leaf_extras(LeafKind kind, ir::Leaf &leaf) {
  if (!lexer_.accept("@"))
    return;
  const bool whole = lexer_.accept("@");
  if (lexer_.peek() != '{')
    lexer_.expected("a JSON object");
  const std::string_view json = lexer_.json();
  leaf.source = whole ? json : document_.arena.store(leaf_template(kind, json));
}

} // namespace sdfgopt::io
