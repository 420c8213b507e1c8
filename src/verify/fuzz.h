// Random programs, optimised and run before and after: as they are, then with the conditions that
// the passes name as facts, then with guards.
#pragma once

#include "passes/pass.h"
#include "verify/generator.h"
#include "verify/verify.h"

#include <array>
#include <functional>
#include <string>
#include <vector>

namespace sdfgopt::verify {

struct FuzzOptions {
  std::uint64_t seed = 1; ///< of the first program; the others have the numbers that follow
  std::uint64_t count = 1000;
  std::vector<const passes::Pass *> passes;
  passes::PassOptions pass_options;
};

/// How a program was optimised.
struct FuzzMode {
  std::vector<std::string> facts = {};
  bool guard = false;
};

/// What went wrong with one program.
struct FuzzFailure {
  std::uint64_t seed = 0;
  std::string text; ///< the program
  FuzzMode mode;
  std::optional<GeneratedRun> symbols; ///< that show it; none: before it was run
  std::string what;                    ///< "invalid: ...", or what verify says
};

struct FuzzReport {
  std::uint64_t programs = 0;
  std::uint64_t rewritten = 0;           ///< programs in which a pass did something
  std::uint64_t eliminated = 0;          ///< buffers
  std::uint64_t trusted = 0;             ///< of these, those that rest on an assumption
  std::uint64_t offered = 0;             ///< conditions under which a buffer that is kept could go
  std::uint64_t fired = 0;               ///< of these, those that free it as a fact
  std::uint64_t eliminated_by_facts = 0; ///< buffers, that and others, in all runs with facts
  std::uint64_t guarded = 0;             ///< buffers
  std::uint64_t with_conditions = 0;     ///< programs that were also run with facts and guards
  std::array<std::uint64_t, passes::rule_count> kept = {}; ///< buffers, by the rule that decided
  std::uint64_t runs = 0;                                  ///< compared, one a choice of symbols
  std::uint64_t elements = 0;                              ///< compared
  std::uint64_t not_run = 0; ///< programs that do not run before the passes, for any choice
  std::vector<FuzzFailure> failures;
};

/// Generates, optimises and verifies `count` programs. `progress` is called behind each.
FuzzReport fuzz(const FuzzOptions &options,
                const std::function<void(const FuzzReport &)> &progress);

/// What is wrong with the passes' result for one program; nothing if it is right. Counts are added
/// to `report`. Where conditions are named, the program is also optimised with each of them as a
/// fact, with all of them if they can hold at once, and with guards.
std::optional<FuzzFailure> check_program(const std::string &text,
                                         const std::vector<GeneratedRun> &runs,
                                         const FuzzOptions &options, FuzzReport &report);

/// The smallest program found that fails in the same way, as a `.sdfgt` with its `; run:` and
/// `; assume:` lines.
std::string reduced(const FuzzFailure &failure, const FuzzOptions &options);

/// For people: counts, and which rules never decided.
std::string report_text(const FuzzReport &report);

} // namespace sdfgopt::verify
