#include "passes/redirect.h"

#include "io/member_splitter.h"
#include "passes/subscript_text.h"

#include <algorithm>

namespace sdfgopt::passes {

using analysis::StateGraph;
using analysis::TreeEdge;

namespace {

/// Some index changes: the offset is not zero everywhere.
bool moves_indices(const Redirection &redirection) {
  return std::any_of(redirection.offset.begin(), redirection.offset.end(),
                     [](Expr offset) { return !offset->is_integer(0); });
}

} // namespace

std::vector<DataAccess> accesses_of(Analyses &analyses, Name data) {
  std::vector<DataAccess> list;
  for (const analysis::Site &site : analyses.accesses.sites(data)) {
    const StateGraph &graph = analyses.accesses.graph(*site.state);
    for (const Role role : {Role::Write, Role::Read})
      for (const EdgeId edge :
           role == Role::Read ? graph.out_edges(site.node) : graph.in_edges(site.node))
        if (!site.state->edge(edge).memlet.is_empty())
          list.push_back({site, edge, role, memlet_tree(graph, edge, data, role),
                          event_of(graph, edge, role)});
  }
  return list;
}

// --- planning ---

namespace {

class RedirectPlanner {
public:
  RedirectPlanner(Analyses &analyses, const Redirection &redirection)
      : analyses_(analyses), redirection_(redirection), context_(analyses.context),
        strides_(context_) {
    from_ = analyses.sdfg.find_array(redirection.from);
    to_ = analyses.sdfg.find_array(redirection.to);
    from_strides_ = strides_of(*from_, context_);
    to_strides_ = strides_of(*to_, context_);
    named_ = redirection.offset;
    named_.insert(named_.end(), to_strides_.begin(), to_strides_.end());
    for (const symbolic::Expression extent : to_->shape)
      named_.push_back(context_.value(extent));
  }

  std::optional<Refusal> check_names() {
    if (const Name view = analyses_.accesses.alias_of(redirection_.from))
      return Refusal{Rule::R6, "'" + view.str() + "' is a View or Reference of '" +
                                   redirection_.from.str() + "'"};
    if (analyses_.accesses.is_hidden(redirection_.from))
      return Refusal{Rule::R6, "a memlet names '" + redirection_.from.str() +
                                   "', but its path does not begin or end there"};
    if (analyses_.accesses.is_named_elsewhere(redirection_.from))
      return Refusal{Rule::R6, "'" + redirection_.from.str() +
                                   "' is named in a symbolic expression or in code that is not "
                                   "Python, where it cannot be followed"};
    for (const analysis::Mention &mention : analyses_.accesses.mentions(redirection_.from))
      if (!redirect_subscripts(mention.evaluation.text, redirection_.from, redirection_.to,
                               redirection_.offset, context_))
        return Refusal{Rule::R6, "the condition or assignment '" +
                                     std::string(mention.evaluation.text) + "' uses '" +
                                     redirection_.from.str() +
                                     "' other than by a full list of indices"};
    return std::nullopt;
  }

  std::optional<Refusal> check_access(const DataAccess &access) {
    const ir::State &state = *access.site.state;
    const StateGraph &graph = analyses_.accesses.graph(state);
    if (!graph.is_acyclic())
      return Refusal{Rule::R6, describe_state(analyses_, state) + " is not acyclic"};
    if (is_captured(graph, named_, context_))
      return Refusal{Rule::R8, "a map in " + describe_state(analyses_, state) +
                                   " has a parameter of the same name as a symbol in the copy's "
                                   "offset or in the shape or strides of '" +
                                   redirection_.to.str() + "'"};
    if (access.tree.unclear.has_value())
      return Refusal{Rule::R6, "edge " + access.tree.unclear.str() + " at node " +
                                   describe_node(analyses_, state, access.site.node) +
                                   " does not say which part of '" + redirection_.from.str() +
                                   "' it moves"};
    for (const TreeEdge &edge : access.tree.edges)
      if (auto refusal = check_edge(state, edge))
        return refusal;
    for (const TreeEdge &leaf : access.tree.leaves)
      if (auto refusal = check_leaf(access, leaf))
        return refusal;
    return std::nullopt;
  }

