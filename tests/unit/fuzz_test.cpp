// Fuzzing finds what a pass does wrong, and makes it small.
#include "io/text_parser.h"
#include "verify/fuzz.h"

#include <gtest/gtest.h>

#include <algorithm>

using namespace sdfgopt;

namespace {

/// Takes away every copy between two arrays: as wrong as a pass can be, and still a valid program.
class CopiesDropped final : public passes::Pass {
public:
  [[nodiscard]] std::string_view name() const override { return "copies-dropped"; }
  [[nodiscard]] std::string_view summary() const override { return "for the test"; }
  passes::PassResult run(ir::Document &document, const passes::PassOptions &) const override {
    passes::PassResult result;
    ir::for_each_state(document.root.root, [&](ir::State &state, ir::Block &) {
      for (ir::Edge &edge : state.edges)
        if (!edge.memlet.is_empty() && state.node(edge.src).is<ir::AccessNode>() &&
            state.node(edge.dst).is<ir::AccessNode>()) {
          edge.memlet = {};
          edge.src_connector = {};
          edge.dst_connector = {};
          edge.memlet_changed = edge.changed = result.changed = true;
        }
    });
    return result;
  }
};

/// Does nothing, and says that it did.
class NothingDone final : public passes::Pass {
public:
  [[nodiscard]] std::string_view name() const override { return "nothing-done"; }
  [[nodiscard]] std::string_view summary() const override { return "for the test"; }
  passes::PassResult run(ir::Document &, const passes::PassOptions &) const override {
    passes::PassResult result;
    result.changed = true;
    return result;
  }
};

verify::FuzzReport fuzz(const verify::FuzzOptions &options) {
  return verify::fuzz(options, [](const verify::FuzzReport &) {});
}

TEST(Fuzz, WrongPassIsFoundAndReduced) {
  const CopiesDropped pass;
  verify::FuzzOptions options;
  options.count = 30;
  options.passes = {&pass};
  const verify::FuzzReport report = fuzz(options);
  EXPECT_GT(report.failures.size(), 10U);
  const auto failure =
      std::find_if(report.failures.begin(), report.failures.end(),
                   [](const verify::FuzzFailure &f) { return f.symbols.has_value(); });
  ASSERT_NE(failure, report.failures.end());
  const std::string small = verify::reduced(*failure, options);
  EXPECT_EQ(small.rfind("; test optimize\n; run:", 0), 0U) << small;
  EXPECT_LT(small.size(), failure->text.size() / 2) << small;
  const std::string program = small.substr(small.find("\nsdfg ") + 1);
  ASSERT_TRUE(io::parse_text(program).ok());
  verify::FuzzReport again;
  EXPECT_TRUE(verify::check_program(program, {*failure->symbols}, options, again).has_value());
}

TEST(Fuzz, ProgramsAgreeWithThemselves) {
  const NothingDone pass;
  verify::FuzzOptions options;
  options.count = 300;
  options.seed = 1000;
  options.passes = {&pass};
  const verify::FuzzReport report = fuzz(options);
  for (const verify::FuzzFailure &failure : report.failures)
    ADD_FAILURE() << failure.what << failure.text;
  EXPECT_EQ(report.rewritten, options.count);
  EXPECT_LT(report.not_run, options.count / 50);
  EXPECT_GT(report.elements, 100 * options.count);
}

TEST(Fuzz, EveryRuleDecides) {
  verify::FuzzOptions options;
  options.count = 400;
  options.passes.assign(passes::all_passes().begin(), passes::all_passes().end());
  const verify::FuzzReport report = fuzz(options);
  EXPECT_TRUE(report.failures.empty());
  EXPECT_GT(report.eliminated, 100U);
  EXPECT_EQ(verify::report_text(report).find("never decided"), std::string::npos)
      << verify::report_text(report);
}

} // namespace
