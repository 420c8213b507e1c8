// The pass `write-back-elimination`: see the head of write_back_elimination.cpp.
#pragma once

#include "passes/pass.h"

namespace sdfgopt::passes {

class WriteBackElimination final : public Pass {
public:
  [[nodiscard]] std::string_view name() const override { return "write-back-elimination"; }
  [[nodiscard]] std::string_view summary() const override {
    return "computes a transient that is copied to an array in place there, and drops the copy";
  }
  PassResult run(ir::Document &document, const PassOptions &options) const override;
};

} // namespace sdfgopt::passes
