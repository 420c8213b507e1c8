// Passes on programs; what they tell, as plain Python objects.
#include "io/file.h"
#include "passes/fact_search.h"
#include "python/interruptible.h"
#include "python/program.h"
#include "report/facts.h"
#include "report/remarks.h"
#include "verify/verified_passes.h"

#include <fmt/format.h>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

namespace sdfgopt::python {

namespace nb = nanobind;
using namespace nb::literals;
using support::result;

namespace {

result<std::vector<const passes::Pass *>>
chosen(const std::optional<std::vector<std::string>> &names) {
  const auto all = passes::all_passes();
  std::vector<const passes::Pass *> passes;
  if (!names)
    passes.assign(all.begin(), all.end());
  else
    for (const std::string &name : *names) {
      SDFGOPT_TRY(const auto found, passes::find_passes(name));
      passes.insert(passes.end(), found.begin(), found.end());
    }
  return passes;
}

/// The keys are those of report::remarks_as_json.
nb::dict as_dict(const passes::Remark &remark) {
  nb::dict dict;
  dict["pass"] = remark.pass;
  dict["buffer"] = remark.buffer;
  dict["destination"] = remark.destination;
  dict["region"] = remark.region;
  dict["state"] = remark.state;
  dict["state_id"] = remark.state_id.str();
  dict["node"] = remark.node.str();
  dict["verdict"] = report::verdict_name(remark.verdict);
  dict["rule"] = passes::rule_name(remark.rule);
  dict["reason"] = remark.reason;
  dict["condition"] = remark.condition;
  dict["facts"] = remark.facts;
  dict["trusted"] = remark.trusted;
  dict["bytes"] = remark.bytes;
  return dict;
}

nb::list as_list(const std::vector<passes::Remark> &remarks) {
  nb::list list;
  for (const passes::Remark &remark : remarks)
    list.append(as_dict(remark));
  return list;
}

nb::dict as_dict(const passes::PassResult &result, const std::string &verified) {
  nb::dict statistics;
  statistics["queries"] = result.statistics.queries;
  statistics["cache_hits"] = result.statistics.cache_hits;
  statistics["decided_syntactically"] = result.statistics.decided_syntactically;
  statistics["unknown"] = result.statistics.unknown;
  nb::dict dict;
  dict["remarks"] = as_list(result.remarks);
  dict["changed"] = result.changed;
  dict["verified"] = !verified.empty();
  dict["statistics"] = statistics;
  dict["summary"] = report::remarks_summary(result.remarks);
  dict["text"] = report::remarks_as_text(result.remarks, {}) + verified;
  return dict;
}

nb::dict as_dict(const passes::FoundFacts &found, const std::string &program,
                 const std::string &path) {
  nb::list groups;
  for (const passes::FactGroup &group : found.groups)
    groups.append(nb::make_tuple(group.facts, as_list(group.freed)));
  nb::dict dict;
  dict["groups"] = groups;
  dict["conflicting"] = found.conflicting;
  dict["complete"] = found.complete;
  dict["text"] = report::facts_as_file(found, program);
  dict["summary"] = report::facts_in_words(found, path);
  return dict;
}

nb::dict optimize(const Program &program, const std::optional<std::vector<std::string>> &names,
                  const FactList &facts, bool assume_pointwise, bool guard, double guard_growth,
                  bool verify, const std::string &command) {
  constexpr double most_growth = 1e9;
  if (!(guard_growth >= 1 && guard_growth <= most_growth)) // nor a NaN
    raise({support::ErrorCode::Usage,
           fmt::format("{} is not in the range 1 to {}", guard_growth, most_growth),
           "guard_growth"});
  passes::PassOptions options{assume_pointwise, {}, guard, guard_growth, {}};
  const verify::VerifiedPasses done =
      interruptible([&](std::stop_token stop) -> result<verify::VerifiedPasses> {
        SDFGOPT_TRY(const auto passes, chosen(names));
        const auto lock = program.lock();
        SDFGOPT_TRY(options.facts, passes::parse_facts(program.document(), fact_texts(facts)));
        options.stop = stop;
        verify::VerifiedPasses result;
        if (verify) {
          verify::VerifyOptions verify_options;
          verify_options.stop = std::move(stop);
          SDFGOPT_TRY(result, verify::run_verified(program.document(), passes, options,
                                                   std::move(verify_options), program.file()));
        } else {
          SDFGOPT_TRY(result.result, passes::run_passes(program.document(), passes, options));
        }
        return result;
      });
  if (done.difference)
    raise_difference(verify::difference_text(*done.difference, command));
  return as_dict(done.result, done.verified);
}

nb::dict propose(const Program &program, const FactList &facts, bool assume_pointwise,
                 const std::string &name, const std::string &path) {
  passes::PassOptions options;
  options.assume_pointwise = assume_pointwise;
  const passes::FoundFacts found =
      interruptible([&](std::stop_token stop) -> result<passes::FoundFacts> {
        const auto lock = program.lock();
        SDFGOPT_TRY(options.facts, passes::parse_facts(program.document(), fact_texts(facts)));
        options.stop = std::move(stop);
        auto result = passes::search_facts(program.document(), options);
        if (!result.ok())
          result.error().place = program.file();
        return result;
      });
  return as_dict(found, name, path);
}

nb::list read_facts(const std::string &path) {
  nb::list list;
  for (const passes::FactText &fact : value_or_raise(passes::read_facts(path)))
    list.append(nb::make_tuple(fact.text, fact.place));
  return list;
}

/// An error before anything else is done.
void check_output(const std::string &path) { value_or_raise(io::output_form(path)); }

void write_file(const std::string &path, const std::string &text) {
  value_or_raise(io::write_file(path, text));
}

} // namespace

std::vector<passes::FactText> fact_texts(const FactList &facts) {
  std::vector<passes::FactText> texts;
  texts.reserve(facts.size());
  for (const auto &[text, place] : facts)
    texts.push_back({text, place});
  return texts;
}

void register_optimize(nb::module_ &module) {
  module.def("optimize", &optimize, "program"_a, nb::kw_only(), "passes"_a = nb::none(),
             "facts"_a = FactList(), "assume_pointwise"_a = false, "guard"_a = false,
             "guard_growth"_a = passes::PassOptions().growth_limit, "verify"_a = false,
             "command"_a = "",
             "Runs passes on the program, in place. Facts are pairs of a text and its place; "
             "`command` is how a difference is shown again.");
  module.def("propose_facts", &propose, "program"_a, nb::kw_only(), "facts"_a = FactList(),
             "assume_pointwise"_a = false, "name"_a = "", "path"_a = "",
             "Facts under which more buffers go; the program stays as it is.");
  module.def("check_output", &check_output, "path"_a,
             "An error if the name's ending tells no form.");
  module.def("write_file", &write_file, "path"_a, "text"_a, "As a whole or not at all.");
  module.def("read_facts", &read_facts, "path"_a, "Facts of a file, and where in it they are.");
}

} // namespace sdfgopt::python
