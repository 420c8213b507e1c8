// Where two runs part: the state behind which an element differs for good.
#pragma once

#include "verify/runner.h"

namespace sdfgopt::verify {

/// A program, and the element to look at.
struct WatchedRunner {
  Runner &runner;
  interp::Watch element;
};

/// "s2 'write_back' (3rd time), where only the program before changes it"; reads on from "the runs
/// part in state ". The number is the state's before, or after if only that program runs it. "" if
/// not known, as after very many states.
///
/// A rewrite may move a write, so that an element differs for a while: what counts is the first
/// state of those, up to the end, behind which it differs. `memory` is that of the program before,
/// with bits `initial` of the element; argument k of it is argument places[k] afterwards.
support::result<std::string>
first_divergence(const WatchedRunner &before, const WatchedRunner &after, const SymbolMap &symbols,
                 const interp::Memory &memory, const std::vector<std::size_t> &places,
                 std::uint64_t initial, const interp::RunOptions &options);

} // namespace sdfgopt::verify
