#include "verify/fuzz.h"

#include "io/text_parser.h"
#include "io/text_printer.h"
#include "ir/verifier.h"
#include "passes/facts.h"
#include "verify/reducer.h"

#include <fmt/format.h>

#include <algorithm>

namespace sdfgopt::verify {

namespace {

SymbolMap symbol_map(const GeneratedRun &run) {
  SymbolMap symbols;
  for (const auto &[name, value] : run)
    symbols.emplace(name, value);
  return symbols;
}

struct Optimized {
  std::unique_ptr<ir::Document> document;
  std::vector<passes::Remark> remarks;
  bool changed = false;
};

/// The passes' result in one mode. The error is that of the program, or of its facts.
support::result<Optimized> optimize(const std::string &text, const FuzzMode &mode,
                                    const FuzzOptions &options) {
  Optimized result;
  SDFGOPT_TRY(result.document, io::parse_text(text));
  passes::PassOptions pass_options = options.pass_options;
  std::vector<passes::FactText> facts;
  facts.reserve(mode.facts.size());
  for (const std::string &fact : mode.facts)
    facts.push_back({fact, "assume"});
  SDFGOPT_TRY(pass_options.facts, passes::parse_facts(*result.document, facts));
  pass_options.guard = pass_options.guard || mode.guard;
  for (const passes::Pass *pass : options.passes) {
    const passes::PassResult done = pass->run(*result.document, pass_options);
    result.changed = result.changed || done.changed;
    result.remarks.insert(result.remarks.end(), done.remarks.begin(), done.remarks.end());
  }
  return result;
}

bool is_about_the_same(const passes::Remark &a, const passes::Remark &b) {
  return a.buffer == b.buffer && a.destination == b.destination && a.region == b.region &&
         a.state == b.state && a.node == b.node;
}

/// Conditions that are offered, each once.
std::vector<std::string> conditions_of(const std::vector<passes::Remark> &remarks) {
  std::vector<std::string> conditions;
  for (const passes::Remark &remark : remarks)
    if (remark.verdict == passes::Outcome::Kept && !remark.condition.empty() &&
        std::find(conditions.begin(), conditions.end(), remark.condition) == conditions.end())
      conditions.push_back(remark.condition);
  return conditions;
}

/// "N=3 M=4", as a `; run:` line has it.
std::string run_text(const GeneratedRun &run) { return symbols_text(symbol_map(run)); }

/// The document as somebody would get it who reads what was written.
support::result<std::unique_ptr<ir::Document>> written_and_read(ir::Document &document) {
  SDFGOPT_TRY(const std::string text, io::print_text(document, {}));
  return io::parse_text(text);
}

/// One program in its modes.
class Check {
public:
  Check(const std::string &text, const std::vector<GeneratedRun> &runs, const FuzzOptions &options,
        FuzzReport &report)
      : text_(text), runs_(runs), options_(options), report_(report) {}

  std::optional<FuzzFailure> all_modes();
  std::optional<FuzzFailure> one_mode(const FuzzMode &mode);

private:
  std::optional<FuzzFailure> plain();
  std::optional<FuzzFailure> with_facts(const std::vector<std::string> &facts);
  std::optional<FuzzFailure> with_guards();
  std::optional<FuzzFailure> result_is_right(Optimized &optimized, const FuzzMode &mode);
  std::optional<FuzzFailure> compare(ir::Document &after, const GeneratedRun *run,
                                     const FuzzMode &mode);
  [[nodiscard]] FuzzFailure failure(std::string what, const FuzzMode &mode) const {
    return {0, text_, mode, std::nullopt, std::move(what)};
  }

