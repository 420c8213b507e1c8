#include "interp/control_compiler.h"

#include "interp/code_scopes.h"
#include "interp/state_compiler.h"

#include <algorithm>

namespace sdfgopt::interp {

namespace {

class ControlCompiler {
public:
  explicit ControlCompiler(Frame &frame)
      : frame_(frame), emitter_(frame.emitter()), end_(emitter_.new_label()) {}

  support::result<void> compile() {
    SDFGOPT_CHECK(frame_.fill_constants());
    SDFGOPT_CHECK(region(frame_.sdfg().root, {}));
    emitter_.bind(end_);
    frame_.release();
    return {};
  }

private:
  /// Where `break` and `continue` go; absent outside of loops.
  struct Loop {
    std::optional<Label> on_break;
    std::optional<Label> on_continue;
  };

  support::result<void> region(const ir::Region &region, const Loop &loop);
  using EdgeList = std::vector<const ir::InterstateEdge *>;
  support::result<void> leave_block(const ir::Region &region, ir::BlockId block,
                                    const std::vector<Label> &labels, Label done, EdgeList out);
  support::result<void> take_edge(const ir::InterstateEdge &edge, Label target);
  support::result<void> block(const ir::Block &block, const Loop &loop);
  support::result<void> state(const ir::State &state, support::Name label);
  support::result<void> loop_region(const ir::LoopRegion &loop);
  support::result<void> conditional(const ir::ConditionalBlock &block, const Loop &loop);
  support::result<void> jump(ir::JumpKind kind, const Loop &loop);

  /// A register with the value of a condition.
  support::result<Operand> condition(const ir::Code &code);
  support::result<void> statement(const std::optional<ir::Code> &code);
  void mark_place(const std::string &place) {
    emitter_.program().places.push_back({emitter_.next(), place});
  }

