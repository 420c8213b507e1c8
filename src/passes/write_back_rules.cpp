// Rules R1 and R5 to R8: what T, G and the copies are, and whether every access can follow. What
// depends on the values of symbols is asked in write_back_conditions.cpp.
#include "passes/write_back_judge.h"

namespace sdfgopt::passes {

// --- R5: same kind of memory ---

bool Judge::kinds() {
  if (a_.flow.is_opaque())
    return refuse(Rule::R6, "the program has control flow of a kind that is not known");
  if (buffer_->kind != ir::DescriptorKind::Array || destination_->kind != ir::DescriptorKind::Array)
    return refuse(Rule::R5, quoted(candidate_.buffer) + " is of type " + buffer_->type.str() +
                                " and " + quoted(candidate_.destination) + " of type " +
                                destination_->type.str() + "; both must be plain arrays");
  if (buffer_->dtype_or_default() != destination_->dtype_or_default())
    return refuse(Rule::R5,
                  "the element types differ: " + std::string(buffer_->dtype_or_default()) +
                      " and " + std::string(destination_->dtype_or_default()));
  if (buffer_->storage_or_default() != destination_->storage_or_default())
    return refuse(Rule::R5, "the storage differs: " + std::string(buffer_->storage_or_default()) +
                                " and " + std::string(destination_->storage_or_default()));
  const std::string_view lifetime = buffer_->lifetime_or_default();
  if (lifetime != "\"Scope\"" && lifetime != "\"State\"" && lifetime != "\"SDFG\"")
    return refuse(Rule::R5, quoted(candidate_.buffer) + " lives longer than the program runs " +
                                "(lifetime " + std::string(lifetime) + ")");
  const std::vector<Expr> strides = strides_of(*destination_, context_);
  if (std::any_of(strides.begin(), strides.end(),
                  [](Expr stride) { return stride->is_integer(0); }))
    return refuse(Rule::R7, quoted(candidate_.destination) +
                                " has a stride of 0: several indices are one element");
  for (const ir::Descriptor *descriptor : {buffer_, destination_})
    for (const symbolic::Expression first : descriptor->offset)
      if (!context_.value(first)->is_integer(0))
        return refuse(Rule::R5, quoted(descriptor->name) + " has indices that do not begin at 0");
  for (const symbolic::Expression extent : buffer_->shape)
    extents_.push_back(
        context_.compare_op(symbolic::Kind::Le, context_.integer(0), context_.value(extent)));
  return true;
}

// --- the copies: phi ---

/// The part of T that a copy takes, and the offset; refuses a copy that is not a plain shift.
bool Judge::copy_map(const Copy &copy, Region &source, std::vector<Expr> &offset) {
  const ir::Edge &edge = copy.state->edge(copy.edge);
  const auto refuse_copy = [&](Rule rule, const std::string &what) {
    return refuse(rule, "the copy (edge " + copy.edge.str() + " in " +
                            describe_state(a_, *copy.state) + ") " + what);
  };
  if (!edge.memlet.wcr.empty())
    return refuse_copy(Rule::R5, "accumulates into " + quoted(candidate_.destination));
  if (edge.memlet.dynamic)
    return refuse_copy(Rule::R2, "is dynamic: it need not take place");
  const std::size_t rank = buffer_->shape.size();
  if (destination_->shape.size() != rank)
    return refuse_copy(Rule::R1, "changes the number of dimensions");
  const bool told_by_source = edge.memlet.data == candidate_.buffer;
  const auto from = analysis::data_side(edge, told_by_source, *buffer_, context_);
  const auto to = analysis::data_side(edge, !told_by_source, *destination_, context_);
  if (!from || !to)
    return refuse_copy(Rule::R1, "does not say which part goes where, or tells it with a quotient");
  for (std::size_t d = 0; d < rank; ++d) {
    const sets::Interval &source_dim = (*from)[d];
    const sets::Interval &target_dim = (*to)[d];
    if (!source_dim.step->is_integer(1) || !target_dim.step->is_integer(1))
      return refuse_copy(Rule::R1, "has a step other than 1 in dimension " + std::to_string(d));
    offset.push_back(context_.sub(target_dim.begin, source_dim.begin));
    if (context_.sub(target_dim.end, source_dim.end) != offset.back())
      return refuse_copy(Rule::R1,
                         "has different lengths on both sides in dimension " + std::to_string(d));
  }
  source.dims = *from;
  return true;
}

namespace {

bool same_box(const Region &a, const Region &b) {
  return std::equal(a.dims.begin(), a.dims.end(), b.dims.begin(), b.dims.end(),
                    [](const auto &x, const auto &y) {
                      return x.begin == y.begin && x.end == y.end && x.step == y.step;
                    });
}

/// Appends `next` to `box` if that gives a box again: they follow each other in one dimension and
/// agree in the others.
bool join_boxes(Region &box, const Region &next, symbolic::Context &context) {
  std::optional<std::size_t> along;
  for (std::size_t d = 0; d < box.dims.size(); ++d) {
    if (box.dims[d].begin == next.dims[d].begin && box.dims[d].end == next.dims[d].end)
      continue;
    if (along || !context.sub(next.dims[d].begin, box.dims[d].end)->is_integer(1))
      return false;
    along = d;
  }
  if (along)
    box.dims[*along].end = next.dims[*along].end;
  return true;
}

} // namespace

/// In each state that copies, the same pieces of T are copied, and they make up one box: source_.
bool Judge::same_pieces_everywhere(const std::vector<Region> &pieces) {
  constexpr std::size_t max_pieces = 64; // all pairs are compared below
  std::vector<std::vector<const Region *>> by_state;
  const ir::State *last = nullptr;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    if (candidate_.copies[i].state != last)
      by_state.emplace_back();
    last = candidate_.copies[i].state;
    by_state.back().push_back(&pieces[i]);
  }
  const auto &first = by_state.front();
  const auto in_first = [&](const Region *piece) {
    return std::any_of(first.begin(), first.end(),
                       [&](const Region *other) { return same_box(*piece, *other); });
  };
  for (const auto &state : by_state)
    if (state.size() != first.size() || first.size() > max_pieces ||
        !std::all_of(state.begin(), state.end(), in_first))
      return false;
  source_ = *first.front();
  std::vector<const Region *> rest(first.begin() + 1, first.end());
  while (!rest.empty()) {
    const auto joined = std::find_if(rest.begin(), rest.end(), [&](const Region *piece) {
      Region box = *piece; // before or behind what is there
      if (join_boxes(source_, *piece, context_))
        return true;
      if (!join_boxes(box, source_, context_))
        return false;
      source_ = box;
      return true;
    });
    if (joined == rest.end())
      return false;
    rest.erase(joined);
  }
  return true;
}

