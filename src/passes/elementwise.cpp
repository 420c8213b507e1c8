// Reads and writes of one map that go element by element.
//
// Let p be the parameters of the maps around both the read and the write, and R(p) and W(p) what
// one iteration reads of G, and writes of T after the move (parameters of maps around only one of
// the two are bound in each). Two iterations differ if they differ in one parameter. So for each
// parameter k the set
//
//     { p, p' in the range, x : p_k < p'_k, x in R(p), x in W(p') }
//
// must be empty, and the one with p_k > p'_k. As a region it has no coordinates x: two intervals
// have a point in common if each begins before the other one ends, and each such comparison a <= b
// is one dimension a..b.
#include "passes/elementwise.h"

#include "sets/linear.h"

#include <algorithm>

namespace sdfgopt::passes {

namespace {

using analysis::MemletTree;
using analysis::StateGraph;
using analysis::TreeEdge;
using sets::Binder;
using sets::Interval;
using sets::Region;

/// Entries of the scopes around `node`, the outermost first.
std::vector<NodeId> scopes_around(const StateGraph &graph, NodeId node) {
  std::vector<NodeId> scopes;
  for (NodeId scope = graph.scope_of(node); scope.has_value(); scope = graph.scope_of(scope))
    scopes.push_back(scope);
  std::reverse(scopes.begin(), scopes.end());
  return scopes;
}

/// Number of parameters of the maps around both nodes.
std::size_t common_parameters(const StateGraph &graph, NodeId a, NodeId b) {
  const std::vector<NodeId> around_a = scopes_around(graph, a);
  const std::vector<NodeId> around_b = scopes_around(graph, b);
  std::size_t count = 0;
  for (std::size_t i = 0; i < std::min(around_a.size(), around_b.size()); ++i) {
    const auto *map = graph.state().node(around_a[i]).as<ir::MapEntry>();
    if (around_a[i] != around_b[i] || !map)
      break;
    count += map->params.size();
  }
  return count;
}

/// Gives map parameters names that no text can spell, so that two regions in one question do not
/// mean the same by them.
class Renamer {
public:
  explicit Renamer(Analyses &analyses) : context_(analyses.context), sdfg_(analyses.sdfg) {}

  /// False if it cannot be done: one parameter hides another one, one is named inside of text that
  /// does not parse, or the region does not say where it is.
  bool rename(Region &region, const char *side) {
    replacements_.clear();
    for (std::size_t i = 0; i < region.binders.size(); ++i) {
      Binder &binder = region.binders[i];
      const Expr local = sets::Traits::local(context_, side, i);
      if (!rename(binder.range) || !replacements_.try_emplace(binder.name, local).second)
        return false;
      binder.name = local->name();
    }
    return std::all_of(region.dims.begin(), region.dims.end(), [&](Interval &dim) {
      const auto step = symbolic::Context::constant(dim.step);
      return rename(dim) && step && *step > 0;
    });
  }

  /// An expression that stands for no certain integer: two that look alike need not be equal. Data
  /// are among them: each iteration may write its own value.
  bool is_vague(Expr e) {
    const std::vector<Name> names = context_.free_symbols(e);
    return traits_.any(e, sets::Traits::has_undefined | sets::Traits::has_fraction) ||
           std::any_of(names.begin(), names.end(),
                       [&](Name name) { return sdfg_.find_array(name) != nullptr; });
  }

private:
  bool rename(Interval &interval) {
    return rename(interval.begin) && rename(interval.end) && rename(interval.step);
  }

  bool rename(Expr &e) {
    const std::vector<Name> before = context_.free_symbols(e);
    e = context_.substitute(e, replacements_);
    const std::vector<Name> after = context_.free_symbols(e);
    return !is_vague(e) && std::all_of(before.begin(), before.end(), [&](Name name) {
      const auto found = replacements_.find(name);
      return found == replacements_.end() ||
             std::find(after.begin(), after.end(), found->second->name()) != after.end();
    });
  }

  symbolic::Context &context_;
  const ir::Sdfg &sdfg_;
  sets::Traits traits_;
  std::unordered_map<Name, Expr> replacements_;
};

/// The questions about one leaf that reads and one that writes.
class Pair {
public:
  Pair(symbolic::Context &context, const Region &read, const Region &write, std::size_t common)
      : context_(context), read_(read), write_(write), common_(common) {
    for (std::size_t d = 0; d < read.dims.size(); ++d) {
      meet_.push_back(at_most(read.dims[d].begin, write.dims[d].end));
      meet_.push_back(at_most(write.dims[d].begin, read.dims[d].end));
    }
  }

  void ask(std::vector<sets::Question> &questions) {
    for (std::size_t k = 0; k < common_; ++k) {
      const Expr read = context_.symbol(read_.binders[k].name);
      const Expr write = context_.symbol(write_.binders[k].name);
      ask(read, write, questions);
      ask(write, read, questions);
    }
  }

private:
  /// For iterations with low < high.
  void ask(Expr low, Expr high, std::vector<sets::Question> &questions) {
    std::vector<Interval> dims = meet_;
    dims.push_back(at_most(context_.add(low, context_.integer(1)), high));
    if (contradicts(dims))
      return;
    std::vector<Binder> binders = read_.binders;
    binders.insert(binders.end(), write_.binders.begin(), write_.binders.end());
    questions.push_back(sets::Question::empty({std::move(dims), std::move(binders)}));
  }

  /// Not empty exactly if a <= b. What both have in common cancels out.
  Interval at_most(Expr a, Expr b) {
    return {context_.integer(0), context_.sub(b, a), context_.integer(1)};
  }

