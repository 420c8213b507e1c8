// Regions in two versions: where they are, what they say, and that undoing leaves nothing behind.
#include "analysis/data_accesses.h"
#include "io/file.h"
#include "io/json_writer.h"
#include "io/text_parser.h"
#include "io/text_printer.h"
#include "ir/clone.h"
#include "ir/verifier.h"
#include "passes/region_versions.h"
#include "region_programs.h"
#include "verify/verify.h"

#include <gtest/gtest.h>

using namespace sdfgopt;
using namespace region_programs;
using passes::RegionPlan;
using passes::RegionVersions;

namespace {

using Document = std::unique_ptr<ir::Document>;

Document parse(std::string_view text) {
  auto document = io::parse_text(text);
  EXPECT_TRUE(document.ok()) << (document.ok() ? "" : document.error().text());
  return std::move(document).value();
}

/// A planner with what it needs, for a document as it is now.
struct Planning {
  explicit Planning(ir::Document &document)
      : document(document), flow(document.root, document.context),
        accesses(document.root, flow, document.context), planner(document, flow, accesses) {}

  /// All under the same condition.
  passes::VersionPlanner::Plans plan(const std::vector<std::string> &buffers,
                                     std::string_view condition) {
    std::vector<passes::PlanRequest> requests;
    requests.reserve(buffers.size());
    for (const std::string &buffer : buffers)
      requests.push_back(request(buffer, condition));
    return planner.plan_all(requests);
  }

  passes::PlanRequest request(std::string_view buffer, std::string_view condition) {
    symbolic::Expr value = nullptr;
    EXPECT_FALSE(document.context.parse(condition, symbolic::Grammar::Python, value));
    return {document.names.intern(buffer), value};
  }

  ir::Document &document;
  analysis::ControlFlow flow;
  analysis::DataAccesses accesses;
  passes::VersionPlanner planner;
};

struct Group {
  std::vector<std::string> buffers;
  std::string condition;
  std::string blocks; ///< that are expected, each with a space behind it
  std::string local;
  std::string sized = {}; ///< in the branch
};

std::string text_of(const std::vector<support::Name> &names) {
  std::string text;
  for (const support::Name name : names)
    text += name.str() + " ";
  return text;
}

std::string blocks_of(const RegionPlan &plan) {
  std::string text;
  for (const ir::BlockId block : plan.section.blocks)
    text += plan.region->block(block).label.str() + " ";
  return text;
}

/// One group after the other, each on top of those before.
std::vector<RegionVersions> apply(ir::Document &document, const std::vector<Group> &groups) {
  std::vector<RegionVersions> versions;
  for (const Group &group : groups) {
    Planning planning(document);
    const auto result = planning.plan(group.buffers, group.condition);
    EXPECT_EQ(result.plans.size(), 1U);
    if (result.plans.size() != 1)
      continue;
    const RegionPlan &plan = result.plans.front();
    EXPECT_EQ(blocks_of(plan), group.blocks);
    EXPECT_EQ(text_of(plan.local), group.local);
    EXPECT_EQ(text_of(plan.sized_in_branch), group.sized);
    const std::size_t before = ir::element_count(document.root.root);
    versions.push_back(passes::apply_versions(document, result.plans));
    EXPECT_EQ(ir::element_count(document.root.root), before + plan.growth);
    const auto sound = ir::check(document.root);
    EXPECT_TRUE(sound.ok()) << sound.error().text();
  }
  return versions;
}

void undo(ir::Document &document, std::vector<RegionVersions> versions) {
  for (; !versions.empty(); versions.pop_back())
    passes::undo_versions(document, versions.back(), {0});
}

/// What is written reads back as the same, as JSON and as text.
void expect_round_trip(ir::Document &document) {
  const std::string json = io::write_json(document);
  auto again = io::written_and_read(document);
  ASSERT_TRUE(again.ok()) << again.error().text();
  EXPECT_EQ(io::write_json(*again.value()), json);
  auto text = io::print_text(*again.value(), {});
  ASSERT_TRUE(text.ok()) << text.error().text();
  const Document parsed = parse(text.value());
  auto printed = io::print_text(*parsed, {});
  ASSERT_TRUE(printed.ok());
  EXPECT_EQ(printed.value(), text.value());
}

void expect_same_meaning(ir::Document &before, ir::Document &after, std::int64_t n) {
  verify::VerifyOptions options;
  options.runs = 3;
  options.symbols["N"] = n;
  const auto report = verify::verify(before, after, options);
  ASSERT_TRUE(report.ok()) << report.error().text();
  EXPECT_TRUE(report.value().same()) << verify::difference_text(*report.value().difference);
}

/// The condition is to hold for N = 3 and not for N = 6.
void check(std::string_view program, const std::vector<Group> &groups) {
  const Document original = parse(program);
  const Document typed = parse(program);
  const std::string typed_bytes = io::write_json(*typed);
  auto read = io::written_and_read(*typed);
  ASSERT_TRUE(read.ok());
  const std::string read_bytes = io::write_json(*read.value());
  for (ir::Document *document : {typed.get(), read.value().get()}) {
    std::vector<RegionVersions> versions = apply(*document, groups);
    ASSERT_EQ(versions.size(), groups.size());
    expect_round_trip(*document);
    for (const std::int64_t n : {3, 6})
      expect_same_meaning(*original, *document, n);
    undo(*document, std::move(versions));
    EXPECT_TRUE(ir::check(document->root).ok());
  }
  EXPECT_EQ(io::write_json(*typed), typed_bytes);
  EXPECT_EQ(io::write_json(*read.value()), read_bytes);
}

std::string refusal(std::string_view program, const std::vector<std::string> &buffers,
                    std::string_view condition) {
  const Document document = parse(program);
  Planning planning(*document);
  const auto result = planning.plan(buffers, condition);
  return result.refused.empty() ? std::string() : result.refused.front().second.reason;
}

} // namespace

