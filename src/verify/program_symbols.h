// Symbols that a program needs values of before it can run.
#pragma once

#include "ir/sdfg.h"

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace sdfgopt::verify {

struct FreeSymbol {
  support::Name name;
  std::string dtype; ///< JSON, from the symbol table; "\"int64\"" for a symbol that is not in it
};

/// The symbols of the table, and all others that descriptors, memlets, ranges, conditions,
/// assignments, loops and symbol mappings use; sorted by name. Without data, constants, map
/// parameters, loop variables, and what the program itself assigns (unless it is an argument, or
/// the shape of an argument depends on it).
std::vector<FreeSymbol> free_symbols(ir::Document &document);

/// The constants of an SDFG, with the values of those that are plain integers.
std::unordered_map<support::Name, std::optional<std::int64_t>>
constants_of(const ir::Sdfg &sdfg, support::NamePool &names);

/// A loop statement `variable = value`; nothing if the code is not Python of that form.
struct Assignment {
  support::Name variable;
  symbolic::Expr value;
};
std::optional<Assignment> assignment_of(const std::optional<ir::Code> &code,
                                        symbolic::Context &context);

/// Calls `visit(const ir::InterstateEdge &)` for the edges of a region in file order, those in
/// regions inside of it included, and `visit_loop(const ir::LoopRegion &)` for the loops.
template <typename Visit, typename VisitLoop>
void for_each_step(const ir::Region &region, Visit visit, VisitLoop visit_loop) {
  for (const ir::InterstateEdge &edge : region.edges)
    if (!edge.removed)
      visit(edge);
  for (const ir::Block &block : region.blocks) {
    if (block.removed)
      continue;
    if (const auto *loop = block.as<ir::LoopRegion>())
      visit_loop(*loop);
    for (const ir::Region *child : ir::child_regions(block))
      for_each_step(*child, visit, visit_loop);
  }
}

} // namespace sdfgopt::verify
