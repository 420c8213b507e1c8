// Pass `write-back-elimination`.
//
// Pattern: a transient T is defined (D), copied to an array G (w, one or several equal copies), and
// used (U) before or after that:
//
//     D: T[i] = f(a[i])                   D: G[i + o] = f(a[i])
//     U: b[i] = g(T[i])             =>    U: b[i] = g(G[i + o])
//     w: G[o : o + n] = T[0 : n]          (gone)
//
// Every access of T becomes one of G, shifted as the copy does (phi), and T and the copies go. What
// moves is the time at which G is written; rules R1 to R8 (docs/rules.md, write_back_rules.cpp) say
// when nobody can tell.
//
// Phases: find candidates (every edge from T's access nodes to those of arrays that are not
// transient, at the top level of a state); judge one on the program as it is now, reasons as data;
// rewrite (redirect.cpp); and again, until none is allowed. A candidate that was kept is judged
// again only if a rewrite has changed what it refers to.
#include "passes/write_back_elimination.h"

#include "passes/write_back_candidate.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

namespace sdfgopt::passes {

namespace {

struct Entry {
  Candidate candidate;
  Remark remark;
  bool pending = true; ///< to be judged (again)
};

/// The edge copies a transient array to an array that is not transient.
bool is_candidate_copy(const ir::Sdfg &sdfg, const ir::State &state, const ir::Edge &edge) {
  const auto *from = state.node(edge.src).as<ir::AccessNode>();
  const auto *to = state.node(edge.dst).as<ir::AccessNode>();
  if (!from || !to || edge.memlet.is_empty())
    return false;
  const ir::Descriptor *buffer = sdfg.find_array(from->data);
  const ir::Descriptor *destination = sdfg.find_array(to->data);
  return buffer && destination && buffer->transient && !destination->transient &&
         buffer->kind == ir::DescriptorKind::Array;
}

Remark remark_of(const ir::State &state, const ir::Block &block, const ir::Edge &edge,
                 std::string region) {
  Remark remark;
  remark.buffer = state.node(edge.src).as<ir::AccessNode>()->data.str();
  remark.destination = state.node(edge.dst).as<ir::AccessNode>()->data.str();
  remark.region = std::move(region);
  remark.state = block.label.str();
  remark.state_id = state.id;
  remark.node = edge.src;
  return remark;
}

/// All candidates of one SDFG, in program order.
class Finder {
public:
  Finder(Analyses &analyses) : a_(analyses) {}

  std::vector<Entry> run() {
    ir::for_each_state(a_.sdfg.root, [&](ir::State &state, ir::Block &block) {
      for (std::size_t i = 0; i < state.edges.size(); ++i)
        consider(state, block, EdgeId(i));
    });
    std::stable_sort(entries_.begin(), entries_.end(), [](const Entry &a, const Entry &b) {
      return a.candidate.copies.front().point < b.candidate.copies.front().point;
    });
    return std::move(entries_);
  }

private:
  void consider(ir::State &state, const ir::Block &block, EdgeId id) {
    const ir::Edge &edge = state.edge(id);
    if (!is_candidate_copy(a_.sdfg, state, edge) ||
        a_.accesses.graph(state).scope_of(edge.src).has_value())
      return;
    const Key key{state.node(edge.src).as<ir::AccessNode>()->data,
                  state.node(edge.dst).as<ir::AccessNode>()->data};
    const Copy copy{&state, a_.flow.point_of(state.id), id};
    const auto [found, added] = index_.try_emplace(key, entries_.size());
    if (!added) {
      entries_[found->second].candidate.copies.push_back(copy);
      return;
    }
    entries_.push_back({{key.first, key.second, {copy}},
                        remark_of(state, block, edge, a_.flow.path_of(state.id)),
                        true});
  }

  using Key = std::pair<Name, Name>;
  struct KeyHash {
    std::size_t operator()(const Key &key) const {
      return std::hash<Name>()(key.first) * 31 + std::hash<Name>()(key.second);
    }
  };
  Analyses &a_;
  std::vector<Entry> entries_;
  std::unordered_map<Key, std::size_t, KeyHash> index_;
};

class Driver {
public:
  Driver(ir::Document &document, ir::Sdfg &sdfg, const PassOptions &options)
      : analyses_(document, sdfg), options_{options.assume_pointwise} {}

