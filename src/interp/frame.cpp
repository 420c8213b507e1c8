#include "interp/frame.h"

#include "interp/attributes.h"
#include "interp/code_parser.h"
#include "interp/code_uses.h"

#include <algorithm>
#include <cassert>

namespace sdfgopt::interp {

namespace {

StateGraphs graphs_of(const ir::Sdfg &sdfg) {
  StateGraphs graphs;
  ir::for_each_state(sdfg.root, [&](const ir::State &state, const ir::Block &) {
    graphs.try_emplace(&state, state);
  });
  return graphs;
}

std::int64_t start_offset_of(const ir::Descriptor &descriptor) {
  if (descriptor.source.empty())
    return 0;
  const std::optional<Number> start = Attributes(descriptor.source).number("start_offset");
  return start ? start->whole.value_or(0) : 0;
}

bool outlives_runs(const ir::Descriptor &array) {
  const std::string_view lifetime = array.lifetime_or_default();
  return lifetime == "\"Persistent\"" || lifetime == "\"External\"" || lifetime == "\"Global\"";
}

/// Each is two instructions.
constexpr std::size_t most_constants = 1U << 16U;

Operand number(Emitter &emitter, const Number &number) {
  return number.whole ? emitter.integer(*number.whole) : emitter.real(number.value);
}

} // namespace

support::Error cannot_run(const std::string &what) {
  return {support::ErrorCode::Unsupported, "cannot run: " + what, ""};
}

Frame::Frame(Unit &unit, const ir::Sdfg &sdfg, Frame *outer)
    : unit_(unit), sdfg_(sdfg), outer_(outer), graphs_(graphs_of(sdfg)), lifetimes_(sdfg, graphs_) {
  for (const auto &[name, dtype] : sdfg.symbols)
    if (const std::optional<ScalarType> type = scalar_type(dtype))
      declared_.emplace(name, *type);
  declare_constants();
  declare_assigned(sdfg.root);
}

void Frame::declare_constants() {
  for (const Constant &constant : constants(sdfg_.attribute("constants_prop"))) {
    const std::optional<ScalarType> type = scalar_type(constant.dtype);
    if (constant.array || !type || constant.values.empty())
      continue; // a use of what is no number is told as a name that is not known
    define(unit_.document.names.intern(constant.name),
           emitter().convert(number(emitter(), constant.values.front()), *type));
  }
}

support::result<void> Frame::fill_constants() {
  for (const Constant &constant : constants(sdfg_.attribute("constants_prop"))) {
    const std::optional<ScalarType> type = scalar_type(constant.dtype);
    if (!constant.array || !type)
      continue;
    if (constant.values.size() > most_constants)
      return cannot_run("constant '" + constant.name + "' has more than " +
                        std::to_string(most_constants) + " elements");
    const auto size = static_cast<std::int64_t>(constant.values.size());
    const Name name = unit_.document.names.intern(constant.name);
    DataRef ref;
    ref.name = name;
    ref.type = *type;
    ref.slot = allocate_elements(constant.name, *type, size);
    std::int64_t stride = size;
    for (const std::int64_t extent : constant.shape) {
      stride = extent == 0 ? 0 : stride / extent;
      ref.shape.push_back(emitter().integer(extent));
      ref.strides.push_back(emitter().integer(stride));
    }
    for (std::int64_t k = 0; k < size; ++k)
      emitter().store(ref.slot, emitter().integer(k), *type,
                      number(emitter(), constant.values[static_cast<std::size_t>(k)]));
    constant_arrays_.insert_or_assign(name, std::move(ref));
  }
  return {};
}

const DataRef *Frame::constant_array(Name name) const {
  for (const Frame *frame = this; frame; frame = frame->outer_)
    if (const auto found = frame->constant_arrays_.find(name);
        found != frame->constant_arrays_.end())
      return &found->second;
  return nullptr;
}

// --- symbols ------------------------------------------------------------------------------------

/// What DaCe infers for a symbol that is not declared: a float if some part of its first value is
/// one, else an integer.
ScalarType Frame::assigned_type(std::string_view value) {
  const auto is_float_name = [this](std::string_view text) {
    const Name name = unit_.document.names.find(text);
    if (!name)
      return false;
    const ir::Descriptor *array = sdfg_.find_array(name);
    const std::optional<ScalarType> type =
        array ? scalar_type(array->dtype_or_default()) : declared_type(name);
    return type && is_float(*type);
  };
  const support::result<ast::ExprPtr> expr = parse_expression(value);
  return expr.ok() && any_float(*expr.value(), is_float_name) ? ScalarType::Float64
                                                              : ScalarType::Int64;
}

/// Symbols that control flow assigns to have one register all along.
void Frame::declare_assigned(const ir::Region &region) {
  const auto declare = [this](Name name, std::string_view value) {
    if (!assigned_.insert(name).second)
      return;
    const Operand symbol =
        emitter().new_operand(declared_type(name).value_or(assigned_type(value)));
    define(name, symbol);
    if (!outer_)
      emitter().program().symbols.push_back({name.str(), symbol.type, symbol.reg, true});
  };
  for (const ir::InterstateEdge &edge : region.edges)
    if (!edge.removed)
      for (const auto &[name, value] : edge.assignments)
        declare(name, value.text());
  for (const ir::Block &block : region.blocks) {
    if (block.removed)
      continue;
    if (const auto *loop = block.as<ir::LoopRegion>())
      if (loop->variable && !loop->variable.view().empty())
        declare(loop->variable, loop->init ? loop->init->text : std::string_view());
    for (const ir::Region *child : ir::child_regions(block))
      declare_assigned(*child);
  }
}

std::optional<ScalarType> Frame::declared_type(Name name) const {
  const auto found = declared_.find(name);
  return found == declared_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<Operand> Frame::declared_symbol(Name name) {
  if (const auto found = symbols_.find(name); found != symbols_.end())
    return found->second;
  if (is_data(name))
    return std::nullopt;
  if (outer_)
    return outer_->declared_symbol(name);
  const std::optional<ScalarType> type = declared_type(name);
  if (!type)
    return std::nullopt;
  const Operand input = emitter().new_operand(*type);
  emitter().program().symbols.push_back({name.str(), *type, input.reg, false});
  define(name, input);
  return input;
}

std::optional<Operand> Frame::symbol(Name name) {
  if (const std::optional<Operand> found = declared_symbol(name))
    return found;
  if (is_data(name))
    return std::nullopt;
  Frame *root = this;
  while (root->outer_)
    root = root->outer_;
  // A file may use a symbol that it does not declare; DaCe takes it for an integer.
  if (root->is_data(name))
    return std::nullopt;
  root->declared_.emplace(name, ScalarType::Int64);
  return root->declared_symbol(name);
}

Operand Frame::assigned_symbol(Name name) { return symbols_.at(name); }

void Frame::Scoped::define(Name name, Operand value) {
  const auto found = frame_.symbols_.find(name);
  before_.emplace_back(name, found == frame_.symbols_.end() ? std::nullopt
                                                            : std::optional(found->second));
  frame_.symbols_[name] = value;
}

Frame::Scoped::~Scoped() {
  for (auto it = before_.rbegin(); it != before_.rend(); ++it) {
    if (it->second)
      frame_.symbols_[it->first] = *it->second;
    else
      frame_.symbols_.erase(it->first);
  }
}

// --- data ---------------------------------------------------------------------------------------

support::result<Operand> Frame::integer(ir::Expression expression) {
  return compile_integer(unit_.document.context.value(expression), *this, emitter());
}

support::result<std::vector<Operand>>
Frame::integers(const std::vector<ir::Expression> &expressions) {
  std::vector<Operand> values;
  for (const ir::Expression expression : expressions) {
    SDFGOPT_TRY(const Operand value, integer(expression));
    values.push_back(value);
  }
  return values;
}

support::result<DataRef> Frame::layout(const ir::Descriptor &descriptor, SlotId slot) {
  DataRef ref;
  ref.name = descriptor.name;
  ref.kind = descriptor.kind;
  ref.slot = slot;
  const std::optional<ScalarType> type = scalar_type(descriptor.dtype_or_default());
  if (!type)
    return cannot_run("'" + descriptor.name.str() + "' has elements of type " +
                      std::string(descriptor.dtype_or_default()));
  ref.type = *type;
  SDFGOPT_TRY(ref.shape, integers(descriptor.shape));
  if (descriptor.kind == ir::DescriptorKind::Scalar && ref.shape.empty())
    ref.shape.push_back(emitter().integer(1)); // files may leave it out
  SDFGOPT_TRY(ref.strides, integers(descriptor.strides));
  if (ref.strides.empty() && !ref.shape.empty()) {
    ref.strides.resize(ref.shape.size());
    Operand stride = emitter().integer(1);
    for (std::size_t d = ref.shape.size(); d-- > 0;) {
      ref.strides[d] = stride;
      if (d > 0)
        stride = emitter().binary(Binary::Mul, stride, ref.shape[d]);
    }
  }
  if (descriptor.kind != ir::DescriptorKind::Scalar) {
    SDFGOPT_TRY(ref.offsets, integers(descriptor.offset));
  }
  return ref;
}

/// Its layout is in registers of its own, which compute_layout fills.
support::result<std::uint32_t> Frame::declare_container(const ir::Descriptor &descriptor) {
  using Kind = ir::DescriptorKind;
  const Kind kind = descriptor.kind;
  if (kind != Kind::Scalar && kind != Kind::Array && kind != Kind::Stream)
    return cannot_run("'" + descriptor.name.str() + "' is data of type " + descriptor.type.str());
  const std::optional<ScalarType> type = scalar_type(descriptor.dtype_or_default());
  if (!type)
    return cannot_run("'" + descriptor.name.str() + "' has elements of type " +
                      std::string(descriptor.dtype_or_default()));
  Program &program = emitter().program();
  const auto index = static_cast<std::uint32_t>(program.containers.size());
  Container container;
  container.name = descriptor.name.str();
  container.type = *type;
  container.slot = program.slots++;
  container.transient = descriptor.transient;
  container.zeroed = lifetimes_.is_zeroed(descriptor.name);
  container.stream = kind == Kind::Stream;
  container.persistent = outlives_runs(descriptor);
  DataRef ref;
  ref.name = descriptor.name;
  ref.kind = kind;
  ref.type = *type;
  ref.slot = container.slot;
  const bool bare = kind == Kind::Scalar && descriptor.shape.empty();
  const std::size_t rank = kind == Kind::Stream ? 0 : descriptor.shape.size();
  const auto registers = [&](const std::vector<ir::Expression> &values, std::vector<Reg> &regs,
                             std::vector<Operand> &operands) {
    for (std::size_t d = 0; d < rank; ++d) {
      // A constant is known at each access; the rest is computed where the memory begins to be.
      const std::optional<std::int64_t> constant =
          values.empty() ? std::nullopt
                         : symbolic::Context::constant(unit_.document.context.value(values[d]));
      operands.push_back(constant ? emitter().integer(*constant)
                                  : emitter().new_operand(ScalarType::Int64));
      regs.push_back(operands.back().reg);
    }
  };
  registers(descriptor.shape, container.shape, ref.shape);
  registers(descriptor.strides, container.strides, ref.strides);
  if (bare) {
    ref.shape = ref.strides = {emitter().integer(1)};
    container.shape = container.strides = {ref.shape[0].reg};
  }
  container.total_size = emitter().new_register();
  if (kind == Kind::Array) {
    for (std::size_t d = 0; d < descriptor.offset.size(); ++d)
      ref.offsets.push_back(emitter().new_operand(ScalarType::Int64));
    if (const std::int64_t start = start_offset_of(descriptor); start != 0) {
      ref.start = emitter().integer(start);
      container.start_offset = ref.start.reg;
    }
  }
  program.containers.push_back(std::move(container));
  containers_.emplace(descriptor.name, index);
  order_.push_back(index);
  data_.emplace(descriptor.name, std::move(ref));
  return index;
}

support::result<void> Frame::compute_layout(std::uint32_t index, const ir::Descriptor &descriptor) {
  const Operand total = {emitter().program().containers[index].total_size, ScalarType::Int64};
  if (descriptor.kind == ir::DescriptorKind::Stream) {
    emitter().assign(total, emitter().integer(0));
    return {};
  }
  SDFGOPT_TRY(const DataRef values, layout(descriptor, none));
  DataRef &ref = data_.at(descriptor.name);
  // The same Name may be asked for while its own shape is computed; so the values come first.
  const auto fill = [&](const std::vector<Operand> &targets, const std::vector<Operand> &sources) {
    assert(targets.size() == sources.size());
    for (std::size_t d = 0; d < targets.size(); ++d)
      if (!emitter().known(targets[d]))
        emitter().assign(targets[d], sources[d]);
  };
  fill(ref.shape, values.shape);
  fill(ref.strides, values.strides);
  fill(ref.offsets, values.offsets);
  Operand size = emitter().integer(1);
  if (descriptor.total_size && descriptor.total_size.text() != "0") {
    SDFGOPT_TRY(size, integer(descriptor.total_size));
  } else {
    for (const Operand extent : values.shape)
      size = emitter().binary(Binary::Mul, size, extent);
  }
  emitter().assign(total, size);
  return {};
}

support::result<void> Frame::declare_arguments() {
  for (const ir::Descriptor &descriptor : sdfg_.arrays) {
    if (descriptor.removed || descriptor.transient)
      continue;
    if (descriptor.kind == ir::DescriptorKind::Stream)
      return cannot_run("the argument '" + descriptor.name.str() + "' is a stream");
    SDFGOPT_TRY(const std::uint32_t index, declare_container(descriptor));
    SDFGOPT_CHECK(compute_layout(index, descriptor));
    emitter().program().arguments.push_back(index);
  }
  return {};
}

support::result<DataRef> Frame::data(Name name) {
  if (const auto found = data_.find(name); found != data_.end())
    return found->second;
  const ir::Descriptor *descriptor = sdfg_.find_array(name);
  if (!descriptor)
    return cannot_run("there is no data '" + name.str() + "'");
  if (descriptor->kind == ir::DescriptorKind::Reference) {
    // Only the slot lasts: its shape may be computed in a branch that is not taken.
    const auto [slot, added] = references_.try_emplace(name, emitter().program().slots);
    if (added)
      ++emitter().program().slots;
    return layout(*descriptor, slot->second);
  }
  if (!descriptor->transient)
    return cannot_run("the nested SDFG's '" + name.str() + "' is not connected");
  SDFGOPT_TRY([[maybe_unused]] const std::uint32_t index, declare_container(*descriptor));
  return data_.at(name);
}

support::result<void> Frame::allocate(Name name, bool fresh) {
  const ir::Descriptor &descriptor = *sdfg_.find_array(name);
  if (descriptor.kind == ir::DescriptorKind::View ||
      descriptor.kind == ir::DescriptorKind::Reference)
    return {};
  SDFGOPT_CHECK(data(name));
  const std::uint32_t index = containers_.at(name);
  SDFGOPT_CHECK(compute_layout(index, descriptor));
  emitter().emit(fresh ? Op::Allocate : Op::Ensure, index);
  return {};
}

SlotId Frame::allocate_elements(std::string name, ScalarType type, std::int64_t elements) {
  Program &program = emitter().program();
  Container container;
  container.name = std::move(name);
  container.type = type;
  container.slot = program.slots++;
  container.transient = true;
  container.total_size = emitter().integer(elements).reg;
  const SlotId slot = container.slot;
  emitter().emit(Op::Allocate, static_cast<std::uint32_t>(program.containers.size()));
  program.containers.push_back(std::move(container));
  return slot;
}

SlotId Frame::scalar(std::string name, Operand value) {
  const SlotId slot = allocate_elements(std::move(name), value.type, 1);
  emitter().store(slot, emitter().integer(0), value.type, value);
  return slot;
}

Operand Frame::undefined(ScalarType type) {
  const auto found = unit_.undefined.find(type);
  if (found != unit_.undefined.end())
    return found->second;
  return unit_.undefined.emplace(type, emitter().new_operand(type)).first->second;
}

void Frame::load_undefined() {
  for (const auto &[type, operand] : unit_.undefined) {
    const SlotId slot = allocate_elements("undefined value", type, 1);
    emitter().assign(operand, emitter().load(slot, emitter().integer(0), type));
  }
}

void Frame::release() {
  for (const std::uint32_t container : order_)
    if (emitter().program().containers[container].transient)
      emitter().emit(Op::Release, container);
}

support::result<Operand> Frame::address(const DataRef &ref, std::span<const Operand> index) {
  if (index.size() != ref.strides.size())
    return cannot_run(std::to_string(index.size()) + " indices for '" + ref.name.str() +
                      "', which has " + std::to_string(ref.strides.size()) + " dimensions");
  std::int64_t known = 0;
  std::optional<Operand> sum;
  const auto add = [&](Operand term) {
    if (const auto value = emitter().known(term))
      known += value->i;
    else
      sum = sum ? emitter().binary(Binary::Add, *sum, term) : term;
  };
  if (ref.start.reg != none)
    add(ref.start);
  for (std::size_t d = 0; d < index.size(); ++d) {
    Operand position = index[d];
    if (!ref.offsets.empty())
      position = emitter().binary(Binary::Add, position, ref.offsets[d]);
    add(emitter().binary(Binary::Mul, position, ref.strides[d]));
  }
  if (!sum)
    return emitter().integer(known);
  return known == 0 ? *sum : emitter().binary(Binary::Add, *sum, emitter().integer(known));
}

support::result<Operand> Frame::element_of(const DataRef &ref, std::span<const Operand> index) {
  if (ref.kind == ir::DescriptorKind::Stream)
    return cannot_run("stream '" + ref.name.str() + "' is read like an array");
  std::vector<Operand> full(index.begin(), index.end());
  // `s` and `s[0]` both read a scalar.
  if (full.empty())
    full.assign(ref.strides.size(), emitter().integer(0));
  SDFGOPT_TRY(const Operand at, address(ref, full));
  return emitter().load(ref.slot, at, ref.type);
}

support::result<Operand> Frame::element(Name name, std::span<const Operand> index) {
  if (!is_data(name))
    return constant_element(name, index);
  if (sdfg_.find_array(name)->transient)
    SDFGOPT_CHECK(allocate(name, false));
  SDFGOPT_TRY(const DataRef ref, data(name));
  return element_of(ref, index);
}

support::result<Operand> Frame::constant_element(Name name, std::span<const Operand> index) {
  const DataRef *constant = constant_array(name);
  if (!constant)
    return cannot_run("'" + name.str() + "' is neither a symbol nor data");
  return element_of(*constant, index);
}

} // namespace sdfgopt::interp
