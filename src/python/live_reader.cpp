#include "python/live_reader.h"

#include "ir/verifier.h"
#include "python/live_graph_reader.h"

#include <charconv>
#include <unordered_set>

namespace sdfgopt::python {

namespace {

/// As for files: each level costs stack.
constexpr unsigned max_nesting = 1000;

struct ControlFields {
  Field name{"name"};
  Field label{"label"};
  Field symbols{"symbols"};
  Field arg_names{"arg_names"};
  Field constants{"constants_prop"};
  Field global_code{"global_code"};
  Field init_code{"init_code"};
  Field exit_code{"exit_code"};
  Field start_block{"start_block"};
  Field init_statement{"init_statement"};
  Field loop_condition{"loop_condition"};
  Field update_statement{"update_statement"};
  Field inverted{"inverted"};
  Field update_before_condition{"update_before_condition"};
  Field loop_variable{"loop_variable"};
  Field branches{"branches"};
  Field src{"src"};
  Field dst{"dst"};
  Field data{"data"};
  Field condition{"condition"};
  Field assignments{"assignments"};
  PlainField nodes{"nodes"};
  PlainField edges{"edges"};
};

const ControlFields &fields() {
  static const ControlFields known;
  return known;
}

[[noreturn]] void fault(const char *message, nb::handle object) {
  PyErr_Format(PyExc_ValueError, message, object.ptr());
  throw nb::python_error();
}

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

nb::object class_name(nb::handle object) { return nb::object(object.type().attr("__name__")); }

/// Stands for an attribute that passes do not read but mark as changed (Container::touch).
constexpr std::string_view present = "null";

} // namespace

LiveGraphReader::LiveGraphReader(LiveDocument &live)
    : live_(live), document_(*live.document), values_(document_),
      expressions_(document_, live.expressions),
      sdfg_type_(nb::module_::import_("dace").attr("SDFG")) {}

std::string_view LiveGraphReader::add(nb::handle object) {
  char digits[20];
  const auto end = std::to_chars(digits, digits + sizeof digits, live_.objects.size()).ptr;
  live_.objects.push_back(nb::borrow(object));
  return document_.arena.store({digits, static_cast<std::size_t>(end - digits)});
}

std::string_view LiveGraphReader::source(nb::handle object, std::string_view attributes) {
  constexpr std::string_view prefix = R"({"live":)";
  if (attributes.empty()) {
    char text[prefix.size() + 21];
    prefix.copy(text, prefix.size());
    char *end = std::to_chars(text + prefix.size(), text + sizeof text, live_.objects.size()).ptr;
    *end++ = '}';
    live_.objects.push_back(nb::borrow(object));
    return document_.arena.store({text, static_cast<std::size_t>(end - text)});
  }
  const std::string number(add(object));
  return document_.arena.store(std::string(prefix) + number + R"(,"attributes":{)" +
                               std::string(attributes) + "}}");
}

void LiveGraphReader::read_sdfg(nb::handle object, ir::Sdfg &sdfg) {
  if (++nesting_ > max_nesting)
    fault("%R: nested too deeply", object);
  if (PyObject_IsInstance(object.ptr(), sdfg_type_.ptr()) != 1)
    wrong_type("a program", "dace.SDFG", object);
  const nb::object outer = std::exchange(sdfg_, nb::borrow(object));
  sdfg.members.push_back({"live", add(object)});
  const nb::object symbols = fields().symbols.of(object);
  {
    const ExpressionReader::SymbolTypes types(expressions_, symbols);
    read_sdfg_attributes(object, sdfg);
    for (const auto &[name, type] : sorted_items_of(symbols, "SDFG.symbols"))
      sdfg.symbols.emplace_back(values_.name(name, "SDFG.symbols"), values_.type(type));
    read_region(object, sdfg.root);
  }
  sdfg_ = outer;
  --nesting_;
}

void LiveGraphReader::read_sdfg_attributes(nb::handle object, ir::Sdfg &sdfg) {
  const nb::object name = fields().name.of(object);
  text_of(name, "SDFG.name");
  sdfg.name = values_.name(name, "SDFG.name");
  for_each(fields().arg_names.of(object), [&](const nb::object &argument) {
    sdfg.arg_names.push_back(values_.name(argument, "SDFG.arg_names"));
  });
  const nb::object constants = fields().constants.of(object);
  if (PyObject_IsTrue(constants.ptr()) == 1)
    sdfg.attributes.push_back({"constants_prop", values_.json(constants)});
  read_descriptors(object, sdfg);
  sdfg.attributes.push_back({"symbols", present});
  const auto add_code = [&](std::string_view key, const Field &field) {
    const nb::object codes = field.of(object);
    if (PyObject_IsTrue(codes.ptr()) == 1)
      sdfg.attributes.push_back({key, values_.frame_code(codes)});
  };
  add_code("global_code", fields().global_code);
  add_code("init_code", fields().init_code);
  add_code("exit_code", fields().exit_code);
}

void LiveGraphReader::read_region(nb::handle object, ir::Region &region) {
  const nb::object blocks = fields().nodes.of(object)();
  const nb::object edges = fields().edges.of(object)();
  ObjectMap<std::uint32_t> positions;
  for_each(blocks, [&](const nb::object &block) {
    positions[block] = static_cast<std::uint32_t>(region.blocks.size()) + 1;
    read_block(block, region.blocks.emplace_back());
  });
  for_each(edges, [&](const nb::object &edge) {
    read_interstate_edge(edge, region.edges.emplace_back(), positions);
  });
  const nb::object start = fields().start_block.of(object);
  if (start.is_none())
    return;
  if (!PyLong_Check(start.ptr()))
    wrong_type("start_block", "int", start);
  const long long index = PyLong_AsLongLong(start.ptr());
  if (PyErr_Occurred())
    throw nb::python_error();
  if (index < 0 || index >= UINT32_MAX)
    fault("%R: the start block is not in the region", object);
  region.start_block = static_cast<std::uint32_t>(index);
}

void LiveGraphReader::read_block(nb::handle object, ir::Block &block) {
  if (++nesting_ > max_nesting)
    fault("%R: nested too deeply", object);
  block.type = values_.name(class_name(object), "__name__");
  block.detail = block_detail(block.type.view());
  block.members.push_back({"live", add(object)});
  const nb::object label = fields().label.of(object);
  block.label = values_.name(label, "label of a block");
  if (auto *state = block.as<ir::State>()) {
    state->id = ir::StateId(next_state_++);
    read_state(object, *state);
  } else if (auto *plain = block.as<ir::PlainRegion>()) {
    read_region(object, plain->body);
  } else if (auto *loop = block.as<ir::LoopRegion>()) {
    read_loop(object, block, *loop);
  } else if (auto *conditional = block.as<ir::ConditionalBlock>()) {
    read_branches(object, *conditional);
  }
  --nesting_;
}

void LiveGraphReader::read_loop(nb::handle object, ir::Block &block, ir::LoopRegion &loop) {
  const auto statement = [&](std::string_view key, const Field &field) {
    std::optional<ir::Code> code = values_.code(field.of(object));
    if (code)
      block.attributes.push_back({key, present});
    return code;
  };
  loop.update = statement("update_statement", fields().update_statement);
  loop.init = statement("init_statement", fields().init_statement);
  loop.condition = statement("loop_condition", fields().loop_condition);
  loop.inverted = flag_of(fields().inverted.of(object), "LoopRegion.inverted");
  loop.update_before_condition =
      flag_of(fields().update_before_condition.of(object), "LoopRegion.update_before_condition");
  const nb::object variable = fields().loop_variable.of(object);
  if (!variable.is_none() && !text_of(variable, "LoopRegion.loop_variable").empty())
    loop.variable = values_.name(variable, "LoopRegion.loop_variable");
  read_region(object, loop.body);
}

void LiveGraphReader::read_branches(nb::handle object, ir::ConditionalBlock &block) {
  for_each(fields().branches.of(object), [&](const nb::object &pair) {
    if (PyObject_Size(pair.ptr()) != 2) {
      PyErr_Clear();
      wrong_type("a branch", "pair of condition and region", pair);
    }
    ir::Branch &branch = block.branches.emplace_back();
    branch.condition = values_.code(nb::object(pair[0]));
    branch.condition_source = present;
    const nb::object region = pair[1];
    const nb::object type = class_name(region);
    if (text_of(type, "__name__") != "ControlFlowRegion")
      wrong_type("a branch", "ControlFlowRegion", region);
    if (++nesting_ > max_nesting)
      fault("%R: nested too deeply", object);
    branch.container.members.push_back({"live", add(region)});
    read_region(region, branch.body);
    --nesting_;
  });
}

void LiveGraphReader::read_interstate_edge(nb::handle object, ir::InterstateEdge &edge,
                                           ObjectMap<std::uint32_t> &positions) {
  edge.source = source(object);
  const auto end = [&](const Field &field) {
    const std::uint32_t *position = positions.find(field.of(object));
    if (!position)
      fault("%R: an edge of a block that is not in the region", object);
    return ir::BlockId(*position - 1);
  };
  edge.src = end(fields().src);
  edge.dst = end(fields().dst);
  const nb::object data = fields().data.of(object);
  edge.condition = values_.code(fields().condition.of(data));
  // The condition that always holds is left out of files.
  if (edge.condition && edge.condition->text == "1" && edge.condition->language.view() == "Python")
    edge.condition.reset();
  for (const auto &[name, value] : items_of(fields().assignments.of(data), "assignments"))
    edge.assignments.emplace_back(
        values_.name(name, "InterstateEdge.assignments"),
        document_.context.expression(values_.assigned(value), symbolic::Grammar::Python));
}

namespace {

/// Edits tell elements by their objects.
void check_distinct(const LiveDocument &live) {
  std::unordered_set<const PyObject *> seen;
  seen.reserve(live.objects.size());
  for (const nb::object &object : live.objects)
    if (!seen.insert(object.ptr()).second) {
      PyErr_Format(PyExc_ValueError, "%R is used in two places; give each a copy of its own",
                   object.ptr());
      throw nb::python_error();
    }
}

} // namespace

support::result<LiveDocument> read_live(nb::handle sdfg) {
  LiveDocument live;
  live.document = std::make_unique<ir::Document>();
  try {
    const nb::object version = nb::module_::import_("dace").attr("__version__");
    live.document->dace_version = text_of(version, "dace.__version__");
    LiveGraphReader(live).read_sdfg(sdfg, live.document->root);
    check_distinct(live);
  } catch (nb::python_error &error) {
    // To those who call this, an object without an attribute, or one that DaCe's own code does not
    // know what to do with, is one of a wrong type.
    for (PyObject *unclear : {PyExc_AttributeError, PyExc_LookupError, PyExc_OverflowError})
      if (error.matches(unclear))
        nb::raise_from(error, PyExc_TypeError, "not an object as DaCe makes it: %s", error.what());
    throw;
  }
  SDFGOPT_CHECK(ir::check(live.document->root));
  return live;
}

} // namespace sdfgopt::python
