// The verifier finds each broken invariant, at its place, and nothing in sound programs.
#include "io/file.h"
#include "ir/verifier.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

namespace sdfgopt::ir {
namespace {

/// in -> map -> tasklet -> out, and a second state behind; read anew for each test.
class Verifier : public ::testing::Test {
protected:
  void SetUp() override {
    auto loaded =
        io::load(std::string(SDFGOPT_SOURCE_DIR) + "/tests/data/pitfalls/05_variant_types.sdfg");
    ASSERT_TRUE(loaded.ok()) << loaded.error().text();
    document_ = std::move(loaded).value();
    ASSERT_TRUE(verify(document_->root).empty());
  }

  Sdfg &sdfg() { return document_->root; }
  State &state() { return *sdfg().root.blocks[0].as<State>(); }
  Name name(const char *text) { return document_->names.intern(text); }
  symbolic::Expression text(const char *what) {
    return document_->context.expression(what, document_->grammar);
  }
  Node &node(bool (*is_wanted)(const Node &)) {
    return *std::find_if(state().nodes.begin(), state().nodes.end(), is_wanted);
  }
  Node &entry() {
    return node([](const Node &n) { return n.is<MapEntry>(); });
  }
  Node &access() {
    return node([](const Node &n) { return n.is<AccessNode>(); });
  }
  std::string id_of(const Node &n) {
    return NodeId(static_cast<std::size_t>(&n - state().nodes.data())).str();
  }
  Edge &memlet_edge() {
    return *std::find_if(state().edges.begin(), state().edges.end(),
                         [](const Edge &edge) { return !edge.memlet.is_empty(); });
  }
  /// The only fault is at `place` (its end) and speaks of `part`.
  void expect_fault(const std::string &place, const std::string &part) {
    const auto faults = verify(sdfg());
    ASSERT_EQ(faults.size(), 1u) << (faults.empty() ? "" : faults[1].message);
    EXPECT_TRUE(faults[0].place.ends_with(place)) << faults[0].place;
    EXPECT_NE(faults[0].message.find(part), std::string::npos) << faults[0].message;
    EXPECT_EQ(check(sdfg()).error().code, support::ErrorCode::Invalid);
  }

