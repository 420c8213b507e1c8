// Where a question fails: its problem under what is known.
#pragma once

#include "sets/problem.h"
#include "sets/solver.h"

namespace sdfgopt::sets {

/// The values of the symbols, within the facts, for which the answer to one question is no.
struct Failure {
  enum class State : std::uint8_t {
    Never,       ///< the question holds
    Sometimes,   ///< or always, as far as one can tell
    Always,      ///< for all values that the facts allow
    Inscrutable, ///< isl failed, or what was approximated may be all there is to it
  };
  /// One way to fail that is possible.
  struct Part {
    IslSet violation;
    IslSet relevant; ///< violation less what other dimensions exclude, if that set is small enough
    IslSet domain;   ///< where conditions against it are sought: the dimension has points
  };

  State state = State::Never;
  bool any = true; ///< each part is a failure; else only all of them together are
  /// No set was approximated. If one was, sets of failing values are too large, which leaves Yes
  /// and When right, but says nothing for No.
  bool exact = true;
  std::vector<Part> parts;
  IslSet domain; ///< facts, what is given, and that there are points; null if it has too many cases
  IslSet violation; ///< the part of `domain` where the question fails; null likewise
};

/// `exact`: neither `problem` nor `given`, what is known for this question only, was approximated.
Failure find_failure(Context &context, Translator &translator, const Problem &problem, bool exact,
                     const KnownSet &facts, const IslSet &given,
                     const std::vector<Name> &variables);

} // namespace sdfgopt::sets
