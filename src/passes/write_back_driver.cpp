#include "passes/write_back_driver.h"

#include <algorithm>

namespace sdfgopt::passes {

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

namespace {

/// All candidates of one SDFG, in program order.
class Finder {
public:
  Finder(Analyses &analyses) : a_(analyses) {}

  std::vector<CandidateEntry> run() {
    ir::for_each_state(a_.sdfg.root, [&](ir::State &state, ir::Block &block) {
      for (std::size_t i = 0; i < state.edges.size(); ++i)
        consider(state, block, EdgeId(i));
    });
    std::stable_sort(entries_.begin(), entries_.end(),
                     [](const CandidateEntry &a, const CandidateEntry &b) {
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
  std::vector<CandidateEntry> entries_;
  std::unordered_map<Key, std::size_t, KeyHash> index_;
};

sets::KnownFacts with_facts(sets::KnownFacts known, const std::vector<Fact> &facts) {
  for (const Fact &fact : facts)
    known.add(fact.condition);
  return known;
}

} // namespace

WriteBackDriver::WriteBackDriver(ir::Document &document, ir::Sdfg &sdfg, const PassOptions &options)
    : analyses_(document, sdfg),
      assumed_(with_facts(analyses_.known, options.facts)), options_{options.assume_pointwise,
                                                                     options.facts, assumed_},
      entries_(Finder(analyses_).run()), stop_(options.stop) {
  analyses_.solver.stop_on(stop_);
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    with_name_[entries_[i].candidate.buffer].push_back(i);
    with_name_[entries_[i].candidate.destination].push_back(i);
  }
}

bool WriteBackDriver::run(const std::unordered_set<Name> *only) {
  bool changed = false;
  for (bool again = true; again;) {
    again = false;
    for (CandidateEntry &entry : entries_)
      if (!stop_.stop_requested() && entry.pending &&
          (!only || only->contains(entry.candidate.buffer)) && step(entry))
        again = changed = true;
  }
  if (changed)
    ir::for_each_state(analyses_.sdfg.root,
                       [](ir::State &state, ir::Block &) { ir::compact(state); });
  return changed;
}

/// Judges, and rewrites if that is allowed; returns whether it did.
bool WriteBackDriver::step(CandidateEntry &entry) {
  entry.pending = false;
  const Candidate &candidate = entry.candidate;
  if (gone_.contains(candidate.buffer))
    return false;
  Judgement judgement = judge(analyses_, candidate, options_);
  Remark &remark = entry.remark;
  remark.bytes = bytes_of_copy(analyses_, candidate, judgement);
  remark.rule = judgement.rule;
  remark.reason = judgement.reason;
  remark.trusted = judgement.trusted;
  remark.condition.clear();
  if (judgement.condition)
    remark.condition = analyses_.context.print(judgement.condition, symbolic::Grammar::Python);
  remark.facts = judgement.facts_used;
  entry.required = std::move(judgement.required);
  entry.condition = judgement.condition;
  entry.copied = judgement.copied;
  if (!judgement.plan)
    return false;
  remark.verdict = Outcome::Eliminated;
  redirect(analyses_, *judgement.plan, judgement.dropped);
  gone_.insert(candidate.buffer);
  for (const std::size_t other : with_name_[candidate.destination])
    entries_[other].pending = entries_[other].remark.verdict == Outcome::Kept;
  return true;
}

void report_entries(std::string_view pass, const std::vector<CandidateEntry> &entries,
                    std::vector<Remark> &remarks) {
  std::unordered_map<std::string_view, std::size_t> of_buffer;
  for (const CandidateEntry &entry : entries) {
    Remark remark = entry.remark;
    remark.pass = pass;
    const auto [found, added] = of_buffer.try_emplace(entry.remark.buffer, remarks.size());
    if (added)
      remarks.push_back(std::move(remark));
    else if (remark.verdict < remarks[found->second].verdict)
      remarks[found->second] = std::move(remark);
  }
}

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

} // namespace sdfgopt::passes
