// The rules R1 to R8 of docs/rules.md, one after the other; cheap ones first.
#include "passes/write_back_candidate.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

namespace sdfgopt::passes {

namespace {

using analysis::Event;
using analysis::Mention;
using analysis::Site;
using analysis::StateGraph;
using sets::Answer;
using sets::Region;
using sets::Verdict;

class Judge {
public:
  Judge(Analyses &analyses, const Candidate &candidate, const JudgeOptions &options)
      : a_(analyses), candidate_(candidate), options_(options), context_(analyses.context) {
    buffer_ = analyses.sdfg.find_array(candidate.buffer);
    destination_ = analyses.sdfg.find_array(candidate.destination);
  }

  Judgement run() {
    if (kinds() && copies() && seen() && names() && coverage() && always_written_back() &&
        foreign_reads() && foreign_writes() && form() && result_.conditions.empty())
      return std::move(result_);
    result_.plan.reset();
    return std::move(result_);
  }

private:
  // Each returns whether to go on; if not, it has set the rule and the reason.
  bool kinds();
  bool copies();
  bool copy_map(const Copy &copy, std::vector<sets::Interval> &source, std::vector<Expr> &offset);
  bool seen();
  bool names();
  bool coverage();
  bool covers(const Region &copied, const Region &touched, std::vector<Expr> &conditions,
              bool &all);
  bool always_written_back();
  bool foreign_reads();
  bool foreign_read(const Site &site, EdgeId edge);
  bool foreign_writes();
  bool between_definition_and_use(const Site &site, const Event &write, std::uint32_t first,
                                  std::uint32_t last);
  [[nodiscard]] std::vector<PointId> definition_points() const;
  [[nodiscard]] std::unordered_set<std::uint32_t>
  reachable(const std::vector<PointId> &from, std::uint32_t first, std::uint32_t last) const;
  bool form();

  bool refuse(Rule rule, std::string reason) {
    result_.rule = rule;
    result_.reason = std::move(reason);
    return false;
  }

  /// The access does not touch the moved part of G. Where that depends on symbols, it counts as not
  /// touching, and the condition is noted.
  bool apart(const StateGraph &graph, EdgeId edge, Role role, Rule rule, const std::string &reason);

  [[nodiscard]] bool is_copy(const ir::State &state, EdgeId edge) const {
    return std::any_of(candidate_.copies.begin(), candidate_.copies.end(), [&](const Copy &copy) {
      return copy.state == &state && copy.edge == edge;
    });
  }
  [[nodiscard]] const Copy *copy_in(const ir::State *state) const {
    for (const Copy &copy : candidate_.copies)
      if (copy.state == state)
        return &copy;
    return nullptr;
  }
  /// A copy in the state of `event` that is certainly made before it, respectively after it.
  [[nodiscard]] bool copied_before(const Event &event) const;
  [[nodiscard]] bool copied_after(const Event &event) const;