bool Judge::copies() {
  std::vector<Region> pieces;
  bool one_map = true;
  for (const Copy &copy : candidate_.copies) {
    std::vector<Expr> offset;
    if (!copy_map(copy, pieces.emplace_back(), offset))
      return false;
    if (pieces.size() == 1)
      offset_ = offset;
    one_map = one_map && offset == offset_;
    copy_events_.push_back(event_of(a_.accesses.graph(*copy.state), copy.edge, Role::Read));
  }
  const ir::State &first = *candidate_.copies.front().state;
  const ir::State &last = *candidate_.copies.back().state;
  if (!one_map || !same_pieces_everywhere(pieces))
    return refuse(Rule::R1, &first == &last
                                ? "the copies in " + describe_state(a_, first) +
                                      " do not shift one box of " + quoted(candidate_.buffer)
                                : "the copies in " + describe_state(a_, first) + " and " +
                                      describe_state(a_, last) + " do not move the same part of " +
                                      quoted(candidate_.buffer));
  result_.copied = source_;
  target_ = source_;
  for (std::size_t d = 0; d < offset_.size(); ++d) {
    target_.dims[d].begin = context_.add(source_.dims[d].begin, offset_[d]);
    target_.dims[d].end = context_.add(source_.dims[d].end, offset_[d]);
  }
  return constant_map();
}

