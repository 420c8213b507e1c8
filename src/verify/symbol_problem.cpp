#include "verify/symbol_problem.h"

#include "analysis/memlet_tree.h"
#include "analysis/memory.h"
#include "symbolic/scan.h"
#include "verify/symbol_scope.h"

#include <algorithm>
#include <map>
#include <set>

namespace sdfgopt::verify {

using ir::NodeId;
using symbolic::Kind;

namespace {

class Collector {
public:
  explicit Collector(ir::Document &document)
      : context_(document.context),
        problem_{free_symbols(document), {}, {}, {}, {}, {}, {}, {}, {}},
        scopes_(context_, problem_.symbols), zero_(context_.integer(0)), one_(context_.integer(1)) {
  }

  SymbolProblem collect(const ir::Sdfg &root) {
    sdfg(root, Scope(), {}, true);
    for (const auto *list : {&problem_.requirements, &problem_.hulls})
      for (const Requirement &requirement : *list) {
        add_switches(requirement.condition, false);
        for (const Expr guard : requirement.guards)
          add_switches(guard, false);
      }
    for (const Extent &extent : problem_.extents)
      add_switches(extent.size, false);
    for (const Expr decision : problem_.decisions)
      add_switches(decision, true);
    return std::move(problem_);
  }

private:
  void sdfg(const ir::Sdfg &sdfg, const Scope &outer,
            const std::vector<std::pair<Name, symbolic::Expression>> &mapping, bool is_root) {
    const Scope scope = scopes_.enter(sdfg, outer, mapping);
    for (const ir::Descriptor &descriptor : sdfg.arrays) {
      if (descriptor.removed)
        continue;
      for (const symbolic::Expression extent : descriptor.shape)
        require(scope, {}, context_.compare_op(Kind::Le, zero_, scopes_.resolve(extent, scope)),
                problem_.requirements);
      if (is_root)
        add_layout(descriptor, scope);
    }
    region(sdfg, sdfg.root, scope);
  }

  // --- control flow ----------------------------------------------------------------------------

  void region(const ir::Sdfg &sdfg, const ir::Region &region, const Scope &scope) {
    for (const ir::InterstateEdge &edge : region.edges)
      if (!edge.removed)
        add_decision(scopes_.resolve(edge.condition, scope), scope);
    const std::vector<std::vector<Expr>> reached = path_conditions(region, scope);
    for (std::size_t i = 0; i < region.blocks.size(); ++i) {
      if (region.blocks[i].removed)
        continue;
      Scope inside = scope;
      inside.guards.insert(inside.guards.end(), reached[i].begin(), reached[i].end());
      block(sdfg, region.blocks[i], inside);
    }
  }

  /// For each block, conditions of the edges that every path to it takes last.
  std::vector<std::vector<Expr>> path_conditions(const ir::Region &region, const Scope &scope) {
    const std::size_t count = region.blocks.size();
    std::vector<std::size_t> edges_in(count, 0);
    std::vector<const ir::InterstateEdge *> last(count, nullptr);
    for (const ir::InterstateEdge &edge : region.edges)
      if (!edge.removed) {
        ++edges_in[edge.dst.value];
        last[edge.dst.value] = &edge;
      }
    std::vector<std::vector<Expr>> conditions(count);
    constexpr std::size_t longest = 64;
    for (std::size_t i = 0; i < count; ++i)
      for (std::size_t at = i, steps = 0; edges_in[at] == 1 && steps < longest; ++steps) {
        if (const Expr condition = scopes_.resolve(last[at]->condition, scope))
          conditions[i].push_back(condition);
        at = last[at]->src.value;
      }
    return conditions;
  }

  void block(const ir::Sdfg &in, const ir::Block &block, const Scope &scope) {
    if (const auto *loop = block.as<ir::LoopRegion>()) {
      const Scope inside = scopes_.enter(*loop, scope);
      if (inside.variables.size() == scope.variables.size())
        add_decision(scopes_.resolve(loop->condition, inside), inside);
      else
        add_extent(inside.variables.back().first, inside.variables.back().last, 0, scope);
      region(in, loop->body, inside);
    } else if (const auto *branches = block.as<ir::ConditionalBlock>()) {
      Scope rest = scope;
      for (const ir::Branch &branch : branches->branches) {
        Scope inside = rest;
        if (const Expr condition = scopes_.resolve(branch.condition, scope)) {
          add_decision(condition, rest);
          require(rest, {}, condition, problem_.branches);
          inside.guards.push_back(condition);
          rest.guards.push_back(context_.logical_not(condition));
        }
        region(in, branch.body, inside);
      }
    } else if (const auto *plain = block.as<ir::PlainRegion>()) {
      region(in, plain->body, scope);
    } else if (const auto *state = block.as<ir::State>()) {
      dataflow(in, *state, scope);
    }
  }

