// Internal to io: what the text form leaves out because it follows from the rest. The printer
// leaves a thing out exactly if these rules give what the document has; the parser fills it in by
// them.
#pragma once

#include "ir/sdfg.h"

#include <map>
#include <string>
#include <unordered_map>

namespace sdfgopt::io {

/// `$` taken off the names of an expression, where `add_dollars` gives the text back.
std::string strip_dollars(std::string_view text);
/// `$` before every name that is no function, member, constant or operator word; what stands in
/// `symbol(...)` stays as it is.
std::string add_dollars(std::string_view text);

class TextRules {
public:
  explicit TextRules(ir::Document &document);

  /// C-contiguous strides, product of the extents, zeros.
  std::vector<ir::Expression> strides(const std::vector<ir::Expression> &shape);
  /// With other strides than those: what reaches from the first to the last element.
  ir::Expression total_size(const std::vector<ir::Expression> &shape,
                            const std::vector<ir::Expression> &actual_strides);
  std::vector<ir::Expression> offset(const std::vector<ir::Expression> &shape);
  /// The text is an expression of the document's grammar. Only such texts may stand without quotes,
  /// so that a typing error in a text is an error.
  bool is_expression(ir::Expression expression);
  /// Number of elements of a subset; "1" without one.
  ir::Expression volume(const ir::Subset &subset);
  /// What `inner`, an edge directly inside a map, amounts to outside of it: each parameter replaced
  /// by its range, the volume multiplied by the number of iterations. Other scopes: `inner` itself.
  ir::Memlet outer(const ir::Memlet &inner, const ir::Node &entry);

private:
  symbolic::Expr parse(std::string_view text);
  std::string print(symbolic::Expr value);
  symbolic::Expr size(const ir::Range &range);
  ir::Range outer_range(const ir::Range &range, const ir::MapEntry &map);
  ir::Expression expression(std::string_view text);

  ir::Document &document_;
  // Apart from the document's: results must not depend on what else was parsed there before.
  support::NamePool names_;
  symbolic::Context context_;
  std::unordered_map<std::string, std::string> volumes_;
  /// `$N` and its `symbol($N, ...)` in the texts that the current rule looks at; the first one
  /// counts.
  std::unordered_map<std::string, std::string> annotations_;
  ir::Expression one_;
  ir::Expression zero_;
};

/// Tells `data_is_source` the way DaCe does when it loads a file: whether the node at the beginning
/// of the memlet's path has the memlet's data. Where the node at the end has it as well, this is
/// only the default.
class PathEnds {
public:
  explicit PathEnds(const ir::State &state);
  [[nodiscard]] bool data_is_source(const ir::Edge &edge) const;

private:
  [[nodiscard]] const ir::Node &first(const ir::Edge &edge) const;

  const ir::State &state_;
  /// Scope node and `x` of its connector `IN_x`: the edge that comes in there.
  std::map<std::pair<std::uint32_t, std::string_view>, std::uint32_t> in_;
};

/// `x` of a connector `IN_x` or `OUT_x`; nothing for others.
std::optional<std::string_view> through(support::Name connector, std::string_view prefix);

/// The order in which the parser puts a state's edges: by source connector, destination connector,
/// source, destination.
bool text_edge_before(const ir::Edge &a, const ir::Edge &b);

/// The block where a region starts if its text does not say: the only one without predecessors;
/// none for bodies of branches.
std::optional<std::uint32_t> default_start(const ir::Region &region, bool branch);

} // namespace sdfgopt::io
