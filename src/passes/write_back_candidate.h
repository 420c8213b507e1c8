// A buffer, the array it is copied to, and the judgement on moving it there.
#pragma once

#include "passes/analyses.h"
#include "passes/pass.h"
#include "passes/redirect.h"
#include "passes/remark.h"

#include <optional>

namespace sdfgopt::passes {

/// A copy of a buffer at the top level of a state: the edge from an access node of the buffer to
/// one of the destination.
struct Copy {
  ir::State *state;
  PointId point;
  EdgeId edge;
};

/// Letters as in docs/rules.md: T the buffer, G the destination, w the copies.
struct Candidate {
  Name buffer;
  Name destination;
  std::vector<Copy> copies;
};

/// What stands in the way, if anything, or how to rewrite.
struct Judgement {
  Rule rule = Rule::None;
  std::string reason;
  /// What must hold as well, and only does for some values of the symbols; if anything, `rule` and
  /// `reason` are those of the first.
  std::vector<sets::Requirement> required;
  Expr condition = nullptr; ///< under which it all holds, in its simplest form; null: none known
  std::vector<std::string> facts_used; ///< of the user's, without which it is not proved
  bool trusted = false;
  std::optional<sets::Region> copied; ///< the part of T that the copies move, if they move one
  std::optional<RedirectPlan> plan;   ///< if nothing is in the way
  DroppedCopies dropped;              ///< the copies, and copies of the same part of G into T

  [[nodiscard]] bool allowed() const { return rule == Rule::None; }
};

struct JudgeOptions {
  bool assume_pointwise = false;
  const std::vector<Fact> &facts;  ///< the user's
  const sets::KnownFacts &assumed; ///< what is known anyway, and these
};

Judgement judge(Analyses &analyses, const Candidate &candidate, const JudgeOptions &options);

/// The size of what the copies of a state move, in bytes, as an expression in Grammar::Python; of
/// the first copy alone, if they do not move one part. "" if it cannot be told.
std::string bytes_of_copy(Analyses &analyses, const Candidate &candidate,
                          const Judgement &judgement);

} // namespace sdfgopt::passes
