// Regions in two versions: where they are, what they say, and that undoing leaves nothing behind.
#include "analysis/data_accesses.h"
#include "io/file.h"
#include "io/json_writer.h"
#include "io/text_parser.h"
#include "io/text_printer.h"
#include "ir/verifier.h"
#include "passes/region_versions.h"
#include "region_programs.h"
#include "verify/verify.h"

#include <gtest/gtest.h>

using namespace sdfgopt;
using namespace region_programs;
using passes::NoPlan;
using passes::RegionPlan;
using passes::RegionVersion;

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

  std::variant<RegionPlan, NoPlan> plan(const std::vector<std::string> &buffers,
                                        std::string_view condition) {
    std::vector<support::Name> names;
    names.reserve(buffers.size());
    for (const std::string &buffer : buffers)
      names.push_back(document.names.intern(buffer));
    symbolic::Expr value = nullptr;
    EXPECT_FALSE(document.context.parse(condition, symbolic::Grammar::Python, value));
    return planner.plan(names, value);
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

std::vector<RegionVersion> apply(ir::Document &document, const std::vector<Group> &groups) {
  std::vector<RegionVersion> versions;
  for (const Group &group : groups) {
    Planning planning(document);
    auto result = planning.plan(group.buffers, group.condition);
    auto *plan = std::get_if<RegionPlan>(&result);
    EXPECT_TRUE(plan) << std::get<NoPlan>(result).reason;
    if (!plan)
      continue;
    EXPECT_EQ(blocks_of(*plan), group.blocks);
    EXPECT_EQ(text_of(plan->local), group.local);
    const std::size_t before = ir::element_count(document.root.root);
    const std::size_t growth = plan->growth;
    versions.push_back(passes::apply_version(document, *plan));
    EXPECT_EQ(ir::element_count(document.root.root), before + growth);
    const auto sound = ir::check(document.root);
    EXPECT_TRUE(sound.ok()) << sound.error().text();
  }
  return versions;
}

void undo(ir::Document &document, std::vector<RegionVersion> versions) {
  for (; !versions.empty(); versions.pop_back())
    passes::undo_version(document, versions.back());
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
    std::vector<RegionVersion> versions = apply(*document, groups);
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
  auto result = planning.plan(buffers, condition);
  const auto *refused = std::get_if<NoPlan>(&result);
  return refused ? refused->reason : std::string();
}

} // namespace

TEST(RegionVersions, Chain) {
  check(chain, {{{"T"}, "N <= 4 and Max(N, 2) < 9", "define use write_back ", "x "}});
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
  check(two, {{{"T"}, "N <= 4", "d1 w1 ", ""}, {{"S"}, "N <= 5", "d2 w2 ", ""}});
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
  std::vector<RegionVersion> versions =
      apply(*document, {{{"T"}, "N <= 4", "d1 w1 ", ""},
                        {{"T_guarded"}, "N <= 2", "d1_guarded w1_guarded ", ""}});
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
  const RegionVersion version = apply(*document, {{{"T"}, "N <= 4", "d1 w1 ", ""}}).front();
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
  std::vector<RegionVersion> versions = apply(*document, {{{"T"}, "N <= 4", "d1 w1 ", ""}});
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

TEST(RegionVersions, OverlappingPlansBecomeOne) {
  const Document document = parse(with_break);
  Planning planning(*document);
  std::vector<RegionPlan> plans;
  for (const char *buffer : {"T", "L"})
    plans.push_back(
        std::get<RegionPlan>(planning.plan({buffer}, buffer[0] == 'T' ? "N <= 4" : "M <= 2")));
  EXPECT_EQ(blocks_of(plans[1]), "size sized ");
  const auto merged = planning.planner.merge(plans);
  EXPECT_TRUE(merged.refused.empty());
  ASSERT_EQ(merged.plans.size(), 1U);
  EXPECT_EQ(text_of(merged.plans[0].buffers), "L T ");
  EXPECT_EQ(document->context.print(merged.plans[0].condition, symbolic::Grammar::Python),
            "M <= 2 and N <= 4");

  const Document apart = parse(two);
  Planning other(*apart);
  plans = {std::get<RegionPlan>(other.plan({"S"}, "N <= 4")),
           std::get<RegionPlan>(other.plan({"T"}, "N <= 3"))};
  const auto both = other.planner.merge(plans);
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
