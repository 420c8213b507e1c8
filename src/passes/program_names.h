// What a name that a user gives means in the outermost SDFG of a program.
#pragma once

#include "analysis/control_flow.h"
#include "ir/sdfg.h"

#include <set>
#include <string>

namespace sdfgopt::passes {

class ProgramNames {
public:
  explicit ProgramNames(ir::Document &document);

  /// Why nothing can be assumed of the value of `name`; "" for a symbol that keeps its value.
  [[nodiscard]] std::string objection(support::Name name) const;

  [[nodiscard]] const analysis::ControlFlow &flow() const { return flow_; }

private:
  using Names = std::set<support::Name>; // by text, so that nothing depends on addresses

  void add(symbolic::Expression expression, Names &names);
  void add_condition(const std::optional<ir::Code> &code);
  void add_region(const ir::Region &region);
  void add_state(const ir::State &state);
  [[nodiscard]] std::string unknown(std::string_view name) const;

  ir::Document &document_;
  Names symbols_; // that may be meant: of the table, in descriptors, memlets, ranges, conditions
  analysis::ControlFlow flow_;
};

} // namespace sdfgopt::passes
