#include "sets/failure.h"

#include "sets/isl_algebra.h"

#include <algorithm>

namespace sdfgopt::sets {

namespace {

/// Forgets the variables, and the terms that depend on them.
class Projection {
public:
  Projection(Context &context, Translator &translator, const std::vector<Name> &variables)
      : context_(context), translator_(translator), variables_(variables) {}

  IslSet operator()(IslSet set) {
    if (variables_.empty())
      return set;
    for (int i = isl_set_dim(set.get(), isl_dim_param); i-- > 0;) {
      IslId id = isl_set_get_dim_id(set.get(), isl_dim_param, static_cast<unsigned>(i));
      if (!id)
        return {};
      Expr parameter = Translator::expression_of(id.get());
      if (!varies(parameter))
        continue;
      // A term may not take every value, and not each with every value of the variable.
      exact = exact && parameter->kind() == symbolic::Kind::Symbol;
      set = translator_.project_out(std::move(set), parameter);
    }
    return set;
  }

  bool exact = true;

private:
  bool varies(Expr parameter) {
    std::vector<Name> names = context_.free_symbols(parameter);
    return std::any_of(names.begin(), names.end(), [&](Name name) {
      return std::find(variables_.begin(), variables_.end(), name) != variables_.end();
    });
  }

  Context &context_;
  Translator &translator_;
  const std::vector<Name> &variables_;
};

} // namespace

Failure find_failure(Context &context, Translator &translator, const Problem &problem, bool exact,
                     const KnownSet &facts, const IslSet &given,
                     const std::vector<Name> &variables) {
  Projection project(context, translator, variables);
  Failure failure;
  failure.any = problem.any;
  failure.violation = problem.any ? translator.nothing() : translator.universe();
  IslSet known = intersection(facts.set, given);
  IslSet everywhere = intersection(known, problem.context);
  for (const Part &part : problem.parts) {
    IslSet domain = intersection(known, part.context);
    IslSet local = intersection(domain, part.bad);
    bool impossible = certainly_empty(local);
    if (impossible && !problem.any)
      return {};
    if (impossible)
      continue;
    failure.violation = problem.any ? united(failure.violation, part.bad)
                                    : intersection(failure.violation, part.bad);
    IslSet relevant = project(intersection(everywhere, local));
    IslSet violation = project(std::move(local));
    if (!violation) {
      failure.state = Failure::State::Inscrutable;
      return failure;
    }
    if (!relevant)
      relevant = violation;
    failure.parts.push_back(
        {std::move(violation), std::move(relevant), project(std::move(domain))});
  }
  failure.violation = project(intersection(failure.violation, everywhere));
  failure.domain = project(std::move(everywhere));
  if (failure.parts.empty() || certainly_empty(failure.violation))
    return {};
  failure.exact = exact && project.exact && (variables.empty() || facts.exact);
  failure.state = Failure::State::Sometimes;
  if (failure.violation) {
    isl_bool always = isl_set_is_subset(facts.set.get(), failure.violation.get());
    if (always != isl_bool_false)
      failure.state = always == isl_bool_true && failure.exact ? Failure::State::Always
                                                               : Failure::State::Inscrutable;
  }
  return failure;
}

} // namespace sdfgopt::sets
