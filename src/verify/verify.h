// Two programs, the same inputs: can anybody tell them apart?
#pragma once

#include "verify/runner.h"

#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace sdfgopt::verify {

struct VerifyOptions {
  SymbolMap symbols; ///< the rest is chosen: descriptors, memlets and conditions tell what is valid
  /// Python conditions over the symbols, `1 <= a <= b`: every choice satisfies all of them.
  std::vector<std::string> facts = {};
  std::size_t runs = 8;   ///< choices of symbols and inputs
  std::uint64_t seed = 1; ///< of the choices and of the inputs
  std::int64_t size = 6;  ///< about how large chosen extents are
  RunLimits limits{.fuel = std::uint64_t{1} << 28, .memory = std::size_t{1} << 29};
  std::stop_token stop = {}; ///< once a stop is asked for, ends soon with ErrorCode::Stopped
};

/// One choice of symbols and inputs, run in two orders and with three contents of memory that
/// nobody wrote.
struct VerifiedRun {
  SymbolMap symbols;
  std::uint64_t seed = 0;
  std::size_t elements = 0;  ///< compared, over all arguments, padding included
  std::size_t undefined = 0; ///< left out: they depend on memory that nobody wrote
  /// Left out: they depend on an order that the program leaves open. (Where that is rounding and no
  /// more, they must still be about the same.)
  std::size_t unordered = 0;
};

enum class DifferenceKind : std::uint8_t {
  Value,     ///< an element has another value
  Undefined, ///< an element depends on memory that nobody wrote, only afterwards
  Order,     ///< an element depends on an order that is left open, only afterwards
  Argument,  ///< an argument is gone, new, or laid out in another way
  Symbol,    ///< a symbol is needed that the program before does not need
  Failure,   ///< the program afterwards cannot be run to its end
};

struct Difference {
  DifferenceKind kind = DifferenceKind::Value;
  std::string array;
  std::string index;  ///< "[3, 4]", or ", memory element 17 (padding)"
  std::string before; ///< the value
  std::string after;
  std::string after_too; ///< another value of it, with another order (DifferenceKind::Order)
  /// "s2 'write_back'": behind it, the element differs and stays different (divergence.h).
  std::string state;
  std::string message; ///< where it is not about an element
  SymbolMap symbols;
  std::uint64_t seed = 0;
};

struct VerifyReport {
  std::vector<VerifiedRun> runs;
  std::size_t wanted = 0;  ///< runs that were asked for
  std::size_t skipped = 0; ///< choices for which the program before does not run; others follow
  std::string why_skipped; ///< the first of them
  /// Conditions of branches, in either program, that depend on symbols that are chosen; and how
  /// many of them come out both ways in the runs.
  std::size_t conditions = 0;
  std::size_t seen_both_ways = 0;
  std::optional<Difference> difference;

  [[nodiscard]] bool same() const { return !difference.has_value(); }
};

/// Compares every byte of every argument, padding included. An error if nothing is compared: the
/// program before cannot be run for any choice, no element of an argument has a value that it
/// determines, or no values of the symbols were found that satisfy the facts.
support::result<VerifyReport> verify(ir::Document &before, ir::Document &after,
                                     const VerifyOptions &options);

/// What differs and in which state the runs part; one or two lines.
std::string difference_text(const Difference &difference);

/// "same: 8 runs, 1234 elements" of a report without difference.
std::string total_text(const VerifyReport &report);

/// For people, several lines. `command` is how this was asked for, "sdfg-opt verify a.sdfg b.sdfg";
/// a difference ends with it and the options that show this difference again. Limits that were
/// given belong to `command`. Without one, it ends with the symbols and the seed.
/// With `all_runs`, one more line for each choice.
std::string report_text(const VerifyReport &report, const std::string &command,
                        bool all_runs = false);

} // namespace sdfgopt::verify
