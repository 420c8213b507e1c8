// Each question by itself: what it names, the facts that concern it, and where it fails. Everything
// that was found is remembered.
#pragma once

#include "sets/failure.h"
#include "sets/keys.h"

#include <deque>
#include <optional>

namespace sdfgopt::sets {

/// Names in the order in which they are first met.
class NameList {
public:
  void add(const std::vector<Name> &names) {
    for (Name name : names)
      if (known_.insert(name).second)
        list_.push_back(name);
  }
  [[nodiscard]] const std::vector<Name> &list() const { return list_; }

private:
  std::vector<Name> list_;
  std::unordered_set<Name> known_;
};

/// A question with the facts that concern it.
struct Posed {
  const Question *question;
  std::size_t facts;
  std::size_t id;          ///< of question and facts
  std::vector<Name> names; ///< what conditions may speak of
};

class Questions {
public:
  /// A question looks at no more facts than these: the nearest, and what is left of them when
  /// other symbols are gone.
  static constexpr std::size_t max_facts = 256;
  static constexpr std::size_t max_left = 64;

  explicit Questions(Context &expressions) : context(expressions) {}

  /// Starts a call that may take so many isl operations.
  void open(unsigned long operations);
  /// isl failed, or has no operations left, since then.
  [[nodiscard]] bool failed() const { return isl_ctx_last_error(ctx.get()) != isl_error_none; }

  /// Without isl. No means: for all values whatsoever. Unknown: that no set can tell.
  std::optional<Verdict> at_sight(const Question &question, const KnownFacts &facts);
  Posed pose(const Question &question, const KnownFacts &facts);
  /// Where it fails, if that is known already.
  const Failure *known_failure(const Posed &posed) const;
  /// Null if isl failed. `first`: nothing else has been built in this call, so that the question
  /// itself is to blame.
  const Failure *find_failure(const Posed &posed, bool first);

  const std::vector<Name> &names_in(Expr e);
  void collect(const Region &region, NameList &names);
  /// A number that stands for these facts.
  std::size_t intern(const Facts &facts);
  /// What facts that are connected with `names` say about them.
  Facts about(const std::vector<Name> &names, const Facts &connected, std::size_t at_most);
  /// The values that facts leave; null if that is too much to be looked at.
  KnownSet set_of(const Facts &facts);
  /// Where the region has a point.
  IslSet populated(const Region &region);

  Context &context;
  Traits traits;
  Statistics statistics;
  IslCtx ctx; // before what lives in it
  std::unique_ptr<Translator> translator;

private:
  void collect(const Question &question, NameList &names);
  KnownSet known(const Posed &posed);
  Failure find(const Posed &posed);
  std::optional<Verdict> problem(const Posed &posed, ProblemBuilder &builder, Problem &out);
  Expr unstated(const Posed &posed);

  std::unordered_map<Key, std::size_t, KeyHash> question_ids_;
  std::unordered_map<Key, std::size_t, KeyHash> fact_ids_;
  std::deque<Facts> fact_lists_; ///< by id
  std::unordered_map<Expr, std::vector<Name>> names_of_;
  std::unordered_map<std::size_t, KnownSet> fact_sets_;
  std::unordered_map<std::size_t, Failure> failures_;
};

} // namespace sdfgopt::sets