/// phi and the sets mean the same wherever T is accessed: no symbol in them is assigned to.
bool Judge::constant_map() {
  std::vector<Expr> used = offset_;
  for (const ir::Descriptor *descriptor : {buffer_, destination_})
    for (const symbolic::Expression extent : descriptor->shape)
      used.push_back(context_.value(extent));
  for (const Region *part : {&source_, &target_})
    for (const sets::Interval &dim : part->dims)
      used.insert(used.end(), {dim.begin, dim.end});
  for (const ir::Descriptor *descriptor : {buffer_, destination_})
    for (const symbolic::Expression extent : descriptor->shape)
      if (analysis::has_quotient(extent))
        return refuse(Rule::R1,
                      "the shape of " + quoted(descriptor->name) + " has a quotient in it");
  for (const Expr expression : used)
    for (const Name symbol : context_.free_symbols(expression))
      if (a_.flow.is_assigned(symbol) || a_.sdfg.find_array(symbol))
        return refuse(Rule::R1, "the part that is copied depends on " + quoted(symbol) +
                                    ", which the program writes");
  return true;
}

// --- R6: everything is seen ---

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
    (is_identity(access) ? identities_ : definitions_).push_back(std::move(access));
  }
  if (definitions_.empty() && identities_.empty())
    return refuse(Rule::R1, quoted(candidate_.buffer) + " is never written");
  std::vector<DataAccess> moved = definitions_;
  moved.insert(moved.end(), uses_.begin(), uses_.end());
  auto plan = plan_redirect(a_, redirection(), std::move(moved));
  if (auto *refusal = std::get_if<Refusal>(&plan))
    return refuse(refusal->rule, std::move(refusal->reason));
  result_.plan = std::get<RedirectPlan>(std::move(plan));
  for (const Copy &copy : candidate_.copies)
    result_.dropped.emplace_back(copy.state, copy.edge);
  for (const DataAccess &identity : identities_)
    result_.dropped.emplace_back(identity.site.state, identity.edge);
  const auto place = [](const auto &dropped) {
    return std::pair(dropped.first->id, dropped.first->edge(dropped.second).dst);
  };
  std::stable_sort(result_.dropped.begin(), result_.dropped.end(),
                   [&](const auto &a, const auto &b) { return place(a) < place(b); });
  return true;
}

/// T := G by the inverse of phi, at the top level: it does nothing once T is G.
bool Judge::is_identity(const DataAccess &access) {
  const ir::Edge &edge = access.site.state->edge(access.edge);
  const auto *source = access.site.state->node(edge.src).as<ir::AccessNode>();
  if (!source || source->data != candidate_.destination || edge.memlet.dynamic)
    return false;
  const bool told_by_target = edge.memlet.data == candidate_.buffer;
  const auto to = analysis::data_side(edge, told_by_target, *buffer_, context_);
  const auto from = analysis::data_side(edge, !told_by_target, *destination_, context_);
  if (!to || !from)
    return false;
  for (std::size_t d = 0; d < offset_.size(); ++d)
    if (context_.sub((*from)[d].begin, (*to)[d].begin) != offset_[d] ||
        context_.sub((*from)[d].end, (*to)[d].end) != offset_[d] ||
        !(*from)[d].step->is_integer(1) || !(*to)[d].step->is_integer(1))
      return false;
  return true;
}

// --- R7: names do not lie ---

bool Judge::names() {
  if (const Name view = a_.accesses.alias_of(candidate_.destination))
    return refuse(Rule::R7,
                  quoted(view) + " is a View or Reference of " + quoted(candidate_.destination));
  if (a_.accesses.is_hidden(candidate_.destination))
    return refuse(Rule::R7, "a memlet names " + quoted(candidate_.destination) +
                                ", but its path does not begin or end there");
  if (a_.accesses.is_named_elsewhere(candidate_.destination))
    return refuse(Rule::R7, quoted(candidate_.destination) +
                                " is named in a symbolic expression or in code that is not Python");
  if (const Name other = a_.accesses.aliasing_argument())
    return refuse(Rule::R7, quoted(other) + " may be the same memory as another argument");
  return true;
}

