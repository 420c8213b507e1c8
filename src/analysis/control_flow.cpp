#include "analysis/control_flow.h"

#include <algorithm>

namespace sdfgopt::analysis {

using ir::Block;
using ir::Region;
using support::Name;

/// Walks the region tree. Points are numbered when they are made, and placed in the order (`place`)
/// when control flow comes to them, so that the points of a region are a contiguous piece of it.
class ControlFlowBuilder {
public:
  ControlFlowBuilder(ControlFlow &flow, ir::Sdfg &sdfg, symbolic::Context &context)
      : flow_(flow), sdfg_(sdfg), context_(context) {}

  void run() {
    const PointId entry = new_point();
    const PointId exit = new_point();
    place(entry);
    region(sdfg_.root, entry, exit, {}, "");
    place(exit);
    finish();
  }

private:
  struct Targets {
    PointId break_to;
    PointId continue_to;
  };
  struct Ends {
    PointId begin;
    PointId end; ///< none: control does not come out this way
  };

  PointId new_point() {
    const PointId point(flow_.states_.size());
    flow_.states_.push_back(nullptr);
    flow_.order_.push_back(0);
    return point;
  }
  void place(PointId point) { flow_.order_[point.value] = next_order_++; }
  PointId placed_point() {
    const PointId point = new_point();
    place(point);
    return point;
  }
  void arc(PointId from, PointId to) { arcs_.emplace_back(from, to); }
  void assign(Name symbol) {
    if (symbol && !symbol.view().empty())
      flow_.assigned_.push_back(symbol);
  }

  void region(Region &body, PointId in, PointId out, Targets targets, const std::string &path);
  void leave(PointId after, const std::vector<ir::InterstateEdge *> &edges, PointId out,
             std::vector<std::pair<PointId, std::uint32_t>> &onward);
  Ends block(Block &block, Targets targets, const std::string &path);
  Ends loop(Block &block, ir::LoopRegion &loop, const std::string &path);
  Ends conditional(ir::ConditionalBlock &block, Targets targets, const std::string &path);
  Ends jump(const ir::Jump &jump, Targets targets);
  bool exhaustive(const std::vector<const ir::InterstateEdge *> &edges);
  void assigned_by(std::string_view statements);
  void finish();

  static std::optional<std::uint32_t> start_of(const Region &body);
  static std::vector<std::uint32_t> reverse_postorder(const Region &body, std::uint32_t start);

