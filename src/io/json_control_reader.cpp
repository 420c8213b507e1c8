#include "io/json_graph_reader.h"

#include "io/json_text.h"
#include "support/shown.h"

#include <algorithm>

namespace sdfgopt::io {

using support::ErrorCode;

void GraphReader::enter(const char *what, std::size_t index, std::string_view label) {
  path_.push_back({what, index, label});
}

std::string GraphReader::place() const {
  constexpr std::size_t outer = 3; // of a long path, its two ends are told
  constexpr std::size_t inner = 5;
  std::string text;
  for (std::size_t i = 0; i < path_.size(); ++i) {
    if (!text.empty())
      text += ", ";
    if (i == outer && path_.size() > outer + inner) {
      text += "..., ";
      i = path_.size() - inner;
    }
    const Frame &frame = path_[i];
    text += frame.what;
    if (frame.index != SIZE_MAX)
      text += std::to_string(frame.index);
    if (!frame.label.empty())
      text += " '" + support::shown(frame.label) + "'";
  }
  return text;
}

std::string_view GraphReader::type_of(ondemand::object &object) {
  ondemand::value value;
  if (object["type"].get(value) != simdjson::SUCCESS)
    JsonCursor::fault("key 'type' is missing");
  const std::string_view type = cursor_.string(value);
  object.reset();
  return type;
}

void GraphReader::require(const std::vector<ir::Member> &members,
                          std::initializer_list<std::string_view> keys) {
  for (const std::string_view key : keys) {
    const auto is_key = [&](const ir::Member &member) { return member.key == key; };
    if (std::none_of(members.begin(), members.end(), is_key))
      JsonCursor::fault("key '" + std::string(key) + "' is missing");
  }
}

std::string_view GraphReader::carry_into(std::vector<ir::Member> &members, std::string_view key,
                                         ondemand::value value) {
  const std::string_view text = cursor_.carry(value);
  members.push_back({key, text});
  return text;
}

void GraphReader::read_root(ondemand::value value) { read_sdfg(value, document_.root); }

void GraphReader::read_sdfg(ondemand::value value, ir::Sdfg &sdfg) {
  if (++nesting_ > max_nesting)
    JsonCursor::fault("nested too deeply", ErrorCode::Limit);
  const char *begin = JsonCursor::start(value);
  if (*begin != '{')
    JsonCursor::fault("an SDFG object is expected here");
  ondemand::object object = value.get_object();
  if (const auto type = type_of(object); type != "SDFG")
    JsonCursor::fault("type is '" + support::shown(type, 40) + "', not 'SDFG'");
  cursor_.members(object, [&](std::string_view key, ondemand::value member) {
    if (key == "attributes") {
      sdfg.members.push_back({key, {}});
      read_sdfg_attributes(member, sdfg);
    } else {
      read_region_member(key, member, sdfg, sdfg.root);
    }
  });
  require(sdfg.members, {"attributes", "nodes", "edges"});
  if (!sdfg.name)
    JsonCursor::fault("an SDFG without attributes.name");
  sdfg.source = cursor_.text_from(begin);
  --nesting_;
}

void GraphReader::read_sdfg_attributes(ondemand::value value, ir::Sdfg &sdfg) {
  cursor_.members(value, [&](std::string_view key, ondemand::value member) {
    if (key == "_arrays") {
      sdfg.attributes.push_back({key, {}});
      read_descriptors(member, sdfg);
    } else if (key == "symbols") {
      const char *begin = JsonCursor::start(member);
      cursor_.members(member, [&](std::string_view symbol, ondemand::value dtype) {
        sdfg.symbols.emplace_back(cursor_.key_name(symbol), cursor_.carry_type(dtype));
      });
      sdfg.attributes.push_back({key, cursor_.text_from(begin)});
    } else if (key == "arg_names") {
      const char *begin = JsonCursor::start(member);
      cursor_.elements(member,
                       [&](ondemand::value name) { sdfg.arg_names.push_back(cursor_.name(name)); });
      sdfg.attributes.push_back({key, cursor_.text_from(begin)});
    } else {
      if (key == "name")
        sdfg.name = cursor_.name(member);
      carry_into(sdfg.attributes, key, member);
    }
  });
}

void GraphReader::read_region_member(std::string_view key, ondemand::value value,
                                     ir::Container &container, ir::Region &region) {
  if (key == "nodes") {
    container.members.push_back({key, {}});
    read_blocks(value, region);
  } else if (key == "edges") {
    container.members.push_back({key, {}});
    cursor_.elements(value, [&](ondemand::value edge) {
      enter("interstate edge ", region.edges.size());
      read_interstate_edge(edge, region.edges.emplace_back());
      leave();
    });
  } else {
    if (key == "start_block")
      region.start_block = cursor_.index(value);
    carry_into(container.members, key, value);
  }
}

void GraphReader::read_blocks(ondemand::value value, ir::Region &region) {
  cursor_.elements(value, [&](ondemand::value block) {
    enter("block b", region.blocks.size());
    read_block(block, region.blocks.emplace_back());
    leave();
  });
}

namespace {

/// The block detail for a type name.
ir::BlockDetail block_detail(std::string_view type) {
  if (type == "SDFGState")
    return ir::State();
  if (type == "ControlFlowRegion" || type == "UnstructuredControlFlow" || type == "NamedRegion" ||
      type == "FunctionCallRegion")
    return ir::PlainRegion();
  if (type == "LoopRegion")
    return ir::LoopRegion();
  if (type == "ConditionalBlock")
    return ir::ConditionalBlock();
  if (type == "BreakBlock")
    return ir::Jump{ir::JumpKind::Break};
  if (type == "ContinueBlock")
    return ir::Jump{ir::JumpKind::Continue};
  if (type == "ReturnBlock")
    return ir::Jump{ir::JumpKind::Return};
  return ir::UnknownBlock();
}

} // namespace

void GraphReader::read_block(ondemand::value value, ir::Block &block) {
  if (++nesting_ > max_nesting)
    JsonCursor::fault("nested too deeply", ErrorCode::Limit);
  const char *begin = JsonCursor::start(value);
  if (*begin != '{')
    JsonCursor::fault("a block object is expected here");
  ondemand::object object = value.get_object();
  const std::string_view type = type_of(object);
  block.type = document_.names.intern(type);
  block.detail = block_detail(type);
  if (auto *state = block.as<ir::State>())
    state->id = ir::StateId(next_state_++);
  cursor_.members(object, [&](std::string_view key, ondemand::value member) {
    read_block_member(key, member, block);
  });
  require(block.members, {"label"});
  if (block.is<ir::ConditionalBlock>())
    require(block.members, {"branches"});
  else if (block.is<ir::State>() || !ir::child_regions(block).empty())
    require(block.members, {"nodes", "edges"});
  block.source = cursor_.text_from(begin);
  --nesting_;
}

void GraphReader::read_block_member(std::string_view key, ondemand::value value, ir::Block &block) {
  if (key == "label") {
    block.label = cursor_.name(value);
    path_.back().label = block.label.view();
    carry_into(block.members, key, value);
  } else if (key == "attributes" && !block.is<ir::UnknownBlock>()) {
    block.members.push_back({key, {}});
    cursor_.members(value, [&](std::string_view name, ondemand::value attribute) {
      read_block_attribute(name, carry_into(block.attributes, name, attribute), block);
    });
  } else if (auto *state = block.as<ir::State>()) {
    read_state_member(key, value, block, *state);
  } else if (auto *plain = block.as<ir::PlainRegion>()) {
    read_region_member(key, value, block, plain->body);
  } else if (auto *loop = block.as<ir::LoopRegion>()) {
    read_region_member(key, value, block, loop->body);
  } else if (auto *conditional = block.as<ir::ConditionalBlock>();
             conditional && key == "branches") {
    block.members.push_back({key, {}});
    read_branches(value, *conditional);
  } else {
    carry_into(block.members, key, value);
  }
}

std::optional<ir::Code> GraphReader::code_from(std::string_view text) {
  if (text == "null")
    return std::nullopt;
  if (!text.starts_with('{'))
    JsonCursor::fault("a code object is expected here");
  ir::Code code{{}, document_.names.intern("Python")};
  for (const ir::Member &member : splitter_.split(text)) {
    if (!member.value.starts_with('"'))
      continue;
    std::string decoded;
    if (!unescape(member.value.substr(1, member.value.size() - 2), decoded))
      JsonCursor::fault("malformed escape sequence in a string", ErrorCode::Syntax);
    if (member.key == "string_data")
      code.text = document_.arena.store(decoded);
    else if (member.key == "language")
      code.language = document_.names.intern(decoded);
  }
  return code;
}

namespace {

bool flag_from(std::string_view text) {
  if (text != "true" && text != "false")
    JsonCursor::fault("true or false is expected here");
  return text == "true";
}

} // namespace

void GraphReader::read_block_attribute(std::string_view key, std::string_view text,
                                       ir::Block &block) {
  auto *loop = block.as<ir::LoopRegion>();
  if (!loop)
    return;
  if (key == "init_statement")
    loop->init = code_from(text);
  else if (key == "loop_condition")
    loop->condition = code_from(text);
  else if (key == "update_statement")
    loop->update = code_from(text);
  else if (key == "inverted")
    loop->inverted = flag_from(text);
  else if (key == "update_before_condition")
    loop->update_before_condition = flag_from(text);
  else if (key == "loop_variable" && text.starts_with('"'))
    loop->variable = cursor_.key_name(text.substr(1, text.size() - 2));
  else if (key == "loop_variable" && text != "null")
    JsonCursor::fault("'loop_variable' is not a string");
}

void GraphReader::read_branches(ondemand::value value, ir::ConditionalBlock &block) {
  cursor_.elements(value, [&](ondemand::value pair) {
    enter("branch ", block.branches.size());
    ir::Branch &branch = block.branches.emplace_back();
    unsigned position = 0;
    cursor_.elements(pair, [&](ondemand::value part) {
      if (position == 0) {
        branch.condition_source = cursor_.carry(part);
        branch.condition = code_from(branch.condition_source);
      } else if (position == 1) {
        read_branch(part, branch);
      }
      ++position;
    });
    if (position != 2)
      JsonCursor::fault("a branch is a pair of condition and region");
    leave();
  });
}

void GraphReader::read_branch(ondemand::value value, ir::Branch &branch) {
  if (++nesting_ > max_nesting)
    JsonCursor::fault("nested too deeply", ErrorCode::Limit);
  const char *begin = JsonCursor::start(value);
  if (*begin != '{')
    JsonCursor::fault("a region object is expected here");
  ondemand::object object = value.get_object();
  if (const auto type = type_of(object); type != "ControlFlowRegion")
    JsonCursor::fault("a branch's region has type '" + support::shown(type, 40) +
                      "', not 'ControlFlowRegion'");
  cursor_.members(object, [&](std::string_view key, ondemand::value member) {
    if (key == "attributes") {
      branch.container.members.push_back({key, {}});
      cursor_.members(member, [&](std::string_view name, ondemand::value attribute) {
        carry_into(branch.container.attributes, name, attribute);
      });
    } else {
      read_region_member(key, member, branch.container, branch.body);
    }
  });
  require(branch.container.members, {"nodes", "edges"});
  branch.container.source = cursor_.text_from(begin);
  --nesting_;
}

void GraphReader::read_interstate_edge(ondemand::value value, ir::InterstateEdge &edge) {
  const char *begin = JsonCursor::start(value);
  cursor_.members(value, [&](std::string_view key, ondemand::value member) {
    if (key == "src" || key == "dst") {
      const auto index = cursor_.index(member);
      (key == "src" ? edge.src : edge.dst) = index ? ir::BlockId(*index) : ir::BlockId();
    } else if (key == "attributes") {
      cursor_.members(member, [&](std::string_view name, ondemand::value attribute) {
        if (name == "data")
          read_interstate_data(attribute, edge);
        else
          cursor_.carry(attribute);
      });
    } else {
      cursor_.carry(member);
    }
  });
  edge.source = cursor_.text_from(begin);
}

void GraphReader::read_interstate_data(ondemand::value value, ir::InterstateEdge &edge) {
  cursor_.members(value, [&](std::string_view key, ondemand::value member) {
    if (key != "attributes") {
      cursor_.carry(member);
      return;
    }
    cursor_.members(member, [&](std::string_view name, ondemand::value attribute) {
      if (name == "condition" && !JsonCursor::is_null(attribute)) {
        edge.condition = cursor_.code(attribute);
      } else if (name == "assignments") {
        cursor_.members(attribute, [&](std::string_view symbol, ondemand::value text) {
          edge.assignments.emplace_back(cursor_.key_name(symbol),
                                        cursor_.expression(text, symbolic::Grammar::Python));
        });
      } else {
        cursor_.carry(attribute);
      }
    });
  });
}

} // namespace sdfgopt::io
