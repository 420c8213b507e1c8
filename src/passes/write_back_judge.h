// The rules R1 to R8 of docs/rules.md for one candidate. The rules about kinds of memory and the
// form of accesses (R1, R5 to R8) are in write_back_rules.cpp, those about order (R2 to R4) in
// write_back_order.cpp. Internal to the pass.
#pragma once

#include "passes/write_back_candidate.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

namespace sdfgopt::passes {

using analysis::Event;
using analysis::Site;
using analysis::StateGraph;
using sets::Question;
using sets::Region;

class Judge {
public:
  Judge(Analyses &analyses, const Candidate &candidate, const JudgeOptions &options)
      : a_(analyses), candidate_(candidate), options_(options), context_(analyses.context),
        assumed_(options.assumed) {
    buffer_ = analyses.sdfg.find_array(candidate.buffer);
    destination_ = analyses.sdfg.find_array(candidate.destination);
  }

  /// The rules in an order that has the cheap ones first; the first that is in the way decides. One
  /// that only holds for some values of the symbols notes what it requires and lets the others be
  /// asked.
  Judgement run() {
    const bool asked_all = kinds() && copies() && seen() && names() && coverage() &&
                           always_written_back() && used_inside() && foreign_reads() &&
                           foreign_writes() && form();
    // What was refused is so for all values: no condition helps.
    if (asked_all && !result_.required.empty())
      result_.condition = common_condition();
    if (!asked_all || !result_.required.empty()) {
      result_.plan.reset();
      result_.trusted = false;
    } else {
      result_.facts_used = needed_facts();
    }
    return std::move(result_);
  }

private:
  // Each returns whether to go on; if not, it has set the rule and the reason.
  bool kinds();
  bool copies();
  bool copy_map(const Copy &copy, Region &source, std::vector<Expr> &offset);
  bool same_pieces_everywhere(const std::vector<Region> &pieces);
  bool constant_map();
  [[nodiscard]] bool is_identity(const DataAccess &access);
  bool seen();
  bool names();
  bool coverage();
  std::optional<std::vector<Question>> touched_is_copied(analysis::Level level);
  bool can_tell_part();
  bool always_written_back();
  bool used_inside();
  bool foreign_reads();
  bool foreign_read(const Site &site, EdgeId edge);
  struct ForeignRead;
  bool read_between(const ForeignRead &read);
  bool read_beside(const ForeignRead &read, const DataAccess &definition);
  [[nodiscard]] std::string conflict_reason(const ForeignRead &read,
                                            const DataAccess *definition) const;
  std::optional<std::vector<Question>> iterations_are_apart(const ForeignRead &read,
                                                            const DataAccess &definition,
                                                            std::vector<OrderingEdge> &edges);
  bool foreign_writes();
  bool between_definition_and_use(const Site &site, const Event &write, std::uint32_t first,
                                  std::uint32_t last);
  [[nodiscard]] std::vector<PointId> definition_points() const;
  [[nodiscard]] std::unordered_set<std::uint32_t>
  reachable(const std::vector<PointId> &from, std::uint32_t first, std::uint32_t last) const;
  bool form();

  bool refuse(Rule rule, std::string reason) {
    result_.rule = rule;
    result_.reason = std::move(reason);
    return false;
  }

  // What depends on symbols: write_back_conditions.cpp.
  /// The requirement holds under what is known.
  bool is_certain(const sets::Requirement &requirement);
  /// The requirement holds under what is known, or does so for some values of the symbols: then it
  /// is noted, with the rule and the reason that stand if nobody knows more.
  bool require(sets::Requirement requirement, Rule rule, const std::string &reason);
  /// The question as it is asked where `state` runs: of all its runs together, or of each.
  Question asked_in(const ir::State &state, Question question);
  Question asked_in_one_run(const ir::State &state, Question question);
  /// In all runs of the program in which T is accessed at all.
  Question asked_wherever(Question question);
  [[nodiscard]] Region in_all_trips(const ir::State &state, Region region) const;
  [[nodiscard]] bool names_data(const Region &region) const;
  void note_variables(Question &question) const;
  /// The access of G does not touch the part that is copied. Nothing if it cannot be told what it
  /// touches.
  std::optional<std::vector<Question>> apart_from_copy(const Site &site,
                                                       const analysis::MemletTree &tree);
  /// The read of G does not touch what these definitions are going to write there; `in_one_run`:
  /// all are in one state, and of each run of that this is asked.
  std::optional<std::vector<Question>>
  apart_from(const Site &site, const analysis::MemletTree &tree,
             const std::vector<const DataAccess *> &definitions, bool in_one_run);
  [[nodiscard]] sets::Facts constant_conditions(const ir::State &state) const;
  const std::vector<Expr> &common_conditions();
  const sets::KnownFacts &known_where_accessed();
  Expr common_condition();
  std::vector<std::string> needed_facts();

  [[nodiscard]] Redirection redirection() const {
    return {candidate_.buffer, candidate_.destination, offset_};
  }
  [[nodiscard]] bool is_copy(const ir::State &state, EdgeId edge) const {
    return std::any_of(candidate_.copies.begin(), candidate_.copies.end(),
                       [&](const Copy &copy) { return copy.state == &state && copy.edge == edge; });
  }
  [[nodiscard]] bool is_dropped(const ir::State &state, EdgeId edge) const {
    return std::any_of(result_.dropped.begin(), result_.dropped.end(), [&](const auto &dropped) {
      return dropped.first == &state && dropped.second == edge;
    });
  }
  [[nodiscard]] bool copies_in(const ir::State *state) const {
    return std::any_of(candidate_.copies.begin(), candidate_.copies.end(),
                       [&](const Copy &copy) { return copy.state == state; });
  }
  /// The state of `event` copies, and certainly all of it before `event`, respectively after it.
  [[nodiscard]] bool copied_before(const Event &event) const;
  [[nodiscard]] bool copied_after(const Event &event) const;

  Analyses &a_;
  const Candidate &candidate_;
  const JudgeOptions &options_;
  symbolic::Context &context_;
  const ir::Descriptor *buffer_;
  const ir::Descriptor *destination_;
  sets::Facts extents_;             // T's are not negative where it exists
  const sets::KnownFacts &assumed_; // what is known, with what the user knows
  std::optional<std::vector<Expr>> common_conditions_;
  std::optional<sets::KnownFacts> known_where_accessed_;
  std::vector<sets::Requirement> by_facts_; // what holds only with the user's facts
  std::vector<Expr> offset_;                // G index = T index + offset
  Region source_;                           // copied part of T
  Region target_;                           // and where it goes in G
  std::vector<DataAccess> definitions_;
  std::vector<DataAccess> identities_; // definitions T := G by the inverse of phi
  std::vector<DataAccess> uses_;       // copies left out
  std::vector<Event> copy_events_;
  std::unordered_map<std::uint32_t, PointId> before_copy_; // points reached before w, and whence
  std::optional<std::unordered_set<std::uint32_t>> after_definition_;
  bool undecided_ = false; ///< what was required last took too much to decide
  Judgement result_;
};

inline std::string quoted(Name name) { return "'" + name.str() + "'"; }

} // namespace sdfgopt::passes