  void add_decision(Expr condition, const Scope &scope) {
    if (!condition)
      return;
    scopes_.at_corners(scope, {condition}, [&](const std::vector<Expr> &corner) {
      const Expr e = corner.front();
      const bool constant = e->kind() == Kind::Literal || e->kind() == Kind::Integer;
      if (!constant && scopes_.is_arithmetic(e) && seen_decisions_.insert(e->id()).second)
        problem_.decisions.push_back(e);
    });
  }

  // --- dataflow --------------------------------------------------------------------------------

  void dataflow(const ir::Sdfg &in, const ir::State &state, const Scope &scope) {
    const ir::ScopeTree tree(state);
    std::map<NodeId, Scope> inside = {{NodeId(), scope}}; // by scope entry
    const auto scope_inside = [&](NodeId entry) -> const Scope & {
      std::vector<NodeId> missing;
      for (NodeId at = entry; !inside.contains(at); at = tree.scope_of(at))
        missing.push_back(at);
      for (; !missing.empty(); missing.pop_back()) {
        const NodeId at = missing.back();
        inside.emplace(at, scopes_.enter(state.node(at), inside.at(tree.scope_of(at))));
      }
      return inside.at(entry);
    };
    for (std::size_t i = 0; i < state.nodes.size(); ++i) {
      const ir::Node &node = state.nodes[i];
      if (node.removed)
        continue;
      const Scope &around = scope_inside(tree.scope_of(NodeId(i)));
      if (const auto *map = node.as<ir::MapEntry>())
        for (std::size_t d = 0; d < map->range.rank(); ++d)
          add_extent(scopes_.resolve(map->range.ranges()[d].begin, around),
                     scopes_.resolve(map->range.ranges()[d].end, around), d, around);
      else if (const auto *nested = node.as<ir::NestedSdfg>(); nested && nested->sdfg)
        sdfg(*nested->sdfg, around, nested->symbol_mapping, false);
      else if (const auto *tasklet = node.as<ir::Tasklet>())
        add_subscripts(state, NodeId(i), *tasklet, around);
    }
    for (const ir::Edge &edge : state.edges) {
      if (edge.removed || edge.memlet.is_empty())
        continue;
      const ir::Node &source = state.node(edge.src);
      const NodeId scope_of = source.is_scope_entry()  ? edge.src
                              : source.is_scope_exit() ? tree.scope_of(source.scope_partner())
                                                       : tree.scope_of(edge.src);
      memlet(in, state, edge, scope_inside(scope_of));
    }
  }

  void memlet(const ir::Sdfg &in, const ir::State &state, const ir::Edge &edge,
              const Scope &scope) {
    const auto *source = state.node(edge.src).as<ir::AccessNode>();
    const auto *target = state.node(edge.dst).as<ir::AccessNode>();
    const bool hull = state.node(edge.dst).is_scope_entry() || state.node(edge.src).is_scope_exit();
    const bool copy = source && target;
    part(in.find_array(edge.memlet.data), edge, true, hull, copy, scope);
    for (const auto *access : {source, target})
      if (access && access->data != edge.memlet.data)
        part(in.find_array(access->data), edge, false, hull, copy, scope);
  }

  /// The part of `data` that an edge moves lies in it.
  void part(const ir::Descriptor *data, const ir::Edge &edge, bool is_subset, bool hull, bool copy,
            const Scope &scope) {
    if (!data || data->removed ||
        (data->kind != ir::DescriptorKind::Array && data->kind != ir::DescriptorKind::Scalar &&
         data->kind != ir::DescriptorKind::View))
      return;
    const ir::Subset &told = is_subset ? edge.memlet.subset : edge.memlet.other_subset;
    std::vector<sets::Interval> dims;
    if (told) {
      for (const ir::Range &range : told.ranges())
        dims.push_back(
            {context_.value(range.begin), context_.value(range.end), context_.value(range.step)});
    } else if (auto untold = analysis::data_side(edge, is_subset, *data, context_)) {
      dims = std::move(*untold);
    }
    if (dims.size() != data->shape.size())
      return;
    std::vector<Expr> populated;
    for (sets::Interval &dim : dims) {
      dim.begin = scopes_.resolve(dim.begin, scope);
      dim.end = scopes_.resolve(dim.end, scope);
      const auto step = symbolic::Context::constant(scopes_.resolve(dim.step, scope));
      if (step && *step < 0)
        std::swap(dim.begin, dim.end);
      populated.push_back(context_.compare_op(Kind::Le, dim.begin, dim.end));
    }
    for (std::size_t d = 0; d < dims.size(); ++d) {
      const Expr extent = scopes_.resolve(data->shape[d], scope);
      auto &list = hull ? problem_.hulls : problem_.requirements;
      require(scope, populated, context_.compare_op(Kind::Le, zero_, dims[d].begin), list);
      require(scope, populated, context_.compare_op(Kind::Lt, dims[d].end, extent), list);
      if (copy)
        add_extent(dims[d].begin, dims[d].end, d, scope);
    }
  }

