// Library nodes that real files hold: Reduce, copy and fill.
#include "interp/attributes.h"
#include "interp/code_scopes.h"
#include "interp/state_compiler.h"

namespace sdfgopt::interp {

support::result<void> StateCompiler::library_node(NodeId id) {
  const std::string_view path = state_.node(id).as<ir::LibraryNode>()->class_path.view();
  const std::string_view name = path.substr(path.rfind('.') + 1);
  if (name == "Reduce")
    return reduce(id);
  if (name == "FillLibraryNode")
    return fill(id);
  if (name == "CopyLibraryNode") {
    SDFGOPT_TRY(const EdgeId in, only_edge(id, false, "_cpy_in"));
    SDFGOPT_TRY(const EdgeId out, only_edge(id, true, "_cpy_out"));
    SDFGOPT_TRY(const End source, array_end(in, false));
    SDFGOPT_TRY(const End target, array_end(out, true));
    SDFGOPT_TRY(Box from, box(*source.subset));
    SDFGOPT_TRY(Box to, box(*target.subset));
    return copy_elements({source.ref, std::move(from)}, {target.ref, std::move(to)},
                         state_.edge(out).memlet.wcr);
  }
  return cannot_run("library nodes of class " + std::string(path) + " are not known");
}

support::result<ir::EdgeId> StateCompiler::only_edge(NodeId id, bool out,
                                                     std::string_view connector) {
  EdgeId found;
  for (const EdgeId edge : out ? graph_.out_edges(id) : graph_.in_edges(id)) {
    const ir::Edge &e = state_.edge(edge);
    if (e.memlet.is_empty() ||
        (!connector.empty() && (out ? e.src_connector : e.dst_connector).view() != connector))
      continue;
    if (found.has_value())
      return cannot_run("a library node with several edges where it has one");
    found = edge;
  }
  if (!found.has_value())
    return cannot_run("a library node without " + std::string(out ? "output" : "input"));
  return found;
}

namespace {

/// A number, or an expression as text; nothing if the attribute is absent.
support::result<std::optional<Operand>> value_of(const Attributes &attributes, std::string_view key,
                                                 Frame &frame) {
  if (!attributes.has(key))
    return std::optional<Operand>();
  if (const auto number = attributes.number(key))
    return std::optional(number->whole ? frame.emitter().integer(*number->whole)
                                       : frame.emitter().real(number->value));
  const std::optional<std::string> text = attributes.string(key);
  if (!text)
    return cannot_run("a library node whose " + std::string(key) + " is no number");
  SDFGOPT_TRY(const Operand value, compile_condition(*text, frame));
  return std::optional(value);
}

} // namespace

support::result<void> StateCompiler::fill(NodeId id) {
  SDFGOPT_TRY(const EdgeId out, only_edge(id, true, "_fill_out"));
  SDFGOPT_TRY(const End target, array_end(out, true));
  bool wired = false;
  for (const EdgeId edge : graph_.in_edges(id))
    wired = wired || !state_.edge(edge).memlet.is_empty();
  Operand value = emitter_.integer(0);
  if (wired) {
    SDFGOPT_TRY(const EdgeId in, only_edge(id, false, "_fill_val"));
    SDFGOPT_TRY(const End source, array_end(in, false));
    value = emitter_.load(source.ref.slot, source.address, source.ref.type);
  } else {
    SDFGOPT_TRY(const auto given, value_of(Attributes(state_.node(id).source), "value", frame_));
    value = given.value_or(value);
  }
  SDFGOPT_TRY(Box part, box(*target.subset));
  return set_all({target.ref, std::move(part)}, value, state_.edge(out).memlet.wcr);
}

/// Every element of a part gets a value.
support::result<void> StateCompiler::set_all(const Side &side, Operand value,
                                             std::string_view wcr) {
  const Operand position = emitter_.new_operand(ScalarType::Int64);
  const Operand last = emitter_.binary(Binary::Sub, count(side.box), emitter_.integer(1));
  const Emitter::OpenLoop loop = emitter_.begin_loop(
      {{{position.reg, emitter_.integer(0).reg, last.reg, emitter_.integer(1).reg}}, false});
  SDFGOPT_TRY(const Operand address, element_at(side, position));
  SDFGOPT_CHECK(write(side.ref, address, value, wcr));
  emitter_.end_loop(loop);
  return {};
}

namespace {

/// The axes that are reduced; all, if the node names none.
support::result<std::vector<bool>> reduced_axes(const Attributes &attributes, std::size_t rank) {
  if (!attributes.has("axes"))
    return std::vector<bool>(rank, true);
  const auto axes = attributes.integers("axes");
  if (!axes)
    return cannot_run("a Reduce whose axes are no numbers");
  std::vector<bool> reduced(rank);
  const auto count = static_cast<std::int64_t>(rank);
  for (const std::int64_t axis : *axes) {
    if (axis < -count || axis >= count)
      return cannot_run("a Reduce along an axis that its input does not have");
    reduced[static_cast<std::size_t>(axis < 0 ? axis + count : axis)] = true;
  }
  return reduced;
}

/// Which output dimension each input dimension that is kept goes to. Dimensions of one element may
/// be missing in the output, or be kept as such.
std::optional<std::vector<std::size_t>> output_dimensions(const Box &in, const Box &out,
                                                          const std::vector<bool> &reduced) {
  std::vector<std::size_t> kept;
  for (std::size_t d = 0; d < in.dimensions.size(); ++d)
    if (!reduced[d])
      kept.push_back(d);
  std::vector<std::size_t> target(in.dimensions.size(), SIZE_MAX);
  if (kept.size() == out.dimensions.size()) {
    for (std::size_t k = 0; k < kept.size(); ++k)
      target[kept[k]] = k;
    return target;
  }
  std::size_t next = 0;
  const auto skip_single = [&] {
    while (next < out.dimensions.size() && out.dimensions[next].single)
      ++next;
  };
  for (const std::size_t d : kept) {
    if (in.dimensions[d].single)
      continue;
    skip_single();
    if (next == out.dimensions.size())
      return std::nullopt;
    target[d] = next++;
  }
  skip_single();
  if (next != out.dimensions.size())
    return std::nullopt;
  return target;
}

} // namespace

support::result<void> StateCompiler::reduce(NodeId id) {
  const Attributes attributes(state_.node(id).source);
  SDFGOPT_TRY(const EdgeId in, only_edge(id, false, ""));
  SDFGOPT_TRY(const EdgeId out, only_edge(id, true, ""));
  SDFGOPT_TRY(const End source, array_end(in, false));
  SDFGOPT_TRY(const End target, array_end(out, true));
  SDFGOPT_TRY(const Box from, box(*source.subset));
  SDFGOPT_TRY(const Box to, box(*target.subset));
  const std::optional<std::string> wcr = attributes.string("wcr");
  if (!wcr)
    return cannot_run("a Reduce without a function");
  SDFGOPT_TRY(const std::vector<bool> reduced, reduced_axes(attributes, from.dimensions.size()));
  const auto goes_to = output_dimensions(from, to, reduced);
  if (!goes_to)
    return cannot_run("a Reduce into a part of another shape");
  SDFGOPT_TRY(const auto identity, value_of(attributes, "identity", frame_));
  if (identity)
    SDFGOPT_CHECK(set_all({target.ref, to}, *identity, ""));
  return reduce_elements({source.ref, from}, {target.ref, to}, *goes_to, *wcr);
}

support::result<void> StateCompiler::reduce_elements(const Side &source, const Side &target,
                                                     const std::vector<std::size_t> &goes_to,
                                                     std::string_view wcr) {
  // Always in ascending order: sums of floats depend on it, and DaCe's loops ascend.
  Loop loop;
  loop.ordered = true;
  std::vector<Operand> along;
  for (const Box::Dimension &dimension : source.box.dimensions) {
    along.push_back(emitter_.new_operand(ScalarType::Int64));
    const Operand last = emitter_.binary(Binary::Sub, dimension.length, emitter_.integer(1));
    loop.dimensions.push_back(
        {along.back().reg, emitter_.integer(0).reg, last.reg, emitter_.integer(1).reg});
  }
  const Emitter::OpenLoop open = emitter_.begin_loop(std::move(loop));
  std::vector<Operand> read;
  std::vector<Operand> written;
  written.reserve(target.box.dimensions.size());
  for (const Box::Dimension &dimension : target.box.dimensions)
    written.push_back(dimension.begin);
  for (std::size_t d = 0; d < along.size(); ++d) {
    const auto place = [&](const Box::Dimension &dimension) {
      return emitter_.binary(Binary::Add, dimension.begin,
                             emitter_.binary(Binary::Mul, along[d], dimension.step));
    };
    read.push_back(place(source.box.dimensions[d]));
    if (const std::size_t to_dimension = goes_to[d]; to_dimension != SIZE_MAX)
      written[to_dimension] = place(target.box.dimensions[to_dimension]);
  }
  SDFGOPT_TRY(const Operand source_at, frame_.address(source.ref, read));
  SDFGOPT_TRY(const Operand target_at, frame_.address(target.ref, written));
  const Operand value = emitter_.load(source.ref.slot, source_at, source.ref.type);
  SDFGOPT_CHECK(write(target.ref, target_at, value, wcr));
  emitter_.end_loop(open);
  return {};
}

} // namespace sdfgopt::interp
