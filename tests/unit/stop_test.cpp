// Stop tokens: what takes long ends soon once a stop is asked for, and says so.
#include "interp/compile.h"
#include "interp/machine.h"
#include "io/file.h"
#include "io/text_parser.h"
#include "ir/verifier.h"
#include "passes/fact_search.h"
#include "verify/verified_passes.h"

#include <fmt/format.h>

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

namespace sdfgopt {
namespace {

using support::ErrorCode;
using namespace std::chrono_literals;

std::unique_ptr<ir::Document> parsed(const std::string &body) {
  auto document = io::parse_text("sdfg p {\n" + body + "}\n");
  EXPECT_TRUE(document.ok()) << document.error().text();
  return std::move(document).value();
}

/// `count` buffers, each computed and then copied out.
std::string buffers(int count) {
  std::string data = "  array a: float64[8]\n";
  std::string define;
  std::string copy;
  for (int k = 0; k < count; ++k) {
    data += fmt::format("  array G{0}: float64[8]\n  transient array T{0}: float64[8]\n", k);
    define +=
        fmt::format("    n{1} map m{0} [i = 0..7] exit n{3}: n{2} tasklet t (x = n{4} a[i]) -> "
                    "(y = n{5} T{0}[i]) {{ y = x }}\n    n{4} a\n    n{5} T{0}\n",
                    k, 5 * k, 5 * k + 1, 5 * k + 2, 5 * k + 3, 5 * k + 4);
    copy += fmt::format("    n{1} T{0}\n    n{2} G{0} <- n{1} T{0}[0..7] -> [0..7]\n", k, 2 * k,
                        2 * k + 1);
  }
  return data + "  state define {\n" + define + "  }\n  state copy {\n" + copy +
         "  }\n  define -> copy\n";
}

/// 2^40 steps.
const std::string endless =
    "  array a: float64[8]\n  state s {\n    n0 map m [i = 0..1099511627775] "
    "exit n2: n1 tasklet t (x = n3 a[0]) -> (y = n4 a[1]) { y = x }\n"
    "    n3 a\n    n4 a\n  }\n";

/// A token that is asked to stop a little later.
class Later {
public:
  explicit Later(std::chrono::milliseconds wait)
      : thread_([this, wait] {
          std::this_thread::sleep_for(wait);
          asked_ = std::chrono::steady_clock::now();
          source_.request_stop();
        }) {}
  ~Later() { thread_.join(); }
  Later(const Later &) = delete;
  Later &operator=(const Later &) = delete;

  [[nodiscard]] std::stop_token token() const { return source_.get_token(); }
  /// How long ago that was.
  [[nodiscard]] std::chrono::steady_clock::duration since() const {
    return std::chrono::steady_clock::now() - asked_;
  }

private:
  std::stop_source source_;
  std::chrono::steady_clock::time_point asked_;
  std::thread thread_;
};

std::stop_token asked_already() {
  std::stop_source source;
  source.request_stop();
  return source.get_token();
}

template <typename T> void expect_stopped(const support::result<T> &done) {
  ASSERT_FALSE(done.ok());
  EXPECT_EQ(done.error().code, ErrorCode::Stopped) << done.error().text();
}

std::vector<const passes::Pass *> all_passes() {
  const auto all = passes::all_passes();
  return {all.begin(), all.end()};
}

/// Wherever it comes; on a busy machine, it may come too late.
TEST(Stop, PassesLeaveAValidProgram) {
  for (const auto wait : {0ms, 1ms, 2ms, 5ms, 10ms}) {
    const auto document = parsed(buffers(1000));
    const Later later(wait);
    passes::PassOptions options;
    options.stop = later.token();
    const auto done = passes::run_passes(*document, all_passes(), options);
    EXPECT_TRUE(done.ok() || done.error().code == ErrorCode::Stopped);
    EXPECT_TRUE(ir::check(document->root).ok());
  }
}

TEST(Stop, PassesDoNothingIfItWasAskedBefore) {
  for (const bool guard : {false, true}) {
    const auto document = parsed(buffers(3));
    const std::string before = io::render(*document, io::FileForm::Json, false).value();
    passes::PassOptions options;
    options.guard = guard;
    options.stop = asked_already();
    expect_stopped(passes::run_passes(*document, all_passes(), options));
    EXPECT_EQ(io::render(*document, io::FileForm::Json, false).value(), before);
  }
}

TEST(Stop, ATokenThatIsNotAskedChangesNothing) {
  const auto document = parsed(buffers(3));
  std::stop_source source;
  passes::PassOptions options;
  options.stop = source.get_token();
  const auto done = passes::run_passes(*document, all_passes(), options);
  ASSERT_TRUE(done.ok());
  EXPECT_EQ(done.value().remarks.size(), 3U);
  EXPECT_TRUE(done.value().changed);
}

TEST(Stop, SearchForFacts) {
  const auto document = parsed(buffers(3));
  passes::PassOptions options;
  options.stop = asked_already();
  expect_stopped(passes::search_facts(*document, options));
}

TEST(Stop, SolverKnowsNothingAnyMore) {
  ir::Document document;
  sets::Solver solver(document.context);
  const symbolic::Expr one = document.context.integer(1);
  const auto less = document.context.compare_op(
      symbolic::Kind::Lt, document.context.symbol(document.names.intern("n")), one);
  EXPECT_EQ(solver.implied(less, {less}).verdict, sets::Verdict::Yes);
  solver.stop_on(asked_already());
  EXPECT_EQ(solver.implied(less, {less}).verdict, sets::Verdict::Unknown);
}

TEST(Stop, Runs) {
  const auto document = parsed(endless);
  const auto program = interp::compile(*document, 0);
  ASSERT_TRUE(program.ok());
  for (const std::uint64_t order : {0, 7}) {
    const Later later(20ms);
    interp::RunOptions options;
    options.fuel = std::uint64_t{1} << 50;
    options.order_seed = order;
    options.stop = later.token();
    expect_stopped(interp::run(program.value(), {}, {std::vector<std::byte>(64)}, options));
    EXPECT_LT(later.since(), 2s);
  }
}

TEST(Stop, Comparisons) {
  const auto before = parsed(endless);
  const auto after = parsed(endless);
  const Later later(20ms);
  verify::VerifyOptions options;
  options.limits.fuel = std::uint64_t{1} << 50;
  options.stop = later.token();
  expect_stopped(verify::verify(*before, *after, options));
  EXPECT_LT(later.since(), 2s);
}

TEST(Stop, ManyShortComparisons) {
  const std::string text = buffers(1);
  const auto before = parsed(text);
  const auto after = parsed(text);
  const Later later(20ms);
  verify::VerifyOptions options;
  options.runs = 100'000'000;
  options.stop = later.token();
  expect_stopped(verify::verify(*before, *after, options));
  EXPECT_LT(later.since(), 2s);
}

TEST(Stop, VerifiedPasses) {
  const auto document = parsed(buffers(1));
  verify::VerifyOptions options;
  options.stop = asked_already();
  const auto done = verify::run_verified(*document, all_passes(), {}, options, "p.sdfg");
  expect_stopped(done);
  EXPECT_EQ(done.error().text(), "the comparison was stopped");
}

} // namespace
} // namespace sdfgopt
