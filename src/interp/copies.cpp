// Copies between access nodes: whole, partial, strided, of another shape or element type, and to
// and from streams.
#include "interp/state_compiler.h"

namespace sdfgopt::interp {

Operand StateCompiler::count(const Box &box) {
  Operand result = emitter_.integer(1);
  for (const Box::Dimension &dimension : box.dimensions)
    result = emitter_.binary(Binary::Mul, result, dimension.length);
  return result;
}

Box StateCompiler::whole_of(const DataRef &ref, const ir::Descriptor &descriptor) {
  symbolic::Context &context = frame_.unit().document.context;
  Box whole;
  for (std::size_t d = 0; d < ref.shape.size(); ++d) {
    // A Scalar may have no shape in the file.
    const symbolic::Expr extent =
        d < descriptor.shape.size() ? context.value(descriptor.shape[d]) : context.integer(1);
    whole.dimensions.push_back(
        {emitter_.integer(0), ref.shape[d], emitter_.integer(1), extent->is_integer(1), extent});
  }
  return whole;
}

/// The part that a memlet does not tell, as DaCe 2.0.0a10 takes it: all of the array if it has as
/// many elements; the part with the same indices if it certainly has another number; and, where
/// that depends on symbols, as much as is told, from index 0 on.
support::result<Box> StateCompiler::left_out(const ir::Subset &told, const DataRef &ref,
                                             const ir::Descriptor &descriptor) {
  symbolic::Context &context = frame_.unit().document.context;
  std::vector<symbolic::Expr> lengths;
  std::vector<symbolic::Expr> extents;
  for (const ir::Range &range : told.ranges())
    lengths.push_back(extent_of(range));
  extents.reserve(descriptor.shape.size());
  for (const ir::Expression extent : descriptor.shape)
    extents.push_back(context.value(extent));
  const symbolic::Expr difference = context.sub(context.mul(lengths), context.mul(extents));
  const std::optional<std::int64_t> constant = symbolic::Context::constant(difference);
  const bool same_rank = told.rank() == ref.shape.size();
  if (constant && *constant != 0) {
    if (!same_rank)
      return cannot_run("a copy that does not tell its part of '" + ref.name.str() +
                        "', which has another size and rank than the other side");
    return box(told);
  }
  if (!constant && same_rank) {
    SDFGOPT_TRY(Box part, box(told));
    for (Box::Dimension &dimension : part.dimensions) {
      dimension.begin = emitter_.integer(0);
      dimension.step = emitter_.integer(1);
    }
    return part;
  }
  return whole_of(ref, descriptor);
}

support::result<void> StateCompiler::copy(EdgeId edge) {
  SDFGOPT_TRY(const NodeId src, far_end(edge, false));
  SDFGOPT_TRY(const NodeId dst, far_end(edge, true));
  mark_place(src);
  const ir::Memlet &memlet = state_.edge(edge).memlet;
  const Name src_data = access(src)->data;
  const Name dst_data = access(dst)->data;
  if (memlet.data != src_data && memlet.data != dst_data)
    return cannot_run("a copy's memlet names '" + memlet.data.str() + "', which is at neither end");
  const bool tells_source =
      src_data == dst_data ? memlet.data_is_source.value_or(true) : memlet.data == src_data;
  SDFGOPT_TRY(const DataRef from, node_data(src));
  SDFGOPT_TRY(const DataRef to, node_data(dst));
  const bool from_stream = from.kind == ir::DescriptorKind::Stream;
  const bool to_stream = to.kind == ir::DescriptorKind::Stream;
  if (from_stream && to_stream)
    return cannot_run("a copy between streams");
  const auto side = [&](const DataRef &ref, bool told,
                        const ir::Descriptor &array) -> support::result<Side> {
    const ir::Subset &subset = told ? memlet.subset : memlet.other_subset;
    if (subset) {
      SDFGOPT_TRY(Box part, box(subset));
      return Side{ref, std::move(part)};
    }
    // Where the other end is a stream, there is nothing that a part could be taken from.
    if (told || from_stream || to_stream || !memlet.subset)
      return Side{ref, whole_of(ref, array)};
    SDFGOPT_TRY(Box part, left_out(memlet.subset, ref, array));
    return Side{ref, std::move(part)};
  };
  if (to_stream) {
    SDFGOPT_TRY(const Side source, side(from, tells_source, *descriptor(src)));
    return copy_to_stream(source, to);
  }
  if (from_stream) {
    SDFGOPT_TRY(const Side target, side(to, !tells_source, *descriptor(dst)));
    const std::optional<Operand> consumed = consumed_on_path(edge);
    return consumed ? copy_consumed(*consumed, target) : copy_from_stream(from, target);
  }
  SDFGOPT_TRY(const Side source, side(from, tells_source, *descriptor(src)));
  SDFGOPT_TRY(const Side target, side(to, !tells_source, *descriptor(dst)));
  return copy_elements(source, target, memlet.wcr);
}

support::result<Operand> StateCompiler::element_at(const Side &side, Operand position) {
  const auto &dimensions = side.box.dimensions;
  std::vector<Operand> index(dimensions.size());
  for (std::size_t d = dimensions.size(); d-- > 0;) {
    const Box::Dimension &dimension = dimensions[d];
    Operand along = emitter_.integer(0);
    if (!dimension.single) {
      along = d == 0 ? position : emitter_.binary(Binary::Rem, position, dimension.length);
      if (d > 0)
        position = emitter_.binary(Binary::Div, position, dimension.length);
    }
    index[d] = emitter_.binary(Binary::Add, dimension.begin,
                               emitter_.binary(Binary::Mul, along, dimension.step));
  }
  return frame_.address(side.ref, index);
}

/// Dimensions of more than one element, by their position.
static std::vector<std::size_t> wide_dimensions(const Box &box) {
  std::vector<std::size_t> wide;
  for (std::size_t d = 0; d < box.dimensions.size(); ++d)
    if (!box.dimensions[d].single)
      wide.push_back(d);
  return wide;
}

/// Element by element in row-major order of both parts, whatever their shapes. Where both have the
/// same lengths in the dimensions that count, this is a copy index by index, and faster so.
support::result<void> StateCompiler::copy_elements(const Side &from, const Side &to,
                                                   std::string_view wcr) {
  const std::vector<std::size_t> source = wide_dimensions(from.box);
  const std::vector<std::size_t> target = wide_dimensions(to.box);
  bool alike = source.size() == target.size();
  for (std::size_t k = 0; alike && k < source.size(); ++k)
    alike = from.box.dimensions[source[k]].extent == to.box.dimensions[target[k]].extent;
  if (!alike)
    return copy_flat(from, to, wcr);
  Loop loop;
  std::vector<Operand> read;
  std::vector<Operand> written;
  read.reserve(from.box.dimensions.size());
  for (const Box::Dimension &dimension : from.box.dimensions)
    read.push_back(dimension.begin);
  written.reserve(to.box.dimensions.size());
  for (const Box::Dimension &dimension : to.box.dimensions)
    written.push_back(dimension.begin);
  std::vector<Operand> along;
  for (const std::size_t d : source) {
    along.push_back(emitter_.new_operand(ScalarType::Int64));
    const Operand last =
        emitter_.binary(Binary::Sub, from.box.dimensions[d].length, emitter_.integer(1));
    loop.dimensions.push_back(
        {along.back().reg, emitter_.integer(0).reg, last.reg, emitter_.integer(1).reg});
  }
  const Emitter::OpenLoop open = emitter_.begin_loop(std::move(loop));
  const auto place = [&](const Box::Dimension &dimension, Operand position) {
    return emitter_.binary(Binary::Add, dimension.begin,
                           emitter_.binary(Binary::Mul, position, dimension.step));
  };
  for (std::size_t k = 0; k < along.size(); ++k) {
    read[source[k]] = place(from.box.dimensions[source[k]], along[k]);
    written[target[k]] = place(to.box.dimensions[target[k]], along[k]);
  }
  SDFGOPT_TRY(const Operand source_at, frame_.address(from.ref, read));
  SDFGOPT_TRY(const Operand target_at, frame_.address(to.ref, written));
  const Operand value = emitter_.load(from.ref.slot, source_at, from.ref.type);
  SDFGOPT_CHECK(write(to.ref, target_at, value, wcr));
  emitter_.end_loop(open);
  return {};
}

support::result<void> StateCompiler::copy_flat(const Side &from, const Side &to,
                                               std::string_view wcr) {
  const Operand elements = count(from.box);
  const Operand room = count(to.box);
  const Label fits = emitter_.new_label();
  emitter_.jump_if(emitter_.binary(Binary::Eq, elements, room), fits);
  emitter_.fault("copies a part of '" + from.ref.name.str() + "' to a part of '" +
                 to.ref.name.str() + "' that has another number of elements");
  emitter_.bind(fits);
  const Operand position = emitter_.new_operand(ScalarType::Int64);
  const Operand last = emitter_.binary(Binary::Sub, elements, emitter_.integer(1));
  const Emitter::OpenLoop loop = emitter_.begin_loop(
      {{{position.reg, emitter_.integer(0).reg, last.reg, emitter_.integer(1).reg}}, false});
  SDFGOPT_TRY(const Operand source, element_at(from, position));
  SDFGOPT_TRY(const Operand target, element_at(to, position));
  const Operand value = emitter_.load(from.ref.slot, source, from.ref.type);
  SDFGOPT_CHECK(write(to.ref, target, value, wcr));
  emitter_.end_loop(loop);
  return {};
}

support::result<void> StateCompiler::copy_to_stream(const Side &from, const DataRef &stream) {
  const Operand position = emitter_.new_operand(ScalarType::Int64);
  const Operand last = emitter_.binary(Binary::Sub, count(from.box), emitter_.integer(1));
  const Emitter::OpenLoop loop = emitter_.begin_loop(
      {{{position.reg, emitter_.integer(0).reg, last.reg, emitter_.integer(1).reg}}, true});
  SDFGOPT_TRY(const Operand source, element_at(from, position));
  const Operand value = emitter_.load(from.ref.slot, source, from.ref.type);
  emitter_.emit(Op::Push, emitter_.convert(value, stream.type).reg, stream.slot);
  emitter_.end_loop(loop);
  return {};
}

/// Takes what the stream holds; the elements after that keep their contents.
support::result<void> StateCompiler::copy_from_stream(const DataRef &stream, const Side &to) {
  const Operand size = emitter_.new_operand(ScalarType::Int64);
  emitter_.emit(Op::StreamSize, size.reg, stream.slot);
  const Operand number = emitter_.binary(Binary::Min, size, count(to.box));
  const Operand position = emitter_.new_operand(ScalarType::Int64);
  const Operand last = emitter_.binary(Binary::Sub, number, emitter_.integer(1));
  const Emitter::OpenLoop loop = emitter_.begin_loop(
      {{{position.reg, emitter_.integer(0).reg, last.reg, emitter_.integer(1).reg}}, true});
  const Operand value = emitter_.new_operand(stream.type);
  emitter_.emit(Op::Pop, value.reg, stream.slot);
  SDFGOPT_TRY(const Operand target, element_at(to, position));
  emitter_.store(to.ref.slot, target, to.ref.type, value);
  emitter_.end_loop(loop);
  return {};
}

support::result<void> StateCompiler::copy_consumed(Operand value, const Side &to) {
  SDFGOPT_TRY(const Operand target, element_at(to, emitter_.integer(0)));
  emitter_.store(to.ref.slot, target, to.ref.type, value);
  return {};
}

} // namespace sdfgopt::interp
