// Rules R2, R3 and R4: what may run between a definition of T and the copies, and between a
// definition and a use.
//
// Copies of G's part into T by the inverse of phi (identities) are definitions of T that leave G as
// it is, so R2 and R3 do not start from them; R4 does.
#include "passes/elementwise.h"
#include "passes/state_order.h"
#include "passes/write_back_judge.h"

namespace sdfgopt::passes {

using analysis::Mention;
bool Judge::copied_before(const Event &event) const {
  const StateGraph &graph = a_.accesses.graph(*event.state);
  return copies_in(event.state) &&
         std::all_of(copy_events_.begin(), copy_events_.end(), [&](const Event &copy) {
           return copy.state != event.state || analysis::ordered(graph, copy, event);
         });
}

bool Judge::copied_after(const Event &event) const {
  const StateGraph &graph = a_.accesses.graph(*event.state);
  return copies_in(event.state) &&
         std::all_of(copy_events_.begin(), copy_events_.end(), [&](const Event &copy) {
           return copy.state != event.state || analysis::ordered(graph, event, copy);
         });
}

// --- R2: always written back ---

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
    if (!copies_in(a_.flow.state_at(point)))
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
  if (std::any_of(definitions_.begin(), definitions_.end(),
                  [&](const DataAccess &definition) { return definition.site.state == state; }))
    state = nullptr; // no state of its own on the way around
  return refuse(Rule::R2, "after " + quoted(candidate_.buffer) + " is defined in " +
                              describe_state(a_, *definitions_.front().site.state) +
                              ", the program can end without the copy" +
                              (state ? ", by way of " + describe_state(a_, *state) : ""));
}

/// A use that may run where T is neither defined nor copied reads what nobody wrote, and that is
/// all; but what it reads must be inside of G, which only the copy tells otherwise.
bool Judge::used_inside() {
  std::unordered_set<std::uint32_t> told; // points that define T, copy it, or read its part of G
  for (const std::vector<DataAccess> *list : {&definitions_, &identities_})
    for (const DataAccess &definition : *list)
      told.insert(definition.site.point.value);
  for (const Copy &copy : candidate_.copies)
    told.insert(copy.point.value);
  const auto reaches = [&](PointId from, PointId to, auto neighbours) {
    std::unordered_set<std::uint32_t> seen = {from.value};
    for (std::vector<PointId> work = {from}; !work.empty();) {
      const PointId point = work.back();
      work.pop_back();
      if (point == to)
        return true;
      for (const PointId next : neighbours(point))
        if (!told.contains(next.value) && seen.insert(next.value).second)
          work.push_back(next);
    }
    return false;
  };
  const auto before = [&](PointId point) { return a_.flow.predecessors(point); };
  const auto after = [&](PointId point) { return a_.flow.successors(point); };
  const auto check = [&](PointId point, const ir::State *state, const std::string &who) {
    if (told.contains(point.value) || !reaches(point, a_.flow.entry(), before) ||
        !reaches(point, a_.flow.exit(), after))
      return true;
    Question question = Question::contains(whole(*destination_, context_), target_);
    question = state ? asked_in(*state, std::move(question)) : asked_wherever(std::move(question));
    const std::string reason = who + " may read " + quoted(candidate_.buffer) +
                               " where it is neither defined nor copied, and " +
                               quoted(candidate_.destination) + " may be smaller than that";
    return require({{{std::move(question)}}}, Rule::R2, reason) || refuse(Rule::R2, reason);
  };
  for (const DataAccess &use : uses_)
    if (!check(use.site.point, use.site.state,
               describe_node(a_, *use.site.state,
                             use.event.start == use.site.node ? use.event.done : use.event.start)))
      return false;
  for (const Mention &mention : a_.accesses.mentions(candidate_.buffer))
    if (!check(mention.point, nullptr,
               "the condition or assignment '" + std::string(mention.evaluation.text) + "'"))
      return false;
  return true;
}

// --- R3: foreign reads ---

/// A read of G that may run behind a definition of T and before the copies.
struct Judge::ForeignRead {
  const Site &site;
  const StateGraph &graph;
  Event event;
  analysis::MemletTree tree;
  /// Where the copy is in this state too, an edge must not put before it what may come behind it.
  bool before_copies;
};

/// The sentence for a read that is in the way of `definition`, or of all of them, if that is null.
std::string Judge::conflict_reason(const ForeignRead &read, const DataAccess *definition) const {
  const ir::State &state = *read.site.state;
  const NodeId reader =
      state.node(read.event.start).is<ir::AccessNode>() ? read.event.done : read.event.start;
  const std::string reason =
      quoted(candidate_.destination) + " is read by " + describe_node(a_, state, reader);
  if (!definition)
    return reason + ", between the definition of " + quoted(candidate_.buffer) + " and the copy";
  if (read.event.start != definition->event.start)
    return reason + ", and nothing orders that before the definition of " +
           quoted(candidate_.buffer);
  return reason + ", which also defines " + quoted(candidate_.buffer) +
         ", and it is not proved that each element is read before it is overwritten";
}