TEST(RegionVersions, Chain) {
  check(chain, {{{"T"}, "N <= 4 and Max(N, 2) < 9", "define use write_back ", "x ", "T "}});
}

// The conditions of the edges that lead apart move along.
TEST(RegionVersions, Diamond) { check(diamond, {{{"T"}, "N <= 4", "begin left right join ", ""}}); }

// The block that tests leads into the part and out of it: both edges stay together.
TEST(RegionVersions, Cycle) {
  check(cycle, {{{"T"}, "N <= 4", "guard define write_back after ", ""}});
}

// Each trip comes to the conditional block anew.
TEST(RegionVersions, BodyOfACycle) {
  check(cycle_body, {{{"T"}, "N <= 4", "define write_back ", ""}});
}

TEST(RegionVersions, BodyOfALoopWithABreak) {
  check(with_break, {{{"T"}, "N <= 4", "define size sized write_back leave tail ", "L "}});
}

TEST(RegionVersions, OneStateInTheBodyOfALoop) {
  check(with_return, {{{"T"}, "N <= 4", "define size sized write_back ", "L "}});
}

TEST(RegionVersions, WholeProgramWithANestedSdfg) {
  check(whole, {{{"T"}, "N <= 4", "define write_back ", ""}});
}

TEST(RegionVersions, FirstAndLastBlocks) {
  check(two, {{{"T"}, "N <= 4", "d1 w1 ", "", "T "}, {{"S"}, "N <= 5", "d2 w2 ", "", "S "}});
}

TEST(RegionVersions, ConditionsAndAssignmentsThatReadTheBuffer) {
  check(mention, {{{"T", "V"}, "N <= 4", "define choose ", ""}});
  const Document document = parse(mention);
  apply(*document, {{{"T", "V"}, "N <= 4", "define choose ", ""}});
  const std::string text = io::print_text(*document, {}).value();
  EXPECT_NE(text.find("if `T_guarded[0] > 0.5`"), std::string::npos) << text;
  EXPECT_NE(text.find("q = `V_guarded[0]`"), std::string::npos) << text;
  EXPECT_NE(text.find("if `T[0] > 0.5`"), std::string::npos) << text;
}

TEST(RegionVersions, OneInsideOfAnother) {
  const Document original = parse(two);
  const Document document = parse(two);
  const std::string bytes = io::write_json(*document);
  std::vector<RegionVersions> versions =
      apply(*document, {{{"T"}, "N <= 4", "d1 w1 ", "", "T "},
                        {{"T_guarded"}, "N <= 2", "d1_guarded w1_guarded ", "", "T_guarded "}});
  ASSERT_EQ(versions.size(), 2U);
  for (const std::int64_t n : {1, 3, 6})
    expect_same_meaning(*original, *document, n);
  undo(*document, std::move(versions));
  EXPECT_EQ(io::write_json(*document), bytes);
}

