// From a problem (where does the property fail?) to one of the four answers.
#pragma once

#include "sets/condition.h"
#include "sets/problem.h"
#include "sets/solver.h"

namespace sdfgopt::sets {

class Decision {
public:
  /// `exact`: no set of the problem was approximated. If one was, sets of failing values are too
  /// large, which leaves Yes and When right, but says nothing for No.
  Decision(const Problem &problem, IslSet facts, bool exact, ConditionFinder &finder,
           Translator &translator);

  /// Unknown on any isl error.
  Answer answer();

private:
  Answer condition_for_all();
  Answer condition_for_one();
  Answer condition_overall();
  Answer checked(const Choice &choice, std::span<const IslSet> violations);

  const Problem &problem_;
  IslSet facts_;
  bool exact_;
  ConditionFinder &finder_;
  Translator &translator_;
  /// Of the parts that can fail: where each does, and in which set conditions for it are sought.
  struct Live {
    IslSet violation;
    IslSet domain;
  };
  std::vector<Live> live_;
  IslSet domain_;    ///< facts and problem.context; null if it has too many cases
  IslSet violation_; ///< the part of domain_ where the property fails; null likewise
};

} // namespace sdfgopt::sets