  Frame &frame_;
  Emitter &emitter_;
  Label end_; // of the SDFG
};

std::optional<ir::BlockId> start_of(const ir::Region &region) {
  std::vector<bool> entered(region.blocks.size());
  for (const ir::InterstateEdge &edge : region.edges)
    if (!edge.removed)
      entered[edge.dst.value] = true;
  std::vector<ir::BlockId> starts;
  for (std::size_t k = 0; k < region.blocks.size(); ++k)
    if (!region.blocks[k].removed && !entered[k])
      starts.emplace_back(k);
  if (starts.size() == 1)
    return starts.front();
  if (region.start_block)
    return ir::BlockId(*region.start_block);
  return std::nullopt;
}

support::result<void> ControlCompiler::region(const ir::Region &region, const Loop &loop) {
  bool empty = true;
  for (const ir::Block &block : region.blocks)
    empty = empty && block.removed;
  if (empty)
    return {};
  const std::optional<ir::BlockId> start = start_of(region);
  if (!start)
    return cannot_run("a region without a block to start at");
  std::vector<Label> labels;
  labels.reserve(region.blocks.size());
  for (std::size_t k = 0; k < region.blocks.size(); ++k)
    labels.push_back(emitter_.new_label());
  std::vector<EdgeList> out(region.blocks.size());
  for (const ir::InterstateEdge &edge : region.edges)
    if (!edge.removed)
      out[edge.src.value].push_back(&edge);
  const Label done = emitter_.new_label();
  emitter_.jump(labels[start->value]);
  for (std::size_t k = 0; k < region.blocks.size(); ++k) {
    if (region.blocks[k].removed)
      continue;
    emitter_.bind(labels[k]);
    emitter_.emit(Op::Burn);
    SDFGOPT_CHECK(block(region.blocks[k], loop));
    SDFGOPT_CHECK(leave_block(region, ir::BlockId(k), labels, done, std::move(out[k])));
  }
  emitter_.bind(done);
  return {};
}

/// The first edge whose condition holds is taken, in file order, one without a condition last;
/// where there is none, the region is over.
support::result<void> ControlCompiler::leave_block(const ir::Region &region, ir::BlockId block,
                                                   const std::vector<Label> &labels, Label done,
                                                   EdgeList out) {
  const std::string place =
      "behind block " + block.str() + " '" + region.block(block).label.str() + "'";
  mark_place(place);
  std::stable_partition(out.begin(), out.end(),
                        [](const ir::InterstateEdge *edge) { return edge->condition.has_value(); });
  for (const ir::InterstateEdge *edge : out) {
    auto taken = take_edge(*edge, labels[edge->dst.value]);
    if (!taken.ok()) {
      if (taken.error().place.empty())
        taken.error().place = place;
      return taken;
    }
  }
  emitter_.jump(done);
  return {};
}

/// Its assignments are made in file order, each with the values that those before it left: so does
/// the C++ that DaCe prints.
support::result<void> ControlCompiler::take_edge(const ir::InterstateEdge &edge, Label target) {
  const Label otherwise = emitter_.new_label();
  if (edge.condition) {
    SDFGOPT_TRY(const Operand holds, condition(*edge.condition));
    emitter_.jump_if_not(holds, otherwise);
  }
  for (const auto &[name, value] : edge.assignments) {
    SDFGOPT_TRY(const Operand operand, compile_condition(value.text(), frame_));
    emitter_.assign(frame_.assigned_symbol(name), operand);
  }
  emitter_.jump(target);
  emitter_.bind(otherwise);
  return {};
}

support::result<Operand> ControlCompiler::condition(const ir::Code &code) {
  if (code.language && code.language.view() != "Python")
    return cannot_run("a condition in " + code.language.str());
  return compile_condition(code.text, frame_);
}

support::result<void> ControlCompiler::statement(const std::optional<ir::Code> &code) {
  if (!code)
    return {};
  if (code->language && code->language.view() != "Python")
    return cannot_run("a loop statement in " + code->language.str());
  return compile_loop_statement(code->text, frame_);
}

support::result<void> ControlCompiler::block(const ir::Block &block, const Loop &loop) {
  const std::string label = block.label.str();
  const Nesting nesting(frame_.unit());
  if (nesting.too_deep())
    return cannot_run("more than " + std::to_string(Nesting::max_nesting) + " levels of nesting");
  support::result<void> done;
  if (const auto *dataflow = block.as<ir::State>())
    return state(*dataflow, block.label);
  mark_place("block '" + label + "'");
  if (const auto *repeated = block.as<ir::LoopRegion>())
    done = loop_region(*repeated);
  else if (const auto *branches = block.as<ir::ConditionalBlock>())
    done = conditional(*branches, loop);
  else if (const auto *plain = block.as<ir::PlainRegion>())
    done = region(plain->body, loop);
  else if (const auto *leave = block.as<ir::Jump>())
    done = jump(leave->kind, loop);
  else
    done = cannot_run("a block of type " + block.type.str());
  if (!done.ok() && done.error().place.empty())
    done.error().place = "block '" + label + "'";
  return done;
}

support::result<void> ControlCompiler::state(const ir::State &state, support::Name label) {
  Program &program = emitter_.program();
  const auto index = static_cast<std::uint32_t>(program.states.size());
  program.states.push_back({state.id.str(), label.str()});
  const std::string place = "state " + state.id.str() + " '" + label.str() + "'";
  mark_place(place);
  emitter_.emit(Op::StateBegin, index);
  SDFGOPT_CHECK(StateCompiler(frame_, state).compile(place));
  mark_place(place);
  emitter_.emit(Op::StateEnd, index);
  return {};
}

/// Loops are those of C: `for`, and inverted ones as `do { body; update; } while (condition)`, or,
/// with the condition before the update, `while (true) { body; if (!condition) break; update; }`.
/// So what `continue` skips differs: nothing but the body in the first, the update in the second,
/// and condition and update in the third.
support::result<void> ControlCompiler::loop_region(const ir::LoopRegion &loop) {
  if (!loop.condition)
    return cannot_run("a loop without condition");
  const Label body = emitter_.new_label();
  const Label test = emitter_.new_label();
  const Label done = emitter_.new_label();
  SDFGOPT_CHECK(statement(loop.init));
  if (!loop.inverted) {
    SDFGOPT_TRY(const Operand holds, condition(*loop.condition));
    emitter_.jump_if_not(holds, done);
  }
  const bool update_first = loop.update_before_condition || !loop.inverted;
  const Label update = emitter_.new_label();
  emitter_.bind(body);
  emitter_.emit(Op::Burn);
  const Label on_continue = !loop.inverted ? update : update_first ? test : body;
  SDFGOPT_CHECK(region(loop.body, {done, on_continue}));
  emitter_.bind(update);
  if (update_first)
    SDFGOPT_CHECK(statement(loop.update));
  emitter_.bind(test);
  SDFGOPT_TRY(const Operand holds, condition(*loop.condition));
  emitter_.jump_if_not(holds, done);
  if (!update_first)
    SDFGOPT_CHECK(statement(loop.update));
  emitter_.jump(body);
  emitter_.bind(done);
  return {};
}

support::result<void> ControlCompiler::conditional(const ir::ConditionalBlock &block,
                                                   const Loop &loop) {
  const Label done = emitter_.new_label();
  for (const ir::Branch &branch : block.branches) {
    const Label otherwise = emitter_.new_label();
    if (branch.condition) {
      SDFGOPT_TRY(const Operand holds, condition(*branch.condition));
      emitter_.jump_if_not(holds, otherwise);
    }
    SDFGOPT_CHECK(region(branch.body, loop));
    emitter_.jump(done);
    emitter_.bind(otherwise);
  }
  emitter_.bind(done);
  return {};
}

support::result<void> ControlCompiler::jump(ir::JumpKind kind, const Loop &loop) {
  switch (kind) {
  case ir::JumpKind::Return:
    emitter_.jump(end_);
    return {};
  case ir::JumpKind::Break:
    if (!loop.on_break)
      return cannot_run("a break outside of a loop");
    emitter_.jump(*loop.on_break);
    return {};
  case ir::JumpKind::Continue:
    if (!loop.on_continue)
      return cannot_run("a continue outside of a loop");
    emitter_.jump(*loop.on_continue);
    return {};
  }
  return {};
}

} // namespace

support::result<void> compile_sdfg(Frame &frame) { return ControlCompiler(frame).compile(); }

} // namespace sdfgopt::interp
