// Moves every access of one array to another one: T[i] becomes G[i + offset].
//
// First a plan, which either is complete or says what it cannot follow; then the change, which
// cannot fail.
#pragma once

#include "passes/analyses.h"
#include "passes/nested_strides.h"
#include "passes/remark.h"

#include <variant>

namespace sdfgopt::passes {

/// One edge at an access node, with all memlets behind it.
struct DataAccess {
  analysis::Site site;
  EdgeId edge;
  Role role;
  analysis::MemletTree tree;
  analysis::Event event;
};

/// Every access of `data` through dataflow, in program order.
std::vector<DataAccess> accesses_of(Analyses &analyses, Name data);

struct Redirection {
  Name from;
  Name to;
  std::vector<Expr> offset; ///< an element a dimension
};

/// An empty memlet that is added to a state, so that one of its nodes comes after another one.
struct OrderingEdge {
  ir::State *state;
  NodeId from;
  NodeId to;
};

struct RedirectPlan {
  Redirection redirection;
  std::vector<DataAccess> accesses;     ///< of `from`, dropped copies left out
  std::vector<NestedStrideEdit> nested; ///< descriptors inside nested SDFGs that follow
  /// If not empty, what memlets outside of scopes become, instead of being shifted: a part of `to`
  /// that holds all that is accessed, where their own part may reach out of it.
  std::vector<sets::Interval> outer;
  std::vector<OrderingEdge> ordering; ///< acyclic together with the states' edges; see order_before
};

/// Edges between access nodes of `from` and `to`, in either direction, that become copies of data
/// to itself: they go. Those into one node are neighbours.
using DroppedCopies = std::vector<std::pair<ir::State *, EdgeId>>;

struct Refusal {
  Rule rule;
  std::string reason;
};

/// `accesses`: of redirection.from, without the copies that are to be dropped.
std::variant<RedirectPlan, Refusal>
plan_redirect(Analyses &analyses, const Redirection &redirection, std::vector<DataAccess> accesses);

/// Executes a plan: adds the ordering edges, drops the copies, rewrites all memlets, conditions and
/// nested descriptors, renames or joins the access nodes, and removes the descriptor of `from`.
/// Analyses are updated.
void redirect(Analyses &analyses, const RedirectPlan &plan, const DroppedCopies &dropped);

} // namespace sdfgopt::passes
