#include "python/live_graph_reader.h"

#include <algorithm>

namespace sdfgopt::python {

using support::Name;

namespace {

struct DataflowFields {
  PlainField nodes{"nodes"};
  PlainField edges{"edges"};
  Field in_connectors{"in_connectors"};
  Field out_connectors{"out_connectors"};
  Field label{"label"};
  Field data{"data"};
  Field setzero{"setzero"};
  Field code{"code"};
  Field state_fields{"state_fields"};
  Field code_global{"code_global"};
  Field code_init{"code_init"};
  Field code_exit{"code_exit"};
  Field map{"map"};
  Field params{"params"};
  Field range{"range"};
  Field schedule{"schedule"};
  Field consume{"consume"};
  Field pe_index{"pe_index"};
  Field num_pes{"num_pes"};
  Field sdfg{"sdfg"};
  Field symbol_mapping{"symbol_mapping"};
  Field identity{"identity"};
  Field src{"src"};
  Field dst{"dst"};
  Field src_conn{"src_conn"};
  Field dst_conn{"dst_conn"};
  Field volume{"volume"};
  Field dynamic{"dynamic"};
  Field subset{"subset"};
  Field other_subset{"other_subset"};
  Field wcr{"wcr"};
  PlainField is_data_src{"_is_data_src"};
  PlainField arrays{"_arrays"};
  PlainField ranges{"ranges"};
  PlainField tile_sizes{"tile_sizes"};
};

const DataflowFields &fields() {
  static const DataflowFields known;
  return known;
}

} // namespace

// --- nodes -----------------------------------------------------------------------------------

const LiveGraphReader::NodeClass &LiveGraphReader::node_class(nb::handle object) {
  const auto [found, is_new] = node_classes_.try_emplace(Py_TYPE(object.ptr()));
  NodeClass &known = found->second;
  if (!is_new)
    return known;
  const nb::object name = object.type().attr("__name__");
  known.type = values_.name(nb::getattr(object, "__jsontype__", name), "__jsontype__");
  static constexpr std::pair<std::string_view, NodeKind> kinds[] = {
      {"AccessNode", NodeKind::Access},         {"Tasklet", NodeKind::Tasklet},
      {"MapEntry", NodeKind::MapEntry},         {"MapExit", NodeKind::MapExit},
      {"ConsumeEntry", NodeKind::ConsumeEntry}, {"ConsumeExit", NodeKind::ConsumeExit},
      {"NestedSDFG", NodeKind::Nested},         {"LibraryNode", NodeKind::Library},
  };
  for (const auto &[type, kind] : kinds)
    if (known.type.view() == type)
      known.kind = kind;
  if (known.kind == NodeKind::Library) {
    const nb::object module = object.type().attr("__module__");
    known.class_path = document_.names.intern(std::string(text_of(module, "__module__")) + "." +
                                              std::string(text_of(name, "__name__")));
  }
  return known;
}

ir::NodeDetail LiveGraphReader::node_detail(NodeKind kind) {
  switch (kind) {
  case NodeKind::Access:
    return ir::AccessNode();
  case NodeKind::Tasklet:
    return ir::Tasklet();
  case NodeKind::MapEntry:
    return ir::MapEntry();
  case NodeKind::MapExit:
    return ir::MapExit();
  case NodeKind::ConsumeEntry:
    return ir::ConsumeEntry();
  case NodeKind::ConsumeExit:
    return ir::ConsumeExit();
  case NodeKind::Nested:
    return ir::NestedSdfg();
  case NodeKind::Library:
    return ir::LibraryNode();
  case NodeKind::Unknown:
    break;
  }
  return ir::UnknownNode();
}

void LiveGraphReader::read_node(nb::handle object, ir::Node &node) {
  const NodeClass &known = node_class(object);
  node.type = known.type;
  node.detail = node_detail(known.kind);
  if (known.kind == NodeKind::Unknown) {
    node.source = source(object);
    return;
  }
  read_connectors(fields().in_connectors.of(object), node.in_connectors);
  read_connectors(fields().out_connectors.of(object), node.out_connectors);
  const auto read_label = [&](nb::handle owner) {
    const nb::object label = fields().label.of(owner);
    if (!text_of(label, "label of a node").empty())
      node.label = values_.name(label, "label of a node");
  };
  if (auto *access = node.as<ir::AccessNode>()) {
    const nb::object data = fields().data.of(object);
    text_of(data, "AccessNode.data");
    access->data = values_.name(data, "AccessNode.data");
    access->setzero = flag_of(fields().setzero.of(object), "AccessNode.setzero");
  } else if (node.is<ir::Tasklet>()) {
    read_label(object);
    read_tasklet(object, node);
    return; // with a source
  } else if (auto *entry = node.as<ir::MapEntry>()) {
    const nb::object map = fields().map.of(object);
    read_label(map);
    read_map(map, *entry);
  } else if (auto *consume = node.as<ir::ConsumeEntry>()) {
    const nb::object scope = fields().consume.of(object);
    read_label(scope);
    read_consume(scope, *consume);
  } else if (node.is<ir::NestedSdfg>()) {
    read_label(object);
    node.source = source(object);
    read_nested(object, *node.as<ir::NestedSdfg>());
    return;
  } else if (node.is<ir::LibraryNode>()) {
    read_label(object);
    node.as<ir::LibraryNode>()->class_path = known.class_path;
    std::string attributes; // passes ask whether a reduction adds to what is there
    if (known.class_path.view().ends_with(".Reduce"))
      if (const nb::object identity = fields().identity.of(object); !identity.is_none())
        attributes = "\"identity\":" + std::string(values_.json(identity));
    node.source = source(object, attributes);
    return;
  }
  node.source = source(object);
}

/// Passes ask whether a tasklet declares something for the whole program, but not what.
void LiveGraphReader::read_tasklet(nb::handle object, ir::Node &node) {
  node.as<ir::Tasklet>()->code = values_.words(fields().code.of(object));
  std::string attributes;
  const auto add_if = [&](bool is_there, const char *key) {
    if (is_there)
      attributes += std::string(attributes.empty() ? "\"" : ",\"") + key + "\":true";
  };
  const nb::object state_fields = fields().state_fields.of(object);
  if (!PyList_Check(state_fields.ptr()))
    wrong_type("Tasklet.state_fields", "list", state_fields);
  add_if(PyList_Size(state_fields.ptr()) > 0, "state_fields");
  add_if(!ValueReader::is_empty_code(fields().code_global.of(object)), "code_global");
  add_if(!ValueReader::is_empty_code(fields().code_init.of(object)), "code_init");
  add_if(!ValueReader::is_empty_code(fields().code_exit.of(object)), "code_exit");
  node.source = source(object, attributes);
}

void LiveGraphReader::read_map(nb::handle map, ir::MapEntry &entry) {
  for_each(fields().params.of(map), [&](const nb::object &name) {
    entry.params.push_back(values_.name(name, "Map.params"));
  });
  entry.range = read_subset(fields().range.of(map));
  if (entry.range.rank() == 0) // left out of files
    entry.range = {};
  entry.schedule = values_.member_unless(fields().schedule.of(map), "Default");
}

void LiveGraphReader::read_consume(nb::handle consume, ir::ConsumeEntry &entry) {
  const nb::object index = fields().pe_index.of(consume);
  if (!text_of(index, "Consume.pe_index").empty())
    entry.pe_index = values_.name(index, "Consume.pe_index");
  entry.num_pes = expressions_.read(fields().num_pes.of(consume));
  if (entry.num_pes.text() == "1") // left out of files
    entry.num_pes = {};
}

void LiveGraphReader::read_nested(nb::handle object, ir::NestedSdfg &nested) {
  if (const nb::object inner = fields().sdfg.of(object); !inner.is_none()) {
    nested.sdfg = std::make_unique<ir::Sdfg>();
    read_sdfg(inner, *nested.sdfg);
  }
  const nb::object mapping = fields().symbol_mapping.of(object);
  for (const auto &[name, value] : sorted_items_of(mapping, "NestedSDFG.symbol_mapping"))
    nested.symbol_mapping.emplace_back(values_.name(name, "NestedSDFG.symbol_mapping"),
                                       expressions_.read(symbolic_value(value)));
}

/// DaCe parses what is not an expression when it writes the file.
nb::object LiveGraphReader::symbolic_value(const nb::object &value) {
  if (!is_text(value))
    return value;
  const nb::object parse = nb::module_::import_("dace.symbolic").attr("pystr_to_symbolic");
  return parse(value, nb::arg("simplify") = false);
}

void LiveGraphReader::read_connectors(nb::handle dict, std::vector<ir::Connector> &connectors) {
  const auto items = sorted_items_of(dict, "connectors of a node");
  connectors.reserve(items.size());
  for (const auto &[name, type] : items)
    connectors.push_back({values_.name(name, "connectors of a node"), values_.type(type)});
}

namespace {

/// What the state says; none where DaCe cannot tell.
nb::object partner_in(nb::handle state, nb::handle node, bool is_entry) {
  try {
    return state.attr(is_entry ? "exit_node" : "entry_node")(node);
  } catch (const nb::python_error &error) {
    for (PyObject *expected :
         {PyExc_RuntimeError, PyExc_ValueError, PyExc_StopIteration, PyExc_KeyError})
      if (error.matches(expected))
        return nb::none();
    throw;
  }
}

} // namespace

/// Entry and exit have the Map (or Consume) object in common. Where that does not tell, DaCe goes
/// by the edges.
void LiveGraphReader::pair_scopes(nb::handle object, nb::handle nodes, ir::State &state) {
  struct Scope {
    ir::NodeId entry, exit;
    bool is_clear = true;
  };
  ObjectMap<Scope> scopes;
  const auto scope_of = [&](const ir::Node &node, nb::handle live) -> Scope & {
    const bool is_map = node.is<ir::MapEntry>() || node.is<ir::MapExit>();
    return scopes[(is_map ? fields().map : fields().consume).of(live)];
  };
  const auto for_each_end = [&](auto visit) {
    std::size_t position = 0;
    for_each(nodes, [&](const nb::object &live) {
      ir::Node &node = state.nodes[position];
      if (node.is_scope_entry() || node.is_scope_exit())
        visit(node, live, ir::NodeId(position));
      ++position;
    });
  };
  for_each_end([&](const ir::Node &node, const nb::object &live, ir::NodeId id) {
    Scope &scope = scope_of(node, live);
    ir::NodeId &end = node.is_scope_entry() ? scope.entry : scope.exit;
    scope.is_clear = scope.is_clear && !end.has_value();
    end = id;
  });
  for_each_end([&](ir::Node &node, const nb::object &live, ir::NodeId) {
    const Scope &scope = scope_of(node, live);
    ir::NodeId partner = node.is_scope_entry() ? scope.exit : scope.entry;
    if (!scope.is_clear || !partner.has_value()) {
      partner = {};
      const nb::object found = partner_in(object, live, node.is_scope_entry());
      std::size_t position = 0;
      for_each(nodes, [&](const nb::object &other) {
        if (other.is(found))
          partner = ir::NodeId(position);
        ++position;
      });
    }
    if (auto *entry = node.as<ir::MapEntry>())
      entry->exit = partner;
    else if (auto *exit = node.as<ir::MapExit>())
      exit->entry = partner;
    else if (auto *consume = node.as<ir::ConsumeEntry>())
      consume->exit = partner;
    else
      node.as<ir::ConsumeExit>()->entry = partner;
  });
}

// --- states and edges ------------------------------------------------------------------------

void LiveGraphReader::read_state(nb::handle object, ir::State &state) {
  const nb::object nodes = fields().nodes.of(object)();
  const nb::object edges = fields().edges.of(object)();
  ObjectMap<std::uint32_t> positions; // counted from 1
  bool has_scopes = false;
  state.nodes.reserve(nb::len(nodes));
  for_each(nodes, [&](const nb::object &node) {
    positions[node] = static_cast<std::uint32_t>(state.nodes.size()) + 1;
    read_node(node, state.nodes.emplace_back());
    has_scopes =
        has_scopes || state.nodes.back().is_scope_entry() || state.nodes.back().is_scope_exit();
  });
  if (has_scopes)
    pair_scopes(object, nodes, state);

  struct Connected {
    nb::object edge;
    Name src, dst;
  };
  std::vector<Connected> sorted;
  sorted.reserve(nb::len(edges));
  for_each(edges, [&](const nb::object &edge) {
    sorted.push_back({edge, values_.name(fields().src_conn.of(edge), "src_conn of an edge"),
                      values_.name(fields().dst_conn.of(edge), "dst_conn of an edge")});
  });
  std::stable_sort(sorted.begin(), sorted.end(), [](const Connected &a, const Connected &b) {
    return a.src == b.src ? a.dst < b.dst : a.src < b.src;
  });
  state.edges.reserve(sorted.size());
  for (const Connected &one : sorted) {
    ir::Edge &edge = state.edges.emplace_back();
    edge.src_connector = one.src;
    edge.dst_connector = one.dst;
    read_edge(one.edge, state, edge, positions);
  }
}

void LiveGraphReader::read_edge(nb::handle object, const ir::State &state, ir::Edge &edge,
                                ObjectMap<std::uint32_t> &positions) {
  edge.source = source(object);
  const auto end = [&](const Field &field) {
    const nb::object node = field.of(object);
    const std::uint32_t *position = positions.find(node);
    if (!position) {
      PyErr_Format(PyExc_ValueError, "%R: an edge of a node that is not in the state", node.ptr());
      throw nb::python_error();
    }
    return ir::NodeId(*position - 1);
  };
  edge.src = end(fields().src);
  edge.dst = end(fields().dst);
  const nb::object memlet = fields().data.of(object);
  if (memlet.is_none())
    wrong_type("data of an edge", "Memlet", memlet);
  read_memlet(memlet, state, edge);
}

// DaCe completes memlets before it writes them; here that is done to what is read only.
void LiveGraphReader::read_memlet(nb::handle object, const ir::State &state, ir::Edge &edge) {
  ir::Memlet &memlet = edge.memlet;
  const nb::object data = fields().data.of(object);
  memlet.data = values_.name(data, "Memlet.data");
  memlet.subset = read_subset(fields().subset.of(object));
  if (memlet.data && !memlet.subset)
    memlet.subset = whole(data);
  memlet.other_subset = read_subset(fields().other_subset.of(object));
  memlet.volume = unless_zero(fields().volume.of(object));
  const auto is_code = [&](ir::NodeId id) {
    const ir::Node &node = state.node(id);
    return node.is<ir::Tasklet>() || node.is<ir::NestedSdfg>() || node.is<ir::LibraryNode>();
  };
  if (!memlet.volume && is_code(edge.src) && is_code(edge.dst))
    memlet.volume = document_.context.expression("1", document_.grammar);
  memlet.dynamic = flag_of(fields().dynamic.of(object), "Memlet.dynamic");
  memlet.wcr = values_.conflict_resolution(fields().wcr.of(object));
  if (const nb::object is_source = fields().is_data_src.of(object); !is_source.is_none())
    memlet.data_is_source = flag_of(is_source, "Memlet._is_data_src");
}

ir::Subset LiveGraphReader::whole(nb::handle data) {
  const nb::object arrays = fields().arrays.of(sdfg_);
  if (!contains(arrays, data))
    return {};
  const nb::object range = nb::module_::import_("dace.subsets").attr("Range");
  return read_subset(range.attr("from_array")(arrays[data]));
}

ir::Subset LiveGraphReader::read_subset(nb::handle object) {
  if (object.is_none())
    return {};
  const nb::object live_ranges = fields().ranges.of(object);
  const nb::object tiles = fields().tile_sizes.of(object);
  if (!PyList_Check(live_ranges.ptr()) || !PyList_Check(tiles.ptr()))
    wrong_type("ranges of a subset", "list", PyList_Check(live_ranges.ptr()) ? tiles : live_ranges);
  std::vector<ir::Range> ranges;
  const Py_ssize_t rank = std::min(PyList_Size(live_ranges.ptr()), PyList_Size(tiles.ptr()));
  ranges.reserve(static_cast<std::size_t>(rank));
  for (Py_ssize_t i = 0; i < rank; ++i) {
    const nb::object range = nb::steal(PySequence_GetItem(live_ranges.ptr(), i));
    const nb::object tile = nb::steal(PySequence_GetItem(tiles.ptr(), i));
    if (!range.is_valid() || !tile.is_valid())
      throw nb::python_error();
    if (!PyTuple_Check(range.ptr()) || PyTuple_Size(range.ptr()) != 3)
      wrong_type("a range of a subset", "tuple of three", range);
    const auto part = [&](Py_ssize_t position) {
      return expressions_.read(PyTuple_GetItem(range.ptr(), position));
    };
    ir::Range &read = ranges.emplace_back();
    read.begin = part(0);
    read.end = part(1);
    read.step = part(2);
    read.tile = expressions_.read(tile);
  }
  return ir::Subset(std::move(ranges));
}

} // namespace sdfgopt::python
