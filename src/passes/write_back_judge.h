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
using sets::Region;

class Judge {
public:
  Judge(Analyses &analyses, const Candidate &candidate, const JudgeOptions &options)
      : a_(analyses), candidate_(candidate), options_(options), context_(analyses.context) {
    buffer_ = analyses.sdfg.find_array(candidate.buffer);
    destination_ = analyses.sdfg.find_array(candidate.destination);
  }

  /// The rules in an order that has the cheap ones first; the first that is in the way decides. One
  /// that only holds for some values of the symbols notes its condition and lets the others be
  /// asked.
  Judgement run() {
    const bool asked_all = kinds() && copies() && seen() && names() && coverage() &&
                           always_written_back() && foreign_reads() && foreign_writes() && form();
    if (!asked_all) // what was refused is so for all values: no condition helps
      result_.conditions.clear();
    if (!asked_all || !result_.conditions.empty()) {
      result_.plan.reset();
      result_.trusted = false;
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
  bool covers(const Region &copied, const Region &touched, std::vector<Expr> &conditions,
              bool &all);
  bool always_written_back();
  bool is_of_no_use(Expr condition);
  bool foreign_reads();
  bool foreign_read(const Site &site, EdgeId edge);
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

  /// The access does not touch the moved part of G. Where that depends on symbols, it counts as not
  /// touching, and the condition is noted.
  bool apart(const StateGraph &graph, const analysis::MemletTree &tree, Rule rule,
             const std::string &reason);

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
  sets::Facts facts_;
  std::vector<Expr> offset_; // G index = T index + offset
  Region source_;            // copied part of T
  Region target_;            // and where it goes in G
  std::vector<DataAccess> definitions_;
  std::vector<DataAccess> identities_; // definitions T := G by the inverse of phi
  std::vector<DataAccess> uses_;       // copies left out
  std::vector<Event> copy_events_;
  std::unordered_map<std::uint32_t, PointId> before_copy_; // points reached before w, and whence
  std::optional<std::unordered_set<std::uint32_t>> after_definition_;
  Judgement result_;
};

inline std::string quoted(Name name) { return "'" + name.str() + "'"; }

} // namespace sdfgopt::passes
