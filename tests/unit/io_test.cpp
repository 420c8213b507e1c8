// Reading and writing .sdfg files: the same bytes come out, also when every element is written
// anew; what the files mean; what is refused.
#include "io/file.h"
#include "io/gzip.h"
#include "io/json_reader.h"
#include "io/json_respace.h"
#include "io/json_text.h"
#include "io/json_writer.h"
#include "io/text_rules.h"

#include "sdfg_files.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

namespace sdfgopt::io {
namespace {

namespace fs = std::filesystem;

const fs::path source_dir = SDFGOPT_SOURCE_DIR;
const fs::path pitfalls = source_dir / "tests/data/pitfalls";

std::string bytes_of(const fs::path &path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// The file's JSON, unpacked.
std::string json_of(const fs::path &path) {
  std::string bytes = bytes_of(path);
  return is_gzip(bytes) ? gunzip(bytes, std::size_t{1} << 30).value() : bytes;
}

support::result<std::unique_ptr<ir::Document>> read(std::string_view text) {
  auto buffer = std::make_unique<char[]>(text.size() + support::TextArena::padding);
  std::copy(text.begin(), text.end(), buffer.get());
  return read_json(std::move(buffer), text.size());
}

std::unique_ptr<ir::Document> read_ok(std::string_view text) {
  auto document = read(text);
  EXPECT_TRUE(document.ok()) << document.error().text();
  return document.ok() ? std::move(document).value() : nullptr;
}

std::unique_ptr<ir::Document> pitfall(const std::string &name) {
  const fs::path path = pitfalls / (name + ".sdfg");
  EXPECT_TRUE(fs::exists(path)) << path;
  return read_ok(bytes_of(path));
}

// --- everything written anew -------------------------------------------------------------------

void mark(ir::Sdfg &sdfg);

void mark(ir::State &state) {
  state.renumbered = true;
  for (ir::Node &node : state.nodes) {
    node.changed = true;
    if (auto *nested = node.as<ir::NestedSdfg>(); nested && nested->sdfg)
      mark(*nested->sdfg);
  }
  for (ir::Edge &edge : state.edges)
    edge.changed = edge.memlet_changed = true;
}

void mark(ir::Region &region) {
  region.renumbered = true;
  for (ir::InterstateEdge &edge : region.edges)
    edge.changed = true;
  for (ir::Block &block : region.blocks) {
    block.changed = true;
    if (auto *state = block.as<ir::State>())
      mark(*state);
    if (auto *conditional = block.as<ir::ConditionalBlock>())
      for (ir::Branch &branch : conditional->branches) {
        branch.container.changed = true;
        if (branch.condition)
          branch.condition_source = {};
      }
    if (block.is<ir::LoopRegion>())
      for (const char *statement : {"init_statement", "loop_condition", "update_statement"})
        block.touch(statement);
    for (ir::Region *child : ir::child_regions(block))
      mark(*child);
  }
}

/// Marks every element as changed, so that it is written from its typed fields.
void mark(ir::Sdfg &sdfg) {
  sdfg.changed = true;
  for (ir::Descriptor &descriptor : sdfg.arrays)
    descriptor.changed = true;
  mark(sdfg.root);
}

std::string written_anew(std::string_view text) {
  const auto document = read_ok(text);
  if (!document)
    return {};
  mark(document->root);
  return write_json(*document);
}

/// Long texts that differ, shown around the first difference.
void expect_same(std::string_view got, std::string_view wanted) {
  const auto [a, b] = std::mismatch(got.begin(), got.end(), wanted.begin(), wanted.end());
  if (a == got.end() && b == wanted.end())
    return;
  const auto at = static_cast<std::size_t>(a - got.begin());
  const std::size_t from = at < 60 ? 0 : at - 60;
  ADD_FAILURE() << "differ at byte " << at << "\n  got    " << got.substr(from, 160)
                << "\n  wanted " << wanted.substr(from, 160);
}

std::size_t count_of(std::string_view text, std::string_view part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1))
    ++count;
  return count;
}

/// Files whose spelling is legal but not DaCe's: written anew, they are normalised.
const std::map<std::string, std::string> not_in_dace_spelling = {
    {"04_ids_by_position.sdfg", "ids are positions and ends of edges strings, when written"},
    {"17_old_indices.sdfg", "an index is written as a range of one element"},
};

void expect_round_trip(const fs::path &path) {
  SCOPED_TRACE(path.string());
  const std::string text = json_of(path);
  const auto document = read_ok(text);
  ASSERT_NE(document, nullptr);
  expect_same(write_json(*document), text);
  const std::string anew = written_anew(text);
  if (!not_in_dace_spelling.contains(path.filename().string())) {
    expect_same(anew, text);
    return;
  }
  // What the IR does not model is still there, and the new spelling is final.
  EXPECT_EQ(count_of(anew, "future"), count_of(text, "future"));
  EXPECT_EQ(count_of(anew, "debuginfo"), count_of(text, "debuginfo"));
  EXPECT_EQ(count_of(anew, "\"guid\""), count_of(text, "\"guid\""));
  expect_same(written_anew(anew), anew);
}

TEST(RoundTrip, Pitfalls) {
  const auto files = sdfg_files({pitfalls});
  ASSERT_GE(files.size(), 30u);
  for (const fs::path &path : files)
    expect_round_trip(path);
}

void round_trip_folder(const fs::path &folder) {
  const auto files = sdfg_files({folder});
  if (files.empty())
    GTEST_SKIP() << "0 files in " << folder;
  for (const fs::path &path : files)
    expect_round_trip(path);
  std::cout << files.size() << " files\n";
}

TEST(RoundTrip, Examples) { round_trip_folder(source_dir / "examples"); }
TEST(RoundTrip, Cases) { round_trip_folder(source_dir.parent_path() / "shared/cases"); }
TEST(RoundTrip, Corpus) { round_trip_folder(source_dir.parent_path() / "shared/corpus"); }

// --- what files mean ---------------------------------------------------------------------------

const ir::State &state_of(const ir::Document &document, std::size_t block = 0) {
  return *document.root.root.blocks.at(block).as<ir::State>();
}

TEST(Meaning, ScalarsKeepTheirTokens) {
  const auto document = pitfall("01_nan_infinity");
  ASSERT_NE(document, nullptr);
  const std::string_view constants = document->root.attribute("constants_prop");
  for (const char *token : {"NaN", ",Infinity", "-Infinity"})
    EXPECT_NE(constants.find(token), std::string_view::npos) << token;
  const auto big = pitfall("02_beyond_int64");
  EXPECT_NE(big->root.attribute("constants_prop").find("9223372036854775809"), std::string::npos);
  const auto floats = pitfall("03_float_repr");
  for (const char *token : {"1e-05", "1e+22", "1e+16", "-0.0", "5e-324"})
    EXPECT_NE(floats->root.attribute("constants_prop").find(token), std::string::npos) << token;
}

TEST(Meaning, PositionIsIdentity) {
  const auto document = pitfall("04_ids_by_position");
  ASSERT_NE(document, nullptr);
  const ir::State &state = state_of(*document);
  ASSERT_EQ(state.nodes.size(), 5u);
  for (std::size_t i = 0; i < state.nodes.size(); ++i)
    if (state.nodes[i].is_scope_entry()) {
      EXPECT_EQ(state.node(state.nodes[i].scope_partner()).scope_partner(), ir::NodeId(i));
    }
  for (const ir::Edge &edge : state.edges)
    EXPECT_LT(edge.src.value, 5u);
}

TEST(Meaning, DefaultsFillIn) {
  const auto document = pitfall("06_missing_defaults");
  ASSERT_NE(document, nullptr);
  ASSERT_EQ(document->root.arrays.size(), 2u);
  EXPECT_TRUE(document->root.arrays[0].dtype.empty());
  EXPECT_EQ(document->root.arrays[0].dtype_or_default(), "\"int32\"");
  const ir::Memlet &memlet = state_of(*document, 1).edges.at(0).memlet;
  EXPECT_TRUE(memlet.dynamic);
  EXPECT_FALSE(memlet.volume);
  EXPECT_FALSE(document->root.root.edges.at(0).condition);

  const auto spelled = pitfall("28_explicit_defaults");
  ASSERT_NE(spelled, nullptr);
  EXPECT_FALSE(spelled->root.arrays[0].transient);
  EXPECT_EQ(spelled->root.arrays[0].lifetime, "\"Scope\"");
}

TEST(Meaning, NamesLikeKeys) {
  const auto document = pitfall("09_names_like_keys");
  ASSERT_NE(document, nullptr);
  for (const char *name : {"type", "name", "guid", "attributes"})
    EXPECT_NE(document->root.find_array(document->names.find(name)), nullptr) << name;
}

TEST(Meaning, UnknownEnumMembersAreKept) {
  const auto document = pitfall("10_unknown_enum");
  ASSERT_NE(document, nullptr);
  EXPECT_EQ(document->root.arrays[0].storage, "\"NewStorage\"");
  EXPECT_EQ(document->root.arrays[1].lifetime, "\"NewLifetime\"");
  const auto &nodes = state_of(*document).nodes;
  const auto map = std::find_if(nodes.begin(), nodes.end(),
                                [](const ir::Node &node) { return node.is<ir::MapEntry>(); });
  ASSERT_NE(map, nodes.end());
  EXPECT_EQ(map->as<ir::MapEntry>()->schedule, "\"NewSchedule\"");
}

TEST(Meaning, BadPartsBecomeUnknown) {
  const auto document = pitfall("12_bad_parts");
  ASSERT_NE(document, nullptr);
  EXPECT_EQ(document->root.arrays[2].kind, ir::DescriptorKind::Unknown);
  const symbolic::Expr oops = document->context.value(document->root.arrays[0].total_size);
  EXPECT_EQ(oops->kind(), symbolic::Kind::Opaque);
}

TEST(Meaning, UnknownElements) {
  const auto document = pitfall("21_unknown_members");
  ASSERT_NE(document, nullptr);
  EXPECT_TRUE(document->root.root.blocks.back().is<ir::UnknownBlock>());
  EXPECT_TRUE(state_of(*document).nodes.back().is<ir::UnknownNode>());
}

std::size_t nesting_of(const ir::Sdfg &sdfg) {
  for (const ir::Block &block : sdfg.root.blocks)
    if (const auto *state = block.as<ir::State>())
      for (const ir::Node &node : state->nodes)
        if (const auto *nested = node.as<ir::NestedSdfg>())
          return 1 + (nested->sdfg ? nesting_of(*nested->sdfg) : 0);
  return 0;
}

TEST(Meaning, NestedSdfgs) {
  EXPECT_EQ(nesting_of(pitfall("14_deep_nesting")->root), 6u);
  // A body that is a string, or in another file, is not looked into.
  for (const char *name : {"29_nested_as_string", "30_external_nested"}) {
    const auto document = pitfall(name);
    ASSERT_NE(document, nullptr);
    EXPECT_EQ(nesting_of(document->root), 1u) << name;
  }
}

TEST(Meaning, OldFiles) {
  const auto document = pitfall("16_old_expressions");
  ASSERT_NE(document, nullptr);
  EXPECT_EQ(document->grammar, symbolic::Grammar::Legacy);
  EXPECT_EQ(document->layout.style, ir::Layout::Style::Indented);
  EXPECT_EQ(document->layout.indent, 2u);
  EXPECT_EQ(document->root.arrays[0].shape.at(0).grammar(), symbolic::Grammar::Legacy);
  EXPECT_EQ(document->context.value(document->root.arrays[0].shape.at(0))->kind(),
            symbolic::Kind::Symbol);

  const auto indices = pitfall("17_old_indices");
  ASSERT_NE(indices, nullptr);
  bool found = false;
  for (const ir::Edge &edge : state_of(*indices).edges)
    for (const ir::Range &range : edge.memlet.subset.ranges())
      if (range.begin.text() == "i") {
        found = true;
        EXPECT_EQ(range.begin, range.end);
        EXPECT_EQ(range.step.text(), "1");
      }
  EXPECT_TRUE(found);
  EXPECT_EQ(pitfall("20_old_conditional_block")->root.root.blocks.at(1).type.view(), "LoopRegion");
}

TEST(Meaning, Versions) {
  for (const char *old : {"1.0.2", "0.16", "2.0.0a1", "2.0.0a3"})
    EXPECT_TRUE(has_legacy_expressions(old)) << old;
  for (const char *current : {"2.0.0a4", "2.0.0a10", "2.0.0", "2.1.0a1", "9.9.9", "", "x"})
    EXPECT_FALSE(has_legacy_expressions(current)) << current;
}

TEST(Meaning, VersionIsTheKeyNotAText) {
  std::string text = bytes_of(pitfalls / "16_old_expressions.sdfg");
  text.insert(text.rfind('}'), R"(,"error":{"message":"dace_version"})");
  EXPECT_EQ(read_ok(text)->dace_version, "1.0.2");
}

TEST(Meaning, Texts) {
  const auto surrogates = pitfall("22_lone_surrogates");
  bool found = false;
  for (const ir::Node &node : state_of(*surrogates).nodes)
    if (const auto *tasklet = node.as<ir::Tasklet>()) {
      found = true;
      EXPECT_TRUE(tasklet->code.text.ends_with("// \xED\xA0\x80 \xED\xBF\xBF \xF0\x9F\x98\x80"));
    }
  EXPECT_TRUE(found);
  const auto names = pitfall("31_non_ascii_names");
  EXPECT_NE(names->root.find_array(names->names.find("\xC3\x84")), nullptr);
}

TEST(Meaning, SidesOfMemletsFollowFromTheirPathsEnds) {
  std::size_t compared = 0;
  const fs::path shared = source_dir.parent_path() / "shared";
  for (const fs::path &folder :
       {pitfalls, source_dir / "examples", shared / "cases", shared / "corpus"})
    for (const fs::path &path : sdfg_files({folder})) {
      const auto document = read_ok(json_of(path));
      ASSERT_NE(document, nullptr) << path;
      ir::for_each_state(document->root.root, [&](const ir::State &state, const ir::Block &) {
        const PathEnds ends(state);
        for (const ir::Edge &edge : state.edges)
          if (!edge.memlet.is_empty() && edge.memlet.data_is_source) {
            ++compared;
            EXPECT_EQ(ends.data_is_source(edge), *edge.memlet.data_is_source) << path;
          }
      });
    }
  EXPECT_GT(compared, 50u);
  // Where both ends are the same data, the file's word counts.
  const auto same = pitfall("34_same_data_on_both_ends");
  EXPECT_EQ(state_of(*same).edges.at(0).memlet.data_is_source, true);
}

TEST(Meaning, Layouts) {
  EXPECT_EQ(pitfall("24_indented")->layout.indent, 2u);
  EXPECT_EQ(pitfall("25_spaced")->layout.style, ir::Layout::Style::Spaced);
  EXPECT_EQ(pitfall("26_trailing_newline")->after, "\n\n");
  EXPECT_EQ(pitfall("27_leading_space")->before, " \n\t");
}

TEST(Meaning, ControlFlow) {
  const auto document = pitfall("32_control_flow");
  ASSERT_NE(document, nullptr);
  const auto &blocks = document->root.root.blocks;
  const auto &loop = *blocks.at(1).as<ir::LoopRegion>();
  EXPECT_EQ(loop.variable.view(), "i");
  EXPECT_TRUE(loop.inverted);
  EXPECT_EQ(loop.condition->text, "(i < 10)");
  const auto &choose = *loop.body.blocks.at(0).as<ir::ConditionalBlock>();
  ASSERT_EQ(choose.branches.size(), 2u);
  EXPECT_TRUE(choose.branches[0].condition);
  EXPECT_FALSE(choose.branches[1].condition);
  const ir::InterstateEdge &edge = document->root.root.edges.at(0);
  ASSERT_EQ(edge.assignments.size(), 2u);
  EXPECT_EQ(edge.assignments[0].first.view(), "z"); // insertion order
}

// --- refusals ----------------------------------------------------------------------------------

struct Refusal {
  const char *what;
  const char *old_text;
  const char *new_text;
};

TEST(Refusal, OneChangeInASmallFile) {
  const std::string good = bytes_of(pitfalls / "26_trailing_newline.sdfg");
  const Refusal refusals[] = {
      {"number for a name", R"("data":"A")", R"("data":7)"},
      {"null for access data", R"("file_index":1},"data":"A")", R"("file_index":1},"data":null)"},
      {"object for array", R"("shape":["$N"])", R"("shape":{})"},
      {"null extent", R"("shape":["$N"])", R"("shape":[null])"},
      {"boolean as text", R"("dtype":"float64")", R"("transient":"true","dtype":"float64")"},
      {"bad escape", R"("float64")", R"("float\q64")"},
      {"escaped key", R"("nodes":[)", R"("node\u0073":[)"},
      {"needless comma", R"("shape":["$N"])", R"("shape":["$N",])"},
      {"missing comma", R"("shape":["$N"])", R"("shape":["$N" "$N"])"},
      {"not a literal", R"("scope_entry":null)", R"("scope_entry":nullx)"},
      {"key twice", R"("label":"compute")", R"("label":"compute","label":"compute")"},
      {"end out of range", R"("src":"0")", R"("src":"99")"},
      {"negative end", R"("src":"0")", R"("src":"-1")"},
      {"huge end", R"("src":"0")", R"("src":"4294967295")"},
      {"start out of range", R"("start_block":null)", R"("start_block":3)"},
      {"no edges", R"("edges":[])", R"("edge":[])"},
      {"wrong type", R"({"type":"SDFG")", R"({"type":"sdfg")"},
      {"control character", "compute", "com\npute"},
      {"invalid UTF-8", "compute", "com\xFFpute"},
  };
  for (const Refusal &refusal : refusals) {
    SCOPED_TRACE(refusal.what);
    std::string text = good;
    const std::size_t at = text.find(refusal.old_text);
    if (at == std::string::npos) {
      ADD_FAILURE() << "not in the file: " << refusal.old_text;
      continue;
    }
    text.replace(at, std::string_view(refusal.old_text).size(), refusal.new_text);
    const auto document = read(text);
    ASSERT_FALSE(document.ok());
    EXPECT_FALSE(document.error().place.empty());
    EXPECT_EQ(document.error().text().find('\n'), std::string::npos) << document.error().text();
  }
}

TEST(Refusal, EveryTruncation) {
  const std::string good = bytes_of(pitfalls / "25_spaced.sdfg");
  for (std::size_t size = 0; size < good.size(); ++size)
    ASSERT_FALSE(read(std::string_view(good).substr(0, size)).ok()) << size;
}

TEST(Refusal, Nesting) {
  std::string text = bytes_of(pitfalls / "25_spaced.sdfg");
  text.insert(text.rfind('}'), ", \"deep\": " + std::string(20000, '[') + std::string(20000, ']'));
  const auto document = read(text);
  ASSERT_FALSE(document.ok());
  EXPECT_EQ(document.error().code, support::ErrorCode::Limit);
}

} // namespace
} // namespace sdfgopt::io
