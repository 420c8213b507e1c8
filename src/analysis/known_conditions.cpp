#include "analysis/known_conditions.h"

#include "analysis/dominators.h"
#include "analysis/integer_conditions.h"
#include "symbolic/annotation.h"

#include <algorithm>
#include <unordered_set>

namespace sdfgopt::analysis {

using ir::Region;
using symbolic::Kind;

namespace {

/// Loops whose variable nothing in their bodies assigns.
class KeptVariables {
public:
  explicit KeptVariables(const ir::Sdfg &sdfg) { region(sdfg.root); }
  [[nodiscard]] bool contains(const ir::LoopRegion &loop) const { return loops_.contains(&loop); }

private:
  void region(const Region &body) {
    for (const ir::InterstateEdge &edge : body.edges)
      for (const auto &[name, value] : edge.assignments)
        last_[name.view()] = ++time_;
    for (const ir::Block &block : body.blocks) {
      const auto *loop = block.as<ir::LoopRegion>();
      if (loop) {
        last_[loop->variable.view()] = ++time_;
        statement(loop->init);
        statement(loop->update);
      }
      const std::size_t entered = time_;
      for (const Region *child : ir::child_regions(block))
        region(*child);
      if (loop && last_[loop->variable.view()] <= entered)
        loops_.insert(loop);
    }
  }
  /// Whatever stands before an `=` counts.
  void statement(const std::optional<ir::Code> &code) {
    if (code)
      symbolic::for_each_identifier(code->text.substr(0, code->text.rfind('=')),
                                    [&](std::string_view name) { last_[name] = ++time_; });
  }

  std::unordered_map<std::string_view, std::size_t> last_; // assignment of a name
  std::size_t time_ = 0;
  std::unordered_set<const ir::LoopRegion *> loops_;
};

/// The block where a region begins; nothing if that is not clear.
std::optional<std::uint32_t> start_of(const Region &body) {
  std::vector<bool> has_incoming(body.blocks.size(), false);
  for (const ir::InterstateEdge &edge : body.edges)
    if (!edge.removed)
      has_incoming[edge.dst.value] = true;
  std::optional<std::uint32_t> start;
  for (std::uint32_t i = 0; i < body.blocks.size(); ++i) {
    if (body.blocks[i].removed || has_incoming[i])
      continue;
    if (start)
      return body.start_block;
    start = i;
  }
  return start ? start : body.start_block;
}

} // namespace

/// Walks the region tree twice: for the loops whose variables nothing else assigns, and for all
/// else.
class KnownConditionsBuilder {
public:
  KnownConditionsBuilder(KnownConditions &known, const ir::Sdfg &sdfg, const ControlFlow &flow,
                         symbolic::Context &context)
      : known_(known), context_(context), kept_(sdfg), conditions_(sdfg, flow, context) {
    region(sdfg.root, none);
  }

private:
  using Level = KnownConditions::Level;
  static constexpr std::uint32_t none = KnownConditions::none;

  /// What holds inside of `outer` with these; `outer` itself if they are none.
  std::uint32_t level(std::uint32_t outer, std::vector<Expr> conditions,
                      const std::optional<sets::Binder> &binder = {}) {
    if (conditions.empty() && !binder)
      return outer;
    known_.levels_.push_back({outer, std::move(conditions), binder});
    return static_cast<std::uint32_t>(known_.levels_.size() - 1);
  }

  void region(const Region &body, std::uint32_t outer);
  std::vector<std::uint32_t> levels_in(const Region &body, std::uint32_t outer);
  void branches(const ir::ConditionalBlock &block, std::uint32_t outer);
  void loop(const ir::LoopRegion &loop, std::uint32_t outer);
  std::optional<sets::Interval> values(const ir::LoopRegion &loop, Expr first,
                                       const std::vector<Expr> &conditions);
  std::optional<std::int64_t> step_of(const ir::LoopRegion &loop);
  Expr bound(Expr comparison, Expr variable, bool upper);
  bool names(Expr e, Name symbol) {
    const std::vector<Name> symbols = context_.free_symbols(e);
    return std::binary_search(symbols.begin(), symbols.end(), symbol);
  }

