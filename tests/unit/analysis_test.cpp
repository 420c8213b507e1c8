// Program points, accesses, and the order inside of states.
#include "analysis/data_accesses.h"
#include "analysis/memlet_tree.h"
#include "io/text_parser.h"
#include "ir/builder.h"

#include <gtest/gtest.h>

#include <set>

using namespace sdfgopt;
using analysis::ControlFlow;
using analysis::PointId;

namespace {

std::unique_ptr<ir::Document> parse(std::string_view text) {
  auto document = io::parse_text(text);
  EXPECT_TRUE(document.ok()) << (document.ok() ? "" : document.error().text());
  return std::move(document).value();
}

/// Labels of the states that control can come to after leaving the state `from`, and "exit".
std::set<std::string> after(ir::Document &document, std::string_view from) {
  const ControlFlow flow(document.root, document.context);
  std::set<std::string> labels;
  std::set<std::uint32_t> seen;
  std::vector<PointId> work;
  ir::for_each_state(document.root.root, [&](ir::State &state, ir::Block &block) {
    if (block.label.view() == from)
      work.push_back(flow.point_of(state.id));
  });
  EXPECT_EQ(work.size(), 1U);
  while (!work.empty()) {
    const PointId point = work.back();
    work.pop_back();
    for (const PointId next : flow.successors(point)) {
      if (!seen.insert(next.value).second)
        continue;
      work.push_back(next);
      if (next == flow.exit())
        labels.insert("exit");
      else if (const ir::State *state = flow.state_at(next))
        labels.insert(flow.label_of(state->id).str());
    }
  }
  return labels;
}

using Labels = std::set<std::string>;

TEST(ControlFlow, SequenceAndExit) {
  auto document = parse("sdfg p {\n state a { }\n state b { }\n a -> b\n}");
  EXPECT_EQ(after(*document, "a"), (Labels{"b", "exit"}));
  EXPECT_EQ(after(*document, "b"), Labels{"exit"});
}

TEST(ControlFlow, BranchWithoutElseCanBePassedBy) {
  auto document = parse(R"(sdfg p {
    symbol N: int32
    state a { }
    branch c {
      if `N > 0` {
        state t { }
      }
    }
    state z { }
    a -> c
    c -> z
  })");
  EXPECT_EQ(after(*document, "a"), (Labels{"t", "z", "exit"}));
  EXPECT_EQ(after(*document, "t"), (Labels{"z", "exit"}));
}

TEST(ControlFlow, LoopComesBackToItself) {
  auto document = parse(R"(sdfg p {
    state a { }
    loop l var i init `i = 0` while `i < 3` update `i = i + 1` {
      state b { }
    }
    state z { }
    a -> l
    l -> z
  })");
  EXPECT_EQ(after(*document, "b"), (Labels{"b", "z", "exit"}));
  EXPECT_EQ(after(*document, "a"), (Labels{"b", "z", "exit"}));
  const ControlFlow flow(document->root, document->context);
  EXPECT_TRUE(flow.is_assigned(document->names.find("i")));
  const PointId a = flow.point_of(ir::StateId(0));
  const PointId b = flow.point_of(ir::StateId(1));
  EXPECT_EQ(flow.span_of(a).first, flow.span_of(a).second);
  EXPECT_LT(flow.span_of(b).first, flow.order(b)) << "a cycle: from before the body to its update";
  EXPECT_GT(flow.span_of(b).second, flow.order(b));
  EXPECT_LT(flow.order(a), flow.span_of(b).first);
}

TEST(ControlFlow, ReturnLeavesTheProgramAndBreakTheLoop) {
  auto document = parse(R"(sdfg p {
    symbol N: int32
    state a { }
    return r
    state z { }
    a -> r if `N > 2`
    a -> z if `not (N > 2)`
  })");
  EXPECT_TRUE(after(*document, "a").contains("exit"));
  auto broken = parse(R"(sdfg p {
    loop l while `i < 3` {
      state b { }
      break out
      b -> out
    }
    state z { }
    l -> z
  })");
  EXPECT_EQ(after(*broken, "b"), (Labels{"z", "exit"}));
}

