#include "verify/fuzz.h"

#include "io/text_parser.h"
#include "io/text_printer.h"
#include "ir/verifier.h"
#include "verify/reducer.h"

#include <fmt/format.h>

namespace sdfgopt::verify {

namespace {

SymbolMap symbol_map(const GeneratedRun &run) {
  SymbolMap symbols;
  for (const auto &[name, value] : run)
    symbols.emplace(name, value);
  return symbols;
}

/// Runs the passes and counts; true if something was rewritten.
bool optimize(ir::Document &document, const FuzzOptions &options, FuzzReport &report) {
  bool changed = false;
  for (const passes::Pass *pass : options.passes) {
    const passes::PassResult result = pass->run(document, options.pass_options);
    changed = changed || result.changed;
    for (const passes::Remark &remark : result.remarks) {
      if (remark.verdict == passes::Outcome::Eliminated) {
        ++report.eliminated;
        report.trusted += remark.trusted ? 1 : 0;
      } else {
        ++report.kept[static_cast<std::size_t>(remark.rule)];
      }
    }
  }
  report.rewritten += changed ? 1 : 0;
  return changed;
}

/// "N=3 M=4", as a `; run:` line has it.
std::string run_text(const GeneratedRun &run) { return symbols_text(symbol_map(run)); }

/// The document as somebody would get it who reads what was written.
support::result<std::unique_ptr<ir::Document>> written_and_read(ir::Document &document) {
  SDFGOPT_TRY(const std::string text, io::print_text(document, {}));
  return io::parse_text(text);
}

} // namespace

std::optional<FuzzFailure> check_program(const std::string &text,
                                         const std::vector<GeneratedRun> &runs,
                                         const FuzzOptions &options, FuzzReport &report) {
  FuzzFailure failure;
  failure.text = text;
  const auto fails = [&](std::string what) {
    failure.what = std::move(what);
    return failure;
  };
  const auto before = io::parse_text(text);
  const auto optimized = io::parse_text(text);
  if (!before.ok())
    return fails("the generator's program is wrong: " + before.error().text());
  ++report.programs;
  if (!optimize(*optimized.value(), options, report))
    return std::nullopt;
  if (const auto valid = ir::check(optimized.value()->root); !valid.ok())
    return fails("invalid: " + valid.error().text());
  const auto after = written_and_read(*optimized.value());
  if (!after.ok())
    return fails("unreadable: " + after.error().text());
  bool ran = false;
  for (const GeneratedRun &run : runs) {
    VerifyOptions verify_options;
    verify_options.symbols = symbol_map(run);
    verify_options.runs = 3;
    verify_options.limits.fuel = 10'000'000;
    const auto compared = verify(*before.value(), *after.value(), verify_options);
    if (!compared.ok()) {
      // Not to be run before is no fault of the passes; to be so only afterwards is.
      if (compared.error().code == support::ErrorCode::Unsupported &&
          verify(*before.value(), *before.value(), verify_options).ok())
        return fails("not to be run: " + compared.error().text());
      continue;
    }
    ran = true;
    report.runs += compared.value().runs.size();
    for (const VerifiedRun &verified : compared.value().runs)
      report.elements += verified.elements;
    if (!compared.value().same()) {
      failure.symbols = run;
      return fails(difference_text(*compared.value().difference));
    }
  }
  report.not_run += ran ? 0 : 1;
  return std::nullopt;
}

FuzzReport fuzz(const FuzzOptions &options,
                const std::function<void(const FuzzReport &)> &progress) {
  FuzzReport report;
  for (std::uint64_t k = 0; k < options.count; ++k) {
    const GeneratedProgram program = generate(options.seed + k);
    if (auto failure = check_program(program.text, program.runs, options, report)) {
      failure->seed = options.seed + k;
      report.failures.push_back(std::move(*failure));
    }
    progress(report);
  }
  return report;
}

std::string reduced(const FuzzFailure &failure, const FuzzOptions &options) {
  const std::vector<GeneratedRun> runs =
      failure.symbols ? std::vector<GeneratedRun>{*failure.symbols} : std::vector<GeneratedRun>();
  // "invalid" and "unreadable" are kinds of their own; a difference may show in any element.
  const auto kind = [](const FuzzFailure &f) {
    return f.symbols ? std::string("different") : f.what.substr(0, f.what.find(':'));
  };
  const auto small = reduce(failure.text, [&](const std::string &text) {
    FuzzReport unused;
    const auto found = check_program(text, runs, options, unused);
    return found && kind(*found) == kind(failure);
  });
  std::string head = "; test optimize";
  if (options.pass_options.assume_pointwise)
    head += " --assume-pointwise";
  head += '\n';
  if (failure.symbols)
    head += "; run: " + run_text(*failure.symbols) + '\n';
  return head + (small.ok() ? small.value() : failure.text);
}

std::string report_text(const FuzzReport &report) {
  std::string text =
      fmt::format("{} programs: {} buffers eliminated in {} of them, {} failures\n"
                  "{} runs compared, {} elements; {} programs could not be run\n",
                  report.programs, report.eliminated, report.rewritten, report.failures.size(),
                  report.runs, report.elements, report.not_run);
  std::string kept;
  std::string never;
  for (std::size_t k = 1; k < report.kept.size(); ++k) {
    const std::string_view name = passes::rule_name(static_cast<passes::Rule>(k));
    if (report.kept[k] > 0)
      kept += fmt::format(" {} {}", name, report.kept[k]);
    else
      never += fmt::format(" {}", name);
  }
  text += "kept, by the rule that decided:" + (kept.empty() ? " none" : kept) + '\n';
  if (!never.empty())
    text += "rules that never decided:" + never + '\n';
  return text;
}

} // namespace sdfgopt::verify
