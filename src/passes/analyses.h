// What passes know about one SDFG, computed once and kept up to date by what they change.
#pragma once

#include "analysis/data_accesses.h"
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
        accesses(graph, flow, doc.context), solver(doc.context) {}

  ir::Document &document;
  ir::Sdfg &sdfg;
  symbolic::Context &context;
  analysis::ControlFlow flow;
  analysis::DataAccesses accesses;
  sets::Solver solver;
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
