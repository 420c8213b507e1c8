#include "sets/condition.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <numeric>

namespace sdfgopt::sets {

using symbolic::Kind;

namespace {

// Candidates beyond these are not looked at: a condition with so many cases helps nobody.
constexpr int max_disjuncts = 32;
constexpr std::size_t max_compared = 12;
constexpr std::ptrdiff_t max_ranked = 32;
// Atoms times violations: beyond, what is printed may be longer than it needs to be.
constexpr std::size_t max_tests = 4096;

/// Reads an integer that a condition may reasonably contain.
std::optional<std::int64_t> small_integer(const IslVal &value) {
  if (!value || isl_val_is_int(value.get()) != isl_bool_true ||
      isl_val_n_abs_num_chunks(value.get(), 7) != 1)
    return std::nullopt;
  return isl_val_get_num_si(value.get());
}

IslSet nonnegative_set(const IslAff &aff) {
  return isl_pw_aff_nonneg_set(isl_pw_aff_from_aff(aff.copy()));
}

IslSet universe_of(isl_ctx *ctx) { return isl_set_universe(isl_space_params_alloc(ctx, 0)); }

/// An expression that is not negative where no symbol in it is.
bool natural_by_form(Expr e) {
  switch (e->kind()) {
  case Kind::Symbol:
    return true;
  case Kind::Integer:
    return e->numerator() >= 0;
  case Kind::Mul:
  case Kind::Add:
    return std::all_of(e->args().begin(), e->args().end(), natural_by_form);
  default:
    return false;
  }
}

/// Fewer comparisons, then shorter text.
bool simpler(const Choice &a, const Choice &b) {
  if (a.atoms.size() != b.atoms.size())
    return a.atoms.size() < b.atoms.size();
  if (a.text.size() != b.text.size())
    return a.text.size() < b.text.size();
  return a.text < b.text;
}

} // namespace

bool ConditionFinder::is_natural(const IslSet &allowed, const IslSet &room) {
  IslSet set = intersection(allowed, room);
  int parameters = isl_set_dim(set.get(), isl_dim_param);
  for (int i = 0; i < parameters; ++i) {
    IslId id = isl_set_get_dim_id(set.get(), isl_dim_param, static_cast<unsigned>(i));
    if (id && natural_by_form(Translator::expression_of(id.get())))
      set = isl_set_lower_bound_si(set.take(), isl_dim_param, static_cast<unsigned>(i), 0);
  }
  return certainly_populated(set);
}

std::optional<std::size_t> ConditionFinder::best(const std::vector<Choice> &found,
                                                 const IslSet &domain) {
  std::vector<std::size_t> order(found.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    if (found[a].natural != found[b].natural)
      return found[a].natural;
    return simpler(found[a], found[b]);
  });
  auto equally_good = [&](std::size_t i) {
    const Choice &first = found[order[0]];
    return found[i].natural == first.natural && found[i].atoms.size() == first.atoms.size();
  };
  std::vector<IslSet> allowed;
  for (std::size_t i : order) {
    if (allowed.size() == max_compared || !equally_good(i))
      break;
    allowed.push_back(intersection(found[i].set, domain));
  }
  for (std::size_t i = 0; i < allowed.size(); ++i) {
    bool weakest = std::none_of(allowed.begin(), allowed.end(), [&](const IslSet &other) {
      return isl_set_is_strict_subset(allowed[i].get(), other.get()) == isl_bool_true;
    });
    if (weakest)
      return order[i];
  }
  return std::nullopt; // only after an isl error: a strict order on finitely many has a maximum
}

