#include "verify/verified_passes.h"

#include "io/file.h"

namespace sdfgopt::verify {

support::result<VerifiedPasses> run_verified(ir::Document &document,
                                             const std::vector<const passes::Pass *> &passes,
                                             const passes::PassOptions &options,
                                             VerifyOptions verify_options,
                                             const std::string &name) {
  for (const passes::Fact &fact : options.facts)
    verify_options.facts.push_back(fact.text);
  VerifiedPasses done;
  for (const passes::Pass *pass : passes) {
    SDFGOPT_TRY(const auto before, io::written_and_read(document));
    SDFGOPT_TRY(passes::PassResult result, passes::run_passes(document, {pass}, options));
    done.result += std::move(result);
    SDFGOPT_TRY(const auto after, io::written_and_read(document));
    auto report = verify(*before, *after, verify_options);
    if (!report.ok()) {
      support::Error error = std::move(report).error();
      if (error.code == support::ErrorCode::Stopped)
        return error;
      error.message = "not written, since it cannot be verified: " + error.message;
      error.place = name + (name.empty() || error.place.empty() ? "" : ": ") + error.place;
      return error;
    }
    const std::string pass_name(pass->name());
    if (!report.value().same()) {
      done.difference = {pass_name, std::move(report).value()};
      return done;
    }
    done.verified += "verified " + pass_name + ": " + total_text(report.value());
  }
  return done;
}

std::string difference_text(const PassDifference &difference, const std::string &command) {
  return difference.pass + " changed what the program does; nothing is written\n" +
         report_text(difference.report, command, false);
}

} // namespace sdfgopt::verify
