// From questions that can fail, and how they may be combined, to one of the four answers.
#pragma once

#include "sets/condition.h"
#include "sets/failure.h"

#include <vector>

namespace sdfgopt::sets {

/// Something that is required, as far as it is not decided: all questions of at least one of the
/// alternatives must hold.
struct Goal {
  std::vector<std::vector<const Failure *>> alternatives;
  bool exact = true; ///< there are no other alternatives that might hold

  // Filled by Decision:
  /// Where no alternative holds, or more than that; null if it has too many cases.
  IslSet violation;
};

class Decision {
public:
  /// Conditions leave values in `wanted`, a subset of `facts`.
  Decision(std::vector<Goal> goals, IslSet facts, IslSet wanted, ConditionFinder &finder,
           Translator &translator);

  /// Yes or No if no sets are needed to tell, else Unknown.
  static Verdict at_sight(const Goal &goal);
  /// Unknown on any isl error.
  Answer answer();
  /// Whether the answer is Yes.
  bool is_certain();

private:
  /// What has been chosen so far.
  struct Draft {
    IslSet chosen; ///< the facts and the conjunction of all atoms
    std::vector<Atom> atoms;
    std::vector<IslSet> violations; ///< what they exclude
  };

  bool holds(Goal &goal);
  Answer condition();
  bool settle(const Goal &goal, Draft &draft);
  bool settle_one_of(const Goal &goal, Draft &draft);
  bool exclude(const Failure &failure, Draft &draft);
  bool exclude_each_part(const Failure &failure, Draft &draft);
  bool exclude_one_part(const Failure &failure, Draft &draft);
  bool exclude_overall(const Failure &failure, Draft &draft);
  bool exclude_set(const IslSet &violation, const IslSet &domain, Draft &draft);
  void take(Choice choice, Draft &draft);
  bool impossible();
  Answer checked(const Choice &choice, const std::vector<IslSet> &violations);

  std::vector<Goal> goals_;
  IslSet facts_;
  IslSet wanted_;
  ConditionFinder &finder_;
  Translator &translator_;
};

} // namespace sdfgopt::sets