  void add_extent(Expr begin, Expr end, std::size_t axis, const Scope &scope) {
    const Expr size = context_.add(context_.sub(end, begin), one_);
    scopes_.at_corners(scope, {begin, size}, [&](const std::vector<Expr> &corner) {
      if (symbolic::Context::constant(corner[1]) || !scopes_.is_arithmetic(corner[0]) ||
          !scopes_.is_arithmetic(corner[1]))
        return;
      const auto [found, added] = extents_.emplace(corner[1]->id(), problem_.extents.size());
      if (added)
        problem_.extents.push_back({corner[0], corner[1], axis});
      else
        problem_.extents[found->second].axis = std::max(problem_.extents[found->second].axis, axis);
    });
  }

  /// `guards` and `condition` are of `scope`.
  void require(const Scope &scope, const std::vector<Expr> &guards, Expr condition,
               std::vector<Requirement> &list) {
    add_guarded(scope, guards, {condition},
                [&](std::vector<Expr> &&kept, std::span<const Expr> at_corner) {
                  const Expr e = at_corner.front();
                  if (e->kind() == Kind::Literal && e->name().view() == "True")
                    return;
                  const std::uint32_t which = &list == &problem_.hulls      ? 1
                                              : &list == &problem_.branches ? 2
                                                                            : 0;
                  std::vector<std::uint32_t> key = {which, e->id()};
                  for (const Expr guard : kept)
                    key.push_back(guard->id());
                  if (seen_.insert(std::move(key)).second)
                    list.push_back({std::move(kept), e});
                });
  }

  /// Calls `add` for each corner where all of `expressions` can be evaluated, with the guards that
  /// can. Not where a guard never holds.
  template <typename Add>
  void add_guarded(const Scope &scope, const std::vector<Expr> &guards,
                   const std::vector<Expr> &expressions, Add add) {
    std::vector<Expr> all = expressions;
    all.insert(all.end(), scope.guards.begin(), scope.guards.end());
    all.insert(all.end(), guards.begin(), guards.end());
    scopes_.at_corners(scope, all, [&](const std::vector<Expr> &corner) {
      const std::span<const Expr> told = std::span(corner).first(expressions.size());
      const auto known = [&](Expr e) { return scopes_.is_arithmetic(e); };
      if (!std::all_of(told.begin(), told.end(), known))
        return;
      std::vector<Expr> kept;
      for (const Expr guard : std::span(corner).subspan(expressions.size())) {
        if (!known(guard))
          continue;
        if (guard->kind() != Kind::Literal)
          kept.push_back(guard);
        else if (guard->name().view() == "False")
          return;
      }
      std::sort(kept.begin(), kept.end(),
                [](Expr a, Expr b) { return symbolic::compare(a, b) < 0; });
      kept.erase(std::unique(kept.begin(), kept.end()), kept.end());
      add(std::move(kept), told);
    });
  }

  // --- subscripts in tasklets ------------------------------------------------------------------

  /// `field[index - first]` in a tasklet: both are connectors, and `field` has part of an array.
  void add_subscripts(const ir::State &state, NodeId node, const ir::Tasklet &tasklet,
                      const Scope &scope) {
    if (tasklet.code.language && tasklet.code.language.view() != "Python")
      return;
    std::map<Name, const ir::Edge *> inputs;
    for (const ir::Edge &edge : state.edges)
      if (!edge.removed && edge.dst == node && edge.dst_connector && !edge.memlet.is_empty())
        inputs.emplace(edge.dst_connector, &edge);
    if (inputs.size() < 2 || tasklet.code.text.find('[') == std::string_view::npos)
      return;
    std::string_view text = tasklet.code.text;
    while (!text.empty()) {
      const std::string_view line = text.substr(0, text.find('\n'));
      text.remove_prefix(std::min(text.size(), line.size() + 1));
      if (const auto statement = assignment_of(ir::Code{line, tasklet.code.language}, context_))
        visit_subscripts(statement->value, inputs, scope);
    }
  }