  std::vector<NestedStrideEdit> take_nested() { return strides_.take(); }

private:
  std::optional<Refusal> check_edge(const ir::State &state, const TreeEdge &item) {
    const ir::Edge &edge = state.edge(item.edge);
    if (!analysis::data_side(edge, item.is_subset, *from_, context_))
      return Refusal{Rule::R6,
                     "edge " + item.edge.str() + " in " + describe_state(analyses_, state) +
                         " does not say which part of '" + redirection_.from.str() + "' it moves"};
    return std::nullopt;
  }

  std::optional<Refusal> check_leaf(const DataAccess &access, const TreeEdge &leaf) {
    ir::State &state = *access.site.state;
    const NodeId end = access.tree.far_end(state, leaf);
    const ir::Node &node = state.node(end);
    const ir::Edge &edge = state.edge(leaf.edge);
    const auto where = [&] { return describe_node(analyses_, state, end); };
    if (node.is<ir::UnknownNode>())
      return Refusal{Rule::R6, "node " + where() + " has a type that is not known"};
    if (node.is<ir::LibraryNode>() && access.role == Role::Write && accumulates(node))
      return Refusal{Rule::R5, "library node " + where() + " accumulates into what '" +
                                   redirection_.from.str() + "' holds"};
    if (node.is<ir::AccessNode>())
      return check_copy(access, leaf);
    if (names_symbol_of(node, named_, context_))
      return Refusal{Rule::R8,
                     "the code of node " + where() +
                         " has a name of its own that is a symbol in the copy's offset or "
                         "in the shape or strides of '" +
                         redirection_.to.str() + "'"};
    const bool same_strides = from_strides_ == to_strides_;
    const auto dims = analysis::data_side(edge, leaf.is_subset, *from_, context_);
    const bool scalar = std::all_of(dims->begin(), dims->end(),
                                    [](const auto &dim) { return dim.begin == dim.end; });
    if (const auto reason = depends_on_strides(node, same_strides || scalar))
      return Refusal{Rule::R6, *reason + " (node " + where() + ")"};
    if (node.is<ir::NestedSdfg>() && !same_strides) {
      const Name connector = access.role == Role::Read ? edge.dst_connector : edge.src_connector;
      if (auto reason = strides_.plan(analyses_.sdfg, state, end, connector, *dims, from_strides_,
                                      to_strides_))
        return Refusal{Rule::R8, *reason + " (node " + where() + ")"};
    }
    return std::nullopt;
  }

  /// A leaf that ends at an access node.
  std::optional<Refusal> check_copy(const DataAccess &access, const TreeEdge &leaf) {
    const ir::State &state = *access.site.state;
    const NodeId end = access.tree.far_end(state, leaf);
    const ir::Edge &edge = state.edge(leaf.edge);
    const Name data = state.node(end).as<ir::AccessNode>()->data;
    const ir::Descriptor *other = analyses_.sdfg.find_array(data);
    const std::string here = "edge " + leaf.edge.str() + " in " + describe_state(analyses_, state);
    if (data == redirection_.to)
      return Refusal{Rule::R8,
                     "'" + redirection_.to.str() + "' would be copied to itself by " + here};
    if (other &&
        (other->kind == ir::DescriptorKind::View || other->kind == ir::DescriptorKind::Reference))
      return Refusal{Rule::R6, "node " + describe_node(analyses_, state, end) +
                                   " is a View or Reference of '" + redirection_.from.str() + "'"};
    if (leaf.is_subset && !edge.memlet.other_subset && moves_indices(redirection_) &&
        (!other || !analysis::data_side(edge, false, *other, context_)))
      return Refusal{Rule::R6, here + " does not say which part of '" + data.str() + "' it moves"};
    if (from_strides_ == to_strides_)
      return std::nullopt;
    const auto dims = analysis::data_side(edge, leaf.is_subset, *from_, context_);
    if (!other || reshapes(edge, leaf.is_subset, *other, *dims, context_))
      return Refusal{Rule::R8, "the copy between '" + redirection_.from.str() + "' and " +
                                   describe_node(analyses_, state, end) +
                                   " changes the shape, which goes by the order in memory"};
    return std::nullopt;
  }

