// A buffer, the array it is copied to, and the judgement on moving it there.
#pragma once

#include "passes/analyses.h"
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
  std::vector<Expr> conditions; ///< all must hold; only then `rule` is not in the way
  bool trusted = false;
  std::optional<sets::Region> copied; ///< the part of T that the copies move, if they move one
  std::optional<RedirectPlan> plan;   ///< if nothing is in the way
  DroppedCopies dropped;              ///< the copies, and copies of the same part of G into T

  [[nodiscard]] bool allowed() const { return rule == Rule::None; }
};

struct JudgeOptions {
  bool assume_pointwise = false;
};

Judgement judge(Analyses &analyses, const Candidate &candidate, const JudgeOptions &options);

/// The size of what the copies of a state move, in bytes, as an expression in Grammar::Python; of
/// the first copy alone, if they do not move one part. "" if it cannot be told.
std::string bytes_of_copy(Analyses &analyses, const Candidate &candidate,
                          const Judgement &judgement);

} // namespace sdfgopt::passes
