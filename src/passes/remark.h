// What a pass did or did not do, and why, as data.
#pragma once

#include "ir/ids.h"

#include <cstdint>
#include <string>
#include <vector>

namespace sdfgopt::passes {

/// From the best to the worst.
enum class Outcome : std::uint8_t {
  Eliminated,
  Guarded, ///< eliminated where the condition holds; kept otherwise
  Kept
};

/// The rule that decided, of docs/rules.md. None: eliminated, all of them hold.
enum class Rule : std::uint8_t { None, R1, R2, R3, R4, R5, R6, R7, R8 };
constexpr std::size_t rule_count = 9;

/// "R1" ... "R8"; "" for None.
std::string_view rule_name(Rule rule);

/// One for each transient that is copied to an array that is not transient.
struct Remark {
  std::string pass;
  std::string buffer;
  std::string destination;
  std::string region; ///< blocks around the state, "outer/branch_0/"; "" at the top
  std::string state;  ///< label of the state that holds the copy
  ir::StateId state_id;
  ir::NodeId node; ///< the buffer's access node that is copied from, as numbered in the input
  Outcome verdict = Outcome::Kept;
  Rule rule = Rule::None;
  std::string reason;             ///< a sentence: what is in the way, and where
  std::string condition;          ///< if not "", the rewrite is right whenever this holds
  bool trusted = false;           ///< rests on --assume-pointwise and not on a proof alone
  std::vector<std::string> facts; ///< of the user's facts, those that the proof needs
  std::string bytes;              ///< size of the copy, an expression
};

} // namespace sdfgopt::passes
