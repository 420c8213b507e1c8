#include "io/text_graph_parser.h"
#include "io/text_spelling.h"

#include "io/json_text.h"

#include <algorithm>
#include <array>

namespace sdfgopt::io {

using support::Name;

// --- bodies --------------------------------------------------------------------------------------

void TextGraphParser::parse_region_body(RegionText &text) {
  const Level level(*this);
  for (;;) {
    lexer_.skip(true);
    if (lexer_.accept("}"))
      break;
    parse_region_item(text);
    lexer_.expect_statement_end();
  }
  finish_region(text);
}

void TextGraphParser::parse_region_item(RegionText &text) {
  static constexpr auto blocks = std::to_array<std::string_view>(
      {"state", "branch", "loop", "region", "break", "continue", "return", "block"});
  const std::string_view word = lexer_.peek_word();
  if (std::find(blocks.begin(), blocks.end(), word) != blocks.end())
    return parse_block(word, text.region);
  if (parse_extra(word, text.extras) || (text.sdfg && parse_declaration(word, *text.sdfg)))
    return;
  if (word == "start")
    return parse_start(text);
  if ((word.empty() && lexer_.peek() != '"') || is_keyword(word))
    lexer_.expected(text.sdfg ? "a declaration, a block or an edge" : "a block or an edge");
  parse_interstate_edge(text);
}

std::pair<std::string_view, std::size_t> TextGraphParser::parse_block_reference() {
  lexer_.skip();
  const std::size_t offset = lexer_.offset();
  if (lexer_.peek() != '"')
    if (const auto id = lexer_.accept_id('b'))
      return {std::string_view(), *id}; // known at once
  return {lexer_.name("a block's label or id", true), offset};
}

void TextGraphParser::parse_start(RegionText &text) {
  lexer_.expect_word("start");
  text.start_told = true;
  text.start = {std::string_view(), SIZE_MAX};
  if (!lexer_.accept_word("none"))
    text.start = parse_block_reference();
}

void TextGraphParser::parse_interstate_edge(RegionText &text) {
  InterstateText one;
  one.src = parse_block_reference();
  lexer_.expect("->");
  one.dst = parse_block_reference();
  ir::InterstateEdge &edge = one.edge;
  edge.changed = true;
  if (lexer_.accept_word("if"))
    edge.condition = parse_code_text();
  if (lexer_.accept_word("with"))
    do {
      const Name name = intern(lexer_.name("a symbol's name"));
      lexer_.expect("=");
      edge.assignments.emplace_back(
          name, document_.context.expression(lexer_.quoted("an expression in backquotes"),
                                             symbolic::Grammar::Python));
    } while (lexer_.accept(","));
  parse_leaf_extras(LeafKind::InterstateEdge, edge);
  text.edges.push_back(std::move(one));
}

ir::BlockId
TextGraphParser::find_block(const ir::Region &region,
                            const std::unordered_map<std::string_view, std::uint32_t> &labels,
                            const std::pair<std::string_view, std::size_t> &reference) {
  const auto &[label, position] = reference;
  if (label.data() == nullptr) {
    if (position >= region.blocks.size())
      lexer_.fault("there is no block b" + std::to_string(position) + " in this region");
    return ir::BlockId(position);
  }
  const auto found = labels.find(label);
  if (found == labels.end())
    TextLexer::fault_at(position, "there is no block '" + std::string(label) + "' in this region");
  if (found->second == UINT32_MAX)
    TextLexer::fault_at(position, "more than one block is called '" + std::string(label) +
                                      "' here: use its id (b0, b1, ...)");
  return ir::BlockId(found->second);
}

void TextGraphParser::finish_region(RegionText &text) {
  ir::Region &region = text.region;
  std::unordered_map<std::string_view, std::uint32_t> labels;
  for (std::uint32_t i = 0; i < region.blocks.size(); ++i)
    if (const auto [at, added] = labels.try_emplace(region.blocks[i].label.view(), i); !added)
      at->second = UINT32_MAX;
  for (InterstateText &one : text.edges) {
    one.edge.src = find_block(region, labels, one.src);
    one.edge.dst = find_block(region, labels, one.dst);
    region.edges.push_back(std::move(one.edge));
  }
  if (!text.start_told)
    region.start_block = default_start(region, text.branch);
  else if (text.start.second != SIZE_MAX)
    region.start_block = find_block(region, labels, text.start).value;
}

// --- blocks --------------------------------------------------------------------------------------

void TextGraphParser::parse_block(std::string_view word, ir::Region &region) {
  lexer_.expect_word(word);
  ir::Block &block = region.blocks.emplace_back();
  block.changed = true;
  if (word == "block")
    return parse_json_block(block);
  block.label = optional_name("the block's label", true);
  if (word == "state")
    return parse_state(block);
  if (word == "branch")
    return parse_conditional(block);
  if (word == "loop")
    return parse_loop(block);
  if (word == "region")
    return parse_plain_region(block);
  block.type = intern(word == "break"      ? "BreakBlock"
                      : word == "continue" ? "ContinueBlock"
                                           : "ReturnBlock");
  block.detail = ir::Jump{word == "break"      ? ir::JumpKind::Break
                          : word == "continue" ? ir::JumpKind::Continue
                                               : ir::JumpKind::Return};
  parse_jump(block);
}

void TextGraphParser::parse_jump(ir::Block &block) {
  Extras extras;
  if (lexer_.accept("{"))
    for (;;) {
      lexer_.skip(true);
      if (lexer_.accept("}"))
        break;
      if (!parse_extra(lexer_.peek_word(), extras))
        lexer_.expected("'property', 'key' or '}'");
      lexer_.expect_statement_end();
    }
  fill_container(block, extras, {});
}

void TextGraphParser::parse_json_block(ir::Block &block) {
  lexer_.expect_word("json");
  if (lexer_.peek() != '{')
    lexer_.expected("a JSON object");
  const std::size_t offset = lexer_.offset();
  block.source = lexer_.json();
  block.members = splitter_.split(block.source);
  block.detail = ir::UnknownBlock();
  block.changed = false;
  for (const ir::Member &member : block.members) {
    if (member.value.front() != '"' || (member.key != "type" && member.key != "label"))
      continue;
    std::string text;
    unescape(member.value.substr(1, member.value.size() - 2), text);
    (member.key == "type" ? block.type : block.label) = intern(text);
  }
  static constexpr auto known = std::to_array<std::string_view>(
      {"SDFGState", "ControlFlowRegion", "UnstructuredControlFlow", "NamedRegion",
       "FunctionCallRegion", "LoopRegion", "ConditionalBlock", "BreakBlock", "ContinueBlock",
       "ReturnBlock"});
  if (!block.type || std::find(known.begin(), known.end(), block.type.view()) != known.end())
    TextLexer::fault_at(offset, "expected a block with a 'type' that is not known otherwise");
}

void TextGraphParser::parse_plain_region(ir::Block &block) {
  block.type = intern(lexer_.accept_word("type") ? lexer_.name("a region's type")
                                                 : std::string_view("ControlFlowRegion"));
  auto &plain = block.detail.emplace<ir::PlainRegion>();
  const std::string_view type = block.type.view();
  if (type != "ControlFlowRegion" && type != "UnstructuredControlFlow" && type != "NamedRegion" &&
      type != "FunctionCallRegion")
    lexer_.fault("'" + std::string(type) + "' is not a type of region");
  lexer_.expect("{");
  RegionText text{plain.body, nullptr, false, {}, {}, false, {}};
  parse_region_body(text);
  fill_container(block, text.extras, {});
}

void TextGraphParser::parse_conditional(ir::Block &block) {
  const Level level(*this);
  block.type = intern("ConditionalBlock");
  auto &conditional = block.detail.emplace<ir::ConditionalBlock>();
  Extras extras;
  lexer_.expect("{");
  for (;;) {
    lexer_.skip(true);
    if (lexer_.accept("}"))
      break;
    const std::string_view word = lexer_.peek_word();
    if (parse_extra(word, extras)) {
      lexer_.expect_statement_end();
      continue;
    }
    if (word != "if" && word != "else")
      lexer_.expected("'if', 'else' or '}'");
    lexer_.expect_word(word);
    ir::Branch &branch = conditional.branches.emplace_back();
    if (word == "if")
      branch.condition = parse_code_text();
    parse_branch(branch);
  }
  fill_container(block, extras, {});
}

void TextGraphParser::parse_branch(ir::Branch &branch) {
  if (lexer_.accept_word("as")) {
    std::string label;
    append_quoted(label, lexer_.name("the branch's label", true));
    branch.container.members.push_back({"label", document_.arena.store(label)});
  }
  lexer_.expect("{");
  RegionText text{branch.body, nullptr, true, {}, {}, false, {}};
  parse_region_body(text);
  fill_container(branch.container, text.extras, {});
}

void TextGraphParser::parse_loop(ir::Block &block) {
  block.type = intern("LoopRegion");
  auto &loop = block.detail.emplace<ir::LoopRegion>();
  if (lexer_.accept_word("var"))
    loop.variable = intern(lexer_.name("the loop variable's name"));
  if (lexer_.accept_word("init"))
    loop.init = parse_code_text();
  if (lexer_.accept_word("while"))
    loop.condition = parse_code_text();
  if (lexer_.accept_word("update"))
    loop.update = parse_code_text();
  loop.inverted = lexer_.accept_word("inverted");
  loop.update_before_condition = !(loop.inverted && lexer_.accept_word("update_after"));
  const auto add = [&](std::string_view key, std::string_view value) {
    block.attributes.push_back({key, value});
  };
  if (loop.update)
    add("update_statement", document_.arena.store(code_object(*loop.update)));
  if (loop.init)
    add("init_statement", document_.arena.store(code_object(*loop.init)));
  if (loop.condition)
    add("loop_condition", document_.arena.store(code_object(*loop.condition)));
  if (loop.inverted)
    add("inverted", "true");
  if (!loop.update_before_condition)
    add("update_before_condition", "false");
  if (loop.variable) {
    std::string quoted;
    append_quoted(quoted, loop.variable.view());
    add("loop_variable", document_.arena.store(quoted));
  }
  lexer_.expect("{");
  RegionText text{loop.body, nullptr, false, {}, {}, false, {}};
  parse_region_body(text);
  fill_container(block, text.extras, {});
}

Name TextGraphParser::parse_language() {
  if (lexer_.accept_word("language"))
    return intern(lexer_.name("a language"));
  if (lexer_.peek_word().empty())
    return intern("Python");
  const std::string_view tag = lexer_.name("a language");
  return intern(tag == "cpp" ? std::string_view("CPP") : tag);
}

ir::Code TextGraphParser::parse_code_text() {
  ir::Code code;
  code.language = parse_language();
  code.text = document_.arena.store(lexer_.quoted("code in backquotes"));
  return code;
}

} // namespace sdfgopt::io
