#include "passes/facts.h"

#include "io/file.h"
#include "passes/analyses.h"
#include "passes/program_names.h"
#include "support/shown.h"

#include <algorithm>

namespace sdfgopt::passes {

using support::Error;
using support::ErrorCode;
using support::Name;
using symbolic::Expr;
using symbolic::Kind;

namespace {

// Of the facts before a contradiction, and of what is known anyway that shares a symbol with it,
// those that are tried for naming one that it contradicts by itself.
constexpr std::size_t max_partners = 64;

constexpr std::string_view white_space = " \t\r\n\f\v";

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(white_space);
  if (begin == std::string_view::npos)
    return {};
  return text.substr(begin, text.find_last_not_of(white_space) + 1 - begin);
}

std::string quoted(std::string_view text) { return "'" + support::shown(text) + "'"; }

/// Comparisons, True and False, and what `and`, `or` and `not` make of them. (Recursion is bounded
/// by Context::max_height.)
bool is_condition(Expr e) {
  switch (e->kind()) {
  case Kind::Eq:
  case Kind::Ne:
  case Kind::Lt:
  case Kind::Le:
    return true;
  case Kind::And:
  case Kind::Or:
  case Kind::Not:
    return std::ranges::all_of(e->args(), is_condition);
  case Kind::Literal:
    return e->name().view() == "True" || e->name().view() == "False";
  default:
    return false;
  }
}

support::result<Expr> parse_fact(symbolic::Context &context, const FactText &fact) {
  const std::string_view text = trimmed(fact.text);
  if (text.empty())
    return Error{ErrorCode::Usage, "the fact is empty; write a comparison such as 'n >= 1'",
                 fact.place};
  if (text.size() > max_fact_size)
    return Error{ErrorCode::Limit,
                 "a fact of more than " + std::to_string(max_fact_size) + " characters",
                 fact.place};
  Expr condition = nullptr;
  if (const auto message = context.parse(text, symbolic::Grammar::Python, condition))
    return Error{ErrorCode::Syntax, quoted(text) + ": " + *message, fact.place};
  if (!is_condition(condition))
    return Error{ErrorCode::Usage,
                 quoted(text) + " is no comparison; write one such as 'n >= 1', 'n == m' or "
                                "'0 <= a < b', or several joined by 'and', 'or', 'not'",
                 fact.place};
  return condition;
}

/// Which of the facts is the first that cannot be, and why.
class Consistency {
public:
  Consistency(ir::Document &document, const ProgramNames &names, std::span<const Fact> facts,
              std::span<const FactText> texts)
      : context_(document.context), solver_(context_),
        known_(Analyses::facts_of(document.root, names.flow(), context_).all()), facts_(facts),
        texts_(texts) {}

  support::result<void> check() {
    if (may_hold(known_, facts_) || !may_hold(known_, {}))
      return {};
    // The first `some` facts may all hold, the first `all` may not.
    std::size_t some = 0;
    std::size_t all = facts_.size();
    while (all - some > 1) {
      const std::size_t middle = some + (all - some) / 2;
      (may_hold(known_, facts_.first(middle)) ? some : all) = middle;
    }
    return Error{ErrorCode::Usage, quoted(facts_[some].text) + ' ' + objection(some),
                 texts_[some].place};
  }

private:
  /// `last` counts as one of the facts.
  bool may_hold(const sets::Facts &known, std::span<const Fact> facts, const Fact *last = nullptr) {
    sets::KnownFacts all(context_);
    for (const Expr fact : known)
      all.add(fact);
    for (const Fact &fact : facts)
      all.add(fact.condition);
    if (last)
      all.add(last->condition);
    return solver_.consistent(all).verdict != sets::Verdict::No;
  }

  std::string objection(std::size_t index) {
    const Fact &fact = facts_[index];
    if (!may_hold({}, {}, &fact))
      return "cannot hold: it contradicts itself";
    if (!may_hold(known_, {}, &fact)) {
      const char *const why =
          ", which is known already, of extents of arguments or types of symbols";
      std::size_t tried = 0;
      for (const Expr known : known_)
        if (share_symbols(known, fact.condition) && ++tried <= max_partners &&
            !may_hold({known}, {}, &fact))
          return "contradicts " + quoted(context_.print(known, symbolic::Grammar::Python)) + why;
      return std::string("contradicts something") + why;
    }
    for (std::size_t i = 0; i < std::min(index, max_partners); ++i)
      if (!may_hold(known_, facts_.subspan(i, 1), &fact))
        return "contradicts " + quoted(facts_[i].text) + " (" + texts_[i].place + ")";
    return "contradicts the facts before it, taken together";
  }

  bool share_symbols(Expr a, Expr b) {
    const std::vector<Name> names = context_.free_symbols(b);
    return std::ranges::any_of(context_.free_symbols(a), [&](Name name) {
      return std::ranges::find(names, name) != names.end();
    });
  }

  symbolic::Context &context_;
  sets::Solver solver_;
  sets::Facts known_;
  std::span<const Fact> facts_;
  std::span<const FactText> texts_;
};

} // namespace

support::result<std::vector<FactText>> read_facts(const std::string &path) {
  // As many facts as are accepted, each with a comment.
  SDFGOPT_TRY(const std::string text, io::read_text(path, max_facts * 1024));
  const std::string name = path == "-" ? "standard input" : path;
  if (text.find('\0') != std::string::npos)
    return Error{ErrorCode::Syntax, "this is no text, so there are no facts in it", name};
  std::string_view rest = text;
  if (rest.starts_with("\xef\xbb\xbf")) // a mark that some editors put in front of UTF-8
    rest.remove_prefix(3);
  std::vector<FactText> facts;
  for (std::size_t line = 1; !rest.empty(); ++line) {
    const std::string_view whole = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(whole.size() + 1, rest.size()));
    if (const std::string_view fact = trimmed(whole.substr(0, whole.find('#'))); !fact.empty())
      facts.push_back({std::string(fact), name + ':' + std::to_string(line)});
  }
  return facts;
}

support::result<std::vector<Fact>> parse_facts(ir::Document &document,
                                               std::span<const FactText> texts) {
  std::vector<Fact> facts;
  if (texts.empty())
    return facts;
  if (texts.size() > max_facts)
    return Error{ErrorCode::Limit, "more than " + std::to_string(max_facts) + " facts",
                 texts[max_facts].place};
  const ProgramNames names(document);
  for (const FactText &text : texts) {
    SDFGOPT_TRY(const Expr condition, parse_fact(document.context, text));
    for (const Name name : document.context.free_symbols(condition))
      if (const std::string objection = names.objection(name); !objection.empty())
        return Error{ErrorCode::Usage, objection, text.place};
    facts.push_back({condition, std::string(trimmed(text.text))});
  }
  SDFGOPT_CHECK(Consistency(document, names, facts, texts).check());
  return facts;
}

} // namespace sdfgopt::passes