  KnownConditions &known_;
  symbolic::Context &context_;
  KeptVariables kept_;
  IntegerConditions conditions_;
};

void KnownConditionsBuilder::region(const Region &body, std::uint32_t outer) {
  const std::vector<std::uint32_t> levels = levels_in(body, outer);
  for (std::size_t i = 0; i < body.blocks.size(); ++i) {
    const ir::Block &block = body.blocks[i];
    if (block.removed)
      continue;
    if (const auto *state = block.as<ir::State>())
      known_.of_state_[state->id.value] = levels[i];
    else if (const auto *loop_region = block.as<ir::LoopRegion>())
      loop(*loop_region, levels[i]);
    else if (const auto *conditional = block.as<ir::ConditionalBlock>())
      branches(*conditional, levels[i]);
    else
      for (const Region *child : ir::child_regions(block))
        region(*child, levels[i]);
  }
}

/// For each block what is known in it, by the edges that every path to it takes. An edge with a
/// condition is a node of its own between two blocks.
std::vector<std::uint32_t> KnownConditionsBuilder::levels_in(const Region &body,
                                                             std::uint32_t outer) {
  const std::size_t blocks = body.blocks.size();
  std::vector<std::uint32_t> result(blocks, outer);
  std::vector<std::vector<Expr>> of_edge; // for nodes from `blocks` on
  std::vector<std::pair<std::uint32_t, std::uint32_t>> arcs;
  for (const ir::InterstateEdge &edge : body.edges) {
    if (edge.removed)
      continue;
    std::vector<Expr> parts;
    if (edge.condition)
      parts = conditions_.parts(*edge.condition, false);
    if (parts.empty()) {
      arcs.emplace_back(edge.src.value, edge.dst.value);
      continue;
    }
    const auto node = static_cast<std::uint32_t>(blocks + of_edge.size());
    arcs.emplace_back(edge.src.value, node);
    arcs.emplace_back(node, edge.dst.value);
    of_edge.push_back(std::move(parts));
  }
  const auto start = start_of(body);
  if (of_edge.empty() || !start)
    return result;
  const auto dominators = immediate_dominators(blocks + of_edge.size(), *start, arcs);
  std::vector<bool> done(dominators.size(), false);
  result.resize(dominators.size(), outer);
  std::vector<std::uint32_t> path;
  for (std::uint32_t block = 0; block < blocks; ++block) {
    for (std::uint32_t node = block; node != no_dominator && !done[node]; node = dominators[node])
      path.push_back(node);
    for (; !path.empty(); path.pop_back()) {
      const std::uint32_t node = path.back();
      done[node] = true;
      if (dominators[node] != no_dominator)
        result[node] = result[dominators[node]];
      if (node >= blocks && dominators[node] != no_dominator)
        result[node] = level(result[node], std::move(of_edge[node - blocks]));
    }
  }
  return result;
}

void KnownConditionsBuilder::branches(const ir::ConditionalBlock &block, std::uint32_t outer) {
  for (const ir::Branch &branch : block.branches) {
    if (!branch.condition) {
      region(branch.body, outer);
      continue;
    }
    region(branch.body, level(outer, conditions_.parts(*branch.condition, false)));
    outer = level(outer, conditions_.parts(*branch.condition, true));
  }
}

void KnownConditionsBuilder::loop(const ir::LoopRegion &loop, std::uint32_t outer) {
  const Name variable = loop.variable;
  const auto init = conditions_.assignment(loop.init);
  const bool begins = init && init->operation == '=' && init->variable == variable &&
                      conditions_.can_be_variable(variable);
  // From here on, the variable stands for its value at the test. If it was usable outside, then
  // that loop's variable is not kept here, so it was not.
  if (begins)
    conditions_.allow(variable);
  std::vector<Expr> tested;
  if (loop.condition)
    tested = conditions_.parts(*loop.condition, false);
  std::optional<sets::Binder> binder;
  if (begins && kept_.contains(loop))
    if (auto range = values(loop, init->value, tested))
      binder = sets::Binder{variable, *range};
  // The first test was passed with the first value. Without the variable, every test is alike.
  std::vector<Expr> known;
  if (!loop.inverted)
    for (const Expr part : tested)
      conditions_.add_parts(begins ? context_.substitute(part, {{variable, init->value}}) : part,
                            known);
  if (begins && !binder)
    conditions_.forbid(variable);
  region(loop.body, level(outer, std::move(known), binder));
  if (binder)
    conditions_.forbid(variable);
}

std::optional<std::int64_t> KnownConditionsBuilder::step_of(const ir::LoopRegion &loop) {
  const auto update = conditions_.assignment(loop.update);
  if (!update || update->variable != loop.variable)
    return std::nullopt;
  if (update->operation == '=')
    return symbolic::Context::constant(context_.sub(update->value, context_.symbol(loop.variable)));
  return symbolic::Context::constant(update->operation == '-' ? context_.neg(update->value)
                                                              : update->value);
}

/// The largest (smallest) value that the variable has where the comparison holds; null if it does
/// not tell.
Expr KnownConditionsBuilder::bound(Expr comparison, Expr variable, bool upper) {
  if (comparison->kind() != Kind::Lt && comparison->kind() != Kind::Le)
    return nullptr;
  const Expr gap = context_.sub(comparison->args()[1], comparison->args()[0]); // not negative
  const Expr slack = context_.integer(comparison->kind() == Kind::Lt ? 1 : 0);
  const Expr limit = upper ? context_.sub(context_.add(gap, variable), slack)
                           : context_.add(context_.sub(variable, gap), slack);
  return names(limit, variable->name()) ? nullptr : limit;
}

/// The variable's values in the body, given that the tests that were passed had these parts.
std::optional<sets::Interval> KnownConditionsBuilder::values(const ir::LoopRegion &loop, Expr first,
                                                             const std::vector<Expr> &conditions) {
  const auto step = step_of(loop);
  if (!step || *step == 0 || *step == INT64_MIN)
    return std::nullopt;
  const bool up = *step > 0;
  std::vector<Expr> limits;
  for (const Expr condition : conditions)
    if (const Expr limit = bound(condition, context_.symbol(loop.variable), up))
      limits.push_back(limit);
  if (limits.empty())
    return std::nullopt;
  Expr last = up ? context_.min(limits) : context_.max(limits);
  if (loop.inverted) {
    // The first value is not tested, and if the test comes before the update, no other one is as
    // it is in the body.
    if (!loop.update_before_condition)
      last = context_.add(last, context_.integer(*step));
    const std::array<Expr, 2> ends = {first, last};
    last = up ? context_.max(ends) : context_.min(ends);
  }
  if (up)
    return sets::Interval{first, last, context_.integer(*step)};
  const auto distance = symbolic::Context::constant(context_.sub(first, last));
  if (!distance)
    return sets::Interval{last, first, context_.integer(1)};
  return sets::Interval{
      context_.add(last, context_.integer(*distance < 0 ? 0 : *distance % -*step)), first,
      context_.integer(-*step)};
}

KnownConditions::KnownConditions(const ir::Sdfg &sdfg, const ControlFlow &flow,
                                 symbolic::Context &context) {
  if (!flow.is_opaque())
    KnownConditionsBuilder(*this, sdfg, flow, context);
}

std::vector<const KnownConditions::Level *>
KnownConditions::levels_around(ir::StateId state) const {
  std::vector<const Level *> result;
  const auto found = of_state_.find(state.value);
  if (found != of_state_.end())
    for (std::uint32_t level = found->second; level != none; level = levels_[level].outer)
      result.push_back(&levels_[level]);
  std::reverse(result.begin(), result.end());
  return result;
}

std::vector<Expr> KnownConditions::at(ir::StateId state) const {
  std::vector<Expr> result;
  std::unordered_set<Expr> seen;
  for (const Level *level : levels_around(state))
    for (const Expr condition : level->conditions)
      if (seen.insert(condition).second)
        result.push_back(condition);
  return result;
}

std::vector<sets::Binder> KnownConditions::loop_binders(ir::StateId state) const {
  std::vector<sets::Binder> result;
  for (const Level *level : levels_around(state))
    if (level->binder)
      result.push_back(*level->binder);
  return result;
}

namespace {

/// What the annotations of one symbol say, all together.
struct Claims {
  bool positive = false, nonnegative = false, negative = false, nonpositive = false,
       nonzero = false;