  /// A Reduce node without an identity adds to what its output holds.
  static bool accumulates(const ir::Node &node) {
    if (!node.as<ir::LibraryNode>()->class_path.view().ends_with(".Reduce"))
      return false;
    io::MemberSplitter splitter;
    for (const ir::Member &attribute : splitter.attributes(node.source))
      if (attribute.key == "identity")
        return attribute.value == "null";
    return true;
  }

  Analyses &analyses_;
  const Redirection &redirection_;
  symbolic::Context &context_;
  NestedStridePlanner strides_;
  const ir::Descriptor *from_ = nullptr;
  const ir::Descriptor *to_ = nullptr;
  std::vector<Expr> from_strides_;
  std::vector<Expr> to_strides_;
  std::vector<Expr> named_; // what is going to be named wherever `from` is accessed
};

} // namespace

std::variant<RedirectPlan, Refusal> plan_redirect(Analyses &analyses,
                                                  const Redirection &redirection,
                                                  std::vector<DataAccess> accesses) {
  RedirectPlanner planner(analyses, redirection);
  if (auto refusal = planner.check_names())
    return std::move(*refusal);
  for (const DataAccess &access : accesses)
    if (auto refusal = planner.check_access(access))
      return std::move(*refusal);
  return RedirectPlan{redirection, std::move(accesses), planner.take_nested(), {}, {}};
}

// --- changing ---

namespace {

class Redirector {
public:
  Redirector(Analyses &analyses, const Redirection &redirection)
      : analyses_(analyses), redirection_(redirection), context_(analyses.context) {}

  /// Where the memlet tells only the side that moves, the other side's subset follows from it by
  /// DaCe's rule, so it is written down first.
  void spell_out_far_side(ir::Edge &edge, const ir::AccessNode &far) {
    if (edge.memlet.other_subset || !moves_indices(redirection_))
      return;
    spell_out(edge, false, *analyses_.sdfg.find_array(far.data), edge.memlet.other_subset);
  }

  void shift(ir::Edge &edge, bool is_subset, Role role) {
    ir::Memlet &memlet = edge.memlet;
    ir::Subset &subset = is_subset ? memlet.subset : memlet.other_subset;
    if (!subset)
      spell_out(edge, is_subset, *analyses_.sdfg.find_array(redirection_.from), subset);
    for (std::size_t d = 0; d < redirection_.offset.size(); ++d) {
      const Expr offset = redirection_.offset[d];
      if (offset->is_integer(0))
        continue;
      ir::Range &range = subset.ranges()[d];
      const bool single = range.begin == range.end;
      range.begin = moved(range.begin, offset);
      range.end = single ? range.begin : moved(range.end, offset);
    }
    if (is_subset)
      memlet.data = redirection_.to;
    memlet.data_is_source = is_subset == (role == Role::Read);
    edge.memlet_changed = true;
  }

  /// For a memlet outside of scopes: the part is told anew.
  void tell_part(ir::Edge &edge, bool is_subset, Role role,
                 const std::vector<sets::Interval> &part) {
    shift(edge, is_subset, role);
    (is_subset ? edge.memlet.subset : edge.memlet.other_subset) = subset_of(part);
  }

  void retarget(ir::Node &node) {
    auto &access = *node.as<ir::AccessNode>();
    access.data = redirection_.to;
    node.changed = true;
  }

  void add_ordering(std::span<const OrderingEdge> edges) {
    std::vector<const ir::State *> done;
    for (const OrderingEdge &first : edges) {
      if (std::find(done.begin(), done.end(), first.state) != done.end())
        continue;
      done.push_back(first.state);
      std::vector<EdgeId> added;
      for (const OrderingEdge &ordering : edges) {
        if (ordering.state != first.state)
          continue;
        added.emplace_back(first.state->edges.size());
        ir::Edge &edge = first.state->edges.emplace_back();
        edge.src = ordering.from;
        edge.dst = ordering.to;
        edge.memlet = empty_memlet();
        edge.changed = edge.memlet_changed = true;
      }
      analyses_.accesses.graph(*first.state).add_edges(added);
    }
  }