TEST(ControlFlow, ConditionsThatNeedNotHoldLeaveTheProgram) {
  ir::Builder builder("p");
  builder.symbol("N", "int32").symbol("x", "float64");
  const auto a = builder.state("a");
  const auto b = builder.state("b");
  const auto c = builder.state("c");
  builder.edge(a.block(), b.block(), "N > 0").edge(a.block(), c.block(), "N <= 0");
  builder.edge(b.block(), c.block(), "x > 0");
  auto document = builder.finish();
  const ControlFlow flow(document->root, document->context);
  const auto leads_out = [&](ir::StateId state) {
    for (const PointId next : flow.successors(flow.successors(flow.point_of(state)).front()))
      if (next == flow.exit())
        return true;
    return false;
  };
  EXPECT_FALSE(leads_out(ir::StateId(0))) << "one of two complementary conditions holds";
  EXPECT_TRUE(leads_out(ir::StateId(1)));
}

TEST(ControlFlow, AmbiguousStartIsOpaqueButComplete) {
  ir::Builder builder("p");
  builder.state("a");
  builder.state("b");
  auto document = builder.finish();
  const ControlFlow flow(document->root, document->context);
  EXPECT_TRUE(flow.is_opaque());
  EXPECT_TRUE(flow.point_of(ir::StateId(1)).has_value());
}

/// a -> map { f } -> T -> b, and an access node of a View of T.
struct Example {
  ir::Builder builder{"example"};
  ir::StateBuilder state;
  ir::NodeId a, t, b, f;
  ir::StateBuilder::Scope map;

  Example() : state((declare(), builder.state("s"))) {
    a = state.access("a");
    t = state.access("T");
    b = state.access("b");
    map = state.map("m", {{"i", "0..9"}});
    f = state.tasklet("f", "y = x");
    state.edge(a, "", map.entry, "IN_a", {"a", {"0..9"}})
        .edge(map.entry, "OUT_a", f, "x", {"a", {"9 - $i"}})
        .edge(f, "y", map.exit, "IN_T", {"T", {"$i"}})
        .edge(map.exit, "OUT_T", t, "", {"T", {"0..9"}})
        .edge(t, "", b, "", {"T", {"2..4"}}, {"b", {"0..2"}});
  }
  void declare() {
    builder.array("a", "float64", {"10"})
        .array("b", "float64", {"10"})
        .array("T", "float64", {"10"}, ir::Builder::transient);
  }
};

TEST(StateGraph, ReachesAndScopes) {
  Example example;
  const analysis::StateGraph graph(example.state.state());
  EXPECT_TRUE(graph.is_acyclic());
  EXPECT_TRUE(graph.reaches(example.a, example.b));
  EXPECT_FALSE(graph.reaches(example.b, example.a));
  EXPECT_EQ(graph.scope_of(example.f), example.map.entry);
  EXPECT_EQ(graph.scope_of(example.map.exit), example.map.entry);
  EXPECT_FALSE(graph.scope_of(example.map.entry).has_value());
  EXPECT_EQ(graph.top_level(example.f), example.map.entry);
}

TEST(StateGraph, MovedEdgesKeepTheOrder) {
  Example example;
  ir::State &state = example.state.state();
  analysis::StateGraph graph(state);
  const ir::EdgeId copy(4);
  graph.move_source(copy, example.a);
  state.edge(copy).src = example.a;
  EXPECT_TRUE(graph.reaches(example.a, example.b));
  EXPECT_FALSE(graph.reaches(example.t, example.b));
  graph.remove_edge(copy);
  EXPECT_FALSE(graph.reaches(example.a, example.b));
}

TEST(MemletTree, FollowsTheScopeAndSeesTheElements) {
  Example example;
  auto &document = example.builder.document();
  const analysis::StateGraph graph(example.state.state());
  const auto tree =
      analysis::memlet_tree(graph, ir::EdgeId(3), document.names.find("T"), analysis::Role::Write);
  ASSERT_EQ(tree.leaves.size(), 1U);
  EXPECT_EQ(tree.far_end(example.state.state(), tree.leaves[0]), example.f);
  EXPECT_FALSE(tree.unclear.has_value());
  const auto regions = analysis::footprint(
      graph, tree, *document.root.find_array(document.names.find("T")), document.context);
  ASSERT_TRUE(regions);
  ASSERT_EQ(regions->at(0).binders.size(), 1U);
  EXPECT_EQ(regions->at(0).binders[0].name.view(), "i");
}

