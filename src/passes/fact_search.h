// Facts that would let the pass eliminate more: those worth asking the program's owner about.
#pragma once

#include "passes/pass.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace sdfgopt::passes {

/// What the passes tell of the program, as it was, when these facts are assumed and nothing is
/// guarded; nothing if the facts are refused.
using RemarksUnder =
    std::function<std::optional<std::vector<Remark>>(const std::vector<std::string> &facts)>;

/// Facts, and what is eliminated once these and those of the groups before are assumed.
struct FactGroup {
  std::vector<std::string> facts; ///< single comparisons, in Grammar::Python
  std::vector<Remark> freed;
};

struct FoundFacts {
  std::vector<std::string> given;
  std::vector<FactGroup> groups;
  std::vector<Remark> remarks;          ///< under all of them
  std::vector<std::string> conflicting; ///< buffers that other facts would free, but not these
  bool complete = true;                 ///< if not, the search stopped at max_search_runs
};

/// How often the passes are run in a search, at most; then once more for each group of the result.
constexpr std::size_t max_search_runs = 200;

/// Beginning with `given`, adds the condition of one kept buffer after the other, and runs the
/// passes again, until no kept buffer has a condition: the one with the fewest comparisons first,
/// then the one with the most bytes, then the first. Where a choice excludes another buffer, lists
/// that begin with that one are made as well (8 lists in all); the list that frees the most
/// bytes is taken, then the shorter one, then the earlier. From it, each fact is dropped without
/// which as much is eliminated.
///
/// Bytes are compared by their mean over fixed pseudo-random values of the symbols, from 0 on: of
/// those tried, the ones that satisfy the facts; all of them, if none does. A size counts as 0
/// where it is negative, or cannot be computed.
///
/// Nothing if `given` is refused.
std::optional<FoundFacts> search_facts(const std::vector<std::string> &given,
                                       const RemarksUnder &remarks_under);

/// The same with all passes, on copies of the document; the facts of the options are given, and
/// nothing is guarded. An error if the document cannot be copied, or a stop was asked for.
support::result<FoundFacts> search_facts(ir::Document &document, const PassOptions &options);

} // namespace sdfgopt::passes