TEST(RegionVersions, NamesThatAreTakenAndIds) {
  std::string program(two);
  program.insert(program.find("  symbol N"), "  transient array T_guarded: float64[N]\n");
  const Document document = parse(program);
  const std::vector<RegionVersions> made =
      apply(*document, {{{"T"}, "N <= 4", "d1 w1 ", "", "T "}});
  const passes::RegionVersion &version = made.front().versions.front();
  EXPECT_EQ(version.label.view(), "guard_d1");
  EXPECT_EQ(version.copy_of(document->names.intern("T")).view(), "T_guarded_0");
  ASSERT_EQ(version.states.size(), 2U);
  EXPECT_EQ(version.copy_of(ir::StateId(0)), ir::StateId(5));
  EXPECT_EQ(version.copy_of(ir::StateId(1)), ir::StateId(6));
  EXPECT_FALSE(version.copy_of(ir::StateId(2)).has_value());
  EXPECT_EQ(document->root.arrays[4].name.view(), "T_guarded_0"); // behind T
}

// Whatever a pass did to the copy goes with it.
TEST(RegionVersions, UndoAfterTheCopyWasChanged) {
  const Document document = parse(two);
  const std::string bytes = io::write_json(*document);
  std::vector<RegionVersions> versions = apply(*document, {{{"T"}, "N <= 4", "d1 w1 ", "", "T "}});
  document->root.find_array(document->names.intern("T_guarded"))->removed = true;
  ir::for_each_state(document->root.root, [&](ir::State &state, ir::Block &block) {
    if (block.label.view() == "w1_guarded") {
      for (ir::Node &node : state.nodes)
        node.removed = true;
      for (ir::Edge &edge : state.edges)
        edge.removed = true;
      ir::compact(state);
    }
  });
  undo(*document, std::move(versions));
  EXPECT_EQ(io::write_json(*document), bytes);
}

namespace {

/// Applies all at once, and undoes them in that order.
void check_at_once(std::string_view program, const std::vector<std::string> &buffers,
                   const std::vector<std::size_t> &order) {
  const Document original = parse(program);
  const Document document = parse(program);
  const std::string bytes = io::write_json(*document);
  RegionVersions made = [&] {
    Planning planning(*document);
    const auto result = planning.plan(buffers, "N <= 4");
    EXPECT_EQ(result.plans.size(), order.size());
    return passes::apply_versions(*document, result.plans);
  }();
  for (std::size_t i = 0;; ++i) {
    const auto sound = ir::check(document->root);
    ASSERT_TRUE(sound.ok()) << sound.error().text();
    expect_round_trip(*document);
    for (const std::int64_t n : {3, 6})
      expect_same_meaning(*original, *document, n);
    if (i == order.size())
      break;
    EXPECT_NE(io::write_json(*document), bytes);
    passes::undo_versions(*document, made, {order[i]});
  }
  EXPECT_EQ(io::write_json(*document), bytes);
}

} // namespace

TEST(RegionVersions, SeveralAtOnce) {
  for (const std::vector<std::size_t> &order : {std::vector<std::size_t>{0, 1}, {1, 0}}) {
    check_at_once(two, {"S", "T"}, order);
    check_at_once(in_and_behind_a_loop, {"S", "T"}, order);
  }
}

// Contents could have to outlive a trip of the loop.
TEST(RegionVersions, ExtentsAreNotAssignedInALoop) {
  const Document document = parse(in_and_behind_a_loop);
  Planning planning(*document);
  const auto result = planning.plan({"S", "T"}, "N <= 4");
  ASSERT_EQ(result.plans.size(), 2U);
  EXPECT_EQ(text_of(result.plans[0].buffers), "T ");
  EXPECT_EQ(text_of(result.plans[0].sized_in_branch), "");
  EXPECT_EQ(text_of(result.plans[1].sized_in_branch), "S ");
}

