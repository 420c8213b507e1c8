// Tasklets: connectors, and the code between them.
//
// As in the C++ that DaCe prints: a connector that the code indexes is a pointer to the memlet's
// first element; one that it does not index is a variable, read before the code runs and written
// after it. The output of a dynamic memlet is a reference: written when it is assigned to, or not
// at all.
#include "interp/code_compiler.h"
#include "interp/code_parser.h"
#include "interp/code_uses.h"
#include "interp/state_compiler.h"

#include <algorithm>

namespace sdfgopt::interp {

namespace {

/// A pointer to part of an array, with the strides that the code's indices go by.
struct Pointer {
  DataRef ref;
  Operand address;
  std::vector<Operand> strides;
  std::vector<bool> kept; ///< dimensions of the array that are more than one element wide
  std::string_view wcr;
};

/// The type that the file gives a connector; none if it is to be inferred.
std::optional<ScalarType> connector_type(const std::vector<ir::Connector> &connectors, Name name) {
  for (const ir::Connector &connector : connectors)
    if (connector.name == name)
      return scalar_type(connector.dtype);
  return std::nullopt;
}

} // namespace

/// Writes `value` by a memlet: conflict resolution computes in the type of the data.
support::result<void> StateCompiler::write(const DataRef &ref, Operand address, Operand value,
                                           std::string_view wcr) {
  if (!wcr.empty()) {
    SDFGOPT_TRY(const ast::Lambda lambda, parse_lambda(wcr));
    const Operand old = emitter_.load(ref.slot, address, ref.type);
    SDFGOPT_TRY(value, compile_lambda(lambda, old, emitter_.convert(value, ref.type), emitter_));
  }
  emitter_.store(ref.slot, address, ref.type, value);
  return {};
}

/// The names in a tasklet's code.
class StateCompiler::TaskletScope final : public CodeScope {
public:
  TaskletScope(StateCompiler &state, CodeUses uses) : state_(state), uses_(std::move(uses)) {}

  support::result<void> add_input(EdgeId edge);
  support::result<void> add_output(EdgeId edge);
  support::result<void> write_outputs();

  std::optional<Operand> value(std::string_view name) override;
  support::result<Operand> load(std::string_view name, std::span<const Operand> index) override;
  support::result<void> store(std::string_view name, std::span<const Operand> index,
                              Operand value) override;
  support::result<bool> assign(std::string_view name, Operand value) override;

  /// Values of the outputs that other tasklets read.
  [[nodiscard]] std::vector<std::pair<std::string, Operand>> passed() const;

private:
  struct Target {
    End end;
    std::string_view wcr;
  };
  struct Output {
    std::optional<Operand> variable; ///< none: as yet, of a value for another tasklet
    bool assigned = false;
    bool reference = false;      ///< writes go through at once
    std::vector<Target> targets; ///< in the order of the edges
    bool passed = false;         ///< to another tasklet
  };

  Pointer pointer(const End &end, const ir::Memlet &memlet);
  support::result<Operand> position(const Pointer &pointer, std::span<const Operand> index);
  support::result<void> write_to(const Target &target, Operand value);
  support::result<Output *> output(Name connector, std::optional<ScalarType> type, bool reference);
  support::result<void> pass_on(const ir::Edge &edge);