/// What must hold so that in the maps that both read G and define T no iteration reads what another
/// one writes; nothing if that cannot be told, or not that each reads before it writes. `edges`
/// gets those that bring the latter about.
std::optional<std::vector<Question>> Judge::iterations_are_apart(const ForeignRead &read,
                                                                 const DataAccess &definition,
                                                                 std::vector<OrderingEdge> &edges) {
  auto questions = iterations_apart(read.graph, read.tree, definition.tree, redirection(), a_);
  if (!questions)
    return std::nullopt;
  if (!reads_first(read.graph, read.tree, definition.tree, a_, InNested::Refused) &&
      (!read.before_copies || !order_within(a_, read.tree, definition, redirection(), edges)))
    return std::nullopt;
  for (Question &question : *questions) {
    if (names_data(question.a))
      return std::nullopt;
    question = asked_in_one_run(*read.site.state, std::move(question));
  }
  return questions;
}

/// The read and a definition in its state do not get into each other's way.
bool Judge::read_beside(const ForeignRead &read, const DataAccess &definition) {
  sets::Requirement requirement;
  for (auto &questions : {apart_from_copy(read.site, read.tree),
                          apart_from(read.site, read.tree, {&definition}, true)})
    if (questions)
      requirement.alternatives.push_back(*questions);
  if (!requirement.alternatives.empty() && is_certain(requirement))
    return true;
  std::vector<OrderingEdge> &edges = result_.plan->ordering;
  const bool same = read.event.start == definition.event.start;
  if (!same && read.before_copies && order_before(a_, read.event, definition, redirection(), edges))
    return true;
  if (same)
    if (auto questions = iterations_are_apart(read, definition, edges))
      requirement.alternatives.push_back(std::move(*questions));
  const std::string reason = conflict_reason(read, &definition);
  if (!requirement.alternatives.empty() && require(std::move(requirement), Rule::R3, reason))
    return true;
  const bool unshifted = std::all_of(offset_.begin(), offset_.end(),
                                     [](Expr offset) { return offset->is_integer(0); });
  if (options_.assume_pointwise && same && unshifted &&
      reads_first(read.graph, read.tree, definition.tree, a_, InNested::Trusted)) {
    result_.trusted = true;
    return true;
  }
  return refuse(Rule::R3, reason);
}

/// The read may run between a definition, of this or another state, and the copies.
bool Judge::read_between(const ForeignRead &read) {
  std::vector<const DataAccess *> writers;
  writers.reserve(definitions_.size());
  for (const DataAccess &definition : definitions_)
    writers.push_back(&definition);
  sets::Requirement requirement;
  for (auto &questions :
       {apart_from_copy(read.site, read.tree), apart_from(read.site, read.tree, writers, false)})
    if (questions)
      requirement.alternatives.push_back(*questions);
  const std::string reason = conflict_reason(read, nullptr);
  return (!requirement.alternatives.empty() && require(std::move(requirement), Rule::R3, reason)) ||
         refuse(Rule::R3, reason);
}

bool Judge::foreign_read(const Site &site, EdgeId edge) {
  const StateGraph &graph = a_.accesses.graph(*site.state);
  const Event event = event_of(graph, edge, Role::Read);
  const ForeignRead read{site, graph, event,
                         memlet_tree(graph, edge, candidate_.destination, Role::Read),
                         !copies_in(site.state) || copied_after(event)};
  if (before_copy_.contains(site.point.value) && !copied_before(event))
    return read_between(read);
  return std::all_of(definitions_.begin(), definitions_.end(), [&](const DataAccess &definition) {
    return definition.site.state != site.state ||
           analysis::ordered(graph, event, definition.event) ||
           (copied_after(definition.event) && copied_before(event)) ||
           read_beside(read, definition);
  });
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
                                  quoted(candidate_.destination) + " between the definition of " +
                                  quoted(candidate_.buffer) + " and the copy");
  return true;
}

// --- R4: foreign writes ---

/// Some run from a definition comes to `write` and from there to a use (the copies are uses).
bool Judge::between_definition_and_use(const Site &site, const Event &write, std::uint32_t first,
                                       std::uint32_t last) {
  if (!after_definition_)
    after_definition_ = reachable(definition_points(), first, last);
  bool after = after_definition_->contains(site.point.value);
  for (const std::vector<DataAccess> *list : {&definitions_, &identities_})
    for (const DataAccess &definition : *list)
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
  for (const std::vector<DataAccess> *list : {&definitions_, &identities_})
    for (const DataAccess &definition : *list)
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
      if (!between_definition_and_use(site, write, first, last))
        continue;
      auto questions =
          apart_from_copy(site, memlet_tree(graph, edge, candidate_.destination, Role::Write));
      if (!questions || !require({{std::move(*questions)}}, Rule::R4, reason))
        return refuse(Rule::R4, reason);
    }
  }
  return true;
}

} // namespace sdfgopt::passes