// A state frees it that a program which ends before does not come to.
TEST(RegionVersions, ExtentsAreNotAssignedWhereTheProgramMayEnd) {
  std::string program(two);
  program.replace(program.find("d1 -> w1"), 8, "d1 -> w1 if `N > 1`");
  const Document document = parse(program);
  Planning planning(*document);
  const auto result = planning.plan({"T"}, "N <= 4");
  ASSERT_EQ(result.plans.size(), 1U);
  EXPECT_EQ(text_of(result.plans[0].sized_in_branch), "");
}

TEST(RegionVersions, ExtentsAndWhatFollowsFromThem) {
  const Document document = parse(two_dimensions);
  const std::string bytes = io::write_json(*document);
  std::vector<RegionVersions> versions =
      apply(*document, {{{"T"}, "N <= 4", "define write_back ", "", "T "}});
  const std::string text = io::print_text(*document, {}).value();
  for (const char *part :
       {"transient array T: float64[2, __T_extent_0, symbol($__T_extent_1, dtype=dace.int64)]\n",
        "with __T_extent_0 = `1 + N`, __T_extent_1 = `Max(0, M)`\n", "symbol __T_extent_0: int32\n",
        "symbol __T_extent_1: int64\n"})
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  undo(*document, std::move(versions));
  EXPECT_EQ(io::write_json(*document), bytes);
  check(two_dimensions, {{{"T"}, "N <= 4", "define write_back ", "", "T "}});
}

TEST(RegionVersions, OverlappingPlansBecomeOne) {
  const Document document = parse(with_break);
  Planning planning(*document);
  EXPECT_EQ(blocks_of(planning.plan({"L"}, "M <= 2").plans.front()), "size sized ");
  const auto merged =
      planning.planner.plan_all({planning.request("T", "N <= 4"), planning.request("L", "M <= 2")});
  EXPECT_TRUE(merged.refused.empty());
  ASSERT_EQ(merged.plans.size(), 1U);
  EXPECT_EQ(text_of(merged.plans[0].buffers), "L T ");
  EXPECT_EQ(document->context.print(merged.plans[0].condition, symbolic::Grammar::Python),
            "M <= 2 and N <= 4");

  const Document apart = parse(two);
  Planning other(*apart);
  const auto both = other.plan({"S", "T"}, "N <= 4");
  ASSERT_EQ(both.plans.size(), 2U);
  EXPECT_EQ(text_of(both.plans[0].buffers), "T "); // in program order
}

TEST(RegionVersions, Refusals) {
  EXPECT_EQ(refusal(chain, {"T"}, "k <= 4"),
            "the program assigns to 'k', which the condition names");
  EXPECT_EQ(refusal(chain, {"T"}, "a <= 4"),
            "the condition names 'a', which is no symbol but data");
  EXPECT_EQ(refusal(chain, {"G"}, "N <= 4"), "'G' is not a transient");
  std::string program(whole);
  program.insert(program.find('}', program.find("w = v + 1.0")) + 1,
                 " @{\"state_fields\":[\"int x;\"]}");
  EXPECT_EQ(refusal(program, {"T"}, "N <= 4"),
            "tasklet 'g' declares something for the whole program, which cannot be there twice");
  program = with_return;
  program.replace(program.find("n0 G\n        n1 h"), 4, "n0 L");
  program.replace(program.find("n0 G[1..N] -> [1..N]"), 20, "n0 L[0..k] -> [0..k]");
  EXPECT_EQ(refusal(program, {"T"}, "N <= 4"),
            "the size of 'L' depends on symbols that the program assigns, and it is accessed "
            "inside and outside of what would be guarded");
}

// A copy of all control flow is written with the same bytes.
TEST(Clone, IsAsCompleteAsTheOriginal) {
  for (const std::string_view program : {chain, with_break, whole, mention}) {
    const Document typed = parse(program);
    auto document = io::written_and_read(*typed);
    ASSERT_TRUE(document.ok());
    ir::Document &read = *document.value();
    const std::string bytes = io::write_json(read);
    ir::Cloner cloner(read);
    read.root.root = cloner.region(read.root.root);
    EXPECT_EQ(io::write_json(read), bytes);
    read.root.root.renumbered = true; // all blocks are written from their members
    EXPECT_EQ(io::write_json(read).size(), bytes.size());
    for (const auto &[original, copy] : cloner.states())
      EXPECT_EQ(copy.value, original.value + cloner.states().size());
  }
}
