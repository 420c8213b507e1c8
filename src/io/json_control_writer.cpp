#include "io/json_graph_writer.h"

#include "io/json_text.h"

#include <algorithm>
#include <array>

namespace sdfgopt::io {

namespace {

using Keys = std::string_view;

constexpr std::array<Keys, 12> sdfg_order = {
    "type", "attributes",  "nodes",       "edges",        "collapsed",    "label",
    "id",   "cfg_list_id", "start_block", "source_files", "dace_version", "error"};
constexpr std::array<Keys, 24> sdfg_attribute_order = {"name",
                                                       "arg_names",
                                                       "constants_prop",
                                                       "_arrays",
                                                       "symbols",
                                                       "instrument",
                                                       "global_code",
                                                       "init_code",
                                                       "exit_code",
                                                       "orig_sdfg",
                                                       "transformation_hist",
                                                       "logical_groups",
                                                       "openmp_sections",
                                                       "debuginfo",
                                                       "callback_mapping",
                                                       "using_explicit_control_flow",
                                                       "build_folder",
                                                       "guid",
                                                       "is_collapsed",
                                                       "pre_conditions",
                                                       "post_conditions",
                                                       "ranges",
                                                       "executions",
                                                       "hash"};
constexpr std::array<Keys, 8> state_order = {"type",       "label", "id",    "collapsed",
                                             "scope_dict", "nodes", "edges", "attributes"};
constexpr std::array<Keys, 9> region_order = {"type",  "attributes",  "nodes",
                                              "edges", "collapsed",   "label",
                                              "id",    "cfg_list_id", "start_block"};
constexpr std::array<Keys, 8> conditional_order = {
    "type", "attributes", "collapsed", "label", "id", "cfg_list_id", "start_block", "branches"};
constexpr std::array<Keys, 7> jump_order = {"type",       "collapsed", "label", "id",
                                            "attributes", "nodes",     "edges"};
constexpr std::array<Keys, 4> interstate_order = {"type", "attributes", "src", "dst"};
constexpr std::array<Keys, 2> typed_order = {"type", "attributes"};
constexpr std::array<Keys, 3> interstate_attribute_order = {"assignments", "condition", "guid"};

/// Every key of `order` that must stand in an object made from the text form. Objects that were
/// read from a file keep exactly the members that they had.
std::vector<ModelledMember> required(std::span<const Keys> order, const ir::Container &container) {
  std::vector<ModelledMember> members;
  if (container.source.empty())
    for (const Keys key : order)
      if (key != "source_files" && key != "dace_version" && key != "error")
        members.push_back({key, Need::Always});
  return members;
}

/// A container's members keep their text where they have one; the plan only adds missing keys.
std::vector<ir::Member> plan_container(const std::vector<ir::Member> &remembered,
                                       std::span<const ModelledMember> needed,
                                       std::span<const Keys> order) {
  std::vector<ModelledMember> missing;
  for (const ModelledMember &member : needed) {
    bool found = false;
    for (const ir::Member &other : remembered)
      found = found || other.key == member.key;
    if (!found)
      missing.push_back(member);
  }
  return plan_object(remembered, missing, order);
}

} // namespace

std::span<const Keys> block_key_order(const ir::Block &block) {
  if (block.is<ir::State>())
    return state_order;
  if (block.is<ir::ConditionalBlock>())
    return conditional_order;
  if (block.is<ir::Jump>())
    return jump_order;
  return region_order;
}

std::span<const Keys> branch_key_order() { return region_order; }
std::span<const Keys> sdfg_key_order() { return sdfg_order; }
std::span<const Keys> sdfg_attribute_key_order() { return sdfg_attribute_order; }

// --- what can be copied ---

bool GraphWriter::find_dirty(const ir::State &state) {
  bool dirty = state.renumbered;
  for (const ir::Node &node : state.nodes) {
    bool node_dirty = node.changed || node.source.empty();
    if (const auto *nested = node.as<ir::NestedSdfg>(); nested && nested->sdfg)
      node_dirty = find_dirty(*nested->sdfg) || node_dirty;
    if (node_dirty)
      dirty_.insert(&node);
    dirty = dirty || node_dirty;
  }
  for (const ir::Edge &edge : state.edges)
    dirty = dirty || edge.changed || edge.memlet_changed || edge.source.empty();
  return dirty;
}

bool GraphWriter::find_dirty(const ir::Region &region) {
  bool dirty = region.renumbered;
  for (const ir::Block &block : region.blocks)
    dirty = find_dirty(block) || dirty;
  for (const ir::InterstateEdge &edge : region.edges)
    dirty = dirty || edge.changed || edge.source.empty();
  return dirty;
}

bool GraphWriter::find_dirty(const ir::Block &block) {
  bool dirty = block.changed || block.source.empty();
  if (const auto *state = block.as<ir::State>()) {
    dirty = find_dirty(*state) || dirty;
  } else if (const auto *conditional = block.as<ir::ConditionalBlock>()) {
    for (const ir::Branch &branch : conditional->branches) {
      const bool branch_dirty =
          find_dirty(branch.body) || branch.container.changed || branch.container.source.empty();
      if (branch_dirty)
        dirty_.insert(&branch);
      dirty = dirty || branch_dirty;
    }
  } else {
    for (const ir::Region *region : ir::child_regions(block))
      dirty = find_dirty(*region) || dirty;
  }
  if (dirty)
    dirty_.insert(&block);
  return dirty;
}

bool GraphWriter::find_dirty(const ir::Sdfg &sdfg) {
  bool dirty = sdfg.changed || sdfg.source.empty();
  for (const ir::Descriptor &descriptor : sdfg.arrays)
    dirty = dirty || descriptor.changed || descriptor.removed || descriptor.source.empty();
  dirty = find_dirty(sdfg.root) || dirty;
  if (dirty)
    dirty_.insert(&sdfg);
  return dirty;
}

// --- SDFGs and regions ---

void GraphWriter::write_root(const ir::Sdfg &root) {
  root_ = &root;
  find_dirty(root);
  write_sdfg(root);
}

void GraphWriter::write_sdfg(const ir::Sdfg &sdfg) {
  if (!dirty_.contains(&sdfg)) {
    out_ += sdfg.source;
    return;
  }
  const auto plan = plan_container(sdfg.members, required(sdfg_order, sdfg), sdfg_order);
  write_plan(plan, [&](std::string_view key) {
    if (key == "attributes")
      write_sdfg_attributes(sdfg);
    else if (key == "type")
      write_quoted("SDFG");
    else if (key == "label")
      write_quoted("");
    else
      write_region_value(key, sdfg.root);
  });
}

void GraphWriter::write_sdfg_attributes(const ir::Sdfg &sdfg) {
  std::vector<ModelledMember> needed;
  if (sdfg.source.empty()) {
    needed = {{"name", Need::Always},
              {"global_code", Need::Always},
              {"init_code", Need::Always},
              {"exit_code", Need::Always}};
    if (!sdfg.arg_names.empty())
      needed.push_back({"arg_names", Need::Always});
    if (&sdfg == root_)
      needed.push_back({"hash", Need::Always});
  }
  if (!sdfg.arrays.empty())
    needed.push_back({"_arrays", Need::Always});
  if (!sdfg.symbols.empty())
    needed.push_back({"symbols", Need::Always});
  std::vector<ir::Member> remembered = sdfg.attributes;
  if (&sdfg == root_ && !sdfg.source.empty()) // something in it changed: the old hash is void
    for (ir::Member &member : remembered)
      if (member.key == "hash")
        member.value = {};
  write_plan(plan_container(remembered, needed, sdfg_attribute_order),
             [&](std::string_view key) { write_sdfg_attribute(key, sdfg); });
}

void GraphWriter::write_sdfg_attribute(std::string_view key, const ir::Sdfg &sdfg) {
  if (key == "name") {
    write_name(sdfg.name);
  } else if (key == "arg_names") {
    write_list(sdfg.arg_names, [&](support::Name name) { write_name(name); });
  } else if (key == "_arrays") {
    std::vector<const ir::Descriptor *> kept;
    for (const ir::Descriptor &descriptor : sdfg.arrays)
      if (!descriptor.removed)
        kept.push_back(&descriptor);
    const auto emit = [&](const ir::Descriptor *descriptor) {
      write_name(descriptor->name);
      out_ += ':';
      write_descriptor(*descriptor);
    };
    write_list(kept, emit, '{', '}');
  } else if (key == "symbols") {
    const auto emit = [&](const auto &symbol) {
      write_name(symbol.first);
      out_ += ':';
      out_ += symbol.second;
    };
    write_list(sdfg.symbols, emit, '{', '}');
  } else if (key == "hash") {
    out_ += '"';
    hash_at_ = out_.size();
    out_.append(64, '0');
    out_ += '"';
  } else { // global_code, init_code, exit_code: DaCe always writes them
    out_ += R"({"frame":{"string_data":"","language":"CPP"}})";
  }
}

void GraphWriter::write_region_value(std::string_view key, const ir::Region &region) {
  if (key == "nodes") {
    out_ += '[';
    for (std::size_t i = 0; i < region.blocks.size(); ++i) {
      if (i > 0)
        out_ += ',';
      write_block(region.blocks[i], i, region.renumbered);
    }
    out_ += ']';
  } else if (key == "edges") {
    write_list(region.edges, [&](const ir::InterstateEdge &edge) {
      write_interstate_edge(edge, region.renumbered);
    });
  } else if (key == "start_block") {
    out_ += region.start_block ? std::to_string(*region.start_block) : "null";
  } else if (key == "collapsed") {
    write_boolean(false);
  } else if (key == "cfg_list_id") {
    out_ += '0';
  } else { // id of SDFGs and branches
    out_ += "null";
  }
}

void GraphWriter::write_block(const ir::Block &block, std::size_t index, bool renumbered) {
  if (!renumbered && !dirty_.contains(&block)) {
    out_ += block.source;
    return;
  }
  if (const auto *state = block.as<ir::State>())
    scopes_.emplace(*state);
  std::vector<ir::Member> remembered = block.members;
  const auto *own_state = block.as<ir::State>();
  for (ir::Member &member : remembered)
    if ((renumbered && member.key == "id") ||
        (own_state && own_state->renumbered && member.key == "scope_dict"))
      member.value = {};
  const std::span<const Keys> order = block_key_order(block);
  write_plan(plan_container(remembered, required(order, block), order),
             [&](std::string_view key) { write_block_value(key, block, index); });
}

void GraphWriter::write_block_value(std::string_view key, const ir::Block &block,
                                    std::size_t index) {
  const auto *state = block.as<ir::State>();
  const auto *conditional = block.as<ir::ConditionalBlock>();
  if (key == "type") {
    write_name(block.type);
  } else if (key == "label") {
    write_name(block.label);
  } else if (key == "id") {
    out_ += std::to_string(index);
  } else if (key == "collapsed") {
    write_boolean(false);
  } else if (key == "attributes") {
    write_plan(block.attributes,
               [&](std::string_view name) { write_block_attribute(name, block); });
  } else if (state) {
    write_state_value(key, block, *state);
  } else if (conditional && key == "branches") {
    write_list(conditional->branches, [&](const ir::Branch &branch) { write_branch(branch); });
  } else if (const auto regions = ir::child_regions(block); !conditional && !regions.empty()) {
    write_region_value(key, *regions.front());
  } else if (key == "nodes" || key == "edges") {
    out_ += "[]";
  } else if (key == "cfg_list_id") {
    out_ += '0';
  } else {
    out_ += "null";
  }
}

void GraphWriter::write_block_attribute(std::string_view key, const ir::Block &block) {
  // Only loop statements are ever touched (Container::touch), so only they have no text.
  const auto &loop = *block.as<ir::LoopRegion>();
  const std::optional<ir::Code> &code = key == "init_statement"   ? loop.init
                                        : key == "loop_condition" ? loop.condition
                                                                  : loop.update;
  if (code)
    write_code(*code);
  else
    out_ += "null";
}

void GraphWriter::write_branch(const ir::Branch &branch) {
  out_ += '[';
  if (!branch.condition_source.empty())
    out_ += branch.condition_source;
  else if (branch.condition)
    write_code(*branch.condition);
  else
    out_ += "null";
  out_ += ',';
  if (!dirty_.contains(&branch)) {
    out_ += branch.container.source;
  } else {
    const ir::Container &container = branch.container;
    write_plan(plan_container(container.members, required(region_order, container), region_order),
               [&](std::string_view key) {
                 if (key == "attributes")
                   write_plan(container.attributes, [](std::string_view) {});
                 else if (key == "type")
                   write_quoted("ControlFlowRegion");
                 else if (key == "label")
                   write_quoted("");
                 else
                   write_region_value(key, branch.body);
               });
  }
  out_ += ']';
}

// --- interstate edges ---

void GraphWriter::write_interstate_edge(const ir::InterstateEdge &edge, bool renumbered) {
  if (!renumbered && !edge.changed && !edge.source.empty()) {
    out_ += edge.source;
    return;
  }
  const std::vector<ir::Member> remembered = splitter_.split(edge.source);
  std::vector<ModelledMember> modelled = {{"src", Need::Always}, {"dst", Need::Always}};
  std::string_view attributes;
  for (const ir::Member &member : remembered)
    if (member.key == "attributes")
      attributes = member.value;
  if (edge.changed || attributes.empty())
    modelled.push_back({"attributes", Need::Always});
  const auto is_type = [](const ir::Member &member) { return member.key == "type"; };
  if (std::none_of(remembered.begin(), remembered.end(), is_type))
    modelled.push_back({"type", Need::Always});
  write_plan(plan_object(remembered, modelled, interstate_order), [&](std::string_view key) {
    if (key == "src" || key == "dst") {
      write_quoted(std::to_string((key == "src" ? edge.src : edge.dst).value));
    } else if (key == "type") {
      write_quoted("Edge");
    } else {
      static constexpr std::array<ModelledMember, 1> data = {{{"data", Need::Always}}};
      static constexpr std::array<Keys, 1> order = {"data"};
      const auto members = splitter_.split(attributes);
      std::string_view old_data;
      for (const ir::Member &member : members)
        if (member.key == "data")
          old_data = member.value;
      write_plan(plan_object(members, data, order),
                 [&](std::string_view) { write_interstate_data(edge, old_data); });
    }
  });
}

void GraphWriter::write_interstate_data(const ir::InterstateEdge &edge,
                                        std::string_view remembered) {
  const auto members = splitter_.split(remembered);
  std::string_view attributes;
  for (const ir::Member &member : members)
    if (member.key == "attributes")
      attributes = member.value;
  std::vector<ModelledMember> typed = {{"attributes", Need::Always}};
  const auto is_type = [](const ir::Member &member) { return member.key == "type"; };
  if (std::none_of(members.begin(), members.end(), is_type))
    typed.push_back({"type", Need::Always});
  write_plan(plan_object(members, typed, typed_order), [&](std::string_view key) {
    if (key == "type") {
      write_quoted("InterstateEdge");
      return;
    }
    const std::array<ModelledMember, 2> modelled = {
        {{"assignments", edge.assignments.empty() ? Need::IfRemembered : Need::Always},
         {"condition", edge.condition ? Need::Always : Need::Never}}};
    const auto emit = [&](std::string_view name) {
      if (name == "condition")
        return write_code(*edge.condition);
      const auto assignment = [&](const auto &pair) {
        write_name(pair.first);
        out_ += ':';
        write_quoted(pair.second.text());
      };
      write_list(edge.assignments, assignment, '{', '}');
    };
    write_plan(plan_object(splitter_.split(attributes), modelled, interstate_attribute_order),
               emit);
  });
}

// --- small values ---

void GraphWriter::write_code(const ir::Code &code) {
  out_ += R"({"string_data":)";
  write_quoted(code.text);
  out_ += R"(,"language":)";
  write_name(code.language);
  out_ += '}';
}

void GraphWriter::write_quoted(std::string_view text) { append_quoted(out_, text); }

void GraphWriter::write_name(support::Name name) {
  if (name)
    write_quoted(name.view());
  else
    out_ += "null";
}

void GraphWriter::write_plan(const std::vector<ir::Member> &plan,
                             const std::function<void(std::string_view)> &emit) {
  const auto member = [&](const ir::Member &item) {
    out_ += '"';
    out_ += item.key;
    out_ += "\":";
    if (item.value.empty())
      emit(item.key);
    else
      out_ += item.value;
  };
  write_list(plan, member, '{', '}');
}

} // namespace sdfgopt::io
