// What every path through a graph comes by.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace sdfgopt::analysis {

inline constexpr std::uint32_t no_dominator = UINT32_MAX;

/// For each of the nodes 0 .. count - 1 the last other node that every path from `start` to it
/// passes; no_dominator for `start`, and for nodes that no path comes to. Takes m log n for m arcs
/// and n nodes.
std::vector<std::uint32_t>
immediate_dominators(std::size_t count, std::uint32_t start,
                     std::span<const std::pair<std::uint32_t, std::uint32_t>> arcs);

} // namespace sdfgopt::analysis
