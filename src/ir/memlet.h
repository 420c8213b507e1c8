// Subsets and memlets: which part of which data moves along an edge.
#pragma once

#include "support/name.h"
#include "symbolic/context.h"

#include <optional>
#include <string_view>
#include <vector>

namespace sdfgopt::ir {

using support::Name;
using symbolic::Expression;

/// begin, begin + step, ... up to and including end; `tile` is a tile size, "1" as a rule.
struct Range {
  Expression begin;
  Expression end; ///< inclusive, as in the file
  Expression step;
  Expression tile;
  bool operator==(const Range &) const = default;
};

/// One Range a dimension, outermost index first. Absent is different from rank 0.
class Subset {
public:
  Subset() = default;
  explicit Subset(std::vector<Range> ranges) : ranges_(std::move(ranges)), present_(true) {}
  explicit operator bool() const { return present_; }
  [[nodiscard]] const std::vector<Range> &ranges() const { return ranges_; }
  [[nodiscard]] std::vector<Range> &ranges() { return ranges_; }
  [[nodiscard]] std::size_t rank() const { return ranges_.size(); }
  bool operator==(const Subset &) const = default;

private:
  std::vector<Range> ranges_;
  bool present_ = false;
};

/// `subset` is the part of `data`; `other_subset` the part of what is at the other end of the path.
/// Which end `data` is at follows from the nodes at the ends of the memlet's path (analysis/memlet
/// paths); `data_is_source` is the file's cached opinion and decides only if both ends access the
/// same data. A memlet without data is empty: it only orders its two nodes.
struct Memlet {
  Name data;
  Subset subset;
  Subset other_subset;
  Expression volume;    ///< absent: "0"
  std::string_view wcr; ///< conflict resolution lambda, decoded; empty: none
  bool dynamic = false;
  std::optional<bool> data_is_source;

  [[nodiscard]] bool is_empty() const { return !data; }
};

} // namespace sdfgopt::ir
