// Passes, each followed by a comparison of the program with what it was before.
#pragma once

#include "passes/pass.h"
#include "verify/verify.h"

namespace sdfgopt::verify {

/// What cannot be: a pass changed what the program does.
struct PassDifference {
  std::string pass;
  VerifyReport report;
};

struct VerifiedPasses {
  passes::PassResult result;
  std::string verified;                     ///< "verified NAME: same: ...", a line a pass
  std::optional<PassDifference> difference; ///< then the passes after it were not run
};

/// Runs passes one after the other, as run_passes does, and verifies each, under the facts that the
/// passes are given. An error if a comparison cannot be made; `name` is the program's, for its
/// place. If there is a difference, or an error, the document is not as it was before.
support::result<VerifiedPasses> run_verified(ir::Document &document,
                                             const std::vector<const passes::Pass *> &passes,
                                             const passes::PassOptions &options,
                                             VerifyOptions verify_options, const std::string &name);

/// For people, several lines; `command` as in report_text.
std::string difference_text(const PassDifference &difference, const std::string &command);

} // namespace sdfgopt::verify