  /// One of the comparisons cannot hold, or two that cannot both hold: the usual case, where the
  /// read is of the element that is written, seen without solving anything.
  bool contradicts(const std::vector<Interval> &dims) {
    const auto negative = [](Expr sum) {
      const auto value = symbolic::Context::constant(sum);
      return value && *value < 0;
    };
    for (std::size_t i = 0; i < dims.size(); ++i)
      for (std::size_t j = i; j < dims.size(); ++j)
        if (negative(i == j ? dims[i].end : context_.add(dims[i].end, dims[j].end)))
          return true;
    return false;
  }

  symbolic::Context &context_;
  const Region &read_;
  const Region &write_;
  std::size_t common_;
  std::vector<Interval> meet_; // not empty if the two have an element in common
};

/// The connector of a tasklet holds a value, which is loaded before the code and stored after it,
/// and is not a reference into memory.
bool by_value(const ir::Edge &edge, const std::vector<ir::Connector> &connectors, Name name) {
  if (edge.memlet.dynamic || !edge.memlet.volume || edge.memlet.volume.text() != "1")
    return false;
  return std::any_of(connectors.begin(), connectors.end(), [&](const ir::Connector &connector) {
    return connector.name == name && !connector.dtype.starts_with('{'); // pointers and the like
  });
}

/// One tasklet reads through `in` and writes through `out`, and has both by value.
bool is_by_value(const ir::Node &node, const ir::Edge &in, const ir::Edge &out) {
  return node.is<ir::Tasklet>() && by_value(in, node.in_connectors, in.dst_connector) &&
         by_value(out, node.out_connectors, out.src_connector);
}

/// What each leaf of a read and a write touches of G, parameters renamed.
struct Touched {
  std::vector<Region> read;
  std::vector<Region> written;
};

std::optional<Touched> touched(const StateGraph &graph, const MemletTree &read,
                               const MemletTree &write, const Redirection &redirection,
                               Analyses &analyses) {
  constexpr std::size_t max_pairs = 4096; // of leaves; all are compared
  symbolic::Context &context = analyses.context;
  auto reads = footprint(graph, read, *analyses.sdfg.find_array(redirection.to), context);
  auto writes = footprint(graph, write, *analyses.sdfg.find_array(redirection.from), context);
  if (!reads || !writes || reads->size() * writes->size() > max_pairs)
    return std::nullopt;
  Renamer renamer(analyses);
  for (Region &region : *reads)
    if (!renamer.rename(region, "r"))
      return std::nullopt;
  for (Region &region : *writes) {
    if (!renamer.rename(region, "w"))
      return std::nullopt;
    for (std::size_t d = 0; d < region.dims.size(); ++d) {
      const Expr offset = redirection.offset[d];
      if (renamer.is_vague(offset))
        return std::nullopt;
      region.dims[d].begin = context.add(region.dims[d].begin, offset);
      region.dims[d].end = context.add(region.dims[d].end, offset);
    }
  }
  return Touched{std::move(*reads), std::move(*writes)};
}

} // namespace

std::optional<std::vector<sets::Question>>
iterations_apart(const StateGraph &graph, const MemletTree &read, const MemletTree &write,
                 const Redirection &redirection, Analyses &analyses) {
  const auto parts = touched(graph, read, write, redirection, analyses);
  if (!parts)
    return std::nullopt;
  std::vector<sets::Question> questions;
  for (std::size_t i = 0; i < parts->read.size(); ++i)
    for (std::size_t j = 0; j < parts->written.size(); ++j) {
      const std::size_t common =
          common_parameters(graph, read.far_end(graph.state(), read.leaves[i]),
                            write.far_end(graph.state(), write.leaves[j]));
      Pair(analyses.context, parts->read[i], parts->written[j], common).ask(questions);
    }
  return questions;
}

// There is a way from one to the other, or one tasklet does both by value. A way out of or into a
// scope goes through its exit or entry, so it orders inner scopes as a whole.
bool read_ends_before(const StateGraph &graph, const MemletTree &read_tree, const TreeEdge &read,
                      const MemletTree &write_tree, const TreeEdge &write, const Analyses &analyses,
                      InNested nested) {
  const NodeId reader = read_tree.far_end(graph.state(), read);
  const NodeId writer = write_tree.far_end(graph.state(), write);
  const ir::Node &node = graph.state().node(reader);
  if (reader == writer)
    return is_by_value(node, graph.state().edge(read.edge), graph.state().edge(write.edge)) ||
           (nested == InNested::Trusted && node.is<ir::NestedSdfg>());
  // What is read into a View or Reference is read when that is used, so the read has no end to
  // tell.
  if (const auto *access = node.as<ir::AccessNode>()) {
    const ir::Descriptor *copied = analyses.sdfg.find_array(access->data);
    if (!copied ||
        (copied->kind != ir::DescriptorKind::Array && copied->kind != ir::DescriptorKind::Scalar))
      return false;
  }
  return graph.reaches(reader, writer);
}

bool reads_first(const StateGraph &graph, const MemletTree &read, const MemletTree &write,
                 const Analyses &analyses, InNested nested) {
  if (read.unclear.has_value() || write.unclear.has_value() || !graph.is_acyclic())
    return false;
  for (const TreeEdge &read_leaf : read.leaves)
    for (const TreeEdge &write_leaf : write.leaves)
      if (!read_ends_before(graph, read, read_leaf, write, write_leaf, analyses, nested))
        return false;
  return true;
}

} // namespace sdfgopt::passes