  std::unique_ptr<Document> document_;
};

TEST_F(Verifier, EdgeEnds) {
  state().edges[2].dst = NodeId(99);
  expect_fault("state s0 'compute', edge e2", "not one of the state's");
  state().edges[1].src = NodeId();
  const auto faults = verify(sdfg());
  EXPECT_EQ(faults.size(), 2u); // all are found
  EXPECT_NE(check(sdfg()).error().message.find("(and 1 more faults)"), std::string::npos);
  state().edges[1].removed = state().edges[2].removed = true;
  EXPECT_TRUE(verify(sdfg()).empty());
}

TEST_F(Verifier, ScopePairs) {
  const NodeId exit = entry().as<MapEntry>()->exit;
  entry().as<MapEntry>()->exit = NodeId();
  auto faults = verify(sdfg());
  ASSERT_EQ(faults.size(), 2u);
  EXPECT_EQ(faults[0].place, "state s0 'compute', node " + id_of(entry()));
  EXPECT_EQ(faults[1].place, "state s0 'compute', node " + exit.str());
  entry().as<MapEntry>()->exit = exit;
  state().node(exit).detail = ConsumeExit{state().node(exit).as<MapExit>()->entry};
  EXPECT_EQ(verify(sdfg()).size(), 2u);
}

TEST_F(Verifier, Cycles) {
  Edge &edge = memlet_edge();
  std::swap(edge.src, edge.dst);
  std::swap(edge.src_connector, edge.dst_connector);
  Edge back;
  back.src = edge.dst;
  back.dst = edge.src;
  state().edges.push_back(std::move(back));
  expect_fault("state s0 'compute'", "cycle");
}

TEST_F(Verifier, SelfLoops) {
  Edge loop;
  loop.src = loop.dst = NodeId(0);
  state().edges.push_back(std::move(loop));
  expect_fault("state s0 'compute'", "cycle");
}

TEST_F(Verifier, DataOfAccessNodes) {
  access().as<AccessNode>()->data = name("nothing");
  const auto faults = verify(sdfg());
  ASSERT_FALSE(faults.empty());
  EXPECT_EQ(faults[0].message, "there is no array 'nothing'");
}

TEST_F(Verifier, DataOfMemlets) {
  memlet_edge().memlet.data = name("no\nthing");
  expect_fault("edge " +
                   EdgeId(static_cast<std::size_t>(&memlet_edge() - state().edges.data())).str(),
               "there is no array 'no?thing'");
}

TEST_F(Verifier, MembersOfStructures) {
  access().as<AccessNode>()->data = name("T.x");
  EXPECT_TRUE(verify(sdfg()).empty());
  access().as<AccessNode>()->data = name("U.x");
  EXPECT_FALSE(verify(sdfg()).empty());
}

TEST_F(Verifier, Ranks) {
  Memlet &memlet = memlet_edge().memlet;
  memlet.subset.ranges().push_back(memlet.subset.ranges().front());
  expect_fault("", "subset has 2 dimensions");
}

TEST_F(Verifier, Parameters) {
  entry().as<MapEntry>()->params.push_back(name("j"));
  expect_fault("node " + id_of(entry()), "2 parameters for a range of 1 dimensions");
}

TEST_F(Verifier, Descriptors) {
  Descriptor &array = sdfg().arrays[0];
  array.shape[0] = text("-3");
  expect_fault("array 'A'", "negative");
  array.shape[0] = text("-3 + $N"); // may be anything
  EXPECT_TRUE(verify(sdfg()).empty());
  array.strides.push_back(text("1"));
  expect_fault("array 'A'", "2 strides for 1 dimensions");
  array.strides.clear();
  EXPECT_TRUE(verify(sdfg()).empty());
  array.offset.push_back(text("0"));
  expect_fault("array 'A'", "2 offsets");
}

TEST_F(Verifier, NamesOfArrays) {
  Descriptor twin;
  twin.name = sdfg().arrays[0].name;
  twin.type = sdfg().arrays[0].type;
  twin.kind = sdfg().arrays[0].kind;
  twin.shape = sdfg().arrays[0].shape;
  sdfg().arrays.push_back(std::move(twin));
  sdfg().index_arrays();
  expect_fault("array 'A'", "another array");
}

TEST_F(Verifier, InterstateEdges) {
  for (int i = 0; i < 2; ++i) {
    InterstateEdge edge;
    edge.src = edge.dst = BlockId(0);
    sdfg().root.edges.push_back(std::move(edge));
  }
  expect_fault("interstate edge 1", "a second edge from b0 to b0");
  sdfg().root.edges.pop_back();
  sdfg().root.edges[0].dst = BlockId(1);
  expect_fault("interstate edge 0", "not one of the region's 1 blocks");
  sdfg().root.edges.clear();
  sdfg().root.start_block = 1;
  expect_fault("", "start block 1");
}

TEST_F(Verifier, NestedSdfgs) {
  auto loaded =
      io::load(std::string(SDFGOPT_SOURCE_DIR) + "/tests/data/pitfalls/14_deep_nesting.sdfg");
  ASSERT_TRUE(loaded.ok());
  document_ = std::move(loaded).value();
  Node &call = node([](const Node &n) { return n.is<NestedSdfg>(); });
  call.as<NestedSdfg>()->sdfg->root.blocks[0].as<State>()->edges[0].src = NodeId(9);
  expect_fault("node " + id_of(call) + ", nested SDFG 'level4', state s1 'call', edge e0",
               "an end");
  call.as<NestedSdfg>()->sdfg->root.blocks[0].as<State>()->edges[0].removed = true;
  call.in_connectors.push_back({name("Q"), "null"});
  expect_fault("node " + id_of(call), "connector 'Q'");
}

} // namespace
} // namespace sdfgopt::ir
