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
// rewrite (redirect.cpp); and again, until none is allowed (write_back_driver.cpp). A candidate
// that was kept is judged again only if a rewrite has changed what it refers to. With
// PassOptions::guard, those that are right under a condition follow in a version of their own
// (write_back_guards.cpp).
#include "passes/write_back_elimination.h"

#include "passes/write_back_guards.h"

#include <unordered_set>

namespace sdfgopt::passes {

namespace {

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

PassResult WriteBackElimination::run(ir::Document &document, const PassOptions &options) const {
  PassResult result;
  {
    WriteBackDriver driver(document, document.root, options);
    result.changed = driver.run();
    if (options.guard)
      result.changed =
          guard_candidates(document, options, driver, result.statistics) || result.changed;
    result.statistics += driver.analyses().solver.statistics();
    report_entries(name(), driver.entries(), result.remarks);
  }
  report_nested(name(), document.root, "", result.remarks);
  return result;
}

} // namespace sdfgopt::passes
