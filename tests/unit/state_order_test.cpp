// Edges that a pass adds to a state, and the order that they bring about.
#include "analysis/state_graph.h"
#include "io/text_parser.h"
#include "ir/builder.h"
#include "passes/state_order.h"

#include <gtest/gtest.h>

using namespace sdfgopt;
using ir::EdgeId;
using ir::NodeId;

namespace {

/// n0 -> n1 -> ... and, apart from it, m0 -> m1 -> ..., `length` nodes each.
std::unique_ptr<ir::Document> two_chains(std::size_t length) {
  ir::Builder builder("chains");
  builder.array("a", "float64", {"10"});
  auto state = builder.state("s");
  for (int chain = 0; chain < 2; ++chain) {
    NodeId last;
    for (std::size_t i = 0; i < length; ++i) {
      const NodeId node = state.access("a");
      if (last.has_value())
        state.edge(last, "", node, "");
      last = node;
    }
  }
  return builder.finish();
}

ir::State &first_state(ir::Document &document) {
  return *document.root.root.blocks.front().as<ir::State>();
}

EdgeId connect(ir::State &state, NodeId from, NodeId to) {
  ir::Edge &edge = state.edges.emplace_back();
  edge.src = from;
  edge.dst = to;
  return EdgeId(state.edges.size() - 1);
}

TEST(StateGraph, AddedEdgesOrder) {
  constexpr std::size_t length = 50;
  const auto document = two_chains(length);
  ir::State &state = first_state(*document);
  analysis::StateGraph graph(state);
  const auto first = [](std::size_t i) { return NodeId(i); };
  const auto second = [](std::size_t i) { return NodeId(length + i); };
  EXPECT_FALSE(graph.reaches(first(0), second(length - 1)));
  // The second one's beginning now lies behind all of the first one.
  const std::vector<EdgeId> added = {connect(state, first(length - 1), second(1)),
                                     connect(state, first(3), second(0))};
  graph.add_edges(added);
  EXPECT_TRUE(graph.is_acyclic());
  EXPECT_TRUE(graph.reaches(first(0), second(length - 1)));
  EXPECT_TRUE(graph.reaches(first(length - 1), second(1)));
  EXPECT_TRUE(graph.reaches(first(3), second(0)));
  EXPECT_FALSE(graph.reaches(first(4), second(0)));
  EXPECT_FALSE(graph.reaches(second(0), first(length - 1)));
  EXPECT_EQ(graph.out_edges(first(3)).size(), 2U);
  EXPECT_EQ(graph.in_edges(second(1)).size(), 2U);
  graph.remove_edge(added[0]);
  EXPECT_FALSE(graph.reaches(first(length - 1), second(1)));
}

/// Orders the only read of G before the only definition of T in the first state.
struct Ordered {
  bool possible = false;
  std::vector<passes::OrderingEdge> edges;
};

Ordered order(ir::Document &document) {
  passes::Analyses analyses(document, document.root);
  const auto name = [&](std::string_view text) { return document.names.intern(text); };
  const passes::Redirection redirection{name("T"), name("G"), {document.context.integer(0)}};
  const auto reads = accesses_of(analyses, redirection.to);
  const auto definitions = accesses_of(analyses, redirection.from);
  Ordered result;
  result.possible = true;
  for (const passes::DataAccess &read : reads)
    for (const passes::DataAccess &definition : definitions)
      result.possible = result.possible &&
                        order_before(analyses, read.event, definition, redirection, result.edges);
  return result;
}

std::unique_ptr<ir::Document> parse(std::string_view body) {
  auto document = io::parse_text("sdfg p {\n array a: float64[9]\n array b: float64[9]\n"
                                 " array c: float64[9]\n array G: float64[9]\n"
                                 " transient array T: float64[9]\n transient view V: float64[9]\n"
                                 " state s {\n" +
                                 std::string(body) + "\n }\n}");
  EXPECT_TRUE(document.ok()) << (document.ok() ? "" : document.error().text());
  return std::move(document).value();
}

TEST(OrderBefore, BeginsAtTheFirstNodeThatTheReaderWrites) {
  const auto document = parse(R"(
    n0 tasklet define (x = n1 a[0]) -> (y = n2 T[0]) { y = x }
    n1 a
    n2 T
    n3 G
    n4 tasklet read (x = n3 G[0]) -> (y = n6 b[0], z = n5 c[0]) ```
      y = x
      z = x
      ```
    n5 c
    n6 b)");
  const Ordered ordered = order(*document);
  ASSERT_TRUE(ordered.possible);
  ASSERT_EQ(ordered.edges.size(), 1U);
  EXPECT_EQ(ordered.edges[0].from, NodeId(5));
  EXPECT_EQ(ordered.edges[0].to, NodeId(0));
}

TEST(OrderBefore, BeginsAtTheReaderItselfWhereItWritesNothingElse) {
  const auto document = parse(R"(
    n0 tasklet define (x = n1 a[0]) -> (y = n2 T[0]) { y = x }
    n1 a
    n2 T
    n3 G
    n4 tasklet read (x = n3 G[0]) -> (y = n5 G[1]) { y = x }
    n5 G)");
  passes::Analyses analyses(*document, document->root);
  const auto name = [&](std::string_view text) { return document->names.intern(text); };
  const passes::Redirection redirection{name("T"), name("G"), {document->context.integer(0)}};
  const auto definition = accesses_of(analyses, redirection.from).at(0);
  for (const passes::DataAccess &access : accesses_of(analyses, redirection.to)) {
    if (access.role != passes::Role::Read)
      continue;
    std::vector<passes::OrderingEdge> edges;
    ASSERT_TRUE(order_before(analyses, access.event, definition, redirection, edges));
    ASSERT_EQ(edges.size(), 1U);
    EXPECT_EQ(edges[0].from, NodeId(4));
  }
}

TEST(OrderBefore, NeedsNoSecondEdge) {
  const auto document = parse(R"(
    n0 tasklet define (x = n1 a[0]) -> (y = n2 T[0]) { y = x }
    n1 a
    n2 T
    n3 tasklet read (x = n4 G[0], z = n5 G[1]) -> (y = n6 b[0]) { y = x + z }
    n4 G
    n5 G
    n6 b)");
  const Ordered ordered = order(*document);
  EXPECT_TRUE(ordered.possible);
  EXPECT_EQ(ordered.edges.size(), 1U);
}

TEST(OrderBefore, NotFromTheBufferAndNotFromAView) {
  EXPECT_FALSE(order(*parse(R"(
    n0 G
    n1 T <- n0 G[0..3] -> [5..8], n2 a[0..4] -> [0..4]
    n2 a)"))
                   .possible);
}

} // namespace