std::optional<Choice> ConditionFinder::choose(const IslSet &violation, const IslSet &domain,
                                              const IslSet &wanted) {
  std::vector<Choice> found;
  add_disjuncts(violation, domain, found);
  add_negations(violation, domain, found);
  std::sort(found.begin(), found.end(), simpler);
  if (wanted)
    std::erase_if(found, [&](const Choice &choice) {
      return !certainly_populated(intersection(choice.set, wanted));
    });
  if (std::ssize(found) > max_ranked)
    found.erase(found.begin() + max_ranked, found.end());
  IslSet room = wanted ? intersection(domain, wanted) : domain;
  for (Choice &choice : found)
    choice.natural = is_natural(choice.set, room ? room : wanted);
  auto index = best(found, domain);
  return index ? std::optional(std::move(found[*index])) : std::nullopt;
}

void ConditionFinder::add_disjuncts(const IslSet &violation, const IslSet &domain,
                                    std::vector<Choice> &out) {
  IslSet good = difference(domain, violation);
  good = isl_set_gist(good.take(), domain.copy());
  // Losing a part that has no explicit form enlarges the set; whether what is left still suffices
  // is tested for each candidate.
  good = isl_set_remove_unknown_divs(isl_set_compute_divs(good.take()));
  IslBasicSetList list = isl_set_get_basic_set_list(good.get());
  int size = std::min<int>(isl_basic_set_list_n_basic_set(list.get()), max_disjuncts);
  for (int i = 0; i < size; ++i) {
    std::vector<Atom> atoms;
    for (const IslAff &aff : constraints(isl_basic_set_list_get_basic_set(list.get(), i)))
      if (auto made = atom(aff))
        atoms.push_back(std::move(*made));
    add_if_useful(std::move(atoms), violation, domain, out);
  }
}

void ConditionFinder::add_negations(const IslSet &violation, const IslSet &domain,
                                    std::vector<Choice> &out) {
  IslSet bad = isl_set_gist(violation.copy(), domain.copy());
  bad = isl_set_remove_unknown_divs(isl_set_compute_divs(isl_set_coalesce(bad.take())));
  IslBasicSetList list = isl_set_get_basic_set_list(bad.get());
  int size = std::min<int>(isl_basic_set_list_n_basic_set(list.get()), max_disjuncts);
  for (int i = 0; i < size; ++i)
    for (IslAff &aff : constraints(isl_basic_set_list_get_basic_set(list.get(), i))) {
      IslAff negated = isl_aff_add_constant_si(isl_aff_neg(aff.take()), -1);
      if (auto made = atom(negated))
        add_if_useful({std::move(*made)}, violation, domain, out);
    }
}

void ConditionFinder::add_if_useful(std::vector<Atom> atoms, const IslSet &violation,
                                    const IslSet &domain, std::vector<Choice> &out) {
  IslSet set = universe_of(ctx_);
  for (const Atom &part : atoms)
    set = intersection(set, part.set);
  if (!certainly_empty(intersection(set, violation)))
    return;
  Choice choice = minimal(std::move(atoms), {&violation, 1}, domain);
  bool known = std::any_of(out.begin(), out.end(),
                           [&](const Choice &other) { return other.text == choice.text; });
  if (!known && certainly_populated(intersection(choice.set, domain)))
    out.push_back(std::move(choice));
}

Choice ConditionFinder::minimal(std::vector<Atom> atoms, std::span<const IslSet> violations,
                                const IslSet &domain) {
  std::stable_sort(atoms.begin(), atoms.end(),
                   [](const Atom &a, const Atom &b) { return a.weight > b.weight; });
  std::vector<bool> dropped(atoms.size(), false);
  std::size_t tests = 0;
  for (std::size_t drop = 0; drop < atoms.size() && tests < max_tests; ++drop) {
    IslSet rest = domain;
    for (std::size_t i = 0; i < atoms.size(); ++i)
      if (i != drop && !dropped[i])
        rest = intersection(rest, atoms[i].set);
    dropped[drop] = std::all_of(violations.begin(), violations.end(), [&](const IslSet &violation) {
      ++tests;
      return certainly_empty(intersection(rest, violation));
    });
  }
  Choice choice;
  choice.set = universe_of(ctx_);
  for (std::size_t i = 0; i < atoms.size(); ++i) {
    if (dropped[i])
      continue;
    choice.set = intersection(choice.set, atoms[i].set);
    choice.atoms.push_back(std::move(atoms[i]));
  }
  choice.condition = conjunction(choice.atoms);
  choice.text = context_.print(choice.condition, symbolic::Grammar::Python);
  return choice;
}

