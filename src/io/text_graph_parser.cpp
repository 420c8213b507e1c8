#include "io/text_graph_parser.h"

#include "io/json_reader.h"
#include "io/json_text.h"

#include <algorithm>
#include <array>

namespace sdfgopt::io {

using ir::Member;
using support::ErrorCode;
using support::Name;

namespace {

constexpr std::string_view default_version = "2.0.0a10";
constexpr auto sdfg_attributes =
    std::to_array<std::string_view>({"name", "arg_names", "_arrays", "symbols"});

} // namespace

TextGraphParser::Level::Level(TextGraphParser &parser) : parser_(parser) {
  if (++parser.levels_ > max_text_nesting)
    TextLexer::fault_at(parser.lexer_.offset(), "nested too deeply", ErrorCode::Limit);
}

// --- small parts ---------------------------------------------------------------------------------

Name TextGraphParser::optional_name(const char *what, bool dots) {
  const auto text = lexer_.optional_name(what, dots);
  return text ? intern(*text) : Name();
}

std::string_view TextGraphParser::key_text(std::string_view name) {
  std::string quoted;
  append_quoted(quoted, name);
  return document_.arena.store(std::string_view(quoted).substr(1, quoted.size() - 2));
}

ir::Expression TextGraphParser::parse_expression(ExpressionEnd end) {
  const std::size_t offset = lexer_.offset();
  const TextExpression read = lexer_.expression(end);
  symbolic::Context &context = document_.context;
  if (read.exact)
    return context.expression(read.text, document_.grammar);
  const bool add = document_.grammar == symbolic::Grammar::Dollar;
  const ir::Expression expression =
      context.expression(add ? add_dollars(read.text) : std::string(read.text), document_.grammar);
  if (context.value(expression)->kind() == symbolic::Kind::Opaque)
    TextLexer::fault_at(offset, "'" + std::string(read.text.substr(0, 60)) +
                                    "' is not an expression (text that is carried unread stands in "
                                    "backquotes)");
  return expression;
}

std::vector<ir::Expression> TextGraphParser::parse_expressions() {
  std::vector<ir::Expression> list;
  lexer_.expect_open('[');
  for (bool first = true; !lexer_.list_done(']', first);)
    list.push_back(parse_expression(ExpressionEnd::Delimiter));
  return list;
}

std::string_view TextGraphParser::parse_json_or_word(const char *what) {
  const char next = lexer_.peek();
  if (next == '{' || next == '[' || next == '"' || lexer_.peek_word() == "null")
    return lexer_.json();
  return document_.arena.store("\"" + std::string(lexer_.name(what)) + "\"");
}

// --- containers ----------------------------------------------------------------------------------

bool TextGraphParser::parse_extra(std::string_view word, Extras &extras) {
  if (word == "frame") {
    lexer_.expect_word("frame");
    if (lexer_.peek() != '{')
      lexer_.expected("a JSON object");
    extras.frame = lexer_.json();
    return true;
  }
  if (word != "property" && word != "key")
    return false;
  lexer_.expect_word(word);
  const std::string_view name = key_text(lexer_.name("a name", true));
  (word == "key" ? extras.keys : extras.properties).push_back({name, lexer_.json()});
  return true;
}

void TextGraphParser::fill_container(ir::Container &container, Extras &extras,
                                     std::span<const std::string_view> typed_attributes) {
  container.changed = true;
  if (extras.frame.empty()) {
    container.members.insert(container.members.end(), extras.keys.begin(), extras.keys.end());
    container.attributes.insert(container.attributes.end(), extras.properties.begin(),
                                extras.properties.end());
    return;
  }
  // A text of its own tells the writer to write exactly the members of the frame.
  container.source = extras.frame;
  const std::vector<Member> generated = std::move(container.attributes);
  container.attributes.clear();
  container.members = splitter_.split(extras.frame);
  for (Member &member : container.members) {
    if (member.key == "attributes") {
      container.attributes = splitter_.split(member.value);
      member.value = {};
    } else if (member.key == "nodes" || member.key == "edges" || member.key == "branches" ||
               member.value == "0") {
      member.value = {};
    }
  }
  for (Member &member : container.attributes) {
    const bool typed = std::find(typed_attributes.begin(), typed_attributes.end(), member.key) !=
                       typed_attributes.end();
    if (typed || (member.key == "hash" && member.value == "0"))
      member.value = {};
    for (const Member &other : generated)
      if (other.key == member.key && member.value == "0")
        member.value = other.value;
  }
}

// Numbers are given in the order of DaCe's files, which is not always that of the text: in a state,
// node by node.

void TextGraphParser::number(ir::Container &container) {
  const auto own = next_graph_++;
  if (!container.source.empty())
    return;
  const auto is_label = [](const Member &member) { return member.key == "label"; };
  const auto at = std::find_if_not(container.members.begin(), container.members.end(), is_label);
  container.members.insert(at, {"cfg_list_id", document_.arena.store(std::to_string(own))});
}

void TextGraphParser::number(ir::Region &region) {
  for (ir::Block &block : region.blocks) {
    if (auto *state = block.as<ir::State>()) {
      state->id = ir::StateId(next_state_++);
      for (ir::Node &node : state->nodes)
        if (auto *nested = node.as<ir::NestedSdfg>(); nested && nested->sdfg)
          number(*nested->sdfg);
    } else if (auto *conditional = block.as<ir::ConditionalBlock>()) {
      number(static_cast<ir::Container &>(block));
      for (ir::Branch &branch : conditional->branches) {
        number(branch.container);
        number(branch.body);
      }
    } else if (!block.is<ir::Jump>() && !block.is<ir::UnknownBlock>()) {
      number(static_cast<ir::Container &>(block));
      for (ir::Region *child : ir::child_regions(block))
        number(*child);
    }
  }
}

void TextGraphParser::number(ir::Sdfg &sdfg) {
  number(static_cast<ir::Container &>(sdfg));
  number(sdfg.root);
}

// --- SDFGs ---------------------------------------------------------------------------------------

void TextGraphParser::parse_root() {
  lexer_.skip(true);
  lexer_.expect_word("sdfg");
  parse_sdfg(document_.root);
  lexer_.skip(true);
  if (!lexer_.at_end())
    lexer_.expected("the end of the text");
  ir::Sdfg &root = document_.root;
  if (root.source.empty() && !document_.dace_version.empty()) {
    std::string version;
    append_quoted(version, document_.dace_version);
    const auto later = std::find_if(root.members.begin(), root.members.end(),
                                    [](const Member &m) { return m.key != "source_files"; });
    root.members.insert(later, {"dace_version", document_.arena.store(version)});
  }
  number(root);
}

void TextGraphParser::parse_version() {
  document_.dace_version = default_version;
  if (lexer_.accept_word("version")) {
    if (lexer_.accept_word("none"))
      document_.dace_version.clear();
    else
      document_.dace_version = lexer_.quoted("a version in quotes, or 'none'");
  }
  if (has_legacy_expressions(document_.dace_version))
    document_.grammar = symbolic::Grammar::Legacy;
}

void TextGraphParser::parse_sdfg(ir::Sdfg &sdfg) {
  sdfg.name = optional_name("the SDFG's name");
  if (&sdfg == &document_.root)
    parse_version();
  lexer_.expect("{");
  RegionText text{sdfg.root, &sdfg, false, {}, {}, false, {}};
  parse_region_body(text);
  std::stable_sort(sdfg.symbols.begin(), sdfg.symbols.end(),
                   [](const auto &a, const auto &b) { return a.first < b.first; });
  sdfg.index_arrays();
  fill_container(sdfg, text.extras, sdfg_attributes);
}

bool TextGraphParser::parse_declaration(std::string_view word, ir::Sdfg &sdfg) {
  static constexpr auto kinds =
      std::to_array<std::string_view>({"array", "scalar", "view", "reference", "stream", "data"});
  if (word == "transient") {
    lexer_.expect_word(word);
    parse_descriptor(sdfg, true);
  } else if (std::find(kinds.begin(), kinds.end(), word) != kinds.end()) {
    parse_descriptor(sdfg, false);
  } else if (word == "symbol") {
    lexer_.expect_word(word);
    const Name name = intern(lexer_.name("a symbol's name"));
    lexer_.expect(":");
    sdfg.symbols.emplace_back(name, parse_json_or_word("a type"));
  } else if (word == "args") {
    lexer_.expect_word(word);
    do {
      lexer_.skip(!sdfg.arg_names.empty()); // a long list may go on after a comma
      sdfg.arg_names.push_back(intern(lexer_.name("an argument's name", true)));
    } while (lexer_.accept(","));
  } else {
    return false;
  }
  return true;
}

void TextGraphParser::parse_json_descriptor(ir::Sdfg &sdfg) {
  lexer_.expect_word("json");
  ir::Descriptor &descriptor = sdfg.arrays.emplace_back();
  descriptor.name = intern(lexer_.name("the container's name", true));
  if (lexer_.peek() != '{')
    lexer_.expected("a JSON object");
  const std::size_t offset = lexer_.offset();
  descriptor.source = lexer_.json();
  for (const Member &member : splitter_.split(descriptor.source))
    if (member.key == "type" && member.value.size() > 2 && member.value.front() == '"') {
      std::string type;
      unescape(member.value.substr(1, member.value.size() - 2), type);
      descriptor.type = intern(type);
    }
  if (!descriptor.type ||
      ir::descriptor_kind(descriptor.type.view()) != ir::DescriptorKind::Unknown)
    TextLexer::fault_at(offset, "expected a descriptor with a 'type' that is not known otherwise");
}

void TextGraphParser::parse_descriptor(ir::Sdfg &sdfg, bool transient) {
  static constexpr auto types =
      std::to_array<std::pair<std::string_view, std::string_view>>({{"array", "Array"},
                                                                    {"scalar", "Scalar"},
                                                                    {"view", "ArrayView"},
                                                                    {"reference", "ArrayReference"},
                                                                    {"stream", "Stream"},
                                                                    {"data", ""}});
  const std::string_view word = lexer_.peek_word();
  const auto found = std::find_if(types.begin(), types.end(),
                                  [&](const auto &type) { return type.first == word; });
  if (found == types.end())
    lexer_.expected("a kind of data ('array', 'scalar', 'view', ...)");
  lexer_.expect_word(word);
  const bool named = found->second.empty();
  if (named && lexer_.peek_word() == "json" && !transient)
    return parse_json_descriptor(sdfg);
  lexer_.skip();
  const std::size_t offset = lexer_.offset();
  ir::Descriptor &descriptor = sdfg.arrays.emplace_back();
  descriptor.type = intern(named ? lexer_.name("a descriptor's type") : found->second);
  descriptor.kind = ir::descriptor_kind(descriptor.type.view());
  if (descriptor.kind == ir::DescriptorKind::Unknown)
    TextLexer::fault_at(offset, "'" + descriptor.type.str() +
                                    "' is not a known descriptor type; use 'data json NAME {...}'");
  descriptor.name = intern(lexer_.name("the container's name", true));
  descriptor.transient = transient;
  descriptor.changed = true;
  if (lexer_.accept(":")) {
    descriptor.dtype = parse_json_or_word("a type");
    if (descriptor.dtype == "\"int32\"") // the default is not written
      descriptor.dtype = {};
  }
  if (lexer_.peek() == '[')
    descriptor.shape = parse_expressions();
  else if (descriptor.kind == ir::DescriptorKind::Scalar)
    descriptor.shape = {document_.context.expression("1", document_.grammar)};
  parse_descriptor_options(descriptor);
}

void TextGraphParser::parse_descriptor_options(ir::Descriptor &descriptor) {
  using ir::DescriptorKind;
  const bool strided = descriptor.kind == DescriptorKind::Array ||
                       descriptor.kind == DescriptorKind::View ||
                       descriptor.kind == DescriptorKind::Reference;
  bool size_told = false;
  if (strided) {
    descriptor.strides = rules_.strides(descriptor.shape);
    descriptor.offset = rules_.offset(descriptor.shape);
  }
  const auto list = [&](std::vector<ir::Expression> &field) {
    field.clear();
    if (!lexer_.accept_word("none"))
      field = parse_expressions();
  };
  for (;;) {
    if (lexer_.accept_word("strides"))
      list(descriptor.strides);
    else if (lexer_.accept_word("offset"))
      list(descriptor.offset);
    else if (lexer_.accept_word("total_size")) {
      size_told = true;
      descriptor.total_size =
          lexer_.accept_word("none") ? ir::Expression() : parse_expression(ExpressionEnd::Space);
    } else if (lexer_.accept_word("storage"))
      descriptor.storage = parse_json_or_word("a storage type");
    else if (lexer_.accept_word("lifetime"))
      descriptor.lifetime = parse_json_or_word("a lifetime");
    else if (lexer_.accept_word("may_alias"))
      descriptor.may_alias = true;
    else
      break;
  }
  if (strided && !size_told)
    descriptor.total_size = rules_.total_size(descriptor.shape, descriptor.strides);
  parse_leaf_extras(LeafKind::Descriptor, descriptor);
}

} // namespace sdfgopt::io
