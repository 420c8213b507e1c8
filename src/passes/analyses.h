// What passes know about one SDFG, computed once and kept up to date by what they change.
#pragma once

#include "analysis/data_accesses.h"
#include "analysis/known_conditions.h"
#include "analysis/memlet_tree.h"
#include "analysis/memory.h"
#include "sets/solver.h"

namespace sdfgopt::passes {

using analysis::PointId;
using analysis::Role;
using analysis::strides_of;
using analysis::whole;
using ir::EdgeId;
using ir::NodeId;
using support::Name;
using symbolic::Expr;

struct Analyses {
  Analyses(ir::Document &doc, ir::Sdfg &graph)
      : document(doc), sdfg(graph), context(doc.context), flow(graph, doc.context),
        accesses(graph, flow, doc.context), conditions(graph, flow, doc.context),
        known(facts_of(graph, flow, doc.context)), solver(doc.context) {}

  ir::Document &document;
  ir::Sdfg &sdfg;
  symbolic::Context &context;
  analysis::ControlFlow flow;
  analysis::DataAccesses accesses;
  analysis::KnownConditions conditions;
  sets::KnownFacts known; ///< throughout the program: annotations, extents of its arguments
  sets::Solver solver;

  /// What is known without the user.
  static sets::KnownFacts facts_of(const ir::Sdfg &sdfg, const analysis::ControlFlow &flow,
                                   symbolic::Context &context);
};

/// "state 'write_back' (s2)".
std::string describe_state(const Analyses &analyses, const ir::State &state);
/// "node 'T' (n4) in state 'write_back' (s2)".
std::string describe_node(const Analyses &analyses, const ir::State &state, NodeId node);

/// A map in the state has a parameter of the same name as a symbol in one of `expressions`. Inside
/// of it the symbol cannot be named; outside of it, DaCe's code generator takes the state to define
/// the symbol.
bool is_captured(const analysis::StateGraph &graph, const std::vector<Expr> &expressions,
                 symbolic::Context &context);

} // namespace sdfgopt::passes