bool ConditionFinder::can_be_read(const Choice &choice) {
  auto compares = [](Expr e) {
    return e->kind() == Kind::Le || e->kind() == Kind::Lt || e->kind() == Kind::Eq;
  };
  bool form =
      choice.condition->kind() == Kind::And
          ? std::all_of(choice.condition->args().begin(), choice.condition->args().end(), compares)
          : compares(choice.condition);
  Expr read = nullptr;
  return form && !context_.parse(choice.text, symbolic::Grammar::Python, read) &&
         read == choice.condition;
}

std::vector<IslAff> ConditionFinder::constraints(const IslBasicSet &set) {
  std::vector<IslAff> result;
  IslConstraintList list = isl_basic_set_get_constraint_list(set.get());
  int size = isl_constraint_list_n_constraint(list.get());
  for (int i = 0; i < size; ++i) {
    IslConstraint constraint = isl_constraint_list_get_constraint(list.get(), i);
    // What only says that a division rounds down is part of the division's meaning.
    if (isl_constraint_is_div_constraint(constraint.get()) == isl_bool_true)
      continue;
    IslAff aff = isl_constraint_get_aff(constraint.get());
    result.push_back(aff);
    if (isl_constraint_is_equality(constraint.get()) == isl_bool_true)
      result.emplace_back(isl_aff_neg(aff.take()));
  }
  return result;
}

std::optional<Atom> ConditionFinder::atom(const IslAff &nonnegative) {
  std::vector<Expr> negative;
  std::vector<Expr> positive;
  if (!add_terms(nonnegative, 1, negative, positive))
    return std::nullopt;
  Atom result;
  result.set = nonnegative_set(nonnegative);
  result.left = sum(negative);
  result.right = sum(positive);
  result.weight = context_.print(result.left, symbolic::Grammar::Python).size() +
                  context_.print(result.right, symbolic::Grammar::Python).size();
  return result;
}

bool ConditionFinder::add_terms(const IslAff &aff, std::int64_t factor, std::vector<Expr> &negative,
                                std::vector<Expr> &positive) {
  auto place = [&](std::int64_t coefficient, Expr term) {
    if (coefficient != 0)
      (coefficient < 0 ? negative : positive)
          .push_back(context_.mul(context_.integer(std::abs(coefficient)), term));
  };
  auto scaled = [&](const IslVal &value) -> std::optional<std::int64_t> {
    auto small = small_integer(value);
    std::int64_t product = 0;
    if (!small || __builtin_mul_overflow(*small, factor, &product) || product == INT64_MIN)
      return std::nullopt;
    return product;
  };
  auto constant = scaled(isl_aff_get_constant_val(aff.get()));
  if (!constant)
    return false;
  place(*constant, context_.integer(1));
  IslSpace space = isl_aff_get_domain_space(aff.get());
  int parameters = isl_space_dim(space.get(), isl_dim_param);
  for (int i = 0; i < parameters; ++i) {
    auto coefficient = scaled(isl_aff_get_coefficient_val(aff.get(), isl_dim_param, i));
    if (!coefficient)
      return false;
    if (*coefficient == 0)
      continue;
    IslId id = isl_space_get_dim_id(space.get(), isl_dim_param, static_cast<unsigned>(i));
    if (!id)
      return false;
    place(*coefficient, Translator::expression_of(id.get()));
  }
  int divisions = isl_aff_dim(aff.get(), isl_dim_div);
  for (int i = 0; i < divisions; ++i) {
    auto coefficient = scaled(isl_aff_get_coefficient_val(aff.get(), isl_dim_div, i));
    if (!coefficient)
      return false;
    if (*coefficient != 0 &&
        !add_division(isl_aff_get_div(aff.get(), i), *coefficient, negative, positive))
      return false;
  }
  return true;
}