  void visit_subscripts(Expr e, const std::map<Name, const ir::Edge *> &inputs,
                        const Scope &scope) {
    for (const Expr arg : e->args())
      visit_subscripts(arg, inputs, scope);
    if (e->kind() != Kind::Subscript || e->args()[0]->kind() != Kind::Symbol)
      return;
    const auto field = inputs.find(e->args()[0]->name());
    if (field == inputs.end())
      return;
    // Dimensions of one element may be left out of the tasklet's view of the array.
    std::vector<const ir::Range *> all;
    std::vector<const ir::Range *> wide;
    for (const ir::Range &range : field->second->memlet.subset.ranges()) {
      all.push_back(&range);
      if (range.begin != range.end)
        wide.push_back(&range);
    }
    const std::span<const Expr> indices = e->args().subspan(1);
    const auto &dims = indices.size() == all.size() ? all : wide;
    if (indices.size() != dims.size())
      return;
    for (std::size_t d = 0; d < dims.size(); ++d)
      add_index(indices[d], *dims[d], inputs, scope);
  }

  void add_index(Expr index, const ir::Range &range, const std::map<Name, const ir::Edge *> &inputs,
                 const Scope &scope) {
    const Expr last =
        context_.sub(scopes_.resolve(range.end, scope), scopes_.resolve(range.begin, scope));
    Expr first = index; // of the elements that are read, if the connector's value is 0
    bool from_data = false;
    for (const Name name : context_.free_symbols(index))
      if (inputs.contains(name)) {
        from_data = true;
        first = context_.sub(first, context_.symbol(name));
      }
    const Expr offset = scopes_.resolve(first, scope);
    for (const Name name : context_.free_symbols(first))
      if (inputs.contains(name))
        return; // used otherwise than as a plain term
    // Small values, 0 among them, should be usable; some tables begin later.
    if (!from_data || symbolic::Context::constant(offset).value_or(0) >= 0)
      require(scope, {}, context_.compare_op(Kind::Le, zero_, offset), problem_.requirements);
    require(scope, {}, context_.compare_op(Kind::Le, offset, last), problem_.requirements);
    if (!from_data)
      return;
    const Expr limit = context_.add(context_.sub(last, offset), one_);
    add_guarded(scope, {}, {context_.neg(offset), limit},
                [&](std::vector<Expr> &&guards, std::span<const Expr> bounds) {
                  problem_.indices.push_back({std::move(guards), bounds[0], bounds[1]});
                });
  }

  // --- layouts and switches --------------------------------------------------------------------

  void add_layout(const ir::Descriptor &descriptor, const Scope &scope) {
    if (descriptor.strides.empty() || descriptor.strides.size() != descriptor.shape.size())
      return;
    Layout layout{{}, {}, one_};
    for (const symbolic::Expression extent : descriptor.shape)
      layout.shape.push_back(scopes_.resolve(extent, scope));
    for (const symbolic::Expression stride : descriptor.strides)
      layout.strides.push_back(scopes_.resolve(stride, scope));
    layout.total_size = descriptor.total_size ? scopes_.resolve(descriptor.total_size, scope)
                                              : context_.mul(layout.shape);
    std::vector<Expr> contiguous(layout.shape.size(), one_);
    for (std::size_t d = contiguous.size(); d-- > 1;)
      contiguous[d - 1] = context_.mul(contiguous[d], layout.shape[d]);
    const auto known = [&](Expr e) { return scopes_.is_arithmetic(e); };
    if ((layout.strides != contiguous || layout.total_size != context_.mul(layout.shape)) &&
        std::all_of(layout.shape.begin(), layout.shape.end(), known) &&
        std::all_of(layout.strides.begin(), layout.strides.end(), known) &&
        known(layout.total_size))
      problem_.layouts.push_back(std::move(layout));
  }

  void add_switches(Expr e, bool comparisons) {
    if (!seen_switches_.emplace(e->id(), comparisons).second)
      return;
    const bool comparison = e->kind() == Kind::Lt || e->kind() == Kind::Le;
    if (e->kind() == Kind::Max || e->kind() == Kind::Min || (comparisons && comparison))
      problem_.switches.push_back(e);
    for (const Expr arg : e->args())
      add_switches(arg, comparisons);
  }

  symbolic::Context &context_;
  SymbolProblem problem_;
  ScopeBuilder scopes_;
  Expr zero_;
  Expr one_;
  std::set<std::vector<std::uint32_t>> seen_;
  std::set<std::uint32_t> seen_decisions_;
  std::set<std::pair<std::uint32_t, bool>> seen_switches_;
  std::map<std::uint32_t, std::size_t> extents_;
};

} // namespace

SymbolProblem symbol_problem(ir::Document &document) {
  return Collector(document).collect(document.root);
}

} // namespace sdfgopt::verify