TEST(MemletTree, EventsOfAMapBeginAtItsEntry) {
  Example example;
  const analysis::StateGraph graph(example.state.state());
  const auto read = analysis::event_of(graph, ir::EdgeId(0), analysis::Role::Read);
  const auto write = analysis::event_of(graph, ir::EdgeId(3), analysis::Role::Write);
  const auto use = analysis::event_of(graph, ir::EdgeId(4), analysis::Role::Read);
  EXPECT_FALSE(analysis::ordered(graph, read, write))
      << "one map reads and writes as it goes along";
  EXPECT_TRUE(analysis::ordered(graph, write, use));
  EXPECT_TRUE(analysis::ordered(graph, read, use));
  EXPECT_FALSE(analysis::ordered(graph, use, write));
}

TEST(MemletTree, WhatAMemletLeavesOut) {
  ir::Builder builder("p");
  builder.array("T", "float64", {"10"}, ir::Builder::transient).array("G", "float64", {"40"});
  auto state = builder.state("s");
  const auto t = state.access("T");
  const auto g = state.access("G");
  state
      .edge(t, "", g, "", {"T", {"0..9"}})    // all of T: not all of G, so the same part
      .edge(t, "", g, "", {"T", {"4..9"}})    // versions of DaCe differ
      .edge(t, "", g, "", {"G", {"11..20"}}); // as many as T has: all of T
  auto &document = builder.document();
  const auto side = [&](std::size_t edge, std::string_view data) {
    const ir::Edge &copy = state.state().edges[edge];
    return analysis::data_side(copy, copy.memlet.data.view() == data,
                               *document.root.find_array(document.names.find(data)),
                               document.context);
  };
  ASSERT_TRUE(side(0, "G"));
  EXPECT_TRUE(side(0, "G")->at(0).end->is_integer(9));
  EXPECT_FALSE(side(1, "G"));
  ASSERT_TRUE(side(2, "T"));
  EXPECT_TRUE(side(2, "T")->at(0).begin->is_integer(0));
  EXPECT_TRUE(side(2, "T")->at(0).end->is_integer(9));
}

TEST(DataAccesses, SitesMentionsAndNames) {
  auto document =
      parse("sdfg p {\n"
            "  array a: float64[10]\n  array N2: int32[a2]\n  transient array T: float64[10]\n"
            "  symbol a2: int32\n  array a2x: float64[10]\n"
            "  state s { n0 a\n n1 T <- n0 a[0..9] -> [0..9] }\n"
            "  state u { n0 T\n n1 a <- n0 T[0..9] -> [0..9] }\n"
            "  s -> u if `T[3] > 0.0` with k = `a[1]`\n}");
  const ControlFlow flow(document->root, document->context);
  const analysis::DataAccesses accesses(document->root, flow, document->context);
  const auto name = [&](std::string_view text) { return document->names.find(text); };
  EXPECT_EQ(accesses.sites(name("T")).size(), 2U);
  EXPECT_EQ(accesses.mentions(name("T")).size(), 1U);
  EXPECT_EQ(accesses.mentions(name("a")).size(), 1U);
  EXPECT_FALSE(accesses.is_named_elsewhere(name("T")));
  EXPECT_FALSE(accesses.is_hidden(name("T")));
}

TEST(DataAccesses, MemletsThatNoPathExplains) {
  Example example;
  ir::State &state = example.state.state();
  state.edges[0].memlet = ir::Memlet(); // the outer edge is empty, the inner one still names a
  auto &document = example.builder.document();
  const ControlFlow flow(document.root, document.context);
  const analysis::DataAccesses accesses(document.root, flow, document.context);
  EXPECT_TRUE(accesses.is_hidden(document.names.find("a")));
  EXPECT_FALSE(accesses.is_hidden(document.names.find("T")));
}

} // namespace