  bool run(std::string_view pass, std::vector<Remark> &remarks) {
    std::vector<Entry> entries = Finder(analyses_).run();
    if (entries.empty())
      return false;
    for (std::size_t i = 0; i < entries.size(); ++i) {
      with_name_[entries[i].candidate.buffer].push_back(i);
      with_name_[entries[i].candidate.destination].push_back(i);
    }
    bool changed = false;
    for (bool again = true; again;) {
      again = false;
      for (Entry &entry : entries)
        if (entry.pending && step(entry, entries))
          again = changed = true;
    }
    if (changed)
      ir::for_each_state(analyses_.sdfg.root,
                         [](ir::State &state, ir::Block &) { ir::compact(state); });
    report(pass, entries, remarks);
    return changed;
  }

private:
  /// Judges, and rewrites if that is allowed; returns whether it did.
  bool step(Entry &entry, std::vector<Entry> &entries) {
    entry.pending = false;
    const Candidate &candidate = entry.candidate;
    if (gone_.contains(candidate.buffer))
      return false;
    const Judgement judgement = judge(analyses_, candidate, options_);
    Remark &remark = entry.remark;
    remark.bytes = bytes_of_copy(analyses_, candidate, judgement);
    remark.rule = judgement.rule;
    remark.reason = judgement.reason;
    remark.trusted = judgement.trusted;
    remark.condition.clear();
    if (!judgement.conditions.empty())
      remark.condition = analyses_.context.print(
          analyses_.context.logical_and(judgement.conditions), symbolic::Grammar::Python);
    if (!judgement.plan)
      return false;
    remark.verdict = Outcome::Eliminated;
    redirect(analyses_, *judgement.plan, judgement.dropped);
    gone_.insert(candidate.buffer);
    for (const std::size_t other : with_name_[candidate.destination])
      entries[other].pending = entries[other].remark.verdict == Outcome::Kept;
    return true;
  }

  /// One remark a buffer: of the copy that was eliminated, or of its first one.
  void report(std::string_view pass, const std::vector<Entry> &entries,
              std::vector<Remark> &remarks) {
    std::unordered_map<std::string_view, std::size_t> of_buffer;
    for (const Entry &entry : entries) {
      Remark remark = entry.remark;
      remark.pass = pass;
      const auto [found, added] = of_buffer.try_emplace(entry.remark.buffer, remarks.size());
      if (added)
        remarks.push_back(std::move(remark));
      else if (remark.verdict == Outcome::Eliminated)
        remarks[found->second] = std::move(remark);
    }
  }

  Analyses analyses_;
  JudgeOptions options_;
  std::unordered_set<Name> gone_;
  std::unordered_map<Name, std::vector<std::size_t>> with_name_; // entries that name the data
};

/// Inside nested SDFGs the pass only tells what there is.
void report_nested(std::string_view pass, ir::Sdfg &sdfg, const std::string &path,
                   std::vector<Remark> &remarks) {
  ir::for_each_state(sdfg.root, [&](ir::State &outer, ir::Block &) {
    for (ir::Node &node : outer.nodes) {
      auto *nested = node.as<ir::NestedSdfg>();
      if (!nested || !nested->sdfg)
        continue;
      ir::Sdfg &inner = *nested->sdfg;
      const std::string inner_path = path + node.label.str() + "/";
      std::unordered_set<std::string> seen;
      ir::for_each_state(inner.root, [&](ir::State &state, ir::Block &block) {
        for (const ir::Edge &edge : state.edges) {
          if (!is_candidate_copy(inner, state, edge))
            continue;
          Remark remark = remark_of(state, block, edge, inner_path);
          remark.pass = pass;
          remark.rule = Rule::R7;
          remark.reason = "the copy is inside nested SDFG '" + inner.name.str() +
                          "', whose arguments may be parts of one array outside; only the "
                          "outermost SDFG is rewritten";
          if (seen.insert(remark.buffer).second)
            remarks.push_back(std::move(remark));
        }
      });
      report_nested(pass, inner, inner_path, remarks);
    }
  });
}

} // namespace

std::string bytes_of_copy(Analyses &analyses, const Candidate &candidate,
                          const Judgement &judgement) {
  symbolic::Context &context = analyses.context;
  const ir::Descriptor &buffer = *analyses.sdfg.find_array(candidate.buffer);
  const Copy &copy = candidate.copies.front();
  const ir::Edge &edge = copy.state->edge(copy.edge);
  std::optional<std::vector<sets::Interval>> dims;
  if (judgement.copied)
    dims = judgement.copied->dims;
  else
    dims = analysis::data_side(edge, edge.memlet.data == candidate.buffer, buffer, context);
  const auto size = analysis::bytes_of_element(buffer);
  if (!dims || !size)
    return {};
  std::vector<Expr> factors = {context.integer(*size)};
  for (const sets::Interval &dim : *dims)
    factors.push_back(context.add(context.sub(dim.end, dim.begin), context.integer(1)));
  return context.print(context.mul(factors), symbolic::Grammar::Python);
}

PassResult WriteBackElimination::run(ir::Document &document, const PassOptions &options) const {
  PassResult result;
  result.changed = Driver(document, document.root, options).run(name(), result.remarks);
  report_nested(name(), document.root, "", result.remarks);
  return result;
}

} // namespace sdfgopt::passes