  Analyses &a_;
  const Candidate &candidate_;
  const JudgeOptions &options_;
  symbolic::Context &context_;
  const ir::Descriptor *buffer_;
  const ir::Descriptor *destination_;
  sets::Facts facts_;
  std::vector<Expr> offset_;   // G index = T index + offset
  Region source_;              // copied part of T
  Region target_;              // and where it goes in G
  std::vector<DataAccess> definitions_;
  std::vector<DataAccess> uses_; // copies left out
  std::vector<Event> copy_events_;
  std::unordered_map<std::uint32_t, PointId> before_copy_; // points reached before w, and whence
  std::optional<std::unordered_set<std::uint32_t>> after_definition_;
  Judgement result_;
};

std::string quoted(Name name) { return "'" + name.str() + "'"; }

bool Judge::copied_before(const Event &event) const {
  const StateGraph &graph = a_.accesses.graph(*event.state);
  return std::any_of(copy_events_.begin(), copy_events_.end(), [&](const Event &copy) {
    return copy.state == event.state && analysis::ordered(graph, copy, event);
  });
}

bool Judge::copied_after(const Event &event) const {
  const StateGraph &graph = a_.accesses.graph(*event.state);
  return std::any_of(copy_events_.begin(), copy_events_.end(), [&](const Event &copy) {
    return copy.state == event.state && analysis::ordered(graph, event, copy);
  });
}

// --- R5: same kind of memory -----------------------------------------------------------------------

bool Judge::kinds() {
  if (a_.flow.is_opaque())
    return refuse(Rule::R6, "the program has control flow of a kind that is not known");
  if (buffer_->kind != ir::DescriptorKind::Array || destination_->kind != ir::DescriptorKind::Array)
    return refuse(Rule::R5, quoted(candidate_.buffer) + " is a " + buffer_->type.str() + " and " +
                                quoted(candidate_.destination) + " a " + destination_->type.str() +
                                "; both must be plain arrays");
  if (buffer_->dtype_or_default() != destination_->dtype_or_default())
    return refuse(Rule::R5, "the element types differ: " +
                                std::string(buffer_->dtype_or_default()) + " and " +
                                std::string(destination_->dtype_or_default()));
  if (buffer_->storage_or_default() != destination_->storage_or_default())
    return refuse(Rule::R5, "the storage differs: " + std::string(buffer_->storage_or_default()) +
                                " and " + std::string(destination_->storage_or_default()));
  const std::string_view lifetime = buffer_->lifetime_or_default();
  if (lifetime != "\"Scope\"" && lifetime != "\"State\"" && lifetime != "\"SDFG\"")
    return refuse(Rule::R5, quoted(candidate_.buffer) + " lives longer than the program runs " +
                                "(lifetime " + std::string(lifetime) + ")");
  for (const ir::Descriptor *descriptor : {buffer_, destination_})
    for (const symbolic::Expression extent : descriptor->shape)
      facts_.push_back(context_.compare_op(symbolic::Kind::Le, context_.integer(0),
                                           context_.value(extent)));
  return true;
}

// --- the copies: phi -------------------------------------------------------------------------------

/// The part of T that a copy takes, and the offset; refuses a copy that is not a plain shift.
bool Judge::copy_map(const Copy &copy, std::vector<sets::Interval> &source,
                     std::vector<Expr> &offset) {
  const ir::Edge &edge = copy.state->edge(copy.edge);
  const std::string where = "the copy (edge " + copy.edge.str() + " in " +
                            describe_state(a_, *copy.state) + ")";
  if (!edge.memlet.wcr.empty())
    return refuse(Rule::R5, where + " accumulates into " + quoted(candidate_.destination));
  if (edge.memlet.dynamic)
    return refuse(Rule::R2, where + " is dynamic: it need not take place");
  const std::size_t rank = buffer_->shape.size();
  if (destination_->shape.size() != rank)
    return refuse(Rule::R1, where + " changes the number of dimensions");
  const bool told_by_source = edge.memlet.data == candidate_.buffer;
  const auto from = analysis::data_side(edge, told_by_source, rank, context_);
  const auto to = analysis::data_side(edge, !told_by_source, rank, context_);
  if (!from || !to)
    return refuse(Rule::R1, where + " does not say which part goes where");
  for (std::size_t d = 0; d < rank; ++d) {
    const auto &[source_dim, target_dim] = std::pair((*from)[d], (*to)[d]);
    if (!source_dim.step->is_integer(1) || !target_dim.step->is_integer(1))
      return refuse(Rule::R1, where + " has a step other than 1 in dimension " +
                                  std::to_string(d));
    const Expr shift = context_.sub(target_dim.begin, source_dim.begin);
    if (context_.sub(target_dim.end, source_dim.end) != shift)
      return refuse(Rule::R1, where + " has different lengths on both sides in dimension " +
                                  std::to_string(d));
    offset.push_back(shift);
  }
  source = *from;
  target_.dims = *to;
  return true;
}

bool Judge::copies() {
  for (const Copy &copy : candidate_.copies) {
    std::vector<sets::Interval> source;
    std::vector<Expr> offset;
    if (!copy_map(copy, source, offset))
      return false;
    const bool first = &copy == &candidate_.copies.front();
    if (first) {
      source_.dims = source;
      offset_ = offset;
    }
    const auto same = [](const sets::Interval &x, const sets::Interval &y) {
      return x.begin == y.begin && x.end == y.end;
    };
    if (offset != offset_ ||
        !std::equal(source.begin(), source.end(), source_.dims.begin(), same))
      return refuse(Rule::R1, "the copies in " +
                                  describe_state(a_, *candidate_.copies.front().state) + " and " +
                                  describe_state(a_, *copy.state) + " move different parts of " +
                                  quoted(candidate_.buffer));
    copy_events_.push_back(
        event_of(a_.accesses.graph(*copy.state), copy.edge, Role::Read));
  }
  // phi and the sets must mean the same wherever T is accessed.
  std::vector<Expr> used = offset_;
  for (const ir::Descriptor *descriptor : {buffer_, destination_})
    for (const symbolic::Expression extent : descriptor->shape)
      used.push_back(context_.value(extent));
  for (const sets::Interval &dim : source_.dims)
    used.insert(used.end(), {dim.begin, dim.end});
  for (const Expr expression : used)
    for (const Name symbol : context_.free_symbols(expression))
      if (a_.flow.is_assigned(symbol))
        return refuse(Rule::R1, "the part that is copied depends on symbol " + quoted(symbol) +
                                    ", which the program assigns to");
  return true;
}

// --- R6: everything is seen ------------------------------------------------------------------------

bool Judge::seen() {
  for (DataAccess &access : accesses_of(a_, candidate_.buffer)) {
    const ir::State &state = *access.site.state;
    const auto &node = *state.node(access.site.node).as<ir::AccessNode>();
    if (node.setzero)
      return refuse(Rule::R5, "node " + describe_node(a_, state, access.site.node) +
                                  " is set to zero first, which '" + candidate_.destination.str() +
                                  "' is not");
    if (node.data != candidate_.buffer)
      return refuse(Rule::R6, "a member of " + quoted(candidate_.buffer) + " is accessed");
    if (is_copy(state, access.edge))
      continue;
    if (access.role == Role::Read) {
      uses_.push_back(std::move(access));
      continue;
    }
    for (const analysis::TreeEdge &edge : access.tree.edges)
      if (!state.edge(edge.edge).memlet.wcr.empty())
        return refuse(Rule::R5, "edge " + edge.edge.str() + " in " + describe_state(a_, state) +
                                    " accumulates into " + quoted(candidate_.buffer));
    definitions_.push_back(std::move(access));
  }
  if (definitions_.empty())
    return refuse(Rule::R1, quoted(candidate_.buffer) + " is never written");
  std::vector<DataAccess> moved = definitions_;
  moved.insert(moved.end(), uses_.begin(), uses_.end());
  auto plan = plan_redirect(a_, {candidate_.buffer, candidate_.destination, offset_},
                            std::move(moved));
  if (auto *refusal = std::get_if<Refusal>(&plan))
    return refuse(refusal->rule, std::move(refusal->reason));
  result_.plan = std::get<RedirectPlan>(std::move(plan));
  return true;
}

// --- R7: names do not lie --------------------------------------------------------------------------

bool Judge::names() {
  if (const Name view = a_.accesses.alias_of(candidate_.destination))
    return refuse(Rule::R7, quoted(view) + " is a View or Reference of " +
                                quoted(candidate_.destination));
  if (a_.accesses.is_named_elsewhere(candidate_.destination))
    return refuse(Rule::R7, quoted(candidate_.destination) +
                                " is named in a symbolic expression or in code that is not Python");
  if (const Name other = a_.accesses.aliasing_argument())
    return refuse(Rule::R7, quoted(other) + " may be the same memory as another argument");
  return true;
}

// --- R1: coverage ----------------------------------------------------------------------------------

/// `touched` lies in `copied`, maybe under conditions; otherwise `all` becomes false.
bool Judge::covers(const Region &copied, const Region &touched, std::vector<Expr> &conditions,
                   bool &all) {
  const Answer answer = a_.solver.contains(copied, touched, facts_);
  if (answer.verdict == Verdict::When)
    conditions.push_back(answer.condition);
  all = all && (answer.verdict == Verdict::Yes || answer.verdict == Verdict::When);
  return all;
}

bool Judge::coverage() {
  std::vector<Expr> conditions;
  bool all = true;
  if (covers(source_, whole(*buffer_, context_), conditions, all) && conditions.empty())
    return true;
  // Not all of T is copied; it is enough if all that is touched is.
  std::vector<Expr> touched_conditions;
  bool touched_all = true;
  for (const std::vector<DataAccess> *list : {&definitions_, &uses_})
    for (const DataAccess &access : *list) {
      const auto regions = footprint(a_.accesses.graph(*access.site.state), access.tree,
                                     buffer_->shape.size(), context_);
      if (!regions)
        touched_all = false;
      else
        for (const Region &region : *regions)
          covers(source_, region, touched_conditions, touched_all);
    }
  if (touched_all && touched_conditions.empty())
    return true;
  if (!all && !touched_all)
    return refuse(Rule::R1, "the copy takes only a part of " + quoted(candidate_.buffer) +
                                ", and more than that part is used");
  if (touched_all && (!all || touched_conditions.size() < conditions.size()))
    conditions = std::move(touched_conditions);
  result_.conditions.insert(result_.conditions.end(), conditions.begin(), conditions.end());
  refuse(Rule::R1, "whether the copy takes all of " + quoted(candidate_.buffer) +
                       " depends on symbols");
  return true; // the other rules decide as well; see run()
}

// --- R2: always written back -----------------------------------------------------------------------

bool Judge::always_written_back() {
  std::vector<PointId> work;
  const auto step = [&](PointId from) {
    for (const PointId next : a_.flow.successors(from))
      if (before_copy_.try_emplace(next.value, from).second)
        work.push_back(next);
  };
  for (const DataAccess &definition : definitions_)
    if (!copied_after(definition.event))
      step(definition.site.point);
  while (!work.empty()) {
    const PointId point = work.back();
    work.pop_back();
    if (!copy_in(a_.flow.state_at(point)))
      step(point);
  }
  const auto at_exit = before_copy_.find(a_.flow.exit().value);
  if (at_exit == before_copy_.end())
    return true;
  // Name the last state on the way around the copy.
  PointId last = at_exit->second;
  std::unordered_set<std::uint32_t> seen;
  while (!a_.flow.state_at(last) && seen.insert(last.value).second &&
         before_copy_.contains(last.value))
    last = before_copy_.at(last.value);
  const ir::State *state = a_.flow.state_at(last);
  return refuse(Rule::R2, "after " + quoted(candidate_.buffer) + " is defined in " +
                              describe_state(a_, *definitions_.front().site.state) +
                              ", the program can end without the copy" +
                              (state ? ", by way of " + describe_state(a_, *state) : ""));
}

// --- R3: foreign reads -----------------------------------------------------------------------------

bool Judge::apart(const StateGraph &graph, EdgeId edge, Role role, Rule rule,
                  const std::string &reason) {
  const analysis::MemletTree tree = memlet_tree(graph, edge, candidate_.destination, role);
  const auto regions = footprint(graph, tree, destination_->shape.size(), context_);
  if (!regions)
    return false;
  std::vector<Expr> conditions;
  for (const Region &region : *regions) {
    const Answer answer = a_.solver.disjoint(region, target_, facts_);
    if (answer.verdict == Verdict::When)
      conditions.push_back(answer.condition);
    else if (answer.verdict != Verdict::Yes)
      return false;
  }
  if (conditions.empty())
    return true;
  result_.conditions.insert(result_.conditions.end(), conditions.begin(), conditions.end());
  if (result_.allowed())
    refuse(rule, reason);
  return true;
}

bool Judge::foreign_read(const Site &site, EdgeId edge) {
  const StateGraph &graph = a_.accesses.graph(*site.state);
  const Event read = event_of(graph, edge, Role::Read);
  const bool entered = before_copy_.contains(site.point.value) && !copied_before(read);
  bool in_the_way = entered;
  bool only_own_scope = !entered;
  for (const DataAccess &definition : definitions_) {
    if (definition.site.state != site.state || analysis::ordered(graph, read, definition.event) ||
        (copied_after(definition.event) && copied_before(read)))
      continue;
    in_the_way = true;
    // What the Python pass trusts: the reader leads to the definition, element by element.
    only_own_scope = only_own_scope && graph.reaches(read.start, definition.site.node);
  }
  if (!in_the_way)
    return true;
  const std::string reason = "node " + describe_node(a_, *site.state, site.node) +
                             " reads what the copy overwrites, between the definition of " +
                             quoted(candidate_.buffer) + " and the copy";
  if (apart(graph, edge, Role::Read, Rule::R3, reason))
    return true;
  const bool unshifted = std::all_of(offset_.begin(), offset_.end(),
                                     [](Expr offset) { return offset->is_integer(0); });
  if (options_.assume_pointwise && only_own_scope && unshifted) {
    result_.trusted = true;
    return true;
  }
  return refuse(Rule::R3, reason);
}

bool Judge::foreign_reads() {
  const auto check = [&](const Site &site) {
    const auto edges = a_.accesses.graph(*site.state).out_edges(site.node);
    return std::all_of(edges.begin(), edges.end(), [&](EdgeId edge) {
      return site.state->edge(edge).memlet.is_empty() || foreign_read(site, edge);
    });
  };
  std::unordered_set<std::uint32_t> points;
  for (const auto &entry : before_copy_)
    points.insert(entry.first);
  for (const DataAccess &definition : definitions_)
    points.insert(definition.site.point.value);
  std::uint32_t first = UINT32_MAX;
  std::uint32_t last = 0;
  for (const std::uint32_t point : points) {
    first = std::min(first, a_.flow.order(PointId(point)));
    last = std::max(last, a_.flow.order(PointId(point)));
  }
  for (const Site &site : a_.accesses.sites_between(candidate_.destination, first, last))
    if (points.contains(site.point.value) && !check(site))
      return false;
  for (const Mention &mention : a_.accesses.mentions(candidate_.destination))
    if (before_copy_.contains(mention.point.value))
      return refuse(Rule::R3, "the condition or assignment '" +
                                  std::string(mention.evaluation.text) + "' reads " +
                                  quoted(candidate_.destination) +
                                  " between the definition of " + quoted(candidate_.buffer) +
                                  " and the copy");
  return true;
}

// --- R4: foreign writes ----------------------------------------------------------------------------

/// Some run from a definition comes to `write` and from there to a use (the copies are uses).
bool Judge::between_definition_and_use(const Site &site, const Event &write, std::uint32_t first,
                                       std::uint32_t last) {
  if (!after_definition_)
    after_definition_ = reachable(definition_points(), first, last);
  bool after = after_definition_->contains(site.point.value);
  for (const DataAccess &definition : definitions_)
    if (definition.site.state == site.state) {
      const StateGraph &graph = a_.accesses.graph(*site.state);
      after = after || !analysis::ordered(graph, write, definition.event);
    }
  if (!after)
    return false;
  const auto behind = reachable({site.point}, first, last);
  const auto used_after = [&](const Event &use, PointId point) {
    if (behind.contains(point.value))
      return true;
    return use.state == site.state &&
           !analysis::ordered(a_.accesses.graph(*site.state), use, write);
  };
  for (const DataAccess &use : uses_)
    if (used_after(use.event, use.site.point))
      return true;
  for (std::size_t i = 0; i < candidate_.copies.size(); ++i)
    if (used_after(copy_events_[i], candidate_.copies[i].point))
      return true;
  for (const Mention &mention : a_.accesses.mentions(candidate_.buffer))
    if (behind.contains(mention.point.value))
      return true;
  return false;
}

std::vector<PointId> Judge::definition_points() const {
  std::vector<PointId> points;
  for (const DataAccess &definition : definitions_)
    points.push_back(definition.site.point);
  return points;
}

/// Points that a run can come to after leaving one of `from`, among those with orders in the range.
std::unordered_set<std::uint32_t> Judge::reachable(const std::vector<PointId> &from,
                                                   std::uint32_t first, std::uint32_t last) const {
  std::unordered_set<std::uint32_t> reached;
  std::vector<PointId> work = from;
  while (!work.empty()) {
    const PointId point = work.back();
    work.pop_back();
    for (const PointId next : a_.flow.successors(point)) {
      const std::uint32_t order = a_.flow.order(next);
      if (order >= first && order <= last && reached.insert(next.value).second)
        work.push_back(next);
    }
  }
  return reached;
}

bool Judge::foreign_writes() {
  // A run from a definition to a use stays between these two places of the order.
  std::uint32_t first = UINT32_MAX;
  std::uint32_t last = 0;
  const auto include = [&](PointId point) {
    const auto span = a_.flow.span_of(point);
    first = std::min(first, span.first);
    last = std::max(last, span.second);
  };
  for (const PointId point : definition_points())
    include(point);
  for (const DataAccess &use : uses_)
    include(use.site.point);
  for (const Copy &copy : candidate_.copies)
    include(copy.point);
  for (const Mention &mention : a_.accesses.mentions(candidate_.buffer))
    include(mention.point);
  for (const Site &site : a_.accesses.sites_between(candidate_.destination, first, last)) {
    const StateGraph &graph = a_.accesses.graph(*site.state);
    for (const EdgeId edge : graph.in_edges(site.node)) {
      if (site.state->edge(edge).memlet.is_empty() || is_copy(*site.state, edge))
        continue;
      const std::string reason = "node " + describe_node(a_, *site.state, site.node) +
                                 " writes what the copy overwrites, between the definition and a "
                                 "use of " +
                                 quoted(candidate_.buffer);
      const Event write = event_of(graph, edge, Role::Write);
      if (between_definition_and_use(site, write, first, last) &&
          !apart(graph, edge, Role::Write, Rule::R4, reason))
        return refuse(Rule::R4, reason);
    }
  }
  return true;
}

// --- R8: the result is a legal SDFG ----------------------------------------------------------------

bool Judge::form() {
  for (const Copy &copy : candidate_.copies) {
    const StateGraph &graph = a_.accesses.graph(*copy.state);
    const NodeId target = copy.state->edge(copy.edge).dst;
    if (graph.in_edges(target).size() != 1)
      return refuse(Rule::R8, "node " + describe_node(a_, *copy.state, target) +
                                  " has further incoming edges, which would have nowhere to go");
  }
  // ADR-18 rule 8: one access node per array in a state, or two if it is both read and written.
  for (const DataAccess &definition : definitions_) {
    const Site &site = definition.site;
    const StateGraph &graph = a_.accesses.graph(*site.state);
    for (const Site &other : a_.accesses.sites_in(candidate_.destination, site)) {
      const auto edges = graph.in_edges(other.node);
      const bool written = std::any_of(edges.begin(), edges.end(), [&](EdgeId edge) {
        return !site.state->edge(edge).memlet.is_empty() && !is_copy(*site.state, edge);
      });
      if (written)
        return refuse(Rule::R8, describe_state(a_, *site.state) + " would have two nodes that "
                                "write " + quoted(candidate_.destination) +
                                " (ADR-18 rule 8)");
    }
  }
  return true;
}

} // namespace

Judgement judge(Analyses &analyses, const Candidate &candidate, const JudgeOptions &options) {
  return Judge(analyses, candidate, options).run();
}

} // namespace sdfgopt::passes
