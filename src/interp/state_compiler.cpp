#include "interp/state_compiler.h"

#include "interp/attributes.h"
#include "interp/control_compiler.h"

#include <algorithm>

namespace sdfgopt::interp {

support::result<void> StateCompiler::compile(const std::string &state_place) {
  place_ = state_place;
  support::result<void> done = find_steps();
  if (done.ok()) {
    for (const Name name : frame_.lifetimes().lasting_in(&state_))
      if (done.ok())
        done = frame_.allocate(name, false);
  }
  if (done.ok())
    done = level({});
  if (!done.ok() && done.error().place.empty())
    done.error().place = place_;
  return done;
}

std::string StateCompiler::place_of(NodeId node) const {
  std::string text = place_ + ", node " + node.str();
  const ir::Node &n = state_.node(node);
  if (const auto *data = n.as<ir::AccessNode>())
    return text + " (" + data->data.str() + ")";
  return n.label ? text + " '" + n.label.str() + "'" : text;
}

support::Error StateCompiler::at(NodeId node, support::Error error) const {
  if (error.place.empty())
    error.place = place_of(node);
  return error;
}

void StateCompiler::mark_place(NodeId node) {
  emitter_.program().places.push_back({emitter_.next(), place_of(node)});
}

// --- memory -------------------------------------------------------------------------------------

support::result<Box> StateCompiler::box(const ir::Subset &subset) {
  Box result;
  symbolic::Context &context = frame_.unit().document.context;
  for (const ir::Range &range : subset.ranges()) {
    if (range.tile && !context.value(range.tile)->is_integer(1))
      return cannot_run("a range with tiles");
    Box::Dimension dimension;
    dimension.single = context.value(range.begin) == context.value(range.end);
    dimension.extent = extent_of(range);
    SDFGOPT_TRY(dimension.begin, frame_.integer(range.begin));
    dimension.step = emitter_.integer(1);
    if (range.step) {
      SDFGOPT_TRY(dimension.step, frame_.integer(range.step));
    }
    if (dimension.single) {
      dimension.length = emitter_.integer(1);
    } else {
      SDFGOPT_TRY(const Operand end, frame_.integer(range.end));
      Operand span = emitter_.binary(Binary::Sub, end, dimension.begin);
      // Rounded towards -infinity, so that an empty range has length 0, not 1.
      if (!emitter_.known(dimension.step) || emitter_.known(dimension.step)->i != 1)
        span = emitter_.binary(Binary::FloorDiv, span, dimension.step);
      const Operand length = emitter_.binary(Binary::Add, span, emitter_.integer(1));
      dimension.length = emitter_.binary(Binary::Max, length, emitter_.integer(0));
    }
    result.dimensions.push_back(dimension);
  }
  return result;
}

symbolic::Expr StateCompiler::extent_of(const ir::Range &range) {
  symbolic::Context &context = frame_.unit().document.context;
  const symbolic::Expr one = context.integer(1);
  const symbolic::Expr step = range.step ? context.value(range.step) : one;
  const symbolic::Expr span = context.sub(context.value(range.end), context.value(range.begin));
  return context.add(step == one ? span : context.floor_div(span, step), one);
}

bool StateCompiler::is_one_element(const ir::Subset &subset) const {
  symbolic::Context &context = frame_.unit().document.context;
  return std::all_of(subset.ranges().begin(), subset.ranges().end(), [&](const ir::Range &range) {
    return context.value(range.begin) == context.value(range.end);
  });
}

support::result<Operand> StateCompiler::first(const DataRef &ref, const ir::Subset &subset) {
  std::vector<Operand> index;
  for (const ir::Range &range : subset.ranges()) {
    SDFGOPT_TRY(const Operand begin, frame_.integer(range.begin));
    index.push_back(begin);
  }
  return frame_.address(ref, index);
}

/// The part of a memlet that is of the data at one end of its path: the memlet's own subset if it
/// names that data, else the other side's.
static const ir::Subset &part_of(const ir::Memlet &memlet, Name data) {
  return memlet.data == data ? memlet.subset : memlet.other_subset;
}

support::result<DataRef> StateCompiler::node_data(NodeId node) {
  const Name name = access(node)->data;
  const ir::Descriptor *array = descriptor(node);
  if (!array)
    return cannot_run("'" + name.str() + "' is a member of a structure");
  if (array->kind != ir::DescriptorKind::View)
    return frame_.data(name);
  const EdgeId edge = view_edge(node);
  if (!edge.has_value())
    return cannot_run("View '" + name.str() + "' has no single edge to what it views");
  const bool forward = state_.edge(edge).src == node;
  SDFGOPT_TRY(const NodeId viewed, far_end(edge, forward));
  if (!access(viewed) || viewed == node)
    return cannot_run("View '" + name.str() + "' of something that is not data");
  if (std::find(viewing_.begin(), viewing_.end(), node) != viewing_.end())
    return cannot_run("View '" + name.str() + "' views itself through other Views");
  viewing_.push_back(node);
  const auto found = node_data(viewed);
  viewing_.pop_back();
  SDFGOPT_TRY(const DataRef base, found);
  if (base.kind == ir::DescriptorKind::Stream)
    return cannot_run("View '" + name.str() + "' of a stream");
  const ir::Subset &subset = part_of(state_.edge(edge).memlet, base.name);
  Operand begin = base.start.reg == none ? emitter_.integer(0) : base.start;
  if (subset) {
    SDFGOPT_TRY(begin, first(base, subset));
  }
  const SlotId slot = emitter_.program().slots++;
  emitter_.emit(Op::SlotOffset, slot, base.slot, begin.reg,
                static_cast<std::uint16_t>(size_of(base.type)));
  return frame_.layout(*array, slot);
}

support::result<StateCompiler::End> StateCompiler::end(EdgeId edge, bool forward) {
  SDFGOPT_TRY(const NodeId node, far_end(edge, forward));
  const ir::Memlet &memlet = state_.edge(edge).memlet;
  if (!access(node))
    return cannot_run("an edge between two nodes that compute");
  if (memlet.data != access(node)->data)
    return cannot_run("the memlet of an edge at a node that computes names '" + memlet.data.str() +
                      "', but the edge leads to '" + access(node)->data.str() + "'");
  SDFGOPT_TRY(const DataRef ref, node_data(node));
  End result{ref, &memlet.subset, {}, std::nullopt};
  if (ref.kind == ir::DescriptorKind::Stream) {
    if (!forward)
      result.consumed = consumed_on_path(edge);
    return result;
  }
  SDFGOPT_TRY(result.address, first(ref, memlet.subset));
  return result;
}

support::result<StateCompiler::End> StateCompiler::array_end(EdgeId edge, bool forward) {
  SDFGOPT_TRY(End result, end(edge, forward));
  if (result.ref.kind == ir::DescriptorKind::Stream)
    return cannot_run("stream '" + result.ref.name.str() + "' is used like an array");
  return result;
}

std::optional<Operand> StateCompiler::consumed_on_path(EdgeId edge) const {
  while (true) {
    const ir::Edge &e = state_.edge(edge);
    if (e.src_connector.view() == "OUT_stream")
      if (const auto taken = consumed_.find(e.src.value); taken != consumed_.end())
        return taken->second;
    if (!state_.node(e.src).is_scope_entry() || !e.src_connector.view().starts_with("OUT_"))
      return std::nullopt;
    const auto before = backward_.find({e.src, e.src_connector.view().substr(4)});
    if (before == backward_.end())
      return std::nullopt;
    edge = before->second;
  }
}

// --- nodes --------------------------------------------------------------------------------------

support::result<void> StateCompiler::node(NodeId id) {
  mark_place(id);
  const ir::Node &n = state_.node(id);
  const Nesting nesting(frame_.unit());
  support::result<void> done;
  if (nesting.too_deep())
    done = cannot_run("more than " + std::to_string(Nesting::max_nesting) + " levels of nesting");
  else if (n.is<ir::Tasklet>())
    done = tasklet(id);
  else if (n.is<ir::MapEntry>())
    done = map_scope(id);
  else if (n.is<ir::ConsumeEntry>())
    done = consume_scope(id);
  else if (n.is<ir::NestedSdfg>())
    done = nested_sdfg(id);
  else if (n.is<ir::LibraryNode>())
    done = library_node(id);
  else if (n.is<ir::UnknownNode>())
    done = cannot_run("a node of type " + n.type.str());
  if (!done.ok() && done.error().place.empty())
    done.error().place = place_of(id);
  return done;
}

/// Code sees a map's parameter as the C++ type of the bounds.
ScalarType StateCompiler::parameter_type(const ir::Range &range) {
  symbolic::Context &context = frame_.unit().document.context;
  for (const ir::Expression bound : {range.begin, range.end, range.step})
    for (const Name name : bound ? context.free_symbols(context.value(bound)) : std::vector<Name>())
      if (const auto symbol = frame_.declared_symbol(name); symbol && size_of(symbol->type) == 8)
        return ScalarType::Int64;
  return ScalarType::Int32;
}

support::result<void> StateCompiler::map_scope(NodeId entry) {
  const auto &map = *state_.node(entry).as<ir::MapEntry>();
  Frame::Scoped names(frame_);
  for (const EdgeId edge : graph_.in_edges(entry)) {
    const Name connector = state_.edge(edge).dst_connector;
    if (!connector || connector.view().starts_with("IN_"))
      continue;
    SDFGOPT_TRY(const End source, array_end(edge, false));
    names.define(connector, emitter_.load(source.ref.slot, source.address, source.ref.type));
  }
  // Bounds are taken before any parameter is defined: a range does not see parameters of its own
  // map.
  Loop loop;
  std::vector<Operand> parameters;
  for (const ir::Range &range : map.range.ranges()) {
    if (range.tile && !frame_.unit().document.context.value(range.tile)->is_integer(1))
      return cannot_run("a map with tiles");
    SDFGOPT_TRY(const Operand begin, frame_.integer(range.begin));
    SDFGOPT_TRY(const Operand last, frame_.integer(range.end));
    Operand step = emitter_.integer(1);
    if (range.step) {
      SDFGOPT_TRY(step, frame_.integer(range.step));
    }
    parameters.push_back({emitter_.new_register(), parameter_type(range)});
    loop.dimensions.push_back({parameters.back().reg, begin.reg, last.reg, step.reg});
  }
  for (std::size_t d = 0; d < parameters.size(); ++d)
    names.define(map.params[d], parameters[d]);
  const Emitter::OpenLoop open = emitter_.begin_loop(std::move(loop));
  SDFGOPT_CHECK(level(entry));
  mark_place(entry);
  emitter_.end_loop(open);
  return {};
}

/// One processing element takes values from the stream until it is empty.
support::result<void> StateCompiler::consume_scope(NodeId entry) {
  const ir::Node &n = state_.node(entry);
  const auto &consume = *n.as<ir::ConsumeEntry>();
  EdgeId from;
  for (const EdgeId edge : graph_.in_edges(entry)) {
    if (state_.edge(edge).dst_connector.view() == "IN_stream")
      from = edge;
  }
  if (!from.has_value())
    return cannot_run("a consume scope without a stream");
  if (Attributes(n.source).has("condition"))
    return cannot_run("a consume scope with a condition of its own");
  SDFGOPT_TRY(const End stream, end(from, false));
  if (stream.ref.kind != ir::DescriptorKind::Stream)
    return cannot_run("a consume scope over '" + stream.ref.name.str() + "', which is no stream");
  const Label next = emitter_.new_label();
  const Label done = emitter_.new_label();
  emitter_.bind(next);
  emitter_.emit(Op::Burn);
  const Operand left = emitter_.new_operand(ScalarType::Int64);
  emitter_.emit(Op::StreamSize, left.reg, stream.ref.slot);
  emitter_.jump_if_not(left, done);
  const Operand taken = emitter_.new_operand(stream.ref.type);
  emitter_.emit(Op::Pop, taken.reg, stream.ref.slot);
  consumed_[entry.value] = taken;
  Frame::Scoped names(frame_);
  names.define(consume.pe_index, emitter_.integer(0));
  SDFGOPT_CHECK(level(entry));
  emitter_.jump(next);
  emitter_.bind(done);
  return {};
}

support::result<void> StateCompiler::set_reference(EdgeId edge) {
  const NodeId node = state_.edge(edge).dst;
  mark_place(node);
  SDFGOPT_TRY(const NodeId source, far_end(edge, false));
  if (!access(source))
    return cannot_run("a reference to what a node computes");
  SDFGOPT_TRY(const DataRef reference, node_data(node));
  SDFGOPT_TRY(const DataRef target, node_data(source));
  if (reference.kind != ir::DescriptorKind::Reference || target.kind == ir::DescriptorKind::Stream)
    return cannot_run("a reference from '" + access(node)->data.str() + "' to '" +
                      target.name.str() + "'");
  const ir::Subset &subset = part_of(state_.edge(edge).memlet, target.name);
  Operand begin = target.start.reg == none ? emitter_.integer(0) : target.start;
  if (subset) {
    SDFGOPT_TRY(begin, first(target, subset));
  }
  emitter_.emit(Op::SlotOffset, reference.slot, target.slot, begin.reg,
                static_cast<std::uint16_t>(size_of(target.type)));
  return {};
}

// --- nested SDFGs -------------------------------------------------------------------------------

support::result<void> StateCompiler::nested_sdfg(NodeId id) {
  const auto &nested = *state_.node(id).as<ir::NestedSdfg>();
  if (!nested.sdfg)
    return cannot_run("a nested SDFG that is in another file");
  Frame inner(frame_.unit(), *nested.sdfg, &frame_);
  for (const auto &[name, expression] : nested.symbol_mapping) {
    SDFGOPT_TRY(
        const Operand value,
        compile_symbolic(frame_.unit().document.context.value(expression), frame_, emitter_));
    // A register of its own: the nested SDFG may assign to its symbol.
    const Operand symbol = emitter_.new_operand(inner.declared_type(name).value_or(value.type));
    emitter_.assign(symbol, value);
    inner.define(name, symbol);
  }
  for (const ir::Descriptor &array : nested.sdfg->arrays)
    if (!array.removed && !array.transient)
      SDFGOPT_CHECK(bind_connector(id, array, inner));
  return compile_sdfg(inner);
}

/// Both memlets begin at the same element of the same data.
static bool same_begin(symbolic::Context &context, const ir::Memlet &a, const ir::Memlet &b) {
  bool same = a.data == b.data && a.subset.rank() == b.subset.rank();
  for (std::size_t d = 0; same && d < a.subset.rank(); ++d)
    same = context.value(a.subset.ranges()[d].begin) == context.value(b.subset.ranges()[d].begin);
  return same;
}

/// Nothing is done if neither side is a stream.
support::result<bool> StateCompiler::bind_stream(const End &outside, const ir::Descriptor &array,
                                                 Frame &inner) {
  const bool stream = outside.ref.kind == ir::DescriptorKind::Stream;
  const bool inner_stream = array.kind == ir::DescriptorKind::Stream;
  if (stream && array.kind == ir::DescriptorKind::Scalar && outside.consumed) {
    const SlotId slot = inner.scalar(array.name.str(), *outside.consumed);
    SDFGOPT_TRY(DataRef ref, inner.layout(array, slot));
    if (ref.type != outside.ref.type)
      return cannot_run("connector '" + array.name.str() + "' has elements of another type than '" +
                        outside.ref.name.str() + "'");
    inner.bind(array.name, std::move(ref));
    return true;
  }
  if (stream != inner_stream || (stream && outside.consumed))
    return cannot_run("connector '" + array.name.str() + "' is " +
                      (inner_stream ? "a stream" : "no stream") + ", unlike what it has of '" +
                      outside.ref.name.str() + "'");
  if (!stream)
    return false;
  DataRef ref = outside.ref;
  ref.name = array.name;
  inner.bind(array.name, std::move(ref));
  return true;
}

support::result<void> StateCompiler::bind_connector(NodeId id, const ir::Descriptor &array,
                                                    Frame &inner) {
  EdgeId in;
  EdgeId out;
  for (const EdgeId edge : graph_.in_edges(id))
    if (state_.edge(edge).dst_connector == array.name && !state_.edge(edge).memlet.is_empty())
      in = edge;
  for (const EdgeId edge : graph_.out_edges(id))
    if (state_.edge(edge).src_connector == array.name && !state_.edge(edge).memlet.is_empty())
      out = edge;
  if (!in.has_value() && !out.has_value())
    return {}; // told when something uses it
  if (in.has_value() && out.has_value() &&
      !same_begin(frame_.unit().document.context, state_.edge(in).memlet, state_.edge(out).memlet))
    return cannot_run("connector '" + array.name.str() +
                      "' is read and written at different "
                      "places");
  SDFGOPT_TRY(const End outside, in.has_value() ? end(in, false) : end(out, true));
  SDFGOPT_TRY(const bool bound, bind_stream(outside, array, inner));
  if (bound)
    return {};
  const SlotId slot = emitter_.program().slots++;
  emitter_.emit(Op::SlotOffset, slot, outside.ref.slot, outside.address.reg,
                static_cast<std::uint16_t>(size_of(outside.ref.type)));
  SDFGOPT_TRY(DataRef ref, inner.layout(array, slot));
  if (ref.type != outside.ref.type)
    return cannot_run("connector '" + array.name.str() + "' has elements of another type than '" +
                      outside.ref.name.str() + "'");
  // Scalars are handed over by reference, too: writes to the source by other ways are seen.
  inner.bind(array.name, std::move(ref));
  return {};
}

} // namespace sdfgopt::interp