  /// Copies into one node go. If nothing else comes into it, both ends become one node; else an
  /// empty memlet keeps the order that the copies have made.
  void drop_copies(ir::State &state, std::span<const EdgeId> copies) {
    StateGraph &graph = analyses_.accesses.graph(state);
    const NodeId source = state.edge(copies.front()).src;
    const NodeId target = state.edge(copies.front()).dst;
    const bool one_source = std::all_of(
        copies.begin(), copies.end(), [&](EdgeId copy) { return state.edge(copy).src == source; });
    // Empty memlets into a node that nothing comes out of order nothing once the copies are gone.
    const auto incoming = graph.in_edges(target);
    const bool nothing_else =
        graph.out_edges(target).empty() &&
        std::all_of(incoming.begin(), incoming.end(), [&](EdgeId edge) {
          return state.edge(edge).memlet.is_empty() ||
                 std::find(copies.begin(), copies.end(), edge) != copies.end();
        });
    if (one_source && (nothing_else || incoming.size() == copies.size())) {
      for (const EdgeId edge : std::vector<EdgeId>(incoming.begin(), incoming.end())) {
        const NodeId from = state.edge(edge).src;
        remove(state, graph, edge);
        if (from != source)
          remove_if_isolated(state, graph, from);
      }
      move_out_edges(state, graph, target, source);
      state.node(target).removed = true;
      remove_if_isolated(state, graph, source);
      return;
    }
    for (std::size_t i = 0; i < copies.size(); ++i) {
      ir::Edge &edge = state.edge(copies[i]);
      if (i > 0 && edge.src == state.edge(copies[i - 1]).src) {
        remove(state, graph, copies[i]);
        continue;
      }
      edge.memlet = empty_memlet();
      edge.src_connector = edge.dst_connector = Name();
      edge.memlet_changed = true;
    }
  }

  /// A node that is only read joins the node that already reads the destination, if there is one.
  void join_reader(const analysis::Site &site) {
    ir::State &state = *site.state;
    StateGraph &graph = analyses_.accesses.graph(state);
    if (state.node(site.node).removed || !is_plain_reader(graph, site.node))
      return;
    if (graph.out_edges(site.node).empty()) {
      state.node(site.node).removed = true;
      return;
    }
    for (const Name data : {redirection_.to, redirection_.from}) // the latter: renamed before
      for (const analysis::Site &other : analyses_.accesses.sites_in(data, site)) {
        const auto &access = *state.node(other.node).as<ir::AccessNode>();
        if (other.node == site.node || access.data != redirection_.to ||
            state.node(other.node).removed || !is_plain_reader(graph, other.node))
          continue;
        move_out_edges(state, graph, site.node, other.node);
        state.node(site.node).removed = true;
        return;
      }
  }

  void rewrite_mention(const analysis::Mention &mention) {
    const analysis::Evaluation &evaluation = mention.evaluation;
    if (evaluation.branch) {
      rewrite(evaluation.branch->condition);
      evaluation.branch->condition_source = {};
      evaluation.branch->container.changed = true;
    } else if (evaluation.loop) {
      auto &loop = *evaluation.loop->as<ir::LoopRegion>();
      rewrite(loop.init);
      rewrite(loop.condition);
      rewrite(loop.update);
      for (const std::string_view key : {"init_statement", "loop_condition", "update_statement"})
        evaluation.loop->touch(key);
    } else if (evaluation.assignment == SIZE_MAX) {
      rewrite(evaluation.edge->condition);
      evaluation.edge->changed = true;
    } else {
      symbolic::Expression &value = evaluation.edge->assignments[evaluation.assignment].second;
      if (auto text = rewritten(value.text()))
        value = context_.expression(*text, symbolic::Grammar::Python);
      evaluation.edge->changed = true;
    }
  }

private:
  [[nodiscard]] ir::Memlet empty_memlet() const {
    ir::Memlet memlet;
    memlet.volume = context_.expression("1", analyses_.document.grammar);
    memlet.data_is_source = false;
    return memlet;
  }

  static bool is_plain_reader(const StateGraph &graph, NodeId node) {
    return graph.in_edges(node).empty() && !graph.scope_of(node).has_value();
  }

  symbolic::Expression moved(symbolic::Expression text, Expr offset) {
    return context_.expression(context_.add(context_.value(text), offset),
                               analyses_.document.grammar);
  }

  /// Writes down the subset that the memlet leaves to DaCe's rule (analysis::data_side).
  void spell_out(const ir::Edge &edge, bool is_subset, const ir::Descriptor &data,
                 ir::Subset &subset) {
    subset = subset_of(*analysis::data_side(edge, is_subset, data, context_));
  }