// --- R1: coverage ---

/// All that is touched of T is copied. Nothing if it cannot be told what is touched; what a
/// condition or an assignment reads is not told apart.
std::optional<std::vector<Question>> Judge::touched_is_copied(analysis::Level level) {
  if (!a_.accesses.mentions(candidate_.buffer).empty())
    return std::nullopt;
  std::vector<Question> questions;
  for (const std::vector<DataAccess> *list : {&definitions_, &identities_, &uses_})
    for (const DataAccess &access : *list) {
      auto regions =
          footprint(a_.accesses.graph(*access.site.state), access.tree, *buffer_, context_, level);
      if (!regions)
        return std::nullopt;
      for (Region &region : *regions)
        questions.push_back(
            asked_in(*access.site.state, Question::contains(source_, std::move(region))));
    }
  return questions;
}

/// Memlets outside of scopes can tell the whole copied part: its symbols mean the same there.
bool Judge::can_tell_part() {
  std::vector<Expr> named;
  for (const sets::Interval &dim : target_.dims)
    named.insert(named.end(), {dim.begin, dim.end});
  for (const std::vector<DataAccess> *list : {&definitions_, &uses_})
    for (const DataAccess &access : *list)
      if (is_captured(a_.accesses.graph(*access.site.state), named, context_))
        return false;
  return true;
}

/// If not all of T is copied, it is enough that all that is touched is. Memlets outside of scopes
/// may reach further than those inside; they, too, must be inside of G in the end.
bool Judge::coverage() {
  sets::Requirement requirement;
  requirement.alternatives.push_back(
      {asked_wherever(Question::contains(source_, whole(*buffer_, context_)))});
  if (is_certain(requirement))
    return true;
  auto touched = touched_is_copied(analysis::Level::AllMemlets);
  if (touched && is_certain({{*touched}}))
    return true;
  if (touched && can_tell_part()) {
    touched = touched_is_copied(analysis::Level::Leaves);
    result_.plan->outer = target_.dims;
  }
  if (touched)
    requirement.alternatives.push_back(std::move(*touched));
  const bool maybe =
      require(std::move(requirement), Rule::R1,
              "whether the copy takes all of " + quoted(candidate_.buffer) + " depends on symbols");
  return maybe || refuse(Rule::R1,
                         undecided_ ? "it takes too much to decide whether the copy takes all of " +
                                          quoted(candidate_.buffer) + " that is used"
                                    : "the copy takes only a part of " + quoted(candidate_.buffer) +
                                          ", and more than that part is used");
}

// --- R8: the result is a legal SDFG ---

/// ADR-18 rule 8: one access node per array in a state, or two if it is both read and written. So
/// no state may end up with two nodes that write G and were not both there before.
bool Judge::form() {
  const auto writes = [&](const ir::State &state, NodeId node) {
    const auto edges = a_.accesses.graph(state).in_edges(node);
    return std::any_of(edges.begin(), edges.end(), [&](EdgeId edge) {
      return !state.edge(edge).memlet.is_empty() && !is_dropped(state, edge);
    });
  };
  for (const DataAccess &definition : definitions_)
    for (const Site &other : a_.accesses.sites_in(candidate_.destination, definition.site))
      if (writes(*other.state, other.node))
        return refuse(Rule::R8, describe_state(a_, *other.state) +
                                    " would have two nodes that write " +
                                    quoted(candidate_.destination) + " (ADR-18 rule 8)");
  return true;
}

Judgement judge(Analyses &analyses, const Candidate &candidate, const JudgeOptions &options) {
  return Judge(analyses, candidate, options).run();
}

} // namespace sdfgopt::passes