  StateCompiler &state_;
  CodeUses uses_;
  std::map<std::string, Operand, std::less<>> values_;
  std::map<std::string, Pointer, std::less<>> pointers_;
  std::map<std::string, Output, std::less<>> outputs_;
  std::vector<std::pair<std::string, std::size_t>> order_; // of writes: output, target
};

/// Dimensions in which a memlet has one element are dropped from the code's indices, unless all
/// are.
Pointer StateCompiler::TaskletScope::pointer(const End &end, const ir::Memlet &memlet) {
  symbolic::Context &context = state_.frame_.unit().document.context;
  Pointer result{end.ref, end.address, {}, {}, memlet.wcr};
  const auto &ranges = memlet.subset.ranges();
  const auto single = [&](const ir::Range &range) {
    return context.value(range.begin) == context.value(range.end);
  };
  const bool all_single = state_.is_one_element(memlet.subset);
  for (std::size_t d = 0; d < ranges.size(); ++d) {
    if (single(ranges[d]) && !all_single)
      continue;
    Operand stride = end.ref.strides[d];
    if (ranges[d].step) {
      const auto step = state_.frame_.integer(ranges[d].step);
      if (step.ok())
        stride = state_.emitter_.binary(Binary::Mul, stride, step.value());
    }
    result.strides.push_back(stride);
  }
  for (const Operand extent : end.ref.shape) {
    const auto known = state_.emitter_.known(extent);
    result.kept.push_back(!known || known->i != 1);
  }
  return result;
}

support::result<void> StateCompiler::TaskletScope::add_input(EdgeId id) {
  const ir::Edge &edge = state_.state_.edge(id);
  const std::string name = edge.dst_connector.str();
  Emitter &emitter = state_.emitter_;
  SDFGOPT_TRY(const NodeId far, state_.far_end(id, false));
  if (state_.state_.node(far).is<ir::Tasklet>() && edge.dst_connector) {
    const auto passed = state_.passed_.find({edge.src, edge.src_connector});
    if (passed == state_.passed_.end())
      return cannot_run("a value of a tasklet that goes through a scope");
    values_.insert_or_assign(name, passed->second);
    return {};
  }
  if (edge.memlet.is_empty())
    return {};
  SDFGOPT_TRY(const End source, state_.end(id, false));
  if (source.ref.kind == ir::DescriptorKind::Stream) {
    Operand taken = emitter.new_operand(source.ref.type);
    if (source.consumed)
      taken = *source.consumed;
    else
      emitter.emit(Op::Pop, taken.reg, source.ref.slot);
    values_.insert_or_assign(name, taken);
    return {};
  }
  if (uses_.indexed.contains(name)) {
    pointers_.insert_or_assign(name, pointer(source, edge.memlet));
    return {};
  }
  if (!state_.is_one_element(edge.memlet.subset)) {
    if (uses_.bare.contains(name))
      return cannot_run("connector '" + name +
                        "' has several elements, and the code does not "
                        "index it");
    return {};
  }
  const Operand value = emitter.load(source.ref.slot, source.address, source.ref.type);
  const auto type = connector_type(state_.state_.node(edge.dst).in_connectors, edge.dst_connector);
  values_.insert_or_assign(name, emitter.convert(value, type.value_or(source.ref.type)));
  return {};
}

support::result<StateCompiler::TaskletScope::Output *>
StateCompiler::TaskletScope::output(Name connector, std::optional<ScalarType> type,
                                    bool reference) {
  if (pointers_.contains(connector.view()))
    return cannot_run("several edges leave connector '" + connector.str() +
                      "', which the code indexes");
  const auto [it, added] = outputs_.try_emplace(connector.str());
  Output &output = it->second;
  if (added)
    output.reference = reference;
  if (output.reference != reference)
    return cannot_run("edges that are dynamic and edges that are not leave connector '" +
                      connector.str() + "'");
  if (type && !output.variable) {
    output.variable = state_.emitter_.new_operand(*type);
    if (uses_.branches && !reference)
      state_.emitter_.assign(*output.variable, state_.frame_.undefined(*type));
  }
  return &output;
}

/// A variable that another tasklet reads. Its type is the connector's, or that of its first value.
support::result<void> StateCompiler::TaskletScope::pass_on(const ir::Edge &edge) {
  const auto type = connector_type(state_.state_.node(edge.src).out_connectors, edge.src_connector);
  if (!type && uses_.branches)
    return cannot_run("the type of '" + edge.src_connector.str() +
                      "' is not told, and the code that sets it has branches");
  SDFGOPT_TRY(Output *const passed, output(edge.src_connector, type, false));
  passed->passed = true;
  return {};
}

support::result<void> StateCompiler::TaskletScope::add_output(EdgeId id) {
  const ir::Edge &edge = state_.state_.edge(id);
  SDFGOPT_TRY(const NodeId far, state_.far_end(id, true));
  if (state_.state_.node(far).is<ir::Tasklet>() && edge.dst == far && edge.src_connector &&
      edge.dst_connector)
    return pass_on(edge);
  if (edge.memlet.is_empty())
    return {};
  SDFGOPT_TRY(const End target, state_.end(id, true));
  const std::string name = edge.src_connector.str();
  const bool stream = target.ref.kind == ir::DescriptorKind::Stream;
  if (!stream && uses_.indexed.contains(name)) {
    if (outputs_.contains(name) ||
        !pointers_.try_emplace(name, pointer(target, edge.memlet)).second)
      return cannot_run("several edges leave connector '" + name + "', which the code indexes");
    return {};
  }
  if (!stream && !edge.memlet.dynamic && !state_.is_one_element(edge.memlet.subset))
    return cannot_run("connector '" + name +
                      "' has several elements, and the code does not index "
                      "it");
  const auto type = connector_type(state_.state_.node(edge.src).out_connectors, edge.src_connector);
  SDFGOPT_TRY(Output *const added, output(edge.src_connector, type.value_or(target.ref.type),
                                          stream || edge.memlet.dynamic));
  order_.emplace_back(name, added->targets.size());
  added->targets.push_back({target, edge.memlet.wcr});
  return {};
}

support::result<void> StateCompiler::TaskletScope::write_to(const Target &target, Operand value) {
  const End &end = target.end;
  if (end.ref.kind != ir::DescriptorKind::Stream)
    return state_.write(end.ref, end.address, value, target.wcr);
  state_.emitter_.emit(Op::Push, state_.emitter_.convert(value, end.ref.type).reg, end.ref.slot);
  return {};
}

support::result<void> StateCompiler::TaskletScope::write_outputs() {
  for (const auto &[name, output] : outputs_)
    if (!output.reference && !output.assigned)
      return cannot_run("the code does not set '" + name + "'");
  for (const auto &[name, target] : order_)
    if (const Output &output = outputs_.at(name); !output.reference)
      SDFGOPT_CHECK(write_to(output.targets[target], *output.variable));
  return {};
}

std::vector<std::pair<std::string, Operand>> StateCompiler::TaskletScope::passed() const {
  std::vector<std::pair<std::string, Operand>> values;
  for (const auto &[name, output] : outputs_)
    if (output.passed)
      values.emplace_back(name, *output.variable);
  return values;
}

std::optional<Operand> StateCompiler::TaskletScope::value(std::string_view name) {
  if (const auto found = values_.find(name); found != values_.end())
    return found->second;
  if (const auto found = outputs_.find(name); found != outputs_.end()) {
    const Output &output = found->second;
    if (!output.reference)
      return output.variable;
    const auto &[target, wcr] = output.targets.front();
    // With conflict resolution, the name holds what was there before the last assignment.
    if (!wcr.empty() || target.ref.kind == ir::DescriptorKind::Stream)
      return output.variable;
    return state_.emitter_.load(target.ref.slot, target.address, target.ref.type);
  }
  if (const auto found = pointers_.find(name); found != pointers_.end())
    return std::nullopt;
  const Name symbol = state_.frame_.unit().document.names.find(name);
  return symbol ? state_.frame_.declared_symbol(symbol) : std::nullopt;
}

support::result<Operand> StateCompiler::TaskletScope::position(const Pointer &pointer,
                                                               std::span<const Operand> index) {
  std::vector<Operand> used(index.begin(), index.end());
  // Indices into extents of 1 are dropped as well, where there are more indices than dimensions.
  const auto kept =
      static_cast<std::size_t>(std::count(pointer.kept.begin(), pointer.kept.end(), true));
  if (kept > 0 && used.size() > 1 && used.size() == pointer.kept.size() && kept != used.size()) {
    used.clear();
    for (std::size_t d = 0; d < index.size(); ++d)
      if (pointer.kept[d])
        used.push_back(index[d]);
  }
  if (used.size() != pointer.strides.size())
    return cannot_run(std::to_string(index.size()) + " indices for '" + pointer.ref.name.str() +
                      "', of which the memlet gives " + std::to_string(pointer.strides.size()) +
                      " dimensions");
  Operand at = pointer.address;
  for (std::size_t d = 0; d < used.size(); ++d) {
    const Operand i = state_.emitter_.convert(used[d], ScalarType::Int64);
    at = state_.emitter_.binary(Binary::Add, at,
                                state_.emitter_.binary(Binary::Mul, i, pointer.strides[d]));
  }
  return at;
}

support::result<Operand> StateCompiler::TaskletScope::load(std::string_view name,
                                                           std::span<const Operand> index) {
  const auto found = pointers_.find(name);
  if (found == pointers_.end()) {
    std::vector<Operand> wide;
    for (const Operand i : index)
      wide.push_back(state_.emitter_.convert(i, ScalarType::Int64));
    const Name constant = state_.frame_.unit().document.names.intern(name);
    return state_.frame_.constant_element(constant, wide);
  }
  SDFGOPT_TRY(const Operand at, position(found->second, index));
  return state_.emitter_.load(found->second.ref.slot, at, found->second.ref.type);
}

support::result<void> StateCompiler::TaskletScope::store(std::string_view name,
                                                         std::span<const Operand> index,
                                                         Operand value) {
  const auto found = pointers_.find(name);
  if (found == pointers_.end())
    return cannot_run("'" + std::string(name) + "' cannot be indexed");
  SDFGOPT_TRY(const Operand at, position(found->second, index));
  return state_.write(found->second.ref, at, value, found->second.wcr);
}

support::result<bool> StateCompiler::TaskletScope::assign(std::string_view name, Operand value) {
  const auto found = outputs_.find(name);
  if (found == outputs_.end())
    return false;
  Output &output = found->second;
  output.assigned = true;
  if (!output.variable) {
    output.variable = state_.emitter_.new_operand(value.type);
  }
  if (!output.reference) {
    state_.emitter_.assign(*output.variable, value);
    return true;
  }
  for (const Target &target : output.targets) {
    const End &end = target.end;
    const bool resolves = !target.wcr.empty() && end.ref.kind != ir::DescriptorKind::Stream;
    const Operand old =
        resolves ? state_.emitter_.load(end.ref.slot, end.address, end.ref.type) : Operand();
    SDFGOPT_CHECK(write_to(target, value));
    if (resolves)
      state_.emitter_.assign(*output.variable, old);
  }
  return true;
}

support::result<void> StateCompiler::tasklet(NodeId id) {
  const ir::Code &code = state_.node(id).as<ir::Tasklet>()->code;
  const std::string_view language = code.language.view();
  if (language != "Python" && language != "CPP" && code.language)
    return cannot_run("a tasklet in " + code.language.str());
  SDFGOPT_TRY(const ast::Block block,
              language == "CPP" ? parse_cpp(code.text) : parse_python(code.text));
  emitter_.emit(Op::Tasklet);
  CodeUses uses = uses_of(block);
  TaskletScope scope(*this, std::move(uses));
  for (const EdgeId edge : graph_.in_edges(id))
    SDFGOPT_CHECK(scope.add_input(edge));
  for (const EdgeId edge : graph_.out_edges(id))
    SDFGOPT_CHECK(scope.add_output(edge));
  SDFGOPT_CHECK(compile_statements(block, scope, emitter_));
  SDFGOPT_CHECK(scope.write_outputs());
  for (const auto &[connector, value] : scope.passed())
    passed_.insert_or_assign({id, frame_.unit().document.names.intern(connector)}, value);
  return {};
}

} // namespace sdfgopt::interp
