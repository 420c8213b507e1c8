// Tasklets: connectors, and the code between them.
//
// As in the C++ that DaCe prints: a connector that the code indexes is a pointer to the memlet's
// first element; one that it does not index is a variable, read before the code runs and written
// after it. The output of a dynamic memlet is a reference: written when it is assigned to, or not
// at all.
#include "interp/code_compiler.h"
#include "interp/code_parser.h"
#include "interp/state_compiler.h"

#include <algorithm>
#include <cctype>

namespace sdfgopt::interp {

namespace {

/// `name` is followed by a bracket somewhere in the code.
bool is_indexed(std::string_view code, std::string_view name) {
  const auto is_word = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
  };
  for (std::size_t at = code.find(name); at != std::string_view::npos;
       at = code.find(name, at + 1)) {
    if (at > 0 && is_word(code[at - 1]))
      continue;
    std::size_t behind = at + name.size();
    while (behind < code.size() && code[behind] == ' ')
      ++behind;
    if (behind < code.size() && code[behind] == '[')
      return true;
  }
  return false;
}

/// A pointer to part of an array, with the strides that the code's indices go by.
struct Pointer {
  DataRef ref;
  Operand address;
  std::vector<Operand> strides;
  std::vector<bool> kept; ///< dimensions of the array that are more than one element wide
  std::string_view wcr;
};

bool may_skip_assignments(const ast::Block &block) {
  return std::any_of(block.begin(), block.end(), [](const ast::Stmt &statement) {
    return std::holds_alternative<ast::If>(statement.node) ||
           std::holds_alternative<ast::While>(statement.node) ||
           std::holds_alternative<ast::For>(statement.node);
  });
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
  TaskletScope(StateCompiler &state, std::string_view code) : state_(state), code_(code) {}

  support::result<void> add_input(EdgeId edge);
  support::result<void> add_output(EdgeId edge, bool may_skip);
  support::result<void> write_outputs();

  std::optional<Operand> value(std::string_view name) override;
  support::result<Operand> load(std::string_view name, std::span<const Operand> index) override;
  support::result<void> store(std::string_view name, std::span<const Operand> index,
                              Operand value) override;
  support::result<bool> assign(std::string_view name, Operand value) override;

private:
  struct Output {
    Operand variable;
    bool assigned = false;
    bool reference = false;                                ///< writes go through at once
    std::vector<std::pair<End, std::string_view>> targets; ///< with their conflict resolution
  };

  Pointer pointer(const End &end, const ir::Memlet &memlet);
  support::result<Operand> position(const Pointer &pointer, std::span<const Operand> index);
  [[nodiscard]] ScalarType connector_type(const std::vector<ir::Connector> &connectors, Name name,
                                          ScalarType otherwise) const;
  support::result<void> write_to(const Output &output, Operand value);

  StateCompiler &state_;
  std::string_view code_;
  std::map<std::string, Operand, std::less<>> values_;
  std::map<std::string, Pointer, std::less<>> pointers_;
  std::map<std::string, Output, std::less<>> outputs_;
};

ScalarType StateCompiler::TaskletScope::connector_type(const std::vector<ir::Connector> &connectors,
                                                       Name name, ScalarType otherwise) const {
  for (const ir::Connector &connector : connectors)
    if (connector.name == name)
      return scalar_type(connector.dtype).value_or(otherwise);
  return otherwise;
}

/// Dimensions in which a memlet has one element are dropped from the code's indices, unless all
/// are.
Pointer StateCompiler::TaskletScope::pointer(const End &end, const ir::Memlet &memlet) {
  symbolic::Context &context = state_.frame_.unit().document.context;
  Pointer result{end.ref, end.address, {}, {}, memlet.wcr};
  const auto &ranges = memlet.subset.ranges();
  const auto single = [&](const ir::Range &range) {
    return context.value(range.begin) == context.value(range.end);
  };
  const bool all_single = std::all_of(ranges.begin(), ranges.end(), single);
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
  SDFGOPT_TRY(const End source, state_.end(id, false));
  const std::string name = edge.dst_connector.str();
  Emitter &emitter = state_.emitter_;
  if (source.ref.kind == ir::DescriptorKind::Stream) {
    Operand taken = emitter.new_operand(source.ref.type);
    if (source.consumed)
      taken = *source.consumed;
    else
      emitter.emit(Op::Pop, taken.reg, source.ref.slot);
    values_.emplace(name, taken);
    return {};
  }
  if (is_indexed(code_, name)) {
    pointers_.emplace(name, pointer(source, edge.memlet));
    return {};
  }
  const Operand value = emitter.load(source.ref.slot, source.address, source.ref.type);
  const ScalarType type = connector_type(state_.state_.node(edge.dst).in_connectors,
                                         edge.dst_connector, source.ref.type);
  values_.emplace(name, emitter.convert(value, type));
  return {};
}

support::result<void> StateCompiler::TaskletScope::add_output(EdgeId id, bool may_skip) {
  const ir::Edge &edge = state_.state_.edge(id);
  SDFGOPT_TRY(const End target, state_.end(id, true));
  const std::string name = edge.src_connector.str();
  const bool stream = target.ref.kind == ir::DescriptorKind::Stream;
  if (!stream && is_indexed(code_, name)) {
    pointers_.insert_or_assign(name, pointer(target, edge.memlet));
    return {};
  }
  const auto [it, added] = outputs_.try_emplace(name);
  Output &output = it->second;
  if (added) {
    output.reference = stream || edge.memlet.dynamic;
    const ScalarType type = connector_type(state_.state_.node(edge.src).out_connectors,
                                           edge.src_connector, target.ref.type);
    output.variable = state_.emitter_.new_operand(type);
    if (may_skip && !output.reference)
      state_.emitter_.assign(output.variable, state_.frame_.undefined(type));
  }
  output.targets.emplace_back(target, edge.memlet.wcr);
  return {};
}

support::result<void> StateCompiler::TaskletScope::write_to(const Output &output, Operand value) {
  for (const auto &[target, wcr] : output.targets) {
    if (target.ref.kind == ir::DescriptorKind::Stream)
      state_.emitter_.emit(Op::Push, state_.emitter_.convert(value, target.ref.type).reg,
                           target.ref.slot);
    else
      SDFGOPT_CHECK(state_.write(target.ref, target.address, value, wcr));
  }
  return {};
}

support::result<void> StateCompiler::TaskletScope::write_outputs() {
  for (const auto &[name, output] : outputs_) {
    if (output.reference)
      continue;
    if (!output.assigned)
      return cannot_run("the code does not set '" + name + "'");
    SDFGOPT_CHECK(write_to(output, output.variable));
  }
  return {};
}

std::optional<Operand> StateCompiler::TaskletScope::value(std::string_view name) {
  if (const auto found = values_.find(name); found != values_.end())
    return found->second;
  if (const auto found = outputs_.find(name); found != outputs_.end()) {
    const Output &output = found->second;
    const End &target = output.targets.front().first;
    if (output.reference && target.ref.kind != ir::DescriptorKind::Stream)
      return state_.emitter_.load(target.ref.slot, target.address, target.ref.type);
    return output.variable;
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
  if (found == pointers_.end())
    return cannot_run("'" + std::string(name) + "' cannot be indexed");
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
  if (output.reference) {
    SDFGOPT_CHECK(write_to(output, value));
  } else {
    state_.emitter_.assign(output.variable, value);
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
  TaskletScope scope(*this, code.text);
  for (const EdgeId edge : graph_.in_edges(id))
    if (!state_.edge(edge).memlet.is_empty())
      SDFGOPT_CHECK(scope.add_input(edge));
  for (const EdgeId edge : graph_.out_edges(id))
    if (!state_.edge(edge).memlet.is_empty())
      SDFGOPT_CHECK(scope.add_output(edge, may_skip_assignments(block)));
  SDFGOPT_CHECK(compile_statements(block, scope, emitter_));
  return scope.write_outputs();
}

} // namespace sdfgopt::interp