bool ConditionFinder::add_division(const IslAff &division, std::int64_t coefficient,
                                   std::vector<Expr> &negative, std::vector<Expr> &positive) {
  IslVal denominator = isl_aff_get_denominator_val(division.get());
  auto divisor = small_integer(denominator);
  IslAff numerator = isl_aff_scale_val(division.copy(), denominator.take());
  std::vector<Expr> minus;
  std::vector<Expr> plus;
  if (!divisor || *divisor <= 0 || !add_terms(numerator, 1, minus, plus))
    return false;
  Expr dividend = context_.sub(sum(plus), sum(minus));
  Expr modulus = context_.integer(*divisor);
  if (coefficient % *divisor != 0) {
    Expr quotient = context_.floor_div(dividend, modulus);
    (coefficient < 0 ? negative : positive)
        .push_back(context_.mul(context_.integer(std::abs(coefficient)), quotient));
    return true;
  }
  // m * floor(p / m) is p - p mod m, and the remainder reads better.
  std::int64_t times = coefficient / *divisor;
  Expr remainder = context_.mod(dividend, modulus);
  (times < 0 ? positive : negative)
      .push_back(context_.mul(context_.integer(std::abs(times)), remainder));
  return add_terms(numerator, times, negative, positive);
}

Expr ConditionFinder::sum(const std::vector<Expr> &terms) {
  return terms.empty() ? context_.integer(0) : context_.add(terms);
}

Expr ConditionFinder::conjunction(const std::vector<Atom> &atoms) {
  std::vector<Expr> parts;
  std::vector<bool> done(atoms.size(), false);
  for (std::size_t i = 0; i < atoms.size(); ++i) {
    if (done[i])
      continue;
    Expr part = comparison(atoms[i]);
    for (std::size_t j = i + 1; j < atoms.size(); ++j)
      if (atoms[j].left == atoms[i].right && atoms[j].right == atoms[i].left) {
        part = context_.compare_op(Kind::Eq, atoms[i].left, atoms[i].right);
        done[j] = true;
      }
    parts.push_back(part);
  }
  if (parts.empty())
    return context_.boolean(true);
  return parts.size() == 1 ? parts[0] : context_.logical_and(parts);
}

Expr ConditionFinder::comparison(const Atom &atom) {
  // A division may have put the same terms on both sides.
  auto gap = linear_form(context_, context_.sub(atom.right, atom.left));
  if (!gap || gap->constant == INT64_MIN)
    return context_.compare_op(Kind::Le, atom.left, atom.right);
  std::vector<Expr> left;
  std::vector<Expr> right;
  for (const Term &term : gap->terms) {
    if (term.coefficient == INT64_MIN)
      return context_.compare_op(Kind::Le, atom.left, atom.right);
    (term.coefficient < 0 ? left : right)
        .push_back(context_.mul(context_.integer(std::abs(term.coefficient)), term.base));
  }
  bool remainder = left.size() == 1 && left[0]->kind() == Kind::Mod;
  if (remainder && right.empty() && gap->constant == 0)
    return context_.compare_op(Kind::Eq, left[0], context_.integer(0));
  if (gap->constant == -1 && !left.empty())
    return context_.compare_op(Kind::Lt, sum(left), sum(right));
  if (right.empty()) // `n <= -2` rather than `2 + n <= 0`
    return context_.compare_op(Kind::Le, sum(left), context_.integer(gap->constant));
  if (left.empty())
    return context_.compare_op(Kind::Le, context_.integer(-gap->constant), sum(right));
  if (gap->constant < 0)
    left.push_back(context_.integer(-gap->constant));
  else
    right.push_back(context_.integer(gap->constant));
  return context_.compare_op(Kind::Le, sum(left), sum(right));
}

} // namespace sdfgopt::sets