  void add(const symbolic::Annotation &annotation) {
    positive = positive || annotation.assumes("positive");
    nonnegative = nonnegative || annotation.assumes("nonnegative");
    negative = negative || annotation.assumes("negative");
    nonpositive = nonpositive || annotation.assumes("nonpositive");
    nonzero = nonzero || annotation.assumes("nonzero");
  }
};

void add_claims(Expr symbol, Claims claims, bool is_unsigned, symbolic::Context &context,
                std::vector<Expr> &out) {
  claims.nonnegative = claims.nonnegative || is_unsigned;
  bool above = claims.positive || claims.nonnegative;
  bool below = claims.negative || claims.nonpositive;
  if (above && below && (claims.positive || claims.negative || claims.nonzero)) {
    claims = {};
    above = claims.nonnegative = is_unsigned;
    below = false;
  }
  if (above)
    out.push_back(context.compare_op(
        Kind::Le, context.integer(claims.positive || claims.nonzero ? 1 : 0), symbol));
  if (below)
    out.push_back(context.compare_op(Kind::Le, symbol,
                                     context.integer(claims.negative || claims.nonzero ? -1 : 0)));
  if (claims.nonzero && !above && !below)
    out.push_back(context.compare_op(Kind::Ne, context.integer(0), symbol));
}

} // namespace

std::vector<Expr> annotated_facts(const ir::Sdfg &sdfg, const ControlFlow &flow,
                                  symbolic::Context &context) {
  std::vector<Expr> result;
  if (flow.is_opaque())
    return result;
  // Of shapes only: other texts may be those of nested SDFGs and scopes, where the name may mean
  // something else.
  std::unordered_map<Name, Claims> claims;
  for (const ir::Descriptor &descriptor : sdfg.arrays)
    if (!descriptor.removed)
      for (const symbolic::Expression extent : descriptor.shape)
        symbolic::for_each_annotation(extent.text(), [&](const symbolic::Annotation &annotation) {
          claims[context.names().intern(annotation.symbol)].add(annotation);
        });
  for (const auto &[name, dtype] : sdfg.symbols) {
    const SymbolType type = symbol_type(dtype);
    if (type != SymbolType::Other && !flow.is_assigned(name) && !sdfg.find_array(name))
      add_claims(context.symbol(name), claims[name], type == SymbolType::Unsigned, context, result);
  }
  return result;
}

} // namespace sdfgopt::analysis