  const std::string &text_;
  const std::vector<GeneratedRun> &runs_;
  const FuzzOptions &options_;
  FuzzReport &report_;
  std::unique_ptr<ir::Document> before_;
  std::vector<passes::Remark> plain_remarks_;
  bool ran_ = false; ///< the last program that was compared
};

/// With the values of a run, or with chosen ones. Chosen ones come with facts and guards, where
/// they meet the conditions at their borders.
std::optional<FuzzFailure> Check::compare(ir::Document &after, const GeneratedRun *run,
                                          const FuzzMode &mode) {
  VerifyOptions verify_options;
  if (run)
    verify_options.symbols = symbol_map(*run);
  verify_options.facts = mode.facts;
  verify_options.runs = run ? 3 : 4;
  verify_options.limits.fuel = 10'000'000;
  const auto compared = verify(*before_, after, verify_options);
  if (!compared.ok()) {
    // Not to be run before is no fault of the passes; to be so only afterwards is. Values of a run
    // may contradict the facts.
    if (compared.error().code == support::ErrorCode::Unsupported &&
        verify(*before_, *before_, verify_options).ok())
      return failure("not to be run: " + compared.error().text(), mode);
    return std::nullopt;
  }
  ran_ = true;
  report_.runs += compared.value().runs.size();
  for (const VerifiedRun &verified : compared.value().runs)
    report_.elements += verified.elements;
  if (compared.value().same())
    return std::nullopt;
  const Difference &difference = *compared.value().difference;
  FuzzFailure different = failure(difference_text(difference), mode);
  different.symbols.emplace();
  for (const auto &[name, value] : difference.symbols)
    if (std::holds_alternative<std::int64_t>(value))
      different.symbols->emplace_back(name, std::get<std::int64_t>(value));
  return different;
}

std::optional<FuzzFailure> Check::result_is_right(Optimized &optimized, const FuzzMode &mode) {
  if (const auto valid = ir::check(optimized.document->root); !valid.ok())
    return failure("invalid: " + valid.error().text(), mode);
  const auto after = written_and_read(*optimized.document);
  if (!after.ok())
    return failure("unreadable: " + after.error().text(), mode);
  ran_ = false;
  for (const GeneratedRun &run : runs_)
    if (auto different = compare(*after.value(), &run, mode))
      return different;
  if (!mode.facts.empty() || mode.guard)
    return compare(*after.value(), nullptr, mode);
  return std::nullopt;
}

std::optional<FuzzFailure> Check::plain() {
  auto before = io::parse_text(text_);
  if (!before.ok())
    return failure("the generator's program is wrong: " + before.error().text(), {});
  before_ = std::move(before).value();
  ++report_.programs;
  auto optimized = optimize(text_, {}, options_);
  if (!optimized.ok())
    return failure("unreadable: " + optimized.error().text(), {});
  plain_remarks_ = optimized.value().remarks;
  for (const passes::Remark &remark : plain_remarks_)
    if (remark.verdict == passes::Outcome::Kept) {
      ++report_.kept[static_cast<std::size_t>(remark.rule)];
    } else {
      ++report_.eliminated;
      report_.trusted += remark.trusted ? 1 : 0;
    }
  if (!optimized.value().changed)
    return std::nullopt;
  ++report_.rewritten;
  auto wrong = result_is_right(optimized.value(), {});
  report_.not_run += ran_ ? 0 : 1;
  return wrong;
}

/// Whoever was told a condition, and assumes it, sees the buffer go.
std::optional<FuzzFailure> Check::with_facts(const std::vector<std::string> &facts) {
  const FuzzMode mode{facts, false};
  auto optimized = optimize(text_, mode, options_);
  if (!optimized.ok()) // several conditions may contradict each other; one is about some values
    return facts.size() == 1 ? std::optional(failure("no fact: " + optimized.error().text(), mode))
                             : std::nullopt;
  const std::vector<passes::Remark> &remarks = optimized.value().remarks;
  bool others_go = false;
  const passes::Remark *stays = nullptr;
  for (const passes::Remark &offer : plain_remarks_) {
    const auto now = std::find_if(remarks.begin(), remarks.end(), [&](const passes::Remark &r) {
      return is_about_the_same(r, offer);
    });
    const bool goes = now != remarks.end() && now->verdict != passes::Outcome::Kept;
    if (offer.verdict != passes::Outcome::Kept)
      continue;
    report_.eliminated_by_facts += goes ? 1 : 0;
    others_go = others_go || goes;
    if (offer.condition != facts[0])
      continue;
    report_.fired += goes && facts.size() == 1 ? 1 : 0;
    if (!goes && now != remarks.end())
      stays = &*now;
  }
  // Where another buffer goes too, or one condition is assumed with others, this one may be in the
  // way of it then.
  if (stays && facts.size() == 1 && (!others_go || !stays->condition.empty()))
    return failure("kept: " + stays->buffer + " -> " + stays->destination + ": " + stays->reason,
                   mode);
  return optimized.value().changed ? result_is_right(optimized.value(), mode) : std::nullopt;
}

std::optional<FuzzFailure> Check::with_guards() {
  const FuzzMode mode{{}, true};
  auto optimized = optimize(text_, mode, options_);
  if (!optimized.ok())
    return failure("unreadable: " + optimized.error().text(), mode);
  std::uint64_t guarded = 0;
  for (const passes::Remark &remark : optimized.value().remarks)
    guarded += remark.verdict == passes::Outcome::Guarded ? 1 : 0;
  report_.guarded += guarded;
  return guarded > 0 ? result_is_right(optimized.value(), mode) : std::nullopt;
}

std::optional<FuzzFailure> Check::all_modes() {
  constexpr std::size_t most = 3; // conditions of a program, one by one
  if (auto wrong = plain())
    return wrong;
  const std::vector<std::string> conditions = conditions_of(plain_remarks_);
  if (conditions.empty())
    return std::nullopt;
  ++report_.with_conditions;
  for (std::size_t i = 0; i < std::min(most, conditions.size()); ++i) {
    report_.offered += static_cast<std::uint64_t>(
        std::count_if(plain_remarks_.begin(), plain_remarks_.end(), [&](const auto &remark) {
          return remark.verdict == passes::Outcome::Kept && remark.condition == conditions[i];
        }));
    if (auto wrong = with_facts({conditions[i]}))
      return wrong;
  }
  if (conditions.size() > 1)
    if (auto wrong = with_facts(conditions))
      return wrong;
  return with_guards();
}

std::optional<FuzzFailure> Check::one_mode(const FuzzMode &mode) {
  auto wrong = plain();
  if (mode.guard)
    return with_guards();
  return mode.facts.empty() ? std::move(wrong) : with_facts(mode.facts);
}

} // namespace

std::optional<FuzzFailure> check_program(const std::string &text,
                                         const std::vector<GeneratedRun> &runs,
                                         const FuzzOptions &options, FuzzReport &report) {
  return Check(text, runs, options, report).all_modes();
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
    const auto found = Check(text, runs, options, unused).one_mode(failure.mode);
    return found && kind(*found) == kind(failure);
  });
  std::string head = "; test optimize";
  if (options.pass_options.assume_pointwise)
    head += " --assume-pointwise";
  if (options.pass_options.guard || failure.mode.guard)
    head += " --guard";
  head += '\n';
  for (const std::string &fact : failure.mode.facts)
    head += "; assume: " + fact + '\n';
  if (failure.symbols)
    head += "; run: " + run_text(*failure.symbols) + '\n';
  return head + (small.ok() ? small.value() : failure.text);
}

std::string report_text(const FuzzReport &report) {
  std::string text =
      fmt::format("{} programs: {} buffers eliminated in {} of them, {} failures\n"
                  "{} programs with conditions: {} offered, {} fired as facts; with facts, {} more "
                  "buffers eliminated; with guards, {}\n"
                  "{} runs compared, {} elements; {} programs could not be run\n",
                  report.programs, report.eliminated, report.rewritten, report.failures.size(),
                  report.with_conditions, report.offered, report.fired, report.eliminated_by_facts,
                  report.guarded, report.runs, report.elements, report.not_run);
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