  ControlFlow &flow_;
  ir::Sdfg &sdfg_;
  symbolic::Context &context_;
  std::vector<std::pair<PointId, PointId>> arcs_;
  std::uint32_t next_order_ = 0;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> intervals_; // cycles, may overlap
};

std::optional<std::uint32_t> ControlFlowBuilder::start_of(const Region &body) {
  std::vector<bool> has_incoming(body.blocks.size(), false);
  for (const ir::InterstateEdge &edge : body.edges)
    has_incoming[edge.dst.value] = true;
  const auto sources = std::count(has_incoming.begin(), has_incoming.end(), false);
  if (sources == 1)
    return static_cast<std::uint32_t>(std::find(has_incoming.begin(), has_incoming.end(), false) -
                                      has_incoming.begin());
  return body.start_block;
}

std::vector<std::uint32_t> ControlFlowBuilder::reverse_postorder(const Region &body,
                                                                 std::uint32_t start) {
  const std::size_t count = body.blocks.size();
  std::vector<std::vector<std::uint32_t>> successors(count);
  for (const ir::InterstateEdge &edge : body.edges)
    successors[edge.src.value].push_back(edge.dst.value);
  std::vector<std::uint32_t> order;
  std::vector<bool> seen(count, false);
  std::vector<std::pair<std::uint32_t, std::size_t>> stack;
  const auto visit = [&](std::uint32_t root) {
    seen[root] = true;
    stack.emplace_back(root, 0);
    while (!stack.empty()) {
      auto &[node, next] = stack.back();
      if (next == successors[node].size()) {
        order.push_back(node);
        stack.pop_back();
        continue;
      }
      const std::uint32_t child = successors[node][next++];
      if (!seen[child]) {
        seen[child] = true;
        stack.emplace_back(child, 0);
      }
    }
  };
  // Blocks that control never comes to are numbered as well, behind the others.
  std::vector<std::uint32_t> unreachable;
  visit(start);
  std::reverse(order.begin(), order.end());
  for (std::uint32_t i = 0; i < count; ++i)
    if (!seen[i])
      unreachable.push_back(i);
  order.insert(order.end(), unreachable.begin(), unreachable.end());
  return order;
}

void ControlFlowBuilder::region(Region &body, PointId in, PointId out, Targets targets,
                                const std::string &path) {
  if (body.blocks.empty())
    return arc(in, out);
  auto start = start_of(body);
  if (!start) { // nothing can be said of the order, but every state gets its point
    flow_.opaque_ = true;
    start = 0;
  }
  const std::vector<std::uint32_t> order = reverse_postorder(body, *start);
  std::vector<std::uint32_t> rank(order.size());
  for (std::uint32_t i = 0; i < order.size(); ++i)
    rank[order[i]] = i;
  std::vector<std::vector<ir::InterstateEdge *>> outgoing(body.blocks.size());
  for (ir::InterstateEdge &edge : body.edges)
    outgoing[edge.src.value].push_back(&edge);

  // Blocks first, each followed by the points that decide where to go from it; arcs to the next
  // blocks need their first points, which may not be there yet, so those are noted.
  std::vector<Ends> ends(body.blocks.size());
  std::vector<std::pair<PointId, std::uint32_t>> onward;
  std::vector<std::uint32_t> last_order(body.blocks.size());
  for (const std::uint32_t index : order) {
    ends[index] = block(body.blocks[index], targets, path);
    if (ends[index].end.has_value())
      leave(ends[index].end, outgoing[index], out, onward);
    last_order[index] = next_order_ - 1;
  }
  for (const auto &[from, to] : onward)
    arc(from, ends[to].begin);
  for (const ir::InterstateEdge &edge : body.edges)
    if (rank[edge.dst.value] <= rank[edge.src.value])
      intervals_.emplace_back(flow_.order_[ends[edge.dst.value].begin.value],
                              last_order[edge.src.value]);
  arc(in, ends[*start].begin);
}

/// The points between the end of a block and the next blocks, which are noted in `onward`: one that
/// evaluates all conditions, and one for each edge with assignments.
void ControlFlowBuilder::leave(PointId after, const std::vector<ir::InterstateEdge *> &edges,
                               PointId out,
                               std::vector<std::pair<PointId, std::uint32_t>> &onward) {
  std::vector<const ir::InterstateEdge *> conditional;
  for (const ir::InterstateEdge *edge : edges)
    if (edge->condition)
      conditional.push_back(edge);
  if (!conditional.empty()) {
    const PointId decision = placed_point();
    arc(after, decision);
    after = decision;
  }
  for (ir::InterstateEdge *edge : edges) {
    PointId from = after;
    if (edge->condition)
      flow_.evaluations_.push_back(
          {after, {edge->condition->text, edge->condition->language, edge}});
    if (!edge->assignments.empty()) {
      from = placed_point();
      arc(after, from);
      for (std::size_t k = 0; k < edge->assignments.size(); ++k) {
        assign(edge->assignments[k].first);
        flow_.evaluations_.push_back({from, {edge->assignments[k].second.text(), Name(), edge, k}});
      }
    }
    onward.emplace_back(from, edge->dst.value);
  }
  // Without an edge that is always taken, control may leave the region, and DaCe's code for such a
  // state leaves the whole program.
  if (edges.empty()) {
    arc(after, out);
  } else if (conditional.size() == edges.size() && !exhaustive(conditional)) {
    arc(after, out);
    arc(after, flow_.exit());
  }
}

namespace {

/// Comparisons of integer terms, symbols, and what and, or, not make of them: functions and
/// quotients may give a NaN for integers, too.
bool compares_integers(symbolic::Expr e, const symbolic::Context &context) {
  using symbolic::Kind;
  const auto args = e->args();
  if (e->kind() == Kind::Symbol)
    return true;
  if (e->kind() == Kind::And || e->kind() == Kind::Or || e->kind() == Kind::Not)
    return std::all_of(args.begin(), args.end(),
                       [&](symbolic::Expr arg) { return compares_integers(arg, context); });
  const bool comparison = e->kind() == Kind::Eq || e->kind() == Kind::Ne || e->kind() == Kind::Lt ||
                          e->kind() == Kind::Le;
  return comparison && std::all_of(args.begin(), args.end(),
                                   [&](symbolic::Expr arg) { return context.is_integral(arg); });
}

} // namespace

/// Two edges whose conditions are each other's negation: one of them is always taken. Only over
/// integer symbols: a comparison with a NaN and its negation can both be false.
bool ControlFlowBuilder::exhaustive(const std::vector<const ir::InterstateEdge *> &edges) {
  if (edges.size() != 2)
    return false;
  symbolic::Expr conditions[2];
  for (std::size_t i = 0; i < 2; ++i)
    if (context_.parse(edges[i]->condition->text, symbolic::Grammar::Python, conditions[i]))
      return false;
  if (context_.logical_not(conditions[0]) != conditions[1] &&
      context_.logical_not(conditions[1]) != conditions[0])
    return false;
  if (!compares_integers(conditions[0], context_))
    return false;
  for (const Name symbol : context_.free_symbols(conditions[0])) {
    const auto found = std::find_if(sdfg_.symbols.begin(), sdfg_.symbols.end(),
                                    [&](const auto &entry) { return entry.first == symbol; });
    if (found == sdfg_.symbols.end())
      return false;
    const std::string_view dtype = found->second;
    if (!dtype.starts_with("\"int") && !dtype.starts_with("\"uint") && !dtype.starts_with("\"bool"))
      return false;
  }
  return true;
}

ControlFlowBuilder::Ends ControlFlowBuilder::block(Block &block, Targets targets,
                                                   const std::string &path) {
  if (auto *state = block.as<ir::State>()) {
    const PointId point = placed_point();
    flow_.states_[point.value] = state;
    flow_.of_state_[state->id.value] = point;
    flow_.labels_[state->id.value] = block.label;
    if (!path.empty())
      flow_.paths_[state->id.value] = path;
    return {point, point};
  }
  const std::string inside = path + block.label.str() + "/";
  if (auto *loop_region = block.as<ir::LoopRegion>())
    return loop(block, *loop_region, inside);
  if (auto *branches = block.as<ir::ConditionalBlock>())
    return conditional(*branches, targets, inside);
  if (const auto *jump_block = block.as<ir::Jump>())
    return jump(*jump_block, targets);
  const PointId begin = placed_point();
  const PointId end = new_point();
  if (auto *plain = block.as<ir::PlainRegion>()) {
    region(plain->body, begin, end, targets, inside);
  } else {
    flow_.opaque_ = true;
    arc(begin, end);
  }
  place(end);
  return {begin, end};
}

ControlFlowBuilder::Ends ControlFlowBuilder::loop(Block &block, ir::LoopRegion &loop,
                                                  const std::string &path) {
  const PointId begin = placed_point();
  const PointId test = placed_point();
  const PointId body_in = placed_point();
  const PointId body_out = new_point();
  const PointId update = new_point();
  const PointId end = new_point();
  const auto evaluates = [&](PointId point, const std::optional<ir::Code> &code) {
    if (code)
      flow_.evaluations_.push_back(
          {point, {code->text, code->language, nullptr, SIZE_MAX, nullptr, &block}});
  };
  evaluates(begin, loop.init);
  evaluates(test, loop.condition);
  evaluates(update, loop.update);
  assign(loop.variable);
  if (loop.init)
    assigned_by(loop.init->text);
  if (loop.update)
    assigned_by(loop.update->text);

  const bool update_first = !loop.inverted || loop.update_before_condition;
  arc(begin, loop.inverted ? body_in : test);
  arc(test, update_first ? body_in : update);
  arc(test, end);
  arc(body_out, update_first ? update : test);
  arc(update, update_first ? test : body_in);
  region(loop.body, body_in, body_out, {end, update_first ? update : test}, path);
  place(body_out);
  place(update);
  intervals_.emplace_back(flow_.order_[begin.value], flow_.order_[update.value]);
  place(end);
  return {begin, end};
}

ControlFlowBuilder::Ends ControlFlowBuilder::conditional(ir::ConditionalBlock &block,
                                                         Targets targets, const std::string &path) {
  const PointId begin = placed_point();
  const PointId end = new_point();
  bool has_else = false;
  std::size_t number = 0;
  for (ir::Branch &branch : block.branches) {
    has_else = has_else || !branch.condition;
    if (branch.condition)
      flow_.evaluations_.push_back({begin,
                                    {branch.condition->text, branch.condition->language, nullptr,
                                     SIZE_MAX, &branch, nullptr}});
    const PointId inside = placed_point();
    arc(begin, inside);
    region(branch.body, inside, end, targets, path + "branch_" + std::to_string(number++) + "/");
  }
  if (!has_else)
    arc(begin, end);
  place(end);
  return {begin, end};
}

ControlFlowBuilder::Ends ControlFlowBuilder::jump(const ir::Jump &jump, Targets targets) {
  const PointId point = placed_point();
  PointId target;
  switch (jump.kind) {
  case ir::JumpKind::Break:
    target = targets.break_to;
    break;
  case ir::JumpKind::Continue:
    target = targets.continue_to;
    break;
  case ir::JumpKind::Return:
    target = flow_.exit();
    break;
  }
  if (target.has_value())
    arc(point, target);
  else
    flow_.opaque_ = true; // a break or continue outside of a loop
  return {point, {}};
}

/// Notes the names left of a single `=` in each statement.
void ControlFlowBuilder::assigned_by(std::string_view statements) {
  while (!statements.empty()) {
    const std::size_t end = std::min(statements.find_first_of(";\n"), statements.size());
    const std::string_view statement = statements.substr(0, end);
    statements.remove_prefix(std::min(end + 1, statements.size()));
    const std::size_t equals = statement.find('=');
    if (equals == std::string_view::npos)
      continue;
    symbolic::for_each_identifier(statement.substr(0, equals), [&](std::string_view name) {
      assign(context_.names().intern(name));
    });
  }
}

void ControlFlow::Neighbours::build(std::size_t count,
                                    const std::vector<std::pair<PointId, PointId>> &arcs) {
  first_.assign(count + 1, 0);
  for (const auto &arc : arcs)
    ++first_[arc.first.value + 1];
  for (std::size_t i = 0; i < count; ++i)
    first_[i + 1] += first_[i];
  points_.resize(arcs.size());
  std::vector<std::uint32_t> fill(first_.begin(), first_.end() - 1);
  for (const auto &[from, to] : arcs)
    points_[fill[from.value]++] = to;
}

void ControlFlowBuilder::finish() {
  ControlFlow &flow = flow_;
  flow.successors_.build(flow.states_.size(), arcs_);
  for (auto &[from, to] : arcs_)
    std::swap(from, to);
  flow.predecessors_.build(flow.states_.size(), arcs_);

  std::sort(flow.assigned_.begin(), flow.assigned_.end());
  std::sort(intervals_.begin(), intervals_.end());
  for (const auto &interval : intervals_)
    if (!flow.cycles_.empty() && interval.first <= flow.cycles_.back().second)
      flow.cycles_.back().second = std::max(flow.cycles_.back().second, interval.second);
    else
      flow.cycles_.push_back(interval);
}

ControlFlow::ControlFlow(ir::Sdfg &sdfg, symbolic::Context &context) {
  ControlFlowBuilder(*this, sdfg, context).run();
}

bool ControlFlow::is_assigned(Name symbol) const {
  return std::binary_search(assigned_.begin(), assigned_.end(), symbol);
}

std::string ControlFlow::path_of(ir::StateId state) const {
  const auto found = paths_.find(state.value);
  return found == paths_.end() ? std::string() : found->second;
}

std::pair<std::uint32_t, std::uint32_t> ControlFlow::span_of(PointId point) const {
  const std::uint32_t place = order_[point.value];
  auto after =
      std::upper_bound(cycles_.begin(), cycles_.end(), place,
                       [](std::uint32_t value, const auto &cycle) { return value < cycle.first; });
  if (after != cycles_.begin() && place <= std::prev(after)->second)
    return *std::prev(after);
  return {place, place};
}

} // namespace sdfgopt::analysis