  [[nodiscard]] ir::Subset subset_of(const std::vector<sets::Interval> &dims) {
    const symbolic::Grammar grammar = analyses_.document.grammar;
    const symbolic::Expression one = context_.expression("1", grammar);
    std::vector<ir::Range> ranges;
    ranges.reserve(dims.size());
    for (const sets::Interval &dim : dims)
      ranges.push_back({context_.expression(dim.begin, grammar),
                        context_.expression(dim.end, grammar), one, one});
    return ir::Subset(std::move(ranges));
  }

  static void remove_if_isolated(ir::State &state, const StateGraph &graph, NodeId node) {
    if (state.node(node).is<ir::AccessNode>() && graph.in_edges(node).empty() &&
        graph.out_edges(node).empty())
      state.node(node).removed = true;
  }

  static void remove(ir::State &state, StateGraph &graph, EdgeId edge) {
    graph.remove_edge(edge);
    state.edge(edge).removed = true;
  }

  static void move_out_edges(ir::State &state, StateGraph &graph, NodeId from, NodeId to) {
    const auto list = graph.out_edges(from);
    const std::vector<EdgeId> edges(list.begin(), list.end());
    for (const EdgeId id : edges) {
      ir::Edge &edge = state.edge(id);
      const auto there = graph.out_edges(to);
      const bool ordered_already = std::any_of(there.begin(), there.end(), [&](EdgeId other) {
        return state.edge(other).dst == edge.dst;
      });
      if (edge.memlet.is_empty() && ordered_already) {
        remove(state, graph, id);
        continue;
      }
      graph.move_source(id, to);
      edge.src = to;
      edge.changed = true;
    }
  }

  std::optional<std::string> rewritten(std::string_view text) {
    return redirect_subscripts(text, redirection_.from, redirection_.to, redirection_.offset,
                               context_);
  }
  void rewrite(std::optional<ir::Code> &code) {
    if (!code)
      return;
    if (auto text = rewritten(code->text))
      code->text = analyses_.document.arena.store(*text);
  }

  Analyses &analyses_;
  const Redirection &redirection_;
  symbolic::Context &context_;
};

} // namespace

void redirect(Analyses &analyses, const RedirectPlan &plan, const DroppedCopies &dropped) {
  const Redirection &redirection = plan.redirection;
  Redirector redirector(analyses, redirection);
  for (const DataAccess &access : plan.accesses) {
    for (const TreeEdge &leaf : access.tree.leaves) {
      ir::State &state = *access.site.state;
      if (const auto *far = state.node(access.tree.far_end(state, leaf)).as<ir::AccessNode>();
          far && leaf.is_subset)
        redirector.spell_out_far_side(state.edge(leaf.edge), *far);
    }
    for (const TreeEdge &item : access.tree.edges) {
      ir::Edge &edge = access.site.state->edge(item.edge);
      if (plan.outer.empty() || access.tree.is_leaf(item.edge))
        redirector.shift(edge, item.is_subset, access.role);
      else
        redirector.tell_part(edge, item.is_subset, access.role, plan.outer);
    }
  }
  for (const analysis::Mention &mention : analyses.accesses.mentions(redirection.from))
    redirector.rewrite_mention(mention);
  apply(plan.nested, analyses.document);
  redirector.add_ordering(plan.ordering);
  for (std::size_t i = 0; i < dropped.size();) {
    ir::State &state = *dropped[i].first;
    const NodeId target = state.edge(dropped[i].second).dst;
    std::vector<EdgeId> into_one;
    for (; i < dropped.size() && dropped[i].first == &state &&
           state.edge(dropped[i].second).dst == target;
         ++i)
      into_one.push_back(dropped[i].second);
    redirector.drop_copies(state, into_one);
  }
  for (const analysis::Site &site : analyses.accesses.sites(redirection.from)) {
    redirector.retarget(site.state->node(site.node));
    redirector.join_reader(site);
  }
  analyses.accesses.merge(redirection.from, redirection.to);
  analyses.sdfg.find_array(redirection.from)->removed = true;
  analyses.sdfg.changed = true;
}

} // namespace sdfgopt::passes
