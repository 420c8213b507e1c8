#include "io/json_graph_reader.h"

#include "io/json_text.h"

namespace sdfgopt::io {

using ir::Node;

namespace {

ir::NodeDetail node_detail(std::string_view type) {
  if (type == "AccessNode")
    return ir::AccessNode();
  if (type == "Tasklet")
    return ir::Tasklet();
  if (type == "MapEntry")
    return ir::MapEntry();
  if (type == "MapExit")
    return ir::MapExit();
  if (type == "ConsumeEntry")
    return ir::ConsumeEntry();
  if (type == "ConsumeExit")
    return ir::ConsumeExit();
  if (type == "NestedSDFG")
    return ir::NestedSdfg();
  if (type == "LibraryNode")
    return ir::LibraryNode();
  return ir::UnknownNode();
}

void set_partner(Node &node, bool of_entry, std::optional<std::uint32_t> index) {
  const ir::NodeId partner = index ? ir::NodeId(*index) : ir::NodeId();
  if (auto *entry = node.as<ir::MapEntry>(); entry && of_entry)
    entry->exit = partner;
  else if (auto *exit = node.as<ir::MapExit>(); exit && !of_entry)
    exit->entry = partner;
  else if (auto *consume = node.as<ir::ConsumeEntry>(); consume && of_entry)
    consume->exit = partner;
  else if (auto *consume_exit = node.as<ir::ConsumeExit>(); consume_exit && !of_entry)
    consume_exit->entry = partner;
}

} // namespace

void GraphReader::read_state_member(std::string_view key, ondemand::value value, ir::Block &block,
                                    ir::State &state) {
  if (key == "nodes") {
    block.members.push_back({key, {}});
    cursor_.elements(value, [&](ondemand::value node) {
      enter("node n", state.nodes.size());
      read_node(node, state.nodes.emplace_back());
      leave();
    });
  } else if (key == "edges") {
    block.members.push_back({key, {}});
    cursor_.elements(value, [&](ondemand::value edge) {
      enter("edge e", state.edges.size());
      read_edge(edge, state.edges.emplace_back());
      leave();
    });
  } else {
    carry_into(block.members, key, value);
  }
}

void GraphReader::read_node(ondemand::value value, Node &node) {
  const char *begin = JsonCursor::start(value);
  if (*begin != '{')
    JsonCursor::fault("a node object is expected here");
  ondemand::object object = value.get_object();
  const std::string_view type = type_of(object);
  node.type = document_.names.intern(type);
  node.detail = node_detail(type);
  if (auto *tasklet = node.as<ir::Tasklet>())
    tasklet->code.language = document_.names.intern("Python");
  cursor_.members(object, [&](std::string_view key, ondemand::value member) {
    if (key == "attributes" && !node.is<ir::UnknownNode>()) {
      cursor_.members(member, [&](std::string_view name, ondemand::value attribute) {
        read_node_attribute(name, attribute, node);
      });
    } else if (key == "scope_exit") {
      set_partner(node, true, cursor_.index(member));
    } else if (key == "scope_entry") {
      set_partner(node, false, cursor_.index(member));
    } else if (auto *library = node.as<ir::LibraryNode>(); library && key == "classpath") {
      library->class_path = cursor_.name(member);
    } else {
      cursor_.carry(member);
    }
  });
  if (const auto *access = node.as<ir::AccessNode>(); access && !access->data)
    JsonCursor::fault("an access node without attributes.data");
  if (const auto *library = node.as<ir::LibraryNode>(); library && !library->class_path)
    JsonCursor::fault("a library node without classpath");
  node.source = cursor_.text_from(begin);
}

void GraphReader::read_node_attribute(std::string_view key, ondemand::value value, Node &node) {
  if (key == "in_connectors")
    return read_connectors(value, node.in_connectors);
  if (key == "out_connectors")
    return read_connectors(value, node.out_connectors);
  if (key == "label") {
    node.label = cursor_.name(value);
    return;
  }
  if (auto *access = node.as<ir::AccessNode>()) {
    if (key == "data")
      access->data = cursor_.name(value);
    else if (key == "setzero")
      access->setzero = cursor_.boolean(value);
    else
      cursor_.carry(value);
  } else if (auto *tasklet = node.as<ir::Tasklet>(); tasklet && key == "code") {
    if (!JsonCursor::is_null(value))
      tasklet->code = cursor_.code(value);
  } else if (auto *map = node.as<ir::MapEntry>()) {
    read_map(key, value, *map);
  } else if (auto *consume = node.as<ir::ConsumeEntry>()) {
    if (key == "pe_index")
      consume->pe_index = cursor_.name(value);
    else if (key == "num_pes")
      consume->num_pes = cursor_.expression(value, document_.grammar);
    else
      cursor_.carry(value);
  } else if (node.is<ir::NestedSdfg>()) {
    read_nested(key, value, node);
  } else {
    cursor_.carry(value);
  }
}

void GraphReader::read_map(std::string_view key, ondemand::value value, ir::MapEntry &map) {
  if (key == "params")
    cursor_.elements(value,
                     [&](ondemand::value name) { map.params.push_back(cursor_.name(name)); });
  else if (key == "range")
    map.range = read_subset(value);
  else if (key == "schedule")
    map.schedule = cursor_.carry_type(value);
  else
    cursor_.carry(value);
}

void GraphReader::read_nested(std::string_view key, ondemand::value value, Node &node) {
  auto &nested = *node.as<ir::NestedSdfg>();
  if (key == "sdfg" && *JsonCursor::start(value) == '{') {
    enter("nested SDFG", SIZE_MAX);
    nested.sdfg = std::make_unique<ir::Sdfg>();
    read_sdfg(value, *nested.sdfg);
    leave();
  } else if (key == "symbol_mapping") {
    cursor_.members(value, [&](std::string_view name, ondemand::value expression) {
      nested.symbol_mapping.emplace_back(cursor_.key_name(name),
                                         cursor_.expression(expression, document_.grammar));
    });
  } else {
    cursor_.carry(value);
  }
}

void GraphReader::read_connectors(ondemand::value value, std::vector<ir::Connector> &connectors) {
  cursor_.members(value, [&](std::string_view name, ondemand::value dtype) {
    connectors.push_back({cursor_.key_name(name), cursor_.carry_type(dtype)});
  });
}

void GraphReader::read_edge(ondemand::value value, ir::Edge &edge) {
  const char *begin = JsonCursor::start(value);
  bool has_memlet = false;
  cursor_.members(value, [&](std::string_view key, ondemand::value member) {
    if (key == "src" || key == "dst") {
      const auto index = cursor_.index(member);
      (key == "src" ? edge.src : edge.dst) = index ? ir::NodeId(*index) : ir::NodeId();
    } else if (key == "src_connector") {
      edge.src_connector = cursor_.name(member);
    } else if (key == "dst_connector") {
      edge.dst_connector = cursor_.name(member);
    } else if (key == "attributes") {
      cursor_.members(member, [&](std::string_view name, ondemand::value attribute) {
        if (name == "data") {
          has_memlet = true;
          read_memlet(attribute, edge.memlet);
        } else {
          cursor_.carry(attribute);
        }
      });
    } else {
      cursor_.carry(member);
    }
  });
  if (!has_memlet) // an empty memlet is an object, too
    JsonCursor::fault("an edge without attributes.data");
  edge.source = cursor_.text_from(begin);
}

void GraphReader::read_memlet(ondemand::value value, ir::Memlet &memlet) {
  cursor_.members(value, [&](std::string_view key, ondemand::value member) {
    if (key == "attributes")
      cursor_.members(member, [&](std::string_view name, ondemand::value attribute) {
        read_memlet_attribute(name, attribute, memlet);
      });
    else
      cursor_.carry(member);
  });
}

void GraphReader::read_memlet_attribute(std::string_view key, ondemand::value value,
                                        ir::Memlet &memlet) {
  if (key == "data") {
    memlet.data = cursor_.name(value);
  } else if (key == "subset") {
    memlet.subset = read_subset(value);
  } else if (key == "other_subset") {
    memlet.other_subset = read_subset(value);
  } else if (key == "volume") {
    memlet.volume = cursor_.expression(value, document_.grammar);
  } else if (key == "dynamic") {
    memlet.dynamic = cursor_.boolean(value);
  } else if (key == "wcr" && !JsonCursor::is_null(value)) {
    memlet.wcr = cursor_.string(value);
  } else if (key == "is_data_src" && !JsonCursor::is_null(value)) {
    memlet.data_is_source = cursor_.boolean(value);
  } else {
    cursor_.carry(value);
  }
}

ir::Subset GraphReader::read_subset(ondemand::value value) {
  if (JsonCursor::is_null(value))
    return {};
  std::vector<ir::Range> ranges;
  const symbolic::Grammar grammar = document_.grammar;
  cursor_.members(value, [&](std::string_view key, ondemand::value member) {
    if (key == "ranges") {
      cursor_.elements(member, [&](ondemand::value element) {
        ir::Range &range = ranges.emplace_back();
        cursor_.members(element, [&](std::string_view name, ondemand::value part) {
          if (name == "start")
            range.begin = cursor_.expression(part, grammar);
          else if (name == "end")
            range.end = cursor_.expression(part, grammar);
          else if (name == "step")
            range.step = cursor_.expression(part, grammar);
          else if (name == "tile")
            range.tile = cursor_.expression(part, grammar);
          else
            cursor_.carry(part);
        });
        if (!range.begin || !range.end)
          JsonCursor::fault("a range needs 'start' and 'end'");
        const symbolic::Expression one = document_.context.expression("1", grammar);
        if (!range.step)
          range.step = one;
        if (!range.tile)
          range.tile = one;
      });
    } else if (key == "indices") { // of DaCe 1.0 and older: a single element
      cursor_.elements(member, [&](ondemand::value element) {
        const symbolic::Expression index = cursor_.expression(element, grammar);
        const symbolic::Expression one = document_.context.expression("1", grammar);
        ranges.push_back({index, index, one, one});
      });
    } else {
      cursor_.carry(member);
    }
  });
  return ir::Subset(std::move(ranges));
}

} // namespace sdfgopt::io
